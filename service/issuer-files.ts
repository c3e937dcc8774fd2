/** Where the files that issuers publish are read, as the options say. */
import { filesOf, publicFiles, StoredIssuerFiles } from '../outside/issuer-files.ts';
import type { RunningSandbox } from '../workers/sandbox.ts';
import type { Options } from './options.ts';

/**
 * undefined: they are not read.
 * @param sandbox the embedded network: its node has the files of all its issuers
 * @param now ms of a clock that never goes back
 */
export function issuerFilesOf(
  { issuerFiles }: Options,
  sandbox: RunningSandbox | undefined,
  now: () => number,
): StoredIssuerFiles | undefined {
  if (issuerFiles === 'no' || (issuerFiles === 'auto' && !sandbox)) return undefined;
  const read = sandbox ? filesOf(sandbox.url.replace(/^ws/, 'http')) : publicFiles();
  return new StoredIssuerFiles({ read, now, unixMs: Date.now });
}
