/**
 * What the other recorded transactions show of what one of them read and did not write.
 *
 *     an account's flags, transfer rate, pool    as the recording nearest in time shows its root
 *     tick sizes of issuers                      those that make the offers placed near in time of what their
 *                                                transactions asked for
 */

import type { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import { divide, multiply } from '../../../../engine/sandbox/protocol/amount-arithmetic.ts';
import type { AccountId } from '../../../../engine/sandbox/protocol/asset.ts';
import { issuerOf } from '../../../../engine/sandbox/protocol/asset.ts';
import type { Fields, TransactionFields } from '../../../../engine/sandbox/protocol/fields.ts';
import { has, Tf } from '../../../../engine/sandbox/protocol/flags.ts';
import { amountFromQuality, getRate, roundToTickSize } from '../../../../engine/sandbox/protocol/quality.ts';
import { fieldsOf, type Json, nodesOf, type Recorded } from './recorded.ts';

interface Seen {
  readonly ledger: number;
  readonly root: Fields;
}

/** An offer placed as it was: what the transaction asked, and what stood in the book. */
interface Placed {
  readonly ledger: number;
  /** Tick sizes that make the one of the other. */
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

/** What tick sizes make an offer's amounts of those the transaction asked for. */
function sizesOf(tx: TransactionFields, offer: Fields): Set<number> {
  const found = new Set<number>();
  const rate = getRate(tx.TakerGets!, tx.TakerPays!);
  for (let size = TICK_SIZE_MIN; size <= TICK_SIZE_NONE; size += 1) {
    let [pays, gets] = [tx.TakerPays!, tx.TakerGets!];
    if (size < TICK_SIZE_NONE) {
      const rounded = amountFromQuality(roundToTickSize(rate, size));
      if (has(tx.Flags, Tf.tfSell)) pays = multiply(gets, rounded, pays.asset);
      else gets = divide(pays, rounded, gets.asset);
    }
    if (pays.equals(offer.TakerPays!) && gets.equals(offer.TakerGets!)) found.add(size);
  }
  return found;
}

export class Archive {
  readonly #roots = new Map<AccountId, Seen[]>();
  readonly #placed = new Map<string, Placed[]>();

  constructor(recorded: readonly Recorded[]) {
    for (const one of recorded) {
      if (one.network !== 'mainnet') continue;
      const nodes = wrappedNodes(one.meta);
      for (const { type, json } of nodes) if (type === 'AccountRoot') this.#see(json, one.ledgerIndex);
      const offer = nodes.find(({ type, kind }) => type === 'Offer' && kind === 'CreatedNode');
      const crossed = nodes.some(({ type, json }) => type === 'RippleState' || isTaken(json));
      if (offer && !crossed && one.ledgerIndex >= TICK_SIZE_SINCE) this.#place(one, offer.json);
    }
  }

  #see(json: Json, ledger: number): void {
    const node = nodesOf({ AffectedNodes: [{ ModifiedNode: json }] })[0]!;
    const id = node.after?.Account;
    if (id === undefined) return;
    const seen = this.#roots.get(id) ?? [];
    seen.push({ ledger, root: node.after! });
    this.#roots.set(id, seen);
  }

  #place(recorded: Recorded, json: Json): void {
    const offer = nodesOf({ AffectedNodes: [{ CreatedNode: json }] })[0]!.after!;
    const tx = fieldsOf(recorded);
    const pair = pairOf(tx.TakerPays!, tx.TakerGets!);
    const placed = this.#placed.get(pair) ?? [];
    placed.push({ ledger: recorded.ledgerIndex, sizes: sizesOf(tx, offer) });
    this.#placed.set(pair, placed);
  }

  /** An account's root as seen nearest to a ledger. */
  root(id: AccountId, ledger: number): Fields | undefined {
    let best: Seen | undefined;
    for (const one of this.#roots.get(id) ?? [])
      if (!best || Math.abs(one.ledger - ledger) < Math.abs(best.ledger - ledger)) best = one;
    return best?.root;
  }

  /** The tick size, when there is one, that agrees with most of the offers of the same issuers about a ledger. */
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

const isTaken = ({ LedgerEntryType: type, PreviousFields: previous }: Json): boolean =>
  type === 'Offer' && (previous as Json | undefined)?.TakerPays !== undefined;

/** The nodes, unread. */
function wrappedNodes(meta: Json): { type: string; kind: string; json: Json }[] {
  return (meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, json] = Object.entries(wrapped)[0] as [string, Json];
    return { type: String(json.LedgerEntryType), kind, json };
  });
}
