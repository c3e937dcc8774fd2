/** Applying a recorded transaction again, under the rules and fees of its time, to the state before it. */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { Outcome, ParsedTransaction } from '../../../sandbox/apply/environment.ts';
import { transactionOfFields } from '../../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../sandbox/apply/transactor.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import type { Fees } from '../../../sandbox/ledger/view.ts';
import { type Rules, rulesAt, rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import { MapView } from '../map-view.ts';
import type { Before } from './before.ts';
import { withOldSums } from './old-sums.ts';
import { fieldsOf, type Json, type Recorded } from './recorded.ts';

/** Reserves in drops at a time: for an account, for an entry. */
const RESERVES: readonly (readonly [since: number, reserve: bigint, increment: bigint])[] = [
  [786_412_800, 1_000_000n, 200_000n],
  [685_152_000, 10_000_000n, 2_000_000n],
  [0, 20_000_000n, 5_000_000n],
];

/** Development networks have the present reserves of mainnet. */
const LOW_RESERVES = /^(devnet|standalone)/;

export function feesOf({ closeTime, network }: Recorded): Fees {
  const time = LOW_RESERVES.test(network) ? LATE : closeTime || LATE;
  const [, reserve, increment] = RESERVES.find(([since]) => time >= since)!;
  return { base: 10n, reserve, increment };
}

const without = (rules: Rules, names: readonly string[]): Rules =>
  rulesOf([...rules.names].filter((name) => !names.includes(name)));

/** Amendments that development networks of the time did not have yet. */
const EARLY = [
  'fixNFTokenRemint',
  'fixRemoveNFTokenAutoTrustLine',
  'fixUniversalNumber',
  'fixIncludeKeyletFields',
];
const LATER = ['fixCleanup3_1_3', 'fixCleanup3_2_0', 'fixCleanup3_3_0', 'fixIncludeKeyletFields'];
const RECENT = ['fixIncludeKeyletFields', 'fixTokenEscrowV1'];

/**
 * The rules a ledger may have had. On mainnet: those of its time. For other networks it is not recorded which amendments
 * they had: those of mainnet at the time, these and what the transaction shows to be enabled, or today's without some.
 */
export function rulesFor(recorded: Recorded): Rules[] {
  const { network, closeTime, meta } = recorded;
  if (network === 'mainnet') return [rulesAt(closeTime)];
  const late = [[], RECENT, LATER, EARLY].map((names) => without(SANDBOX_RULES, names));
  const shown = absentBy(meta);
  if (shown.length > 0) late.push(without(SANDBOX_RULES, shown));
  if (closeTime === 0) return late;
  const own = rulesOf([
    ...rulesAt(closeTime).names,
    'Checks',
    'AMM',
    'fixUniversalNumber',
    'fixInnerObjTemplate',
  ]);
  return [rulesAt(closeTime), own, ...late];
}

/** Amendments that were not enabled, as a recording of another network without a date shows. */
function absentBy(meta: Json): string[] {
  const names = ['fixIncludeKeyletFields'];
  const nodes = (meta.AffectedNodes as Record<string, Json>[]).map(
    (wrapped) => Object.entries(wrapped)[0] as [string, Json],
  );
  for (const [kind, { LedgerEntryType: type, NewFields, PreviousTxnID }] of nodes) {
    if (type === 'SignerList' && NewFields && (NewFields as Json).Flags === undefined)
      names.push('MultiSignReserve');
    if (type === 'DirectoryNode' && kind === 'ModifiedNode' && PreviousTxnID === undefined)
      names.push('fixPreviousTxnID');
  }
  return names;
}

/** The time of recordings without one. */
const LATE = 800_000_000;

/** Some seconds after the time that an escrow waits for; 0 without one. */
function escrowTime({ entries }: Before): number {
  const escrow = [...entries.values()].find(({ LedgerEntryType }) => LedgerEntryType === 'Escrow');
  const until = escrow?.FinishAfter ?? escrow?.CancelAfter;
  return until === undefined ? 0 : until + 4;
}

/** Before Flow (2016) a step by an account could name the currency and issuer that follow from it; now it may not. */
function inTodaysPaths(transaction: ParsedTransaction, rules: Rules): ParsedTransaction {
  const { Paths: paths, ...fields } = transaction.fields;
  if (paths === undefined || rules.enabled('Flow')) return transaction;
  const Paths = paths.map((path) =>
    path.map((step) => (step.account === undefined ? step : { account: step.account })),
  );
  return { ...transaction, fields: { ...fields, Paths } };
}

export interface Changed {
  readonly parentHash?: Hex;
  readonly parentCloseTime?: number;
}

export function execute(state: Before, rules: Rules, changed: Changed = {}): Outcome {
  const { recorded } = state;
  const { meta, tx } = recorded;
  // A recording without a time was made when its escrow could be finished.
  const own =
    recorded.network === 'unknown' ? Math.max(recorded.closeTime, escrowTime(state)) : recorded.closeTime;
  const closeTime = own || LATE;
  const header = {
    index: recorded.ledgerIndex,
    parentHash: changed.parentHash ?? '0'.repeat(64),
    parentCloseTime:
      changed.parentCloseTime ??
      (closeTime === recorded.closeTime ? recorded.parentCloseTime : closeTime - 3),
    closeTime,
    totalDrops: 99_990_000_000_000_000n,
  };
  const view = new MapView(header, rules, feesOf(recorded), false, state.entries.values());
  const parent = meta.ParentBatchID === undefined ? {} : { parentBatchId: String(meta.ParentBatchID) };
  const options = { networkId: Number(tx.NetworkID ?? 0), index: recorded.index, ...parent };
  const transaction = inTodaysPaths(transactionOfFields(fieldsOf(recorded)), rules);
  const apply = () => applyTransaction(new EntryTable(view), transaction, options);
  return rules.enabled('fixUniversalNumber') ? apply() : withOldSums(apply);
}
