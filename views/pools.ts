/**
 * Liquidity pools: a list with volume, fees and yield, and one pool as it is now.
 *
 * Liquidity is the value that a pool locks, as engine/market/totals.ts defines it. Volume of 24 hours is exact, of seven
 * days in whole hours (see pool-volumes.ts); fees are volume times the fee the pool asks now. `apy` is fees over
 * liquidity, times the periods of a year, not compounded. A list reads every pool
 * once per ledger, in slices: about 40 ms for 20,000 pools.
 */

import { DROPS_PER_XRP, rawNumber, rawText, wholeDrops } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import type { CooperativeTask } from '../engine/event-loop.ts';
import type { Source } from '../engine/ledger/source.ts';
import { sortingDescending } from '../engine/metrics/sort-descending.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import { TokenKind, XRP } from '../engine/state/tokens.ts';
import { atOneVersion } from './at-one-version.ts';
import { assetObject, XRP_ISSUER } from './identity.ts';
import { PoolSlots } from './ledger/pool-slots.ts';
import { numberText, rounded } from './number-format.ts';
import { isGloballyFrozen } from './orderbook.ts';
import { feeFraction, yearlyYield } from './pool-math.ts';
import type { PoolVolumes } from './pool-volumes.ts';
import { amountObject } from './trade-row.ts';
import { type Revision, type Revisions, VersionedCache } from './versioned-cache.ts';

export const POOL_SORTS = ['fees', 'apy', 'liquidity', 'volume', 'created'] as const;
export type PoolSort = (typeof POOL_SORTS)[number];

export interface PoolQuery {
  readonly sort: PoolSort;
  /** Only pools that hold something. */
  readonly active: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly token?: number | undefined;
  readonly currency?: string | undefined;
  readonly issuer?: string | undefined;
}

/** Pools measured in one slice: about 3 ms. */
const POOLS_A_SLICE = 1000;
/** Pools below this are tagged so. */
const LOW_LIQUIDITY_XRP = 100;

interface PoolFigures {
  readonly pool: number;
  /** It holds something of both sides. */
  readonly isActive: boolean;
  /** XRP, as all below. */
  readonly liquidity: number;
  readonly volume24h: number;
  readonly volume7d: number;
  readonly fees24h: number;
  readonly fees7d: number;
}

interface PoolViewParts {
  readonly engine: Engine;
  /** Asked for what stored ledgers do not show; undefined: nobody is. */
  readonly source: Pick<Source, 'request'> | undefined;
}

export class PoolViews {
  readonly #state: State;
  readonly #engine: Engine;
  readonly #volumes: PoolVolumes;
  readonly #ledger: Revision;
  readonly #measured: VersionedCache<PoolFigures[]>;
  readonly #slots: PoolSlots;
  readonly #onLoaded: () => void;

  /** @param onLoaded the volumes of the last seven days are known from now on */
  constructor(parts: PoolViewParts, volumes: PoolVolumes, { ledger }: Revisions, onLoaded: () => void) {
    const { engine, source } = parts;
    this.#engine = engine;
    this.#slots = new PoolSlots(engine, source);
    this.#state = engine.state;
    this.#volumes = volumes;
    this.#ledger = ledger;
    this.#measured = new VersionedCache([ledger], 1);
    this.#onLoaded = onLoaded;
  }

  /** Reads the volumes of the last seven days from the store, once. */
  async prepare(): Promise<void> {
    if (this.#volumes.loaded) return;
    await this.#volumes.load(this.#now, this.#engine.head?.index ?? 0);
    this.#onLoaded();
  }

  /** The sums of all pools that match, and the rows of the page. */
  async list(query: PoolQuery) {
    await this.prepare();
    return atOneVersion([this.#ledger], () => this.#list(query));
  }

  *#list(query: PoolQuery) {
    const all = this.#measured.known('') ?? this.#measured.keep('', yield* this.#measureAll());
    const wanted = this.#filter(query);
    const found: PoolFigures[] = [];
    for (const figures of all)
      if ((!query.active || figures.isActive) && wanted(figures.pool)) found.push(figures);
    yield;
    const keys = Float64Array.from(found, (figures) => this.#key(query.sort, figures));
    const order = Uint32Array.from(found.keys());
    yield;
    yield* sortingDescending(order, keys);
    const page = Array.from(order.subarray(query.offset, query.offset + query.limit));
    const pools = page.map((i) => this.#row(found[i]!));
    yield;
    return { summary: this.#summary(found), total: found.length, pools };
  }

  /** Rows of the existing pools of LP tokens; other tokens have none. */
  async of(tokens: readonly number[]) {
    const { pools } = this.#state;
    const found = tokens
      .map((token) => this.#state.tokens.poolOf(token))
      .filter((pool) => pool !== undefined && pools.exists(pool)) as number[];
    if (found.length === 0) return [];
    await this.prepare();
    return found.filter((pool) => pools.exists(pool)).map((pool) => this.#row(this.#measure(pool)));
  }

  /** The pool with this r-address as it is now. */
  byAccount(address: string) {
    const { accounts, pools } = this.#state;
    const account = accounts.findText(address);
    return account === undefined ? undefined : this.#info(pools.byAccount(account));
  }

  byAssets(a: number, b: number) {
    return this.#info(this.#state.pools.byAssets(a, b));
  }

  /** The auction slot and the votes of a pool; what neither stored ledgers nor a node said is absent. */
  slots(address: string): ReturnType<PoolSlots['of']> {
    const pool = this.#poolOf(address);
    return pool === undefined ? {} : this.#slots.of(pool);
  }

  /** Resolves when `slots` knows what a node says of them; undefined: it is not needed. */
  slotsReady(address: string): Promise<void> | undefined {
    const pool = this.#poolOf(address);
    return pool === undefined ? undefined : this.#slots.ready(pool);
  }

  #poolOf(address: string): number | undefined {
    const { accounts, pools } = this.#state;
    const account = accounts.findText(address);
    return account === undefined ? undefined : pools.byAccount(account);
  }

  /** Whether issuers froze the assets of a pool: for everybody, or for the pool. */
  frozen(pool: number): readonly [boolean, boolean] {
    const { pools, lines } = this.#state;
    const isFrozen = (token: number) => {
      const line = lines.find(pools.accounts[pool]!, token);
      const isForPool = line !== undefined && lines.frozenByIssuer(line, token);
      return isForPool || isGloballyFrozen(this.#state, token);
    };
    return [isFrozen(pools.asset1(pool)), isFrozen(pools.asset2(pool))];
  }

  /** A pool in the form of rippled's amm_info; amounts in natural units. undefined: no such pool exists. */
  #info(pool: number | undefined) {
    const { pools, accounts, tokens, lines } = this.#state;
    if (pool === undefined || !pools.exists(pool)) return undefined;
    const [isFirstFrozen, isSecondFrozen] = this.frozen(pool);
    const side = (which: 1 | 2) => {
      const token = which === 1 ? pools.asset1(pool) : pools.asset2(pool);
      const text = tokens.text(token, ...pools.reserveRaw(pool, which));
      return { ...amountObject(this.#state, token, text), md5: tokens.md5(token) };
    };
    const first = this.#reserve(pool, 1);
    const second = this.#reserve(pool, 2);
    const created = pools.createdAt(pool);
    return {
      account: accounts.text(pools.accounts[pool]!),
      amount: side(1),
      amount2: side(2),
      asset_frozen: isFirstFrozen,
      asset2_frozen: isSecondFrozen,
      lp_token: amountObject(this.#state, pools.lpToken(pool), rawText(1, ...pools.lpBalanceRaw(pool))),
      trading_fee: pools.fee(pool),
      // Units of the first asset for one of the second.
      ...(first > 0 && second > 0 && { spot_price: numberText(first / second) }),
      lp_holders: lines.holdersCount(pools.lpToken(pool)),
      ...(created > 0 && { created: unixMs(created) }),
    };
  }

  /** Compares ids: a list reads both assets of every pool, and writing an address or a name takes microseconds. */
  #filter({ token, currency, issuer }: PoolQuery): (pool: number) => boolean {
    const { pools, tokens, accounts } = this.#state;
    if (token === undefined && currency === undefined && issuer === undefined) return () => true;
    const account = issuer === undefined ? undefined : accounts.findText(issuer);
    const isIssuer = (asset: number) =>
      asset === XRP ? issuer === XRP_ISSUER : account !== undefined && tokens.issuer(asset) === account;
    const isCurrency = currency === undefined ? undefined : this.#currencyFilter(currency);
    const isWanted = (asset: number) =>
      (token === undefined || asset === token) &&
      (issuer === undefined || isIssuer(asset)) &&
      (isCurrency === undefined || isCurrency(asset));
    return (pool) => isWanted(pools.asset1(pool)) || isWanted(pools.asset2(pool));
  }

  /** Whether code or name of an asset is this one, in any case; looked at once for each code. */
  #currencyFilter(currency: string): (asset: number) => boolean {
    const { tokens } = this.#state;
    const wanted = currency.toUpperCase();
    const isNamed = (asset: number) =>
      tokens.currencyText(asset).toUpperCase() === wanted || tokens.name(asset).toUpperCase() === wanted;
    const known = new Map<number, boolean>();
    return (asset) => {
      if (tokens.kind(asset) !== TokenKind.issued) return isNamed(asset);
      const code = tokens.codes[asset]!;
      const answer = known.get(code) ?? isNamed(asset);
      known.set(code, answer);
      return answer;
    };
  }

  *#measureAll(): CooperativeTask<PoolFigures[]> {
    const { pools } = this.#state;
    const all: PoolFigures[] = [];
    for (let pool = 1; pool < pools.count; pool++) {
      if (pool % POOLS_A_SLICE === 0) yield;
      if (pools.exists(pool)) all.push(this.#measure(pool));
    }
    return all;
  }

  #measure(pool: number): PoolFigures {
    const fee = feeFraction(this.#state.pools.fee(pool));
    const volume24h = this.#volumes.day.volume(pool);
    const volume7d = this.#volumes.week(pool, this.#now);
    return {
      pool,
      isActive: this.#reserve(pool, 1) > 0 && this.#reserve(pool, 2) > 0,
      liquidity: this.#engine.market.totals.lockedDrops(pool) / DROPS_PER_XRP,
      volume24h,
      volume7d,
      fees24h: volume24h * fee,
      fees7d: volume7d * fee,
    };
  }

  #reserve(pool: number, side: 1 | 2): number {
    const { pools, tokens } = this.#state;
    const token = side === 1 ? pools.asset1(pool) : pools.asset2(pool);
    return tokens.number(token, ...pools.reserveRaw(pool, side));
  }

  #key(sort: PoolSort, figures: PoolFigures): number {
    switch (sort) {
      case 'fees':
        return figures.fees24h;
      case 'volume':
        return figures.volume24h;
      case 'liquidity':
        return figures.liquidity;
      case 'apy':
        return yearlyYield(figures.fees24h, figures.liquidity, 1) ?? 0;
      case 'created':
        return this.#state.pools.createdAt(figures.pool);
    }
  }

  #row(figures: PoolFigures) {
    const { pools, accounts, tokens, lines } = this.#state;
    const { pool, liquidity } = figures;
    const account = accounts.text(pools.accounts[pool]!);
    const lpToken = pools.lpToken(pool);
    const traded = this.#volumes.lastTraded(pool, this.#now);
    const created = pools.createdAt(pool);
    const yields = (volume: number, fees: number, days: number) => ({
      apy: rounded(yearlyYield(fees, liquidity, days) ?? 0, 4),
      volume: wholeDrops(volume),
      fees: wholeDrops(fees),
      liquidity: wholeDrops(liquidity),
    });
    return {
      _id: account,
      ammAccount: account,
      asset1: assetObject(this.#state, pools.asset1(pool)),
      asset2: assetObject(this.#state, pools.asset2(pool)),
      tradingFee: pools.fee(pool),
      lpTokenCurrency: tokens.currencyText(lpToken),
      lpHolderCount: lines.holdersCount(lpToken),
      tags: [
        ...(figures.isActive ? ['Active Pool'] : []),
        ...(liquidity < LOW_LIQUIDITY_XRP ? ['Low Liquidity'] : []),
      ],
      ...(traded > 0 && { lastTraded: unixMs(traded) }),
      ...(created > 0 && { createdTimestamp: unixMs(created) }),
      apy24h: yields(figures.volume24h, figures.fees24h, 1),
      apy7d: yields(figures.volume7d, figures.fees7d, 7),
      currentLiquidity: {
        asset1Amount: this.#reserve(pool, 1),
        asset2Amount: this.#reserve(pool, 2),
        lpTokenBalance: rawNumber(1, ...pools.lpBalanceRaw(pool)),
      },
    };
  }

  get #now(): number {
    return this.#engine.head?.closeTime ?? 0;
  }

  #summary(found: readonly PoolFigures[]) {
    const { pools } = this.#state;
    const sums = { xrp: 0, token: 0, volume24h: 0, volume7d: 0, fees24h: 0, fees7d: 0, fee: 0 };
    for (const figures of found) {
      const withXrp = pools.asset1(figures.pool) === XRP || pools.asset2(figures.pool) === XRP;
      // In drops, which are whole: a sum of doubles would differ from the total of all pools in its last digits.
      sums[withXrp ? 'xrp' : 'token'] += this.#engine.market.totals.lockedDrops(figures.pool);
      sums.volume24h += figures.volume24h;
      sums.volume7d += figures.volume7d;
      sums.fees24h += figures.fees24h;
      sums.fees7d += figures.fees7d;
      sums.fee += pools.fee(figures.pool);
    }
    return {
      totalLiquidity: (sums.xrp + sums.token) / DROPS_PER_XRP,
      xrpTokenLiquidity: sums.xrp / DROPS_PER_XRP,
      tokenTokenLiquidity: sums.token / DROPS_PER_XRP,
      totalVolume24h: wholeDrops(sums.volume24h),
      totalVolume7d: wholeDrops(sums.volume7d),
      totalFees24h: wholeDrops(sums.fees24h),
      totalFees7d: wholeDrops(sums.fees7d),
      avgFee: found.length > 0 ? rounded(sums.fee / found.length, 2) : 0,
    };
  }
}
