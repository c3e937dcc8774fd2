/** What the node answers that is the source of ledgers. */
import { unavailable } from '../../requests/errors.ts';
import type { Network } from '../../views/network.ts';
import { Fragment } from '../route.ts';
import { checkAbout } from './node-reads.ts';

/**
 * The unchanged answer of a node, if the source of ledgers is a node.
 * @param about members that show that the answer is to this question
 * @returns undefined: no node, or an error answer. @throws ApiError 503 if no node answers, or to another question.
 */
export async function askNode(
  { source }: Network,
  command: { command: string; [parameter: string]: unknown },
  about: Readonly<Record<string, string>>,
): Promise<Fragment | undefined> {
  if (!source?.request) return undefined;
  const result = await source.request({ ...command, api_version: 2 }).catch(() => {
    throw unavailable('No ledger node answers', 'Try again shortly');
  });
  if (result.error !== undefined || result.status === 'error') return undefined;
  checkAbout(result, about);
  const { status, warnings, forwarded, ...rest } = result;
  return new Fragment([JSON.stringify(rest).slice(1, -1)]);
}
