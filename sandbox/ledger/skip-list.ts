/**
 * Skip lists: the hashes of earlier ledgers within a ledger's state (rippled `Ledger::updateSkipList`).
 *
 *     recent list     the last 256 ledgers, oldest first
 *     history lists   every 256th ledger, one list for each 65,536 ledgers
 *
 * So any ledger proves the hash of any ledger before it in two steps.
 */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { LedgerState } from './state.ts';

/** Hashes in the recent list, and ledgers between two of a history list. */
const SPAN = 256;

/** Writes the hash of ledger `index - 1` into the state of ledger `index`. Ledger 1 has no parent. */
export function updateSkipLists(state: LedgerState, index: number, parentHash: Hex): void {
  const parent = index - 1;
  if (parent < 1) return;
  if (parent % SPAN === 0)
    append(state, keylets.skipList(parent), parent, parentHash, Number.MAX_SAFE_INTEGER);
  append(state, keylets.skipList(), parent, parentHash, SPAN);
}

function append(state: LedgerState, key: Hex, last: number, hash: Hex, most: number): void {
  const before: Readonly<Entry> = state.read(key) ?? {
    LedgerEntryType: 'LedgerHashes',
    index: key,
    Flags: 0,
  };
  const hashes = before.Hashes ?? [];
  const kept = hashes.length < most ? hashes : hashes.slice(hashes.length - most + 1);
  state.put({ ...before, Hashes: [...kept, hash], LastLedgerSequence: last });
}

/**
 * The hash of ledger `wanted` in the state of a later ledger: directly when it is one of the last 256 or a multiple of
 * 256, undefined otherwise (then the hash of the next multiple leads to a ledger that contains it).
 */
export function hashInSkipLists(state: LedgerState, index: number, wanted: number): Hex | undefined {
  if (wanted < 1 || wanted >= index) return undefined;
  const recent = state.read(keylets.skipList());
  const back = (recent?.LastLedgerSequence ?? 0) - wanted;
  const found = recent?.Hashes?.at(-1 - back);
  if (back >= 0 && found !== undefined && back < (recent?.Hashes?.length ?? 0)) return found;
  if (wanted % SPAN !== 0) return undefined;
  const history = state.read(keylets.skipList(wanted));
  const steps = ((history?.LastLedgerSequence ?? 0) - wanted) / SPAN;
  return steps >= 0 ? history?.Hashes?.at(-1 - steps) : undefined;
}
