/**
 * What an account bought and sold of NFTs, and what it gained: from its events, newest first, read when it is asked for.
 *
 *     bought for XRP ---> held ---> sold for XRP      gained: what the seller got (price without royalty and broker's fee) less
 *                                                     what it had paid (gains.ts)
 *
 * Goals: figures of one account. Non-goals: accounts with more than EVENTS_MAX events from their beginning: the answer says so.
 * Cost: some 15 us an event, in slices; kept for a ledger.
 */
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { NftEventHistory, type NftPlace } from '../../engine/nfts/event-history.ts';
import { type NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { VersionedCache } from '../versioned-cache.ts';
import { dropsIn } from './amounts.ts';
import { NftCosts, type NftGain } from './gains.ts';

/** Events of an account that are read. */
const EVENTS_MAX = 20_000;
/** Of them in one go: about 5 ms. */
const EVENTS_A_SLICE = 400;
/** Accounts: some 2 MB each at most. */
const KEPT = 16;

/** A purchase or sale. */
export interface NftTrade {
  /** Close time, Ripple epoch seconds. */
  readonly time: number;
  readonly nft: number;
  readonly collection: number;
  readonly isPurchase: boolean;
  /** Drops; 0: it was for another asset. */
  readonly drops: number;
  /** Of a sale; undefined: it was not bought for XRP. */
  readonly gain?: NftGain | undefined;
}

export interface NftTraderHistory {
  /** Oldest first. */
  readonly trades: readonly NftTrade[];
  /** Older events were not read. */
  readonly isPart: boolean;
}

/** An event of an account, as far as it concerns what it holds. */
interface Move {
  readonly time: number;
  readonly nft: number;
  readonly collection: number;
  readonly isSale: boolean;
  readonly isIn: boolean;
  readonly price: number;
  /** Of the price, what went to others. */
  readonly parts: number;
}

export class NftTraderPast {
  readonly #engine: Engine;
  readonly #history: NftEventHistory;
  readonly #kept: VersionedCache<Promise<NftTraderHistory>>;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#history = new NftEventHistory(engine.store, engine.nfts.pending);
    this.#kept = new VersionedCache([engine], KEPT);
  }

  /** @param party 0: none */
  of(party: number): Promise<NftTraderHistory> {
    return this.#kept.get(String(party), () => this.#read(party));
  }

  async #read(party: number): Promise<NftTraderHistory> {
    const moves: Move[] = [];
    let next: NftPlace | undefined;
    for (let read = 0; read < EVENTS_MAX; read += EVENTS_A_SLICE) {
      if (read > 0) await yieldToLoop();
      next = this.#history.visit({ party }, next, EVENTS_A_SLICE, (event) => {
        const move = this.#moveOf(event, party);
        if (move) moves.push(move);
        return true;
      });
      if (!next) break;
    }
    return { trades: tradesOf(moves.reverse()), isPart: next !== undefined };
  }

  #moveOf(event: NftEventReader, party: number): Move | undefined {
    const { type, from, to, closeTime: time, nft, collection, price } = event;
    const isSale = type === NftEventType.sale;
    if (!isSale && type !== NftEventType.transfer && type !== NftEventType.burn) return undefined;
    if (from !== party && to !== party) return undefined;
    const { assets } = this.#engine.nfts;
    return {
      time,
      nft,
      collection,
      isSale,
      isIn: to === party,
      price: isSale ? dropsIn(assets, price) : 0,
      parts: isSale ? dropsIn(assets, event.royalty) + dropsIn(assets, event.brokerFee) : 0,
    };
  }
}

/** @param moves oldest first */
function tradesOf(moves: readonly Move[]): NftTrade[] {
  const trades: NftTrade[] = [];
  const costs = new NftCosts();
  for (const { time, nft, collection, isSale, isIn, price: drops, parts } of moves) {
    const gain = isIn ? undefined : costs.left(nft, drops > 0 ? drops - parts : undefined, time);
    if (isIn) costs.came(nft, drops, time);
    if (isSale) trades.push({ time, nft, collection, isPurchase: isIn, drops, gain });
  }
  return trades;
}
