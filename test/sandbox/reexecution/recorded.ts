/**
 * Every recorded transaction of the corpus that has metadata, each once, with
 * the ledger and the time it was applied at.
 *
 * Where a recording lacks one of these it is computed from its other fields, never from the result of the test:
 *  - ledger: the one after the latest transaction that its entries name as their previous transaction
 *  - time: between the ledgers of mainnet around it whose times are known, and before any offer expired that was placed or
 *    taken in it or later
 */
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { fromJson } from '../../../sandbox/protocol/encode.ts';
import type { Entry, EntryType, Fields, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { ledgerFiles, readLedger, readLines } from '../../../support/corpus.ts';

export type Json = Record<string, unknown>;

export interface Recorded {
  readonly hash: string;
  readonly type: string;
  readonly network: string;
  readonly ledgerIndex: number;
  /** Ripple epoch seconds; 0 where it cannot be known. */
  readonly closeTime: number;
  /** Close time of the ledger before. */
  readonly parentCloseTime: number;
  /** Place in the ledger. */
  readonly index: number;
  readonly result: string;
  readonly tx: Json;
  readonly meta: Json;
}

/** One entry of the metadata. */
export interface Node {
  readonly kind: 'CreatedNode' | 'ModifiedNode' | 'DeletedNode';
  readonly type: EntryType;
  readonly index: Hex;
  /** The entry before, as far as metadata shows it; absent for created ones. */
  readonly before?: Entry;
  /** The entry after the transaction, for created and modified ones. */
  readonly after?: Fields;
  readonly json: Json;
}

/** Between two ledgers, where one's time is not known. */
const SECONDS_A_LEDGER = 4;
/** Over how many ledgers the pace is measured that reaches beyond the last one with a time. */
const PACE_LEDGERS = 5_000_000;
const UNKNOWN = 0;
/** Recordings without a network name and without a time have ledger indices that fit mainnet. */
const LIKE_MAINNET: ReadonlySet<string> = new Set(['mainnet', 'unknown']);
/** A time (July 2019) for the network that is known by its year. */
const YEARS: Readonly<Record<string, number>> = { 'testnet-2019': 615_000_000 };

type Known = readonly (readonly [ledger: number, time: number])[];

/** Close time of a ledger of mainnet, by those before and after that are known. */
function closeTimeOf(ledger: number, known: Known): number {
  const at = known.findIndex(([index]) => index >= ledger);
  const [high, highTime] = known[at === -1 ? known.length - 1 : at]!;
  if (high === ledger) return highTime;
  const [low, lowTime] =
    at === -1 ? known.findLast(([index]) => index <= high - PACE_LEDGERS)! : known[Math.max(at - 1, 0)]!;
  const pace = high === low ? SECONDS_A_LEDGER : (highTime - lowTime) / (high - low);
  return Math.round(highTime + (ledger - high) * pace);
}

function innerNodes(meta: Json): Json[] {
  return (meta.AffectedNodes as Json[]).map((wrapped) => Object.values(wrapped)[0] as Json);
}

/** The ledger after the latest one that entries name, unless the transaction had to be in by then. */
function ledgerAfter(tx: Json, meta: Json): number {
  const named = innerNodes(meta).map(({ PreviousTxnLgrSeq: ledger }) => Number(ledger ?? 0));
  const latest = Math.max(0, ...named);
  const last = Number(tx.LastLedgerSequence ?? Number.POSITIVE_INFINITY);
  return latest > 0 ? Math.min(latest + 1, last) : Number(tx.LastLedgerSequence ?? UNKNOWN);
}

interface Raw {
  readonly hash: string;
  readonly network: string;
  readonly ledger: number | undefined;
  readonly time: number | undefined;
  readonly parentTime?: number | undefined;
  readonly tx: Json;
  readonly meta: Json;
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function rawTransactions(): Raw[] {
  const found = new Map<string, Raw>();
  for (const line of readLines('tx.jsonl.gz') as Json[]) {
    found.set(String(line.hash), {
      hash: String(line.hash),
      network: String(line.network),
      ledger: numberOf(line.ledger_index),
      time: numberOf(line.close_time),
      tx: line.tx as Json,
      meta: line.meta as Json,
    });
  }
  for (const name of ledgerFiles()) {
    const { network, ledger_index: ledger, header, transactions } = readLedger(name);
    for (const { hash, tx, meta } of transactions ?? []) {
      const time = numberOf(header?.close_time) ?? found.get(hash)?.time;
      found.set(hash, {
        hash,
        network,
        ledger,
        time,
        parentTime: numberOf(header?.parent_close_time),
        tx,
        meta,
      });
    }
  }
  return [...found.values()];
}

/** The latest time a ledger can have: an offer placed or taken in it or later had not expired. */
function latestTimes(raw: readonly Raw[]): (ledger: number) => number {
  const placed: [ledger: number, expiration: number][] = [];
  for (const { network, ledger, tx, meta } of raw) {
    if (network !== 'mainnet' || !ledger || meta.TransactionResult !== 'tesSUCCESS') continue;
    if (typeof tx.Expiration === 'number') placed.push([ledger, tx.Expiration]);
    for (const { LedgerEntryType: type, PreviousFields: previous, FinalFields: final } of innerNodes(meta)) {
      const { Expiration: expiration } = (final ?? {}) as Json;
      const taken = type === 'Offer' && (previous as Json | undefined)?.TakerPays !== undefined;
      if (taken && typeof expiration === 'number') placed.push([ledger, expiration]);
    }
  }
  return (ledger) =>
    Math.min(
      Number.POSITIVE_INFINITY,
      ...placed.flatMap(([at, expiration]) => (at >= ledger ? expiration - 1 : [])),
    );
}

/** Every recorded transaction. */
export function recordedTransactions(): Recorded[] {
  const raw = rawTransactions();
  const times = new Map<number, number>();
  for (const { network, ledger, time } of raw)
    if (network === 'mainnet' && ledger !== undefined && time !== undefined) times.set(ledger, time);
  const known: Known = [...times].sort(([a], [b]) => a - b);
  const latest = latestTimes(raw);
  return raw.map(({ hash, network, ledger, time, parentTime, tx, meta }) => {
    const ledgerIndex = ledger ?? ledgerAfter(tx, meta);
    const estimated = () => Math.min(closeTimeOf(ledgerIndex, known), latest(ledgerIndex));
    const closeTime = time ?? YEARS[network] ?? (LIKE_MAINNET.has(network) ? estimated() : UNKNOWN);
    return {
      hash,
      type: String(tx.TransactionType),
      network,
      ledgerIndex,
      closeTime,
      parentCloseTime: parentTime ?? times.get(ledgerIndex - 1) ?? closeTime - SECONDS_A_LEDGER,
      index: Number(meta.TransactionIndex ?? 0),
      result: String(meta.TransactionResult),
      tx,
      meta,
    };
  });
}

/** Since when accounts have a flag for rippling by default, and other lines do not ripple (2015-03-25). */
const DEFAULT_RIPPLE_SINCE = 480_556_800;

/** Whether the ledger has no flag for rippling by default: every account ripples then. */
export const isBeforeDefaultRipple = ({ network, closeTime }: Recorded): boolean =>
  closeTime > 0 ? closeTime < DEFAULT_RIPPLE_SINCE : network === 'standalone';

/** @throws Error for what the protocol of today cannot express. */
export const fieldsOf = ({ tx }: Recorded): TransactionFields => fromJson(tx as never) as TransactionFields;

/** The entries of the metadata. @throws Error for what the protocol of today cannot express. */
export function nodesOf(meta: Json): Node[] {
  return (meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, json] = Object.entries(wrapped)[0] as [Node['kind'], Json];
    const type = json.LedgerEntryType as EntryType;
    const index = String(json.LedgerIndex);
    if (kind === 'CreatedNode')
      return { kind, type, index, after: fromJson((json.NewFields ?? {}) as never), json };
    const after = fromJson((json.FinalFields ?? {}) as never);
    const before = {
      ...after,
      ...fromJson((json.PreviousFields ?? {}) as never),
      LedgerEntryType: type,
      index,
    } as Entry;
    if (json.PreviousTxnID !== undefined) {
      before.PreviousTxnID = String(json.PreviousTxnID);
      before.PreviousTxnLgrSeq = Number(json.PreviousTxnLgrSeq);
    }
    return kind === 'ModifiedNode'
      ? { kind, type, index, before, after, json }
      : { kind, type, index, before, json };
  });
}
