/**
 * What an account has in pools, and what it would have had if it had kept the assets: XRP, percent.
 *
 *     liquidity records of the account, oldest first --> what it put in and has not taken out: (asset 1, asset 2, LP tokens)
 *     LP tokens now / all LP tokens ------------------> its share of both assets now
 *     hold value = what it put in, at prices of now; ilPercent = (value of its share / hold value - 1) * 100
 *
 * Its share is worth both assets at prices of now, as what was put in is: where the market is at another price than the pool, that
 * is not the same part of what the pool locks (engine/market/totals.ts). The share has the fees in it that the pool kept, so
 * ilPercent is the divergence loss less these.
 *
 * LP tokens that came by a payment have no deposit: of such a position only the present is known, and the others are null.
 * Taking out a part takes the same part of what was put in. Fees are those of the pool's trades since the hour of the first
 * deposit (of one more than ten days ago perhaps since its day), at the share of now. Records read are bounded (RECORDS_MAX), and so
 * are lines (held-lines.ts): `truncated` says where older ones were left out.
 */
import { DROPS_PER_XRP, rawNumber, rawText } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { TradeReader, TradeType } from '../../engine/market/trade-record.ts';
import { poolKey } from '../../engine/pools/pool-history.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { assetObject } from '../identity.ts';
import { numberText, percent, rounded } from '../number-format.ts';
import { amountObject } from '../trade-row.ts';
import type { HeldLines } from './held-lines.ts';
import type { AccountLines } from './lines.ts';

const RECORDS_MAX = 2000;
/** Reads that a ledger overtook. */
const TRIES_MAX = 3;
const DIGITS = 6;

/** What was put into one pool and is still there. */
interface Deposited {
  asset1: number;
  asset2: number;
  lp: number;
  /** Ripple epoch seconds of the deposit after which it was never empty. */
  since: number;
}

export class LpPositions {
  readonly #engine: Engine;
  readonly #lines: AccountLines;

  constructor(engine: Engine, lines: AccountLines) {
    this.#engine = engine;
    this.#lines = lines;
  }

  async of(account: number) {
    const { deposited, truncated, held } = await this.#read(account);
    const pools = this.#pools(held);
    const positions = pools.map((pool) => this.#position(account, pool, deposited.get(pool)));
    return {
      account: this.#engine.state.accounts.text(account),
      count: positions.length,
      positions: Object.fromEntries(positions.map((position) => [position.ammAccount, position])),
      ...((truncated || held.isPart) && { truncated: true }),
    };
  }

  /** What it deposited, and what it holds: of one ledger, unless ledgers follow without a pause. */
  async #read(account: number) {
    for (let tries = 1; ; tries++) {
      const { version } = this.#engine;
      const deposits = await this.#deposited(account);
      // Read last: nothing is applied after it.
      const held = await this.#lines.held(account);
      if (this.#engine.version === version || tries === TRIES_MAX) return { ...deposits, held };
    }
  }

  /** Pools whose LP tokens it holds. */
  #pools(held: HeldLines): number[] {
    const { pools, tokens } = this.#engine.state;
    const found: number[] = [];
    for (const place of held.ordered(false)) {
      const pool = tokens.poolOf(held.token(place));
      if (pool !== undefined && pools.exists(pool)) found.push(pool);
    }
    return found;
  }

  async #deposited(account: number) {
    const { history } = this.#engine.market;
    const query = { account, type: 'liquidity', limit: RECORDS_MAX } as const;
    const { records, count, hasMore } = await history.pageInSlices(query, yieldToLoop);
    const deposited = new Map<number, Deposited>();
    const reader = new TradeReader(records);
    for (let i = count - 1; i >= 0; i--) this.#add(deposited, reader.at(i));
    return { deposited, truncated: hasMore };
  }

  #add(deposited: Map<number, Deposited>, record: TradeReader): void {
    const { tokens, pools } = this.#engine.state;
    const pool = tokens.poolOf(record.lpToken);
    if (pool === undefined) return;
    const amount = (token: number): number => {
      const paid = record.paidToken === token ? tokens.number(token, record.paidHi, record.paidLo) : 0;
      return paid + (record.gotToken === token ? tokens.number(token, record.gotHi, record.gotLo) : 0);
    };
    const lp = rawNumber(1, record.lpHi, record.lpLo);
    const before = deposited.get(pool) ?? { asset1: 0, asset2: 0, lp: 0, since: record.closeTime };
    if (record.type === TradeType.withdraw) {
      const left = before.lp > 0 ? Math.max(0, 1 - lp / before.lp) : 0;
      if (left < 1e-9) deposited.delete(pool);
      else
        deposited.set(pool, {
          asset1: before.asset1 * left,
          asset2: before.asset2 * left,
          lp: before.lp * left,
          since: before.since,
        });
      return;
    }
    deposited.set(pool, {
      asset1: before.asset1 + amount(pools.asset1(pool)),
      asset2: before.asset2 + amount(pools.asset2(pool)),
      lp: before.lp + lp,
      since: before.since,
    });
  }

  #position(account: number, pool: number, put: Deposited | undefined) {
    const { state, market } = this.#engine;
    const { pools, tokens, accounts, lines } = state;
    const lpToken = pools.lpToken(pool);
    const line = lines.find(account, lpToken)!;
    const raw = lines.balanceRaw(line, lpToken);
    const held = rawNumber(1, ...raw);
    const all = rawNumber(1, ...pools.lpBalanceRaw(pool));
    const share = all > 0 ? Math.min(1, held / all) : 0;
    const assets = [pools.asset1(pool), pools.asset2(pool)] as const;
    const prices = assets.map((token) => (token === 0 ? 1 : market.totals.price(token)));
    const now = assets.map((token, i) => {
      const reserve = tokens.number(token, ...pools.reserveRaw(pool, i === 0 ? 1 : 2));
      return reserve * share;
    });
    const value = worth(now, prices);
    // What was put in for the LP tokens that it still has: others may have been given away.
    const kept = put && put.lp > 0 ? Math.min(1, held / put.lp) : 0;
    const isWhole = put !== undefined && held <= put.lp * (1 + 1e-9);
    const hold = isWhole ? worth([put.asset1 * kept, put.asset2 * kept], prices) : undefined;
    const amount = (i: 0 | 1, size: number) => amountObject(state, assets[i], numberText(size));
    return {
      ammAccount: accounts.text(pools.accounts[pool]!),
      asset1: assetObject(state, assets[0]),
      asset2: assetObject(state, assets[1]),
      currentLpBalance: rawText(1, ...raw),
      poolShare: rounded(share * 100, DIGITS),
      currentAsset1: amount(0, now[0]!),
      currentAsset2: amount(1, now[1]!),
      depositedAsset1: isWhole ? amount(0, put.asset1 * kept) : null,
      depositedAsset2: isWhole ? amount(1, put.asset2 * kept) : null,
      poolValueXrp: value === undefined ? null : rounded(value, DIGITS),
      holdValueXrp: hold === undefined ? null : rounded(hold, DIGITS),
      ilPercent: value !== undefined && hold ? (percent((value / hold - 1) * 100) ?? null) : null,
      feesEarnedXrp: put ? rounded(this.#fees(pool, put.since) * share, DIGITS) : null,
      since: put ? unixMs(put.since) : null,
    };
  }

  /** Of the trades in a pool since the beginning of an hour, where the hours of that day are kept, else of that day; XRP. */
  #fees(pool: number, since: number): number {
    const { days, hours } = this.#engine.pools;
    const day = Math.floor(since / days.seconds) * days.seconds;
    let drops = 0;
    days.walkBack(poolKey(pool), (row) => {
      if (days.start[row]! < day) return false;
      drops += days.fees[row]!;
      return true;
    });
    hours.walkBack(poolKey(pool), (row) => {
      const start = hours.start[row]!;
      if (start >= day && start + hours.seconds <= since) drops -= hours.fees[row]!;
      return start >= day;
    });
    return Math.max(0, drops) / DROPS_PER_XRP;
  }
}

/** XRP; undefined where an amount has no price. */
function worth(amounts: readonly number[], prices: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const [i, amount] of amounts.entries()) {
    const price = prices[i];
    if (price === undefined && amount > 0) return undefined;
    sum += amount * (price ?? 0);
  }
  return sum;
}
