/** The entry of the pages: styles and the shell. Everything else is loaded by the page that needs it (`routes.ts`). */
import './styles/index.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { left } from './router.ts';
import { theme } from './settings.ts';
import { Shell } from './shell.tsx';

effect(() => {
  const chosen = theme.value;
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});
left.begin();
render(<Shell />, document.getElementById('app')!);
