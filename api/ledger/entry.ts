/** A ledger entry, from the ledgers stored here or from the node that they come from. */

import type { JsonObject } from '../../engine/codec/json.ts';
import type { Engine } from '../../engine/engine.ts';
import { unavailable } from '../../requests/errors.ts';
import type { Network } from '../../views/network.ts';
import { Fragment } from '../route.ts';
import { findEntryJson } from './entry-json.ts';

/**
 * What a node answers, as it is, where the source of ledgers is one.
 * @returns undefined: no node, or it has nothing. @throws ApiError 503 when no node answers.
 */
export async function askNode(
  { source }: Network,
  command: { command: string; [parameter: string]: unknown },
): Promise<Fragment | undefined> {
  if (!source?.request) return undefined;
  const result = await source.request({ ...command, api_version: 2 }).catch(() => {
    throw unavailable('No ledger node answers', 'Try again shortly');
  });
  if (result.error !== undefined || result.status === 'error') return undefined;
  const { status, warnings, forwarded, ...rest } = result;
  return new Fragment([JSON.stringify(rest).slice(1, -1)]);
}

/** @param index 32 bytes. @returns undefined where the ledgers stored here do not tell the entry in full. */
export function storedEntry(engine: Engine, index: Uint8Array): JsonObject | undefined {
  const found = findEntryJson(engine, index);
  return typeof found === 'object' ? found.node : undefined;
}
