/**
 * A bridge between two chains: its door accounts, their assets, and which of the two this chain is (XLS-38; rippled
 * `XChainBridge.cpp`).
 */

import type { AccountId, Asset, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Bridge, Entry, TransactionFields } from '../protocol/fields.ts';
import { bridge as bridgeKey } from '../protocol/keylets.ts';

export type Chain = 'locking' | 'issuing';

/** The bridge of a transaction. */
export const bridgeOf = (tx: Readonly<TransactionFields>): Bridge => tx.XChainBridge as Bridge;

export const otherChain = (chain: Chain): Chain => (chain === 'locking' ? 'issuing' : 'locking');

export const doorOf = (bridge: Bridge, chain: Chain): AccountId =>
  chain === 'locking' ? bridge.LockingChainDoor : bridge.IssuingChainDoor;

export const issueOf = (bridge: Bridge, chain: Chain): Asset =>
  chain === 'locking' ? bridge.LockingChainIssue : bridge.IssuingChainIssue;

/** The key of a bridge's entry on one of its chains. */
export const keyOn = (bridge: Bridge, chain: Chain): Hex =>
  bridgeKey(doorOf(bridge, chain), issueOf(bridge, chain));

export function sameBridge(a: Bridge, b: Bridge): boolean {
  return (
    a.LockingChainDoor === b.LockingChainDoor &&
    a.LockingChainIssue === b.LockingChainIssue &&
    a.IssuingChainDoor === b.IssuingChainDoor &&
    a.IssuingChainIssue === b.IssuingChainIssue
  );
}

/** This chain's entry of a bridge, on either side. */
export function readBridge(view: ReadView, bridge: Bridge): Readonly<Entry> | undefined {
  for (const chain of ['locking', 'issuing'] as const) {
    const entry = view.read(keyOn(bridge, chain));
    if (entry?.XChainBridge !== undefined && sameBridge(entry.XChainBridge, bridge)) return entry;
  }
  return undefined;
}

/** The side of this chain: that of the door account which owns the entry. */
export function chainOf(entry: Readonly<Entry>, bridge: Bridge): Chain | undefined {
  if (entry.Account === bridge.LockingChainDoor) return 'locking';
  return entry.Account === bridge.IssuingChainDoor ? 'issuing' : undefined;
}
