/**
 * Who bought and sold a token in the last 24 hours: the accounts whose balance is another than a day ago, from the ring of
 * balance changes (engine/flows/balance-changes.ts).
 *
 *     rows of the token, newest first --> per account: balance now | a day ago | at the start of each window | its changes
 *
 * A buyer has more than 24 hours ago, a seller less, however that came: by trades, changes of liquidity or transfers.
 * Pressure leaves pools out, which are the other side of trades: per window, how many other accounts have less (more) than
 * at its start, and what the difference is worth at the present price. Amounts are exact.
 *
 * Cost: the walk (0.2 us a change) at once, since the next ledger changes the ring; the sums in slices. Kept until then.
 */
import {
  addDecimal,
  type Decimal,
  DROPS_PER_XRP,
  decimalNumber,
  decimalText,
  rawCompare,
  subDecimal,
  ZERO,
} from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { BalanceChanges, ChangeKind } from '../engine/flows/balance-changes.ts';
import { DAY, HOUR, MINUTE, unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import { holdingPercent } from './holder-account.ts';
import type { TraderRows } from './traders/trader-rows.ts';
import { type Revision, VersionedCache } from './versioned-cache.ts';

export const PRESSURE_WINDOWS = {
  m15: 15 * MINUTE,
  m30: 30 * MINUTE,
  h1: HOUR,
  h4: 4 * HOUR,
  h24: DAY,
} as const;
export type PressureWindow = keyof typeof PRESSURE_WINDOWS;

/** Rows of a side that an answer may show. */
export const MOVERS_MAX = 50;
/** Changes of an account that an answer shows: the newest. */
const CHANGES_SHOWN = 120;
/** Accounts whose differences are added before other work may run: about 5 ms. */
const ACCOUNTS_A_SLICE = 4000;
const KEPT_ANSWERS = 64;

const WINDOWS = Object.entries(PRESSURE_WINDOWS) as [PressureWindow, number][];

interface Pressure {
  readonly sellers: number;
  readonly sellPressureXrp: number;
  readonly buyers: number;
  readonly buyPressureXrp: number;
}

/** Unix ms, 1 = more or -1 = less, XRP, market cap in XRP then, kind of change. */
type ShownChange = readonly [number, 1 | -1, number, number, ChangeKind];

export interface MoverRow {
  readonly account: string;
  readonly name: null;
  readonly balance: string;
  readonly balance24h: string;
  readonly change: string;
  /** Percent of the supply. */
  readonly holding: number;
  /** XRP. */
  readonly value?: number;
  /** Unix ms, where it was in the last 24 hours: also of a trade that left the balance as it was. */
  readonly lastTrade?: number;
  /** XRP and percent, as in the list of holders; absent: it never traded the token. */
  readonly pnl?: number;
  readonly roi?: number;
  /** Market cap at which what it bought and has not sold is worth its cost, XRP; absent: it has none. */
  readonly breakevenMcap?: number;
  readonly trades: readonly ShownChange[];
  readonly isAMM?: true;
  readonly isCreator?: true;
  readonly freeze?: true;
}

/** What the rows of an answer share. */
interface Valued {
  readonly supply: Decimal;
  /** XRP per token. */
  readonly price: number | undefined;
  /** Close time. */
  readonly now: number;
}

/** What changed for one account, as rows of the ring that are copied: the ring moves on. */
interface Moved {
  readonly account: number;
  readonly afterHi: number;
  readonly afterLo: number;
  beforeHi: number;
  beforeLo: number;
  /** Balance at the start of each window, where it changed since: by window, as a number. */
  readonly starts: (number | undefined)[];
  readonly changes: ShownChange[];
  difference: Decimal;
}

export class HolderMovers {
  readonly #engine: Engine;
  readonly #state: State;
  readonly #changes: BalanceChanges;
  readonly #kept: VersionedCache<Promise<Movers>>;
  readonly #traders: TraderRows;

  constructor(engine: Engine, revisions: readonly Revision[], traders: TraderRows) {
    this.#engine = engine;
    this.#traders = traders;
    this.#state = engine.state;
    this.#changes = engine.flows.balanceChanges;
    this.#kept = new VersionedCache(revisions, KEPT_ANSWERS);
  }

  /** @param limit rows a side, at most MOVERS_MAX. The token is not XRP */
  async of(token: number, limit: number) {
    const { buyers, sellers, ...rest } = await this.#kept.get(String(token), () => this.#measure(token));
    return { limit, ...rest, buyers: buyers.slice(0, limit), sellers: sellers.slice(0, limit) };
  }

  async #measure(token: number): Promise<Movers> {
    const { lines, tokens } = this.#state;
    const now = this.#engine.head?.closeTime ?? 0;
    const price = this.#engine.market.totals.price(token);
    const supply = lines.supply(token);
    const holders = lines.holdersCount(token);
    const since = this.#changes.since;
    const moved = this.#gather(token, now);
    const sides = { buyers: [] as Moved[], sellers: [] as Moved[] };
    let [bought, sold]: Decimal[] = [ZERO, ZERO];
    for (let i = 0; i < moved.length; i++) {
      if (i % ACCOUNTS_A_SLICE === ACCOUNTS_A_SLICE - 1) await yieldToLoop();
      const one = moved[i]!;
      const sign = rawCompare(tokens.kind(token), one.afterHi, one.afterLo, one.beforeHi, one.beforeLo);
      if (sign === 0) continue;
      one.difference = subDecimal(
        tokens.decimal(token, one.afterHi, one.afterLo),
        tokens.decimal(token, one.beforeHi, one.beforeLo),
      );
      if (sign > 0) bought = addDecimal(bought!, one.difference);
      else sold = subDecimal(sold!, one.difference);
      (sign > 0 ? sides.buyers : sides.sellers).push(one);
    }
    const row = (one: Moved) => this.#row(token, one, { supply, price, now });
    return {
      holders,
      movers: sides.buyers.length + sides.sellers.length,
      buyersTotal: sides.buyers.length,
      sellersTotal: sides.sellers.length,
      boughtTotal: decimalText(bought!),
      soldTotal: decimalText(sold!),
      boughtTotalXrp: worth(decimalNumber(bought!), price),
      soldTotalXrp: worth(decimalNumber(sold!), price),
      ...(since > now - DAY && { since: unixMs(since) }),
      ...(price !== undefined && { pressure: this.#pressure(token, moved, price) }),
      buyers: largest(sides.buyers).map(row),
      sellers: largest(sides.sellers).map(row),
    };
  }

  /** Every account with a change in the last 24 hours. */
  #gather(token: number, now: number): Moved[] {
    const ring = this.#changes;
    const { tokens } = this.#state;
    const byAccount = new Map<number, Moved>();
    const openings = WINDOWS.map(([, seconds]) => now - seconds);
    for (const row of ring.rows(token, now - DAY)) {
      const account = ring.account[row]!;
      const time = ring.time[row]!;
      const beforeHi = ring.beforeHi[row]!;
      const beforeLo = ring.beforeLo[row]!;
      const afterHi = ring.afterHi[row]!;
      const afterLo = ring.afterLo[row]!;
      let one = byAccount.get(account);
      if (!one) {
        one = {
          account,
          afterHi,
          afterLo,
          beforeHi,
          beforeLo,
          starts: [],
          changes: [],
          difference: ZERO,
        };
        byAccount.set(account, one);
      }
      one.beforeHi = beforeHi;
      one.beforeLo = beforeLo;
      const before = tokens.number(token, beforeHi, beforeLo);
      for (let w = 0; w < openings.length; w++) if (time > openings[w]!) one.starts[w] = before;
      if (one.changes.length < CHANGES_SHOWN) {
        const side = rawCompare(tokens.kind(token), afterHi, afterLo, beforeHi, beforeLo) > 0 ? 1 : -1;
        const xrp = ring.worth[row]! / DROPS_PER_XRP;
        one.changes.push([unixMs(time), side, xrp, ring.marketcap[row]!, ring.kind[row] as ChangeKind]);
      }
    }
    return [...byAccount.values()];
  }

  #pressure(token: number, moved: readonly Moved[], price: number): Record<PressureWindow, Pressure> {
    const { tokens, pools } = this.#state;
    const sums = WINDOWS.map(() => ({ sellers: 0, sold: 0, buyers: 0, bought: 0 }));
    for (const { account, afterHi, afterLo, starts } of moved) {
      if (pools.isAccount(account)) continue;
      const after = tokens.number(token, afterHi, afterLo);
      for (const [w, sum] of sums.entries()) {
        const change = after - (starts[w] ?? after);
        if (change > 0) {
          sum.buyers++;
          sum.bought += change;
        } else if (change < 0) {
          sum.sellers++;
          sum.sold -= change;
        }
      }
    }
    const named = WINDOWS.map(([name], w) => {
      const { sellers, sold, buyers, bought } = sums[w]!;
      const pressure = {
        sellers,
        sellPressureXrp: worth(sold, price),
        buyers,
        buyPressureXrp: worth(bought, price),
      };
      return [name, pressure] as const;
    });
    return Object.fromEntries(named) as Record<PressureWindow, Pressure>;
  }

  #row(token: number, one: Moved, { supply, price, now }: Valued): MoverRow {
    const { accounts, tokens, lines, pools } = this.#state;
    const { account, afterHi, afterLo } = one;
    const balance = tokens.decimal(token, afterHi, afterLo);
    const line = lines.find(account, token);
    const lastTrade = this.#traders.lastTrade(account, token);
    return {
      account: accounts.text(account),
      name: null,
      balance: decimalText(balance),
      balance24h: tokens.text(token, one.beforeHi, one.beforeLo),
      change: decimalText(one.difference),
      holding: holdingPercent(balance, supply),
      ...(price !== undefined && { value: worth(decimalNumber(balance), price) }),
      ...(lastTrade > now - DAY && { lastTrade: unixMs(lastTrade) }),
      ...this.#traders.profit(account, token, decimalNumber(supply)),
      trades: one.changes.toReversed(),
      ...(pools.isAccount(account) && { isAMM: true as const }),
      ...(account === this.#engine.flows.creators.of(token) && { isCreator: true as const }),
      ...(line !== undefined && lines.isFrozen(line) && { freeze: true as const }),
    };
  }
}

export interface Movers {
  readonly holders: number;
  readonly movers: number;
  readonly buyersTotal: number;
  readonly sellersTotal: number;
  readonly boughtTotal: string;
  readonly soldTotal: string;
  readonly boughtTotalXrp: number;
  readonly soldTotalXrp: number;
  /** Unix ms from which on changes are known, where that is less than 24 hours ago. */
  readonly since?: number;
  /** Absent without a price. */
  readonly pressure?: Readonly<Record<PressureWindow, Pressure>>;
  /** Largest difference first, at most MOVERS_MAX. */
  readonly buyers: readonly MoverRow[];
  readonly sellers: readonly MoverRow[];
}

/** XRP. */
function worth(amount: number, price: number | undefined): number {
  const xrp = amount * (price ?? 0);
  return Number.isFinite(xrp) ? xrp : 0;
}

/** Those with the largest differences; equal ones by account id. */
function largest(side: readonly Moved[]): Moved[] {
  const sizes = new Map(side.map((one) => [one, Math.abs(decimalNumber(one.difference))]));
  return side.toSorted((a, b) => sizes.get(b)! - sizes.get(a)! || a.account - b.account).slice(0, MOVERS_MAX);
}
