/** Which large trades are parts of orders that move the market: the rule is at the head of whales.ts. */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { xrpBids } from '../engine/market/xrp-depth.ts';
import { DAY } from '../engine/ripple-time.ts';
import { XRP } from '../engine/state/tokens.ts';
import { DEPTH_MOVE, feeFraction, poolDepth } from './pool-math.ts';

/** XRP, for tokens that nobody offers XRP for: some ten thousand dollars, as trackers of large trades use. */
const UNQUOTED_XRP = 10_000;

export interface LargeTrade {
  /** Ripple epoch seconds. */
  readonly time: number;
  readonly account: number;
  readonly token: number;
  readonly side: 'buy' | 'sell';
  readonly drops: number;
}

export class WhaleOrders<T extends LargeTrade> {
  readonly #engine: Engine;
  readonly #byAccount = new Map<number, T[]>();
  /** By account and token. */
  readonly #found = new Map<string, ReadonlySet<T>>();
  readonly #least = new Map<number, number>();

  /** @param trades oldest first */
  constructor(engine: Engine, trades: Iterable<T>) {
    this.#engine = engine;
    for (const trade of trades) {
      const own = this.#byAccount.get(trade.account);
      if (own) own.push(trade);
      else this.#byAccount.set(trade.account, [trade]);
    }
  }

  has(trade: T): boolean {
    const { account, token } = trade;
    const key = `${account}/${token}`;
    let found = this.#found.get(key);
    if (found === undefined) {
      const own = this.#byAccount.get(account)!.filter((one) => one.token === token);
      found = largeOrders(own, this.#leastDrops(token));
      this.#found.set(key, found);
    }
    return found.has(trade);
  }

  #leastDrops(token: number): number {
    let least = this.#least.get(token);
    if (least === undefined) {
      least = (depthBelow(this.#engine, token) || UNQUOTED_XRP) * DROPS_PER_XRP;
      this.#least.set(token, least);
    }
    return least;
  }
}

/** Trades within 24 hours in which those of one side come, on balance, to so many drops. @param trades oldest first */
function largeOrders<T extends LargeTrade>(trades: readonly T[], least: number): Set<T> {
  const found = new Set<T>();
  const signed = ({ side, drops }: T) => (side === 'buy' ? drops : -drops);
  /** Trades before these are in `found` already, where they belong there. */
  const done = { buy: 0, sell: 0 };
  let [sum, from] = [0, 0];
  for (const [at, trade] of trades.entries()) {
    sum += signed(trade);
    while (trades[from]!.time <= trade.time - DAY) sum -= signed(trades[from++]!);
    if (Math.abs(sum) < least) continue;
    const side = sum > 0 ? 'buy' : 'sell';
    for (let i = Math.max(from, done[side]); i <= at; i++)
      if (trades[i]!.side === side) found.add(trades[i]!);
    done[side] = at + 1;
  }
  return found;
}

/** XRP for which a token can be sold, in its XRP pool and on the open book, until the price is 2 percent lower. */
function depthBelow({ state, market, head }: Engine, token: number): number {
  const { pools, tokens } = state;
  const pool = pools.byAssets(XRP, token);
  const held =
    pool === undefined
      ? 0
      : tokens.number(XRP, ...pools.reserveRaw(pool, pools.asset1(pool) === XRP ? 1 : 2));
  const fee = pool === undefined ? 0 : feeFraction(pools.fee(pool));
  const price = market.totals.price(token) ?? 0;
  return (
    poolDepth(held, fee, DEPTH_MOVE).sell +
    xrpBids(state, token, price * (1 - DEPTH_MOVE), head?.closeTime ?? 0)
  );
}
