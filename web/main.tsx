/** The entry of the pages: styles and the shell. Everything else is loaded by the page that needs it (`routes.ts`). */
import './styles/index.css';
import { render } from 'preact';
import { applyTheme } from './settings.ts';
import { Shell } from './shell.tsx';

applyTheme();
render(<Shell />, document.getElementById('app')!);
