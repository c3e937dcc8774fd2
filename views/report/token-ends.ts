/**
 * Tokens and pools as they were at the end of a day, from stored history (engine/days/token-days.ts, engine/pools), and
 * sums over groups of tokens.
 *
 * A market cap counts where the token would have counted in that of all tokens then: 30 holders, and a pool with 40 XRP
 * (engine/state/listing.ts); anyone can give a token of their own any price.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { poolKey, TOKEN_POOLS, XRP_POOLS } from '../../engine/pools/pool-history.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { MARKET_HOLDERS, MARKET_POOL_XRP } from '../../engine/state/listing.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { tokenName } from '../identity.ts';
import { yearlyYield } from '../pool-math.ts';
import type { DaySum } from './day-sums.ts';

/** Holders above which a token counts as one that found an audience. */
const AUDIENCE = 10;
/** XRP. */
const LARGE_MARKETCAP = 5000;
/** Units of a trading fee. */
const FEE_UNITS = 100_000;
const WEEK_DAYS = 7;

export interface TokenEnd {
  readonly token: number;
  readonly name: string;
  readonly traded: DaySum | undefined;
  readonly holders: number;
  /** XRP; undefined: it does not count, see the head of the file. */
  readonly marketcap: number | undefined;
  /** Percent against the end of the day before. */
  readonly growth: number | undefined;
}

interface PoolEnd {
  readonly pool: number;
  /** XRP. */
  readonly locked: number;
  /** Percent a year, of the fees of seven days. */
  readonly apy7d: number;
  /** 1/100000, of the trades of these days; undefined: there were none. */
  readonly fee: number | undefined;
}

/** @param day close time / DAY, of the first day after the one in question */
export class DayEnd {
  readonly #engine: Engine;
  readonly #end: number;

  constructor(engine: Engine, day: number) {
    this.#engine = engine;
    this.#end = day * DAY;
  }

  /** Whether what tokens were then is known. */
  get knowsTokens(): boolean {
    const { since } = this.#engine.tokenDays;
    return since !== undefined && since < this.#end;
  }

  token(token: number, traded: DaySum | undefined): TokenEnd {
    const { tokenDays, state } = this.#engine;
    const end = tokenDays.before(token, this.#end);
    const before = end && tokenDays.before(token, this.#end - DAY);
    const holders = end?.holders ?? 0;
    const counts =
      end?.price !== undefined && holders >= MARKET_HOLDERS && this.#poolXrp(token) >= MARKET_POOL_XRP;
    const growth = counts && before?.price !== undefined ? (end.price! / before.price - 1) * 100 : undefined;
    return {
      token,
      name: tokenName(state, token),
      traded,
      holders,
      marketcap: counts ? end.price! * end.supply : undefined,
      growth,
    };
  }

  /** What the token's pool with XRP held of it. */
  #poolXrp(token: number): number {
    const { pools } = this.#engine.state;
    const pool = pools.byAssets(XRP, token);
    const row = pool === undefined ? undefined : this.#row(poolKey(pool));
    if (row === undefined) return 0;
    const { held1, held2 } = this.#engine.pools.days;
    return (pools.asset1(pool!) === XRP ? held1 : held2)[row]!;
  }

  /** The newest row of a pool, or of a sum over pools, that begins before the end. */
  #row(key: number): number | undefined {
    const { days } = this.#engine.pools;
    let found: number | undefined;
    days.walkBack(key, (row) => {
      if (days.start[row]! >= this.#end) return true;
      found = row;
      return false;
    });
    return found;
  }

  /** Value that all pools locked, XRP, and how many locked something; undefined: not known. */
  get allPools(): { readonly locked: number; readonly count: number } | undefined {
    const rows = [XRP_POOLS, TOKEN_POOLS].map((key) => this.#row(key)).filter((row) => row !== undefined);
    if (rows.length === 0) return undefined;
    const { days } = this.#engine.pools;
    const sum = (column: Float64Array) => rows.reduce((all, row) => all + column[row]!, 0);
    // Of sums, held2 is how many pools lock something.
    return { locked: sum(days.locked) / DROPS_PER_XRP, count: sum(days.held2) };
  }

  /** What a pool locked, and its fees over seven days; undefined: it locked nothing. */
  pool(pool: number): PoolEnd | undefined {
    const { days } = this.#engine.pools;
    const row = this.#row(poolKey(pool));
    const locked = row === undefined ? 0 : days.locked[row]! / DROPS_PER_XRP;
    if (!(locked > 0)) return undefined;
    let [volume, fees] = [0, 0];
    days.walkBack(poolKey(pool), (at) => {
      if (days.start[at]! >= this.#end) return true;
      if (days.start[at]! < this.#end - WEEK_DAYS * DAY) return false;
      volume += days.volume[at]!;
      fees += days.fees[at]!;
      return true;
    });
    return {
      pool,
      locked,
      apy7d: yearlyYield(fees / DROPS_PER_XRP, locked, WEEK_DAYS) ?? 0,
      fee: volume > 0 ? Math.round((fees / volume) * FEE_UNITS) : undefined,
    };
  }

  /** The fee of the day's trades in pools, 1/100000, by their volume; undefined: there were none. */
  get averageFee(): number | undefined {
    const { days } = this.#engine.pools;
    let [volume, fees] = [0, 0];
    for (const key of [XRP_POOLS, TOKEN_POOLS]) {
      const row = this.#row(key);
      if (row === undefined || days.start[row] !== this.#end - DAY) continue;
      volume += days.volume[row]!;
      fees += days.fees[row]!;
    }
    return volume > 0 ? (fees / volume) * FEE_UNITS : undefined;
  }
}

/** Sums over the tokens of one launch platform, theme, or length of name. */
export class TokenGroup {
  count = 0;
  active24h = 0;
  drops = 0;
  #holders = 0;
  #withAudience = 0;
  #marketcap = 0;
  #counted = 0;
  #large = 0;

  add({ traded, holders, marketcap }: TokenEnd): void {
    this.count++;
    if (traded) this.active24h++;
    this.drops += traded?.drops ?? 0;
    this.#holders += holders;
    if (holders > AUDIENCE) this.#withAudience++;
    if (marketcap === undefined) return;
    this.#counted++;
    this.#marketcap += marketcap;
    if (marketcap > LARGE_MARKETCAP) this.#large++;
  }

  /** XRP. */
  get volume(): number {
    return this.drops / DROPS_PER_XRP;
  }

  /** What follows from the state at the end of the day. */
  get ends() {
    return {
      holdersAbove10: this.#withAudience,
      successRate: (100 * this.#withAudience) / this.count,
      avgHolders: this.#holders / this.count,
      avgMarketcap: this.#counted === 0 ? 0 : this.#marketcap / this.#counted,
      mcapAbove5k: this.#large,
      mcapAbove5kRate: (100 * this.#large) / this.count,
    };
  }
}

/** The group of a key, made where there is none. */
export function groupOf<K>(groups: Map<K, TokenGroup>, key: K): TokenGroup {
  const known = groups.get(key);
  if (known) return known;
  const made = new TokenGroup();
  groups.set(key, made);
  return made;
}
