/**
 * Entries that one recorded transaction read and did not write, from the other recorded transactions.
 *
 *     an account's flags, pool                   as the recording nearest in time shows its root
 *     an issuer's transfer rate                  likewise, or as what holders gave and others got nearest in time shows
 *     tick sizes of issuers                      those that make the offers placed near in time of what their
 *                                                transactions asked for
 */
import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { divide, multiply } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import { issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import { amountFromQuality, getRate, roundToTickSize } from '../../../engine/codec/arithmetic/quality.ts';
import type { Fields, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { hasAny, Tf } from '../../../sandbox/protocol/flags.ts';
import { fieldsOf, type Json, nodesOf, type Recorded } from './recorded.ts';

interface Seen {
  readonly ledger: number;
  readonly root: Fields;
}

/** A placed offer: the amounts of the transaction and those in the book. */
interface Placed {
  readonly ledger: number;
  /** Tick sizes with which the first amounts give the second. */
  readonly sizes: ReadonlySet<number>;
}

/** Half a year: issuers rarely set another tick size. */
const NEAR_LEDGERS = 4_000_000;
const TICK_SIZE_MIN = 3;
/** No tick size at all. */
const TICK_SIZE_NONE = 16;
/** Ledger of mainnet with amendment TickSize (2017-02-21). */
const TICK_SIZE_SINCE = 27_841_793;

/** The issuers of an offer, as a key. */
const pairOf = (pays: Amount, gets: Amount): string =>
  [pays, gets]
    .flatMap((amount) => (amount.isIssued ? issuerOf(amount.asset) : []))
    .sort()
    .join();

/** Tick sizes with which the amounts of the transaction give those of the offer. */
function sizesOf(tx: TransactionFields, offer: Fields): Set<number> {
  const found = new Set<number>();
  const rate = getRate(tx.TakerGets!, tx.TakerPays!);
  for (let size = TICK_SIZE_MIN; size <= TICK_SIZE_NONE; size += 1) {
    let [pays, gets] = [tx.TakerPays!, tx.TakerGets!];
    if (size < TICK_SIZE_NONE) {
      const rounded = amountFromQuality(roundToTickSize(rate, size));
      if (hasAny(tx.Flags, Tf.tfSell)) pays = multiply(gets, rounded, pays.asset);
      else gets = divide(pays, rounded, gets.asset);
    }
    if (pays.equals(offer.TakerPays!) && gets.equals(offer.TakerGets!)) found.add(size);
  }
  return found;
}

/** What the issuer of lines received and paid, where it can be computed to a fifth of a basis point. */
interface Rate {
  readonly ledger: number;
  readonly rate: number;
}

const RATE_MAX = 2_000_000_000;
const RATE_ONE = 1_000_000_000;
const BASIS_POINT = 100_000;
/** Maximum error of a rate, and its distance from a whole basis point. */
const RATE_ERROR_MAX = 2e-5;

/**
 * Transfer rates that the lines of a transaction show, by issuer: what the holders gave over what others got, where
 * that is a whole number of basis points above one, within the accuracy of the balances.
 */
function ratesIn(recorded: Recorded): Map<AccountId, number> {
  const moved = new Map<AccountId, { given: number; got: number; unsure: number }>();
  for (const { type, before, after, kind } of nodesOf(recorded.meta)) {
    const fields = kind === 'DeletedNode' ? before : after;
    if (type !== 'RippleState' || !fields?.LowLimit || !fields.HighLimit || !fields.Balance) continue;
    const now = kind === 'DeletedNode' ? 0 : sizeOf(fields.Balance);
    const then = before?.Balance ? sizeOf(before.Balance) : 0;
    for (const [issuer, sign] of [
      [issuerOf(fields.LowLimit.asset), -1],
      [issuerOf(fields.HighLimit.asset), 1],
    ] as const) {
      const sums = moved.get(issuer) ?? { given: 0, got: 0, unsure: 0 };
      // What the holder has more of.
      const change = (now - then) * sign;
      if (change > 0) sums.got += change;
      else sums.given -= change;
      sums.unsure += (Math.abs(now) + Math.abs(then)) * 1e-15;
      moved.set(issuer, sums);
    }
  }
  const rates = new Map<AccountId, number>();
  for (const [issuer, { given, got, unsure }] of moved) {
    if (got <= 0 || unsure / got > RATE_ERROR_MAX) continue;
    const rate = Math.round((given / got) * (RATE_ONE / BASIS_POINT)) * BASIS_POINT;
    const exact = Math.abs(given / got - rate / RATE_ONE) < RATE_ERROR_MAX;
    if (exact && rate > RATE_ONE && rate <= RATE_MAX) rates.set(issuer, rate);
  }
  return rates;
}

/** An account of a network. Unnamed networks count as mainnet if their ledgers fit. */
const keyOf = (id: AccountId, { network }: Recorded): string =>
  `${network === 'unknown' ? 'mainnet' : network} ${id}`;

const sizeOf = (amount: Amount): number => Number(amount.mantissa) * 10 ** amount.exponent;

export class Archive {
  readonly #rates = new Map<string, Rate[]>();
  readonly #roots = new Map<string, Seen[]>();
  readonly #placed = new Map<string, Placed[]>();

  constructor(recorded: readonly Recorded[]) {
    for (const one of recorded) {
      const nodes = wrappedNodes(one.meta);
      const roots = nodes.filter(({ type }) => type === 'AccountRoot');
      const hasLines = nodes.some(({ type }) => type === 'RippleState');
      if ((roots.length > 0 || hasLines) && isReadable(one)) {
        for (const { json } of roots) this.#see(json, one);
        if (hasLines) this.#rate(one);
      }
      const offer = nodes.find(({ type, kind }) => type === 'Offer' && kind === 'CreatedNode');
      const crossed = nodes.some(({ type, json }) => type === 'RippleState' || isTaken(json));
      if (offer && !crossed && (one.network !== 'mainnet' || one.ledgerIndex >= TICK_SIZE_SINCE))
        this.#place(one, offer.json);
    }
  }

  #see(json: Json, recorded: Recorded): void {
    const node = nodesOf({ AffectedNodes: [{ ModifiedNode: json }] })[0]!;
    const id = node.after?.Account;
    if (id === undefined) return;
    const key = keyOf(id, recorded);
    const seen = this.#roots.get(key) ?? [];
    seen.push({ ledger: recorded.ledgerIndex, root: node.after! });
    this.#roots.set(key, seen);
  }

  #place(recorded: Recorded, json: Json): void {
    const offer = nodesOf({ AffectedNodes: [{ CreatedNode: json }] })[0]!.after!;
    const tx = fieldsOf(recorded);
    const pair = pairOf(tx.TakerPays!, tx.TakerGets!);
    const placed = this.#placed.get(pair) ?? [];
    placed.push({ ledger: recorded.ledgerIndex, sizes: sizesOf(tx, offer) });
    this.#placed.set(pair, placed);
  }

  #rate(recorded: Recorded): void {
    for (const [issuer, rate] of ratesIn(recorded)) {
      const key = keyOf(issuer, recorded);
      const rates = this.#rates.get(key) ?? [];
      rates.push({ ledger: recorded.ledgerIndex, rate });
      this.#rates.set(key, rates);
    }
  }

  /** An issuer's transfer rate, from its root or from payments nearest to a ledger. */
  transferRate(id: AccountId, at: Recorded): number | undefined {
    const key = keyOf(id, at);
    let best: { distance: number; rate: number | undefined } | undefined;
    const see = (ledger: number, rate: number | undefined): void => {
      const distance = Math.abs(ledger - at.ledgerIndex);
      if (!best || distance < best.distance) best = { distance, rate };
    };
    for (const { ledger, root } of this.#roots.get(key) ?? []) see(ledger, root.TransferRate);
    for (const { ledger, rate } of this.#rates.get(key) ?? []) see(ledger, rate);
    return best?.rate;
  }

  /** An account's root as seen nearest to a ledger. */
  root(id: AccountId, at: Recorded): Fields | undefined {
    const distance = (one: Seen): number => Math.abs(one.ledger - at.ledgerIndex);
    let best: Seen | undefined;
    for (const one of this.#roots.get(keyOf(id, at)) ?? [])
      if (!best || distance(one) < distance(best)) best = one;
    return best?.root;
  }

  /** The tick size, if any, that agrees with most of the offers of the same issuers near a ledger. */
  tickSize(pays: Amount, gets: Amount, ledger: number): number | undefined {
    const near = (this.#placed.get(pairOf(pays, gets)) ?? []).filter(
      (one) => Math.abs(one.ledger - ledger) < NEAR_LEDGERS,
    );
    let best = { size: TICK_SIZE_NONE, count: 0 };
    for (let size = TICK_SIZE_NONE; size >= TICK_SIZE_MIN; size -= 1) {
      const count = near.filter(({ sizes }) => sizes.has(size)).length;
      if (count > best.count) best = { size, count };
    }
    return best.size < TICK_SIZE_NONE ? best.size : undefined;
  }
}

function isReadable({ meta }: Recorded): boolean {
  try {
    return nodesOf(meta).length > 0;
  } catch {
    return false;
  }
}

const isTaken = ({ LedgerEntryType: type, PreviousFields: previous }: Json): boolean =>
  type === 'Offer' && (previous as Json | undefined)?.TakerPays !== undefined;

/** The nodes, unread. */
function wrappedNodes(meta: Json): { type: string; kind: string; json: Json }[] {
  return (meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, json] = Object.entries(wrapped)[0] as [string, Json];
    return { type: String(json.LedgerEntryType), kind, json };
  });
}
