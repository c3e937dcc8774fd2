/**
 * Trades of whales. A whale is who trades enough to move the market; large orders are split; and how much moves a market is
 * its 2 percent depth, in this service (`depthMinus2`) as on sites that list markets. So:
 *
 * A large trade is a transaction in which its signer bought or sold a token, on balance, for WHALE_XRP or more at the value
 * of the trades (engine/market/valuation.ts). A token that only passed through, as in an arbitrage or between two hops, is
 * neither bought nor sold, and neither is one that a payment took from an offer of its sender. A large trade is a whale's if
 * it lies within 24 hours in which the account's large trades of the token come, on balance and on the trade's own side, to
 * the token's depth or more: the XRP that its pool pays out until its price is 2 percent lower, and that funded offers of
 * the open book bid down to 2 percent below its price, as they are now. Where nobody offers XRP for the token, to
 * 10,000 XRP or more (whale-orders.ts). So the first trades of a split order become a whale's when the others have followed.
 *
 *     trade records of 7 days --stored, in slices, once--> [ oldest ... newest ] <--live-- records of each ledger
 *                                                                  `-- a whale's? --> answers
 *
 * Kept are the newest EVENTS_MAX large trades of seven days; an answer filters them. Cost: 0.3 kB each; after a ledger, the
 * first answer sorts them by account (1 ms for all), and reads a part of one book for each token it looks at.
 */
import {
  addDecimal,
  type Decimal,
  DROPS_PER_XRP,
  decimalNumber,
  decimalText,
  subDecimal,
  ZERO,
} from '../engine/codec/amount.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import type { Engine, LedgerEvent } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { platformByNumber } from '../engine/market/platforms.ts';
import { TradeReader } from '../engine/market/trade-record.ts';
import { unixMs, WEEK } from '../engine/ripple-time.ts';
import { XRP } from '../engine/state/tokens.ts';
import type { Position } from '../engine/store.ts';
import { assetObject } from './identity.ts';
import { numberText } from './number-format.ts';
import { VersionedCache } from './versioned-cache.ts';
import { WhaleOrders } from './whale-orders.ts';

/** XRP. A trade of this size moves a pool of 100,000 XRP by 2 percent, as deep as few have. */
export const WHALE_XRP = 1000;
const EVENTS_MAX = 20_000;
/** Records read at a time: about 5 ms. */
const SLICE = 5000;

export interface WhaleQuery {
  readonly limit: number;
  /** Unix ms, exclusive. */
  readonly since?: number | undefined;
  /** XRP. */
  readonly minXrp?: number | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  readonly token?: number | undefined;
  /** Account id. */
  readonly account?: number | undefined;
}

interface Whale {
  readonly ledger: number;
  /** Number of its first trade in the ledger. */
  readonly number: number;
  /** Ripple epoch seconds. */
  readonly time: number;
  readonly hash: string;
  readonly account: number;
  readonly token: number;
  readonly side: 'buy' | 'sell';
  readonly amount: Decimal;
  readonly drops: number;
  readonly fills: number;
  readonly isAMM: boolean;
  readonly sourceTag: number | undefined;
  readonly platform: number;
}

/** What one signer gained of a token in a transaction so far. */
interface Net {
  amount: Decimal;
  drops: number;
  fills: number;
  isAMM: boolean;
}

export class Whales {
  readonly #engine: Engine;
  /** Oldest first; those of the store, and those that came in live. */
  #stored: Whale[] = [];
  #live: Whale[] = [];
  /** First ledger whose records came in live. */
  #liveFrom = 0;
  #loading: Promise<void> | undefined;
  readonly #orders: VersionedCache<WhaleOrders<Whale>>;
  /** The transaction whose records are read. */
  readonly #nets = new Map<number, Net>();
  readonly #first = new TradeReader(new Uint8Array(0));

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#orders = new VersionedCache([engine], 1);
  }

  applied({ head, events }: LedgerEvent): void {
    const { trades, tradeCount } = events.market;
    if (this.#liveFrom === 0) this.#liveFrom = head.index;
    const reader = new TradeReader(trades);
    for (let i = 0; i < tradeCount; ) i = this.#transaction(reader, i, tradeCount, trades, this.#live);
    const oldest = head.closeTime - WEEK;
    if (this.#live.length > 0 && (this.#live[0]!.time <= oldest || this.#live.length > EVENTS_MAX))
      this.#live = this.#live.slice(-EVENTS_MAX).filter(({ time }) => time > oldest);
  }

  /** What has been traded stays so. */
  drop(): void {}

  /** Resolves when the events of the store are in. */
  ready(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Newest first. Call when `ready`. */
  events(query: WhaleQuery) {
    const { state, head } = this.#engine;
    const oldest = (head?.closeTime ?? 0) - WEEK;
    const found: Whale[] = [];
    const orders = this.#orders.get('', () => new WhaleOrders(this.#engine, this.#kept(oldest)));
    for (const list of [this.#live, this.#stored]) {
      for (let i = list.length - 1; i >= 0 && found.length < query.limit; i--) {
        const one = list[i]!;
        if (one.time <= oldest || (query.since !== undefined && unixMs(one.time) <= query.since)) break;
        if (matches(query, one) && orders.has(one)) found.push(one);
      }
    }
    const tokens = new Set(found.map(({ token }) => token));
    const named = Array.from(tokens, (token) => {
      const slug = state.tokens.slug(token);
      return [state.tokens.md5(token), { ...assetObject(state, token), slug }] as const;
    });
    return {
      count: found.length,
      events: found.map((one) => this.#row(one)),
      tokens: Object.fromEntries(named),
    };
  }

  /** Oldest first. @param oldest Ripple epoch seconds, exclusive */
  *#kept(oldest: number): Generator<Whale> {
    for (const list of [this.#stored, this.#live]) for (const one of list) if (one.time > oldest) yield one;
  }

  #row(one: Whale) {
    const { tokens, accounts } = this.#engine.state;
    const xrp = one.drops / DROPS_PER_XRP;
    const platform = platformByNumber(one.platform)?.name;
    const price = xrp / decimalNumber(one.amount);
    return {
      _id: `${one.ledger}_${one.number}_${one.token}`,
      hash: one.hash,
      ledger: one.ledger,
      time: unixMs(one.time),
      account: accounts.text(one.account),
      side: one.side,
      md5: tokens.md5(one.token),
      amount: decimalText(one.amount),
      xrp,
      ...(Number.isFinite(price) && { price: numberText(price) }),
      trades: one.fills,
      isAMM: one.isAMM,
      ...(one.sourceTag !== undefined && { sourceTag: one.sourceTag }),
      ...(platform !== undefined && { platform }),
    };
  }

  async #load(): Promise<void> {
    const { store, head } = this.#engine;
    if (!head) return;
    const first = store.ledgerAt(Math.max(0, head.closeTime - WEEK)) ?? store.firstLedger();
    if (!first) return;
    // Ledgers that come in from here on are added live.
    const end = this.#liveFrom === 0 ? head.index + 1 : this.#liveFrom;
    for (let from: Position | undefined = { ledger: first.index, tx: 0, entry: 0 }; from; ) {
      from = this.#slice(from, end);
      if (from) await yieldToLoop();
    }
    this.#stored = this.#stored.slice(-EVENTS_MAX);
  }

  /** Reads whole transactions of one slice; returns where the next begins. */
  #slice(from: Position, end: number): Position | undefined {
    const chunks: Uint8Array[] = [];
    this.#engine.store.trades({ from, limit: SLICE }, (position, record) => {
      if (position.ledger >= end) return false;
      chunks.push(record.slice());
      return true;
    });
    const records = new Uint8Array(Buffer.concat(chunks));
    const reader = new TradeReader(records);
    const count = chunks.length;
    const isLast = count < SLICE;
    let i = 0;
    for (let last = 0; i < count; last = i) {
      i = this.#transaction(reader, i, count, records, this.#stored);
      // The last one of a full slice may go on in the next: it is read again, unless it is all there is.
      if (i === count && !isLast && last > 0) {
        const { ledger, tx } = reader.at(last);
        while (
          this.#stored.at(-1)?.ledger === ledger &&
          this.#stored.at(-1)!.number >= reader.at(last).number
        )
          this.#stored.pop();
        return { ledger, tx, entry: reader.at(last).number };
      }
    }
    if (isLast) return undefined;
    const { ledger, tx, number } = reader.at(count - 1);
    return { ledger, tx, entry: number + 1 };
  }

  /** Takes the records of one transaction, from number `i`. @returns the number of the next one's first */
  #transaction(reader: TradeReader, i: number, count: number, records: Uint8Array, into: Whale[]): number {
    const { tokens } = this.#engine.state;
    const nets = this.#nets;
    nets.clear();
    const first = this.#first.load(records).at(i);
    const { ledger, tx, account } = first;
    for (; i < count && reader.at(i).ledger === ledger && reader.tx === tx; i++) {
      if (reader.isLiquidity || reader.isWithItself) continue;
      // In a pool's record the signer is the maker, on a book the taker (trade-record.ts).
      const isMaker = reader.isAMM;
      for (const token of [reader.paidToken, reader.gotToken]) {
        if (token === XRP) continue;
        const isPaid = token === reader.paidToken;
        const amount = isPaid
          ? tokens.decimal(token, reader.paidHi, reader.paidLo)
          : tokens.decimal(token, reader.gotHi, reader.gotLo);
        const got = isPaid === isMaker;
        const net = nets.get(token) ?? { amount: ZERO, drops: 0, fills: 0, isAMM: true };
        net.amount = got ? addDecimal(net.amount, amount) : subDecimal(net.amount, amount);
        net.drops += got ? reader.valueDrops : -reader.valueDrops;
        net.fills++;
        net.isAMM &&= reader.isAMM;
        nets.set(token, net);
      }
    }
    for (const [token, { amount, drops, fills, isAMM }] of nets) {
      const isBuy = amount.m > 0n;
      if (amount.m === 0n || Math.abs(drops) < WHALE_XRP * DROPS_PER_XRP || drops > 0 !== isBuy) continue;
      into.push({
        ledger,
        number: first.number,
        time: first.closeTime,
        hash: hexOf(first.hash),
        account,
        token,
        side: isBuy ? 'buy' : 'sell',
        amount: isBuy ? amount : { m: -amount.m, e: amount.e },
        drops: Math.abs(drops),
        fills,
        isAMM,
        sourceTag: first.sourceTag,
        platform: first.platform,
      });
    }
    return i;
  }
}

function matches({ minXrp = 0, side, token, account }: WhaleQuery, one: Whale): boolean {
  return (
    one.drops >= minXrp * DROPS_PER_XRP &&
    (side === undefined || one.side === side) &&
    (token === undefined || one.token === token) &&
    (account === undefined || one.account === account)
  );
}
