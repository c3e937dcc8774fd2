/**
 * The first two ledgers (rippled `Ledger(create_genesis, ...)` and `Application::startGenesisLedger`).
 *
 * Ledger 1: all XRP in the account of the pass phrase "masterpassphrase", the fees, and the amendments that are
 * enabled from the start. It has no parent and no close time. Ledger 2 is empty and has the first real close time.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import * as keylets from '../protocol/keylets.ts';
import { GENESIS_ACCOUNT } from '../protocol/well-known.ts';
import { GENESIS_RESOLUTION, nextResolution, roundCloseTime } from './close-time.ts';
import { ClosedLedger, rulesIn } from './ledger.ts';
import { updateSkipLists } from './skip-list.ts';
import { LedgerState } from './state.ts';
import type { Fees } from './view.ts';

/** The total XRP: 100 billion, in drops. */
export const TOTAL_DROPS = 100_000_000_000_000_000n;
/** Fees and reserves of the public network in 2026: 10 drops, 1 XRP, 0.2 XRP. */
export const NETWORK_FEES: Fees = { base: 10n, reserve: 1_000_000n, increment: 200_000n };

export interface GenesisOptions {
  /** Ids of the enabled amendments, in the order of the Amendments entry; empty means no such entry. */
  readonly amendments: readonly Hex[];
  /** Undefined: no FeeSettings entry, as the first versions had it. */
  readonly fees: Fees | undefined;
  /** Seconds. Default {@link GENESIS_RESOLUTION}. */
  readonly closeResolution?: number;
}

/** Ledger 1. The same options always give the same ledger. */
export function genesisLedger({
  amendments,
  fees,
  closeResolution = GENESIS_RESOLUTION,
}: GenesisOptions): ClosedLedger {
  const state = new LedgerState();
  state.put({
    LedgerEntryType: 'AccountRoot',
    index: keylets.account(GENESIS_ACCOUNT),
    Flags: 0,
    Account: GENESIS_ACCOUNT,
    Sequence: 1,
    Balance: Amount.drops(TOTAL_DROPS),
    OwnerCount: 0,
    PreviousTxnID: HASH_ZERO,
    PreviousTxnLgrSeq: 0,
  });
  if (amendments.length > 0)
    state.put({
      LedgerEntryType: 'Amendments',
      index: keylets.amendments(),
      Flags: 0,
      Amendments: [...amendments],
    });
  if (fees !== undefined)
    state.put({
      LedgerEntryType: 'FeeSettings',
      index: keylets.fees(),
      Flags: 0,
      BaseFeeDrops: Amount.drops(fees.base),
      ReserveBaseDrops: Amount.drops(fees.reserve),
      ReserveIncrementDrops: Amount.drops(fees.increment),
    });
  return new ClosedLedger(
    {
      index: 1,
      totalDrops: TOTAL_DROPS,
      parentHash: new Uint8Array(32),
      transactionHash: new Uint8Array(32),
      accountHash: state.tree.hash(),
      parentCloseTime: 0,
      closeTime: 0,
      closeResolution,
      closeFlags: 0,
    },
    state,
    [],
    rulesIn(state),
  );
}

/** Ledger 2: empty, with its close time in Ripple epoch seconds, rounded. */
export function secondLedger(genesis: ClosedLedger, now: number): ClosedLedger {
  const state = genesis.state.snapshot();
  updateSkipLists(state, 2, genesis.hash);
  const closeResolution = nextResolution(genesis.header.closeResolution, true, 2);
  return new ClosedLedger(
    {
      index: 2,
      totalDrops: genesis.header.totalDrops,
      parentHash: bytesOf(genesis.hash),
      transactionHash: new Uint8Array(32),
      accountHash: state.tree.hash(),
      parentCloseTime: genesis.closeTime,
      closeTime: roundCloseTime(now, closeResolution),
      closeResolution,
      closeFlags: 0,
    },
    state,
    [],
    genesis.rules,
  );
}
