/**
 * Reference assets: tokens by which others are valued where a trade has no XRP leg. Anyone can issue a token, trade it with
 * themselves for 0.001 XRP at any rate and so give it any price; a value measured in such a token means nothing.
 * So a reference asset is XRP itself, or
 *   - an anchor (anchors.ts: stands for fiat money) with a price from a market with XRP within REFERENCE_MAX_AGE
 *   - a token with an XRP pool of at least DEEP_POOL_DROPS, at such a price, or without one at the pool's spot price. To
 *     fake one, that much XRP must be put at risk in the open market.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DAY } from '../ripple-time.ts';
import { XRP } from '../state/tokens.ts';
import { POOL_MIN_DROPS, type Prices } from './prices.ts';
import type { PoolReserves } from './state-view.ts';

/** 10,000 XRP. */
export const DEEP_POOL_DROPS = 1e10;
/** One day: XRP moves a few percent in it. */
export const REFERENCE_MAX_AGE = DAY;

export class ReferenceAssets {
  readonly #state: PoolReserves;
  readonly #prices: Prices;
  readonly #isAnchor: (token: number, time: number) => boolean;

  constructor(state: PoolReserves, prices: Prices, isAnchor: (token: number, time: number) => boolean) {
    this.#state = state;
    this.#prices = prices;
    this.#isAnchor = isAnchor;
  }

  /** XRP per token, if the token is a reference asset at that time, else 0. */
  price(token: number, time: number): number {
    const price = this.#prices.direct(token, time, REFERENCE_MAX_AGE);
    if (token === XRP || (price > 0 && this.#isAnchor(token, time))) return price;
    const drops = this.poolDrops(token);
    if (drops < DEEP_POOL_DROPS) return 0;
    return price || this.spotPrice(token);
  }

  /** XRP per token by the token's XRP pool; 0 without one. */
  spotPrice(token: number): number {
    const spot = this.poolDrops(token) / DROPS_PER_XRP / this.poolTokens(token);
    return Number.isFinite(spot) ? spot : 0;
  }

  /** Whether the token has an XRP pool that counts as its market. */
  hasPool(token: number): boolean {
    return this.poolDrops(token) >= POOL_MIN_DROPS;
  }

  /** Drops in the token's XRP pool, 0 without one. */
  poolDrops(token: number): number {
    return Math.round(this.#reserve(token, XRP) * DROPS_PER_XRP);
  }

  /** Token units in the token's XRP pool, 0 without one. */
  poolTokens(token: number): number {
    return this.#reserve(token, token);
  }

  #reserve(token: number, side: number): number {
    const { pools, tokens } = this.#state;
    const pool = pools.byAssets(XRP, token);
    if (pool === undefined) return 0;
    return tokens.number(side, ...pools.reserveRaw(pool, pools.asset1(pool) === side ? 1 : 2));
  }
}
