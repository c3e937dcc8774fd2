/**
 * Reads that are answered by the node that ledgers come from: what columns do not have (objects, channels, NFTs, qualities of
 * trust lines, ...). The answer has the node's own members; an error of the node arrives with status 200 inside `result`
 * (section 7 of the contract). Nothing of it is believed beyond its form: members are copied as JSON, its size and its time are
 * bounded where sockets are (engine/ledger/limits.ts), and lists have at most the entries that were asked for.
 */
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import type { NodeCommand } from '../../engine/ledger/source.ts';
import { notConfigured, unavailable } from '../../requests/errors.ts';
import type { Network } from '../../views/network.ts';

/** Members of an envelope: they are not about what was asked. */
const ENVELOPE: ReadonlySet<string> = new Set(['status', 'warnings', 'forwarded', 'warning', 'request']);

/**
 * Of a validated ledger. undefined: no node, or it answers an error.
 * @param about members that show that the answer is to this question @throws ApiError 503 when none answers, or with others
 */
export async function askNodeObject(
  network: Network,
  command: NodeCommand,
  about: Readonly<Record<string, string>> = {},
): Promise<JsonObject | undefined> {
  if (!network.source?.request) return undefined;
  const answer = await nodeRead(network, command);
  if (isJsonObject(answer.result)) return undefined;
  checkAbout(answer, about);
  return answer;
}

/** @throws ApiError 503 for the answer to another question */
export function checkAbout(
  answer: Readonly<Record<string, unknown>>,
  about: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(about)) if (answer[name] !== value) throw somethingElse();
}

const somethingElse = () => unavailable('The ledger node answers something else', 'Try again shortly');

/** Of a validated ledger; `result` has the error of the node. @throws ApiError 503 without a node, or when none answers */
export async function nodeRead({ source }: Network, command: NodeCommand): Promise<JsonObject> {
  if (!source?.request)
    throw notConfigured(
      'This is read from a ledger node, and none is followed',
      'Start with --source <node>',
    );
  const asked = { ledger_index: 'validated', api_version: 2, ...command };
  const answer = await source.request(asked).catch(() => {
    throw unavailable('No ledger node answers', 'Try again shortly');
  });
  const { error, error_code, error_message } = answer;
  if (error !== undefined || answer.status === 'error')
    return {
      result: {
        status: 'error',
        error: String(error ?? 'unknown'),
        ...(typeof error_code === 'number' && { error_code }),
        ...(typeof error_message === 'string' && { error_message }),
      },
    };
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !ENVELOPE.has(name))) as JsonObject;
}

/**
 * The same; of the list at most so many entries, whatever the node sent, and how many that are: nodes say it where there are more.
 * @param list member of the answer
 */
export async function nodeList(
  network: Network,
  command: NodeCommand & { readonly limit: number },
  list: string,
): Promise<JsonObject> {
  const answer = await nodeRead(network, command);
  if (answer.result !== undefined) return answer;
  return { ...answer, [list]: listIn(answer, list).slice(0, command.limit), limit: command.limit };
}

/** @throws ApiError 503 where the answer has no such list */
export function listIn(answer: JsonObject, list: string): readonly Json[] {
  const rows = answer[list];
  if (!Array.isArray(rows)) throw somethingElse();
  return rows;
}
