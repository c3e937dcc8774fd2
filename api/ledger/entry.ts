/** A ledger entry, from the stored ledgers or from the node that is their source. */

import type { JsonObject } from '../../engine/codec/json.ts';
import type { Engine } from '../../engine/engine.ts';
import { unavailable } from '../../requests/errors.ts';
import type { Network } from '../../views/network.ts';
import { Fragment } from '../route.ts';
import { findEntryJson } from './entry-json.ts';

/**
 * The unchanged answer of a node, if the source of ledgers is a node.
 * @returns undefined: no node, or an error answer. @throws ApiError 503 if no node answers.
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

/** @param index 32 bytes. @returns undefined if the entry cannot be rebuilt from the stored ledgers. */
export function storedEntry(engine: Engine, index: Uint8Array): JsonObject | undefined {
  const found = findEntryJson(engine, index);
  return typeof found === 'object' ? found.node : undefined;
}
