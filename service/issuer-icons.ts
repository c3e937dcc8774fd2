/** Where the icons that issuers name are read: of the public internet alone, or of the embedded network's node, which has them. */
import { StoredIssuerIcons } from '../outside/issuer-icons.ts';
import { publicReader, readerOf } from '../outside/public-fetch.ts';
import { ProcessImageEncoder } from '../workers/image-encoder.ts';
import type { RunningSandbox } from '../workers/sandbox.ts';
import type { Options } from './options.ts';

/** undefined: they are not read. @param opened gets the way to close them */
export function issuerIconsOf(
  { issuerFiles }: Options,
  sandbox: RunningSandbox | undefined,
  opened: AsyncDisposableStack,
): StoredIssuerIcons | undefined {
  if (issuerFiles === 'no' || (issuerFiles === 'auto' && !sandbox)) return undefined;
  const encoder = new ProcessImageEncoder();
  const icons = new StoredIssuerIcons({
    read: sandbox ? readerOf(sandbox.url.replace(/^ws/, 'http')) : publicReader(),
    encoder,
    now: Date.now,
  });
  opened.defer(() => {
    icons.close();
    encoder.close();
  });
  return icons;
}
