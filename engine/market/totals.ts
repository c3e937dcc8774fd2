/**
 * Sums over all tokens and pools: how many tokens are listed, their market cap, the value that pools lock. As of the newest
 * ledger: for everything that a ledger changed, the old value is removed from the sums and the new one added.
 *
 *     changed tokens --> listed?  price x supply  price in pools --.
 *     changed pools  --------------------------------------------- + --> value of a pool --> sums
 *
 * The value of a pool, in XRP, has one definition for every answer:
 *   - with XRP on one side: twice its XRP, since by a pool's own rate both sides have the same value
 *   - between two tokens: each side at the token's XRP price (`exch`), where that price comes from a market: the token counts
 *     in the market cap (state/listing.ts), has a deep XRP pool, or is an anchor whose price a market with XRP set. A side
 *     without such a price counts as 0: anyone can give a token of their own any price (reference-assets.ts).
 * The value locked of a token is that of all its pools. So a pool between two tokens is in the figures of both, and
 * once in the total.
 *
 * A price changes the value of every pool of its token, of which a token may have a thousand: what pools hold is kept beside
 * their values, so that this looks up no trust line.
 *
 * Sums are exact (exact-sum.ts): removing and adding causes no rounding error, and a restart gives the same figures.
 */

import { DROPS_PER_XRP } from '../codec/amount.ts';
import { growTo } from '../columns.ts';
import type { RowSteps } from '../event-loop.ts';
import { XRP } from '../state/tokens.ts';
import { Columns } from './columns.ts';
import { ExactSums } from './exact-sum.ts';
import { Window, type WindowFigures } from './figures.ts';
import type { Prices } from './prices.ts';
import type { Rates } from './rates.ts';
import { DEEP_POOL_DROPS, type ReferenceAssets } from './reference-assets.ts';
import type { TotalsState } from './state-view.ts';

/** Tokens or pools after which `rebuilding` yields: some milliseconds. */
const TOKENS_A_STEP = 256;

/** Rows of the sums. */
const CAP = 0;
const LOCKED = 1;
const ALL_CAP = 2;

export interface TotalsParts {
  readonly prices: Prices;
  readonly rates: Pick<Rates, 'anchors' | 'anchorTokens'>;
  readonly referenceAssets: ReferenceAssets;
  readonly windows: Pick<WindowFigures, 'basePrice'>;
}

export class Totals {
  /** Listed tokens (state/listing.ts). */
  listed = 0;
  /** Tokens that count in the market cap. */
  readonly ofMarket = new Set<number>();

  readonly #state: TotalsState;
  readonly #parts: TotalsParts;
  readonly #sums = new ExactSums(new Columns(3));
  readonly #isListed: Uint8Array;
  /** XRP that a token adds to the market cap. */
  readonly #caps: Float64Array;
  /** Market cap of a listed token, XRP; 0 without a price. */
  readonly #allCaps: Float64Array;
  /** XRP per token in pools between tokens; 0 = no such price, or no such pool. */
  readonly #pooledAt: Float64Array;
  /** The same a day ago, as of the last ledger that changed the token; 0 = not known. */
  readonly #pooledBefore: Float64Array;
  /** Decimal places of a token's amounts in `#held`. */
  readonly #scales: Uint8Array;
  /** Drops that a pool locks. */
  #values = new Float64Array(1024);
  /** What each pool holds of its two assets: XRP, or tokens. */
  #held = new Float64Array(2048);
  /** Tokens that counted as anchors at the last check: it depends on time whether they still do. */
  readonly #anchors = new Set<number>();

  constructor(state: TotalsState, columns: Columns, parts: TotalsParts) {
    this.#state = state;
    this.#parts = parts;
    this.#isListed = columns.u8();
    this.#caps = columns.f64();
    this.#allCaps = columns.f64();
    this.#pooledAt = columns.f64();
    this.#pooledBefore = columns.f64();
    this.#scales = columns.u8();
  }

  /** Market cap of the tokens that count, XRP. */
  get marketcap(): number {
    return this.#sums.value(CAP);
  }

  /** Market cap of all listed tokens that have a price, XRP. Anyone can give a token of their own any price. */
  get unfilteredMarketcap(): number {
    return this.#sums.value(ALL_CAP);
  }

  /** Value that all pools lock, XRP. */
  get locked(): number {
    return this.#sums.value(LOCKED) / DROPS_PER_XRP;
  }

  isListed(token: number): boolean {
    return this.#isListed[token] === 1;
  }

  /** Value that a pool locks, drops; 0 when no side has a price that counts. */
  lockedDrops(pool: number): number {
    return this.#values[pool] ?? 0;
  }

  /** XRP at which pools between tokens count a token; 0 when it has no price that counts. */
  priceInPools(token: number): number {
    return this.#pooledAt[token] ?? 0;
  }

  /** Value that the pools of a token lock, XRP; undefined without a pool. */
  lockedOf(token: number): number | undefined {
    const pools = this.#state.pools.of(token);
    if (pools.size === 0) return undefined;
    let sum = 0;
    for (const pool of pools) sum += this.lockedDrops(pool);
    return sum / DROPS_PER_XRP;
  }

  /** XRP per token (`exch`): as in prices.ts, else the spot price of its XRP pool (after a snapshot, for example). */
  price(token: number): number | undefined {
    if (token === XRP) return 1;
    const known = this.#parts.prices.price(token);
    if (known !== undefined && known > 0) return known;
    return this.#spotPrice(token);
  }

  /** XRP per token by what the token's XRP pool holds; undefined without one. */
  #spotPrice(token: number): number | undefined {
    const { pools } = this.#state;
    const pool = pools.byAssets(XRP, token);
    if (pool === undefined) return undefined;
    const first = pools.asset1(pool) === XRP ? 0 : 1;
    const spot = this.#held[2 * pool + first]! / this.#held[2 * pool + 1 - first]!;
    return spot > 0 && Number.isFinite(spot) ? spot : undefined;
  }

  /** XRP of all that is issued at the token's price; undefined without a price. */
  marketcapOf(token: number): number | undefined {
    const cap = (this.price(token) ?? Number.NaN) * this.#state.lines.supplyNumber(token);
    return Number.isFinite(cap) ? cap : undefined;
  }

  /** Updates the sums after a ledger. Tokens whose value locked changes with another's price are marked as repriced. */
  apply(time: number): void {
    const { tokens, pools } = this.#state.changed;
    for (const pool of pools) this.#readHeld(pool);
    for (const token of tokens) this.#updateToken(token, time);
    for (const token of this.#anchors) this.#updatePrice(token, time);
    for (const token of this.#parts.rates.anchorTokens) this.#updatePrice(token, time);
    for (const pool of pools) this.#updatePool(pool);
  }

  /** Computes everything from the state. @param time close time of its ledger. */
  *rebuilding(time: number): RowSteps {
    this.listed = 0;
    this.ofMarket.clear();
    this.#anchors.clear();
    this.#sums.clear();
    const { tokens, pools } = this.#state;
    this.#isListed.fill(0);
    for (const column of [this.#caps, this.#allCaps, this.#pooledAt, this.#pooledBefore, this.#values])
      column.fill(0);
    for (let pool = 1; pool < pools.count; pool++) {
      this.#readHeld(pool);
      if (pool % TOKENS_A_STEP === 0) yield 0;
    }
    for (let token = 1; token < tokens.count; token++) {
      this.#scales[token] = tokens.assetScale[token]!;
      this.#updateToken(token, time);
      if (token % TOKENS_A_STEP === 0) yield 0;
    }
    for (let pool = 1; pool < pools.count; pool++) {
      this.#updatePool(pool);
      if (pool % TOKENS_A_STEP === 0) yield 0;
    }
  }

  /** Marks the tokens that share a pool with this one: their rows show what these pools lock, now and a day ago. */
  #markPartners(token: number): void {
    const { pools, changed } = this.#state;
    for (const pool of pools.of(token)) {
      if (pools.asset1(pool) === XRP || pools.asset2(pool) === XRP) continue;
      changed.repriced.add(pools.asset1(pool)).add(pools.asset2(pool));
    }
  }

  #updateToken(token: number, time: number): void {
    if (token === XRP) return;
    const { listing } = this.#state;
    this.#checkScale(token);
    const listed = listing.isListed(token) ? 1 : 0;
    this.listed += listed - this.#isListed[token]!;
    this.#isListed[token] = listed;
    const counts = listing.isOfMarket(token);
    const worth = listed === 1 || counts ? (this.marketcapOf(token) ?? 0) : 0;
    const cap = counts ? worth : 0;
    const all = listed === 1 ? worth : 0;
    if (counts) this.ofMarket.add(token);
    else this.ofMarket.delete(token);
    this.#replace(CAP, this.#caps[token]!, cap);
    this.#caps[token] = cap;
    this.#replace(ALL_CAP, this.#allCaps[token]!, all);
    this.#allCaps[token] = all;
    this.#updatePrice(token, time);
  }

  /** The first issuance of an MPT that is seen shows what its amounts are. */
  #checkScale(token: number): void {
    const { tokens, pools } = this.#state;
    const scale = tokens.assetScale[token]!;
    if (scale === this.#scales[token]) return;
    this.#scales[token] = scale;
    for (const pool of pools.of(token)) {
      this.#readHeld(pool);
      this.#updatePool(pool);
    }
    this.#markPartners(token);
  }

  /** The price at which pools between tokens count the token. */
  #updatePrice(token: number, time: number): void {
    const price = this.#countedPrice(token, time);
    const before = price > 0 ? (this.#parts.windows.basePrice(token, Window.h24) ?? 0) : 0;
    const isSame = price === this.#pooledAt[token];
    if (isSame && before === this.#pooledBefore[token]) return;
    this.#pooledAt[token] = price;
    this.#pooledBefore[token] = before;
    if (!isSame) for (const pool of this.#state.pools.of(token)) this.#updatePool(pool);
    this.#markPartners(token);
  }

  #countedPrice(token: number, time: number): number {
    const { prices, rates, referenceAssets } = this.#parts;
    if (this.#state.pools.of(token).size === 0) return 0;
    const price = this.price(token) ?? 0;
    if (this.ofMarket.has(token) || referenceAssets.poolDrops(token) >= DEEP_POOL_DROPS) return price;
    const isAnchor = prices.direct(token, time, Number.POSITIVE_INFINITY) > 0 && rates.anchors(token, time);
    if (isAnchor) this.#anchors.add(token);
    else this.#anchors.delete(token);
    return isAnchor ? price : 0;
  }

  #updatePool(pool: number): void {
    const value = this.#measure(pool);
    if (value === this.#values[pool]) return;
    this.#replace(LOCKED, this.#values[pool]!, value);
    this.#values[pool] = value;
  }

  /** Whole drops. */
  #measure(pool: number): number {
    const { pools } = this.#state;
    if (!pools.exists(pool)) return 0;
    const one = pools.asset1(pool);
    const two = pools.asset2(pool);
    const held1 = this.#held[2 * pool]!;
    const held2 = this.#held[2 * pool + 1]!;
    let xrp = held1 * this.#pooledAt[one]! + held2 * this.#pooledAt[two]!;
    if (one === XRP) xrp = 2 * held1;
    else if (two === XRP) xrp = 2 * held2;
    return Number.isFinite(xrp) ? Math.round(xrp * DROPS_PER_XRP) : 0;
  }

  /** Reads what a pool holds, after that changed. */
  #readHeld(pool: number): void {
    const { pools, tokens } = this.#state;
    this.#values = growTo(this.#values, pool + 1);
    this.#held = growTo(this.#held, 2 * (pool + 1));
    this.#held[2 * pool] = tokens.number(pools.asset1(pool), ...pools.reserveRaw(pool, 1));
    this.#held[2 * pool + 1] = tokens.number(pools.asset2(pool), ...pools.reserveRaw(pool, 2));
  }

  #replace(row: number, before: number, now: number): void {
    if (before === now) return;
    this.#sums.add(row, before, -1);
    this.#sums.add(row, now, 1);
  }
}
