/**
 * The markets of tokens with XRP, as sites that list markets read them: one ticker for each token that was traded
 * against XRP in the last 24 hours.
 *
 * Volumes are those of the pair (pairs.ts), price, its extremes and its change those of the token's row, bid and ask the
 * best funded offers of the order book. Made in slices, since a busy day has thousands.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { mapInSlices } from '../engine/event-loop.ts';
import { Fiat } from '../engine/market/figures.ts';
import { XRP } from '../engine/state/tokens.ts';
import type { BookViews } from './book-views.ts';
import { orderBook } from './orderbook.ts';
import type { TokenViews } from './token-views.ts';

/** More pairs than a day of the public network has. */
const TICKERS_MAX = 20_000;
/** Tickers made before other work may run: about 2 ms. */
const TICKERS_A_SLICE = 50;
/** What a ticker shows of the token's row. */
const FIELDS = ['exch', 'maxMin24h', 'pro24h', 'AMM'];

/** Members that are not known are absent. Prices in XRP. */
export interface Ticker {
  readonly slug: string;
  readonly name: string;
  /** Tokens, and XRP, of the last 24 hours. */
  readonly tokens: number;
  readonly xrp: number;
  readonly price?: number | undefined;
  readonly high?: number | undefined;
  readonly low?: number | undefined;
  /** Percent in 24 hours. */
  readonly change?: number | undefined;
  /** Exact decimal text. */
  readonly bid?: string | undefined;
  readonly ask?: string | undefined;
  /** r-address of the pool's account. */
  readonly pool?: string | undefined;
  /** What the pool locks. */
  readonly liquidityUsd?: number | undefined;
}

export class Tickers {
  readonly #engine: Engine;
  readonly #tokens: TokenViews;
  readonly #books: BookViews;

  constructor(engine: Engine, tokens: TokenViews, books: BookViews) {
    this.#engine = engine;
    this.#tokens = tokens;
    this.#books = books;
  }

  /** The most traded first. */
  async all(): Promise<readonly Ticker[]> {
    const { pairs } = await this.#books.pairs(XRP, TICKERS_MAX);
    const traded = pairs.filter(({ count }) => count > 0);
    return mapInSlices(traded, TICKERS_A_SLICE, ({ curr1, curr2 }) => {
      const token = this.#engine.state.tokens.byMd5(String(curr2.md5))!;
      return this.#ticker(token, Number(curr2.value), Number(curr1.value));
    });
  }

  #ticker(token: number, tokens: number, xrp: number): Ticker {
    const { state, head } = this.#engine;
    const texts = this.#tokens.texts(token, FIELDS);
    const of = (name: string): unknown => {
      const text = texts.get(name);
      return text === undefined ? undefined : JSON.parse(text);
    };
    const [high, low] = (of('maxMin24h') as [number, number] | undefined) ?? [];
    const { bids, asks } = orderBook(state, token, XRP, 1, head?.closeTime ?? 0);
    const pool = state.pools.byAssets(XRP, token);
    return {
      slug: this.#tokens.slug(token),
      name: this.#tokens.name(token),
      tokens,
      xrp,
      price: numberOf(of('exch')),
      high,
      low,
      change: of('pro24h') as number | undefined,
      bid: bids[0]?.price,
      ask: asks[0]?.price,
      pool: of('AMM') as string | undefined,
      liquidityUsd: pool === undefined ? undefined : this.#usd(pool),
    };
  }

  /** What a pool locks in US dollars. */
  #usd(pool: number): number | undefined {
    const { totals, rates } = this.#engine.market;
    const xrpPerDollar = rates.xrpPer(Fiat.USD);
    const drops = totals.lockedDrops(pool);
    return xrpPerDollar === undefined || drops === 0 ? undefined : drops / DROPS_PER_XRP / xrpPerDollar;
  }
}

/** The price of a row is text, or a number where clients want it so. */
function numberOf(price: unknown): number | undefined {
  return price === undefined ? undefined : Number(price);
}
