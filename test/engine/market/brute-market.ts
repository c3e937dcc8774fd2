/** Prices, windows and candles recomputed from a plain list of trades: the oracle of the rolling ones. */
import type { BruteTrade } from './brute.ts';

export interface Tick {
  readonly token: string;
  readonly time: number;
  readonly price: number;
  readonly drops: number;
  readonly amount: number;
  readonly bought: boolean;
  readonly isAMM: boolean;
  readonly withXrp: boolean;
  /** Second token of one trade. */
  readonly second: boolean;
  readonly account: string;
  readonly maker: string | undefined;
  readonly liquidity: '' | 'deposit' | 'withdraw';
  /** Price of the token before the trade, 0 = none. */
  readonly last: number;
}

const DUST_DROPS = 1000;
const DERIVED_MAX = 1e13;
const DAY = 86400;

/** State of a token in the ledger when a trade is read: its XRP pool, and whether its issuer redeems for fiat. */
export interface Standing {
  readonly poolXrp: number;
  readonly poolTokens: number;
  readonly anchor: boolean;
}
const NO_STANDING: Standing = { poolXrp: 0, poolTokens: 0, anchor: false };

interface Known {
  price: number;
  /** Close time of its source. */
  time: number;
  by: 'trade' | 'pool' | 'derived';
  high: number;
  first: number;
}

export class BruteMarket {
  readonly ticks: Tick[] = [];
  readonly prices = new Map<string, Known>();

  /** XRP per token by which other tokens may be valued. */
  private standard(token: string, time: number, { poolXrp, poolTokens, anchor }: Standing): number {
    if (token === 'XRP') return 1;
    const known = this.prices.get(token);
    if (!known || known.by === 'derived' || time - known.time > DAY)
      return poolXrp >= 10_000 ? poolXrp / poolTokens : 0;
    return anchor || poolXrp >= 10_000 ? known.price : 0;
  }

  private setPrice(token: string, drops: number, amount: number, by: Known['by'], time: number): number {
    const known = this.prices.get(token);
    const price = drops / 1e6 / amount;
    const least = { trade: DUST_DROPS, derived: 1e6, pool: 1e7 }[by];
    if (drops < least || !(price >= 1e-40 && price <= 1e40)) return 0;
    const age = known && known.by !== 'derived' ? time - known.time : Number.POSITIVE_INFINITY;
    if (by === 'derived' && age <= 30 * DAY) return 0;
    if (by === 'pool' && known?.by === 'trade' && age <= DAY) return 0;
    const high = Math.max(known?.high ?? 0, price);
    this.prices.set(token, { price, time, by, high, first: known?.first ?? price });
    return price;
  }

  private ofPool(token: string, { poolXrp, poolTokens }: Standing, time: number): number {
    return this.setPrice(token, Math.round(poolXrp * 1e6), poolTokens, 'pool', time);
  }

  /** @param standing of a token; with `account`, by what that account of a pool holds. */
  take(
    trade: BruteTrade,
    time: number,
    standing: (key: string, account?: string) => Standing = () => NO_STANDING,
  ): void {
    const paid = Number(trade.paid);
    const got = Number(trade.got);
    const { paidKey, gotKey } = trade;
    const withXrp = paidKey === 'XRP' || gotKey === 'XRP';
    const xrp = paidKey === 'XRP' ? paid : got;
    const common = { time, isAMM: trade.isAMM, withXrp, account: trade.account };
    if (trade.liquidity) {
      const liquidity = trade.liquidity === 'withdraw' ? 'withdraw' : 'deposit';
      const drops = withXrp ? Math.round(xrp * 1e6) : 0;
      for (const [i, token] of [paidKey, gotKey].entries()) {
        if (token === 'XRP') continue;
        const { poolXrp, poolTokens } = standing(token);
        const price = withXrp ? this.setPrice(token, Math.round(poolXrp * 1e6), poolTokens, 'pool', time) : 0;
        const rest = { price, amount: 0, bought: false, maker: undefined, last: 0 };
        this.ticks.push({
          ...common,
          ...rest,
          token,
          drops,
          liquidity,
          second: i === 1 && paidKey !== 'XRP',
        });
      }
      return;
    }
    const a = paid * this.standard(paidKey, time, standing(paidKey));
    const b = got * this.standard(gotKey, time, standing(gotKey));
    const derived = Math.min(
      DERIVED_MAX,
      Math.max(0, Math.floor((a > 0 && b > 0 ? Math.min(a, b) : a + b) * 1e6)),
    );
    const drops = withXrp ? Math.round(xrp * 1e6) : derived;
    const received = trade.isAMM ? paidKey : gotKey;
    const sides = [
      { token: paidKey, amount: paid, worth: withXrp ? drops : b * 1e6 },
      { token: gotKey, amount: got, worth: withXrp ? drops : a * 1e6 },
    ];
    for (const [i, { token, amount, worth }] of sides.entries()) {
      if (token === 'XRP') continue;
      const last = this.prices.get(token)?.price ?? 0;
      const pooled = standing(token).poolXrp >= 10;
      const price =
        trade.isDomain || (!withXrp && pooled)
          ? 0
          : this.setPrice(token, worth, amount, withXrp ? 'trade' : 'derived', time) ||
            (withXrp && trade.isAMM ? this.ofPool(token, standing(token, trade.taker), time) : 0);
      this.ticks.push({
        ...common,
        token,
        price,
        drops,
        amount,
        last,
        bought: token === received,
        maker: trade.isAMM ? undefined : trade.maker,
        second: i === 1 && paidKey !== 'XRP',
        liquidity: '',
      });
    }
  }

  /** Figures of a token (or 'XRP', or '*' for all) in a window that holds the times accepted by `inside`. */
  window(token: string, inside: (time: number) => boolean) {
    // XRP is bought where the token is sold.
    const bought = (t: Tick) => (token === 'XRP' ? !t.bought : t.bought);
    const all = this.ticks.filter(
      (t) =>
        inside(t.time) &&
        (token === '*' ? !t.second : token === 'XRP' ? t.withXrp && !t.second : t.token === token),
    );
    const trades = all.filter((t) => !t.liquidity);
    const sum = (ticks: Tick[]) => ticks.reduce((total, t) => total + t.drops, 0);
    const priced = all.filter((t) => t.price > 0).map((t) => t.price);
    const pairs = this.ticks
      .filter(
        (t) =>
          inside(t.time) &&
          !t.liquidity &&
          (token === '*' || t.token === token || (token === 'XRP' && t.withXrp && !t.second)),
      )
      .flatMap((t) => [
        { who: t.account, bought: bought(t) },
        ...(t.maker === undefined ? [] : [{ who: t.maker, bought: !bought(t) }]),
      ]);
    return {
      drops: sum(trades),
      trades: trades.length,
      buys: trades.filter(bought).length,
      buyDrops: sum(trades.filter(bought)),
      ammDrops: sum(trades.filter((t) => t.isAMM)),
      depositDrops: sum(all.filter((t) => t.liquidity === 'deposit')),
      withdrawals: all.filter((t) => t.liquidity === 'withdraw').length,
      amount: trades.reduce((total, t) => total + t.amount, 0),
      max: priced.length ? Math.max(...priced) : undefined,
      min: priced.length ? Math.min(...priced) : undefined,
      traders: new Set(pairs.map((p) => p.who)).size,
      buyers: new Set(pairs.filter((p) => p.bought).map((p) => p.who)).size,
      sellers: new Set(pairs.filter((p) => !p.bought).map((p) => p.who)).size,
    };
  }

  /** Last price at a time before the window, else the first price ever. */
  base(token: string, before: (time: number) => boolean): number | undefined {
    const priced = this.ticks.filter((t) => t.token === token && t.price > 0);
    return priced.filter((t) => before(t.time)).at(-1)?.price ?? priced[0]?.price;
  }

  /** Candles as [start, open, high, low, close, drops, amount, trades, buys, buy drops], oldest first. */
  candles(token: string, start: (time: number) => number): number[][] {
    const out: number[][] = [];
    for (const t of this.ticks) {
      if (t.token !== token || (t.liquidity && !t.price)) continue;
      const price = t.price || t.last;
      if (!price) continue;
      const bucket = start(t.time);
      let c = out.at(-1);
      if (!c || c[0] !== bucket) {
        c = [bucket, price, price, price, price, 0, 0, 0, 0, 0];
        out.push(c);
      }
      if (t.price) {
        c[2] = Math.max(c[2]!, t.price);
        c[3] = Math.min(c[3]!, t.price);
        c[4] = t.price;
      }
      if (t.liquidity) continue;
      c[5]! += t.drops;
      c[6]! += t.amount;
      c[7]!++;
      if (t.bought) {
        c[8]!++;
        c[9]! += t.drops;
      }
    }
    return out;
  }
}
