/**
 * What happened on the network lately, read from the stored ledgers when it is asked for: newest ledger first, in slices of
 * one ledger, until the time that is asked for or READ_MAX transactions. One such read at a time; its result is kept for
 * the same times.
 *
 *     stored ledger -> change set -> rows of transactions -> engine/metrics/network-activity.ts -> sums
 *
 * Non-goals: years; figures of many days at once need tables that are kept while ledgers are applied. Cost: about 8 us a
 * transaction, 1.6 s of slices at most.
 */
import { AssetKind, amountKind, DROPS_PER_XRP, dropsOf } from '../engine/codec/amount.ts';
import { readU32, sameBytes } from '../engine/codec/bytes.ts';
import {
  AccountNode,
  Changes,
  EntryType,
  isSent,
  LineNode,
  Node,
  NodeAction,
  OfferNode,
  Tx,
} from '../engine/codec/changes.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import { HASH_BYTES } from '../engine/codec/hash.ts';
import type { PackedLedger } from '../engine/codec/packed.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { type ActivityTransaction, NetworkActivity } from '../engine/metrics/network-activity.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import { isExchange } from './token-facts.ts';

/** Transactions and ledgers that are read for one answer. */
const READ_MAX = 200_000;
const LEDGERS_MAX = 25_000;
/** TransactionType code of Payment. */
const PAYMENT = 0;

export interface ActivityRead {
  readonly activity: NetworkActivity;
  /** Unix ms of the first and last ledger that was read; the same where none was. */
  readonly from: number;
  readonly until: number;
  readonly ledgers: number;
  /** Older ledgers of the time were not read. */
  readonly isCut: boolean;
}

export class NetworkActivities {
  readonly #engine: Engine;
  #kept: { readonly key: string; readonly read: Promise<ActivityRead> } | undefined;
  #isReading = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @param from Unix ms @param until Unix ms @returns undefined: another time is being read now */
  of(from: number, until: number): Promise<ActivityRead> | undefined {
    const key = `${from} ${until}`;
    if (this.#kept?.key === key) return this.#kept.read;
    if (this.#isReading) return undefined;
    this.#isReading = true;
    const read = this.#read(from, until).finally(() => {
      this.#isReading = false;
    });
    this.#kept = { key, read };
    read.catch(() => {
      this.#kept = undefined;
    });
    return read;
  }

  async #read(from: number, until: number): Promise<ActivityRead> {
    const { state } = this.#engine;
    const activity = new NetworkActivity((account) => isExchange(state, account));
    let [first, last, ledgers] = [until, until, 0];
    const answer = (isCut: boolean) => ({ activity, from: first, until: last, ledgers, isCut });
    for (const [oldest, newest] of this.#engine.ledgerRanges().toReversed()) {
      for (let index = newest; index >= oldest; index--) {
        const packed = this.#engine.ledgerBytes(index);
        const time = packed ? unixMs(packed.closeTime) : 0;
        if (!packed || time > until) continue;
        if (time < from) return answer(false);
        if (activity.transactions + packed.count > READ_MAX || ledgers === LEDGERS_MAX) return answer(true);
        for (const one of this.#transactions(packed)) activity.add(one);
        if (ledgers === 0) last = time;
        first = time;
        ledgers++;
        await yieldToLoop();
      }
    }
    return answer(first > from && ledgers > 0);
  }

  *#transactions(packed: PackedLedger): Generator<ActivityTransaction> {
    const changes = new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES)));
    for (let tx = 0; tx < changes.transactions; tx++)
      if (isSent(changes, tx)) yield this.#row(packed, changes, tx);
  }

  #row(packed: PackedLedger, changes: Changes, tx: number): ActivityTransaction {
    const { bytes, ledgerIndex: ledger } = packed;
    const account = (at: number) => (at === 0 ? 0 : (this.#engine.state.accounts.find(bytes, at) ?? 0));
    const senderAt = changes.tx(tx, Tx.accountAt);
    const type = changes.tx(tx, Tx.type);
    const isSuccess = changes.tx(tx, Tx.result) === 0;
    const paidAt = type === PAYMENT ? changes.tx(tx, Tx.deliveredAt) || changes.tx(tx, Tx.amountAt) : 0;
    const sentAt = changes.tx(tx, Tx.sendMaxAt);
    const xrp = paidAt === 0 ? undefined : xrpAt(bytes, paidAt);
    return {
      ledger,
      tx,
      time: unixMs(packed.closeTime) / 1000,
      type,
      isSuccess,
      isPayment: type === PAYMENT,
      sender: account(senderAt),
      destination: account(changes.tx(tx, Tx.destinationAt)),
      fee: xrpAt(bytes, changes.tx(tx, Tx.feeAt)) ?? 0,
      xrp,
      token: paidAt === 0 || xrp !== undefined ? 0 : this.#tokenAt(bytes, paidAt),
      isCross: paidAt !== 0 && sentAt !== 0 && !isSameCurrency(bytes, paidAt, sentAt),
      ...effects({ bytes, changes, tx, senderAt, state: this.#engine.state }),
    };
  }

  /** 0: an MPT, or a token that is not known. */
  #tokenAt(bytes: Uint8Array, at: number): number {
    const { accounts, currencies, tokens } = this.#engine.state;
    if (amountKind(bytes[at]!) !== AssetKind.issued) return 0;
    const issuer = accounts.find(bytes, at + ISSUER_AT);
    const currency = currencies.find(bytes, at + 8);
    return issuer === undefined || currency === 0 ? 0 : tokens.findPair(issuer, currency);
  }
}

/** undefined: it is no XRP. */
function xrpAt(bytes: Uint8Array, at: number): number | undefined {
  if (at === 0 || amountKind(bytes[at]!) !== AssetKind.xrp) return undefined;
  return Number(dropsOf(readU32(bytes, at), readU32(bytes, at + 4))) / DROPS_PER_XRP;
}

function isSameCurrency(bytes: Uint8Array, a: number, b: number): boolean {
  const kind = amountKind(bytes[a]!);
  if (kind !== amountKind(bytes[b]!)) return false;
  if (kind === AssetKind.xrp) return true;
  return kind === AssetKind.issued
    ? sameBytes(bytes, a + 8, bytes, b + 8, 20)
    : sameBytes(bytes, a + 9, bytes, b + 9, 24);
}

type Effects = Pick<ActivityTransaction, 'isTrade' | 'created' | 'before' | 'after'>;

/** What the changed entries of a transaction show. */
function effects({ bytes, changes, tx, senderAt, state }: EffectsOf): Effects {
  const { accounts } = state;
  const find = (at: number) => (at === 0 ? 0 : (accounts.find(bytes, at) ?? 0));
  const mayTrade = MAY_TRADE.has(changes.tx(tx, Tx.type));
  const created: number[] = [];
  let isTrade = false;
  let before: number | undefined;
  let after = 0;
  const first = changes.tx(tx, Tx.firstNode);
  for (let node = first; node < first + changes.tx(tx, Tx.nodes); node++) {
    const type = changes.node(node, Node.entryType);
    const action = changes.node(node, Node.action);
    if (type === EntryType.AccountRoot) {
      const at = changes.node(node, AccountNode.accountAt);
      const id = find(at);
      if (action === NodeAction.created) created.push(id);
      else if (at !== 0 && sameBytes(bytes, at, bytes, senderAt, 20)) {
        before = xrpAt(bytes, changes.node(node, AccountNode.prevBalanceAt));
        const left = changes.node(node, AccountNode.balanceAt);
        after = action === NodeAction.deleted ? 0 : (xrpAt(bytes, left) ?? 0);
      }
      isTrade ||= mayTrade && accounts.amm[id] !== 0;
    } else if (type === EntryType.Offer) {
      isTrade ||= changes.node(node, OfferNode.prevTakerPaysAt) !== 0;
    } else if (type === EntryType.RippleState && mayTrade && !isTrade) {
      const limits = [LineNode.lowLimitAt, LineNode.highLimitAt].map((column) => changes.node(node, column));
      isTrade = limits.some((at) => at !== 0 && accounts.amm[find(at + ISSUER_AT)] !== 0);
    }
  }
  return { isTrade, created, before, after };
}

interface EffectsOf {
  readonly bytes: Uint8Array;
  readonly changes: Changes;
  readonly tx: number;
  readonly senderAt: number;
  readonly state: State;
}

/** Where an issued amount has its issuer. */
const ISSUER_AT = 28;
/** TransactionType codes of what trades with a pool where it changes one; deposits and votes are no trades. */
const OFFER_CREATE = 7;
const MAY_TRADE: ReadonlySet<number> = new Set([PAYMENT, OFFER_CREATE]);
