/** Where the files that issuers publish are read, as the options say. */
import { CachedIssuerFiles, filesOf, publicFiles } from '../outside/issuer-files.ts';
import type { RunningSandbox } from '../workers/sandbox.ts';
import type { Options } from './options.ts';

/**
 * undefined: they are not read.
 * @param sandbox the embedded network: its node has the files of all its issuers
 * @param now ms
 */
export function issuerFilesOf(
  { issuerFiles }: Options,
  sandbox: RunningSandbox | undefined,
  now: () => number,
): CachedIssuerFiles | undefined {
  if (issuerFiles === 'no') return undefined;
  if (sandbox) return new CachedIssuerFiles(filesOf(sandbox.url.replace(/^ws/, 'http')), now);
  return issuerFiles === 'yes' ? new CachedIssuerFiles(publicFiles(), now) : undefined;
}
