/**
 * The formulas that /docs publishes, each written once more from its text, over what a reader can ask for: rows of trades,
 * candles, holders, pools. No code of the service is used.
 */
import { expect } from 'bun:test';
import type { Frame } from './live-rig.ts';

interface Asked {
  /** Close time of the newest ledger, Unix ms. */
  readonly now: number;
  get(path: string): Promise<Frame>;
  pages(path: string, member: string): Promise<{ rows: Frame[] }>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const xrpOf = (trades: readonly Frame[]) => sum(trades.map(({ xrp }) => xrp ?? 0));

/** Wilder's, of 14 periods. */
function rsi(closes: readonly number[]): number | undefined {
  if (closes.length < 15) return undefined;
  const changes = closes.slice(1).map((close, i) => close - closes[i]!);
  const smoothed = (values: readonly number[]) =>
    values.slice(14).reduce((mean, value) => (mean * 13 + value) / 14, sum(values.slice(0, 14)) / 14);
  const gain = smoothed(changes.map((change) => Math.max(0, change)));
  const loss = smoothed(changes.map((change) => Math.max(0, -change)));
  if (loss === 0) return gain === 0 ? 50 : 100;
  return 100 - 100 / (1 + gain / loss);
}

/** Half the mean absolute difference of all pairs, by the mean. */
function gini(balances: readonly number[]): number {
  const mean = sum(balances) / balances.length;
  const differences = sum(balances.map((one) => sum(balances.map((other) => Math.abs(one - other)))));
  return differences / balances.length ** 2 / 2 / mean;
}

const magnitude = (value: number, full: number) => Math.min(1, Math.log1p(value) / Math.log1p(full));

function assessment(row: Frame): number {
  const { noFreeze, blackholed, globalFreeze } = row.issuer_info;
  if (globalFreeze) return 0;
  return (
    25 * magnitude(row.tvl ?? 0, 100_000) +
    20 * magnitude(row.holders, 10_000) +
    20 * (1 - Math.min(100, row.top10 ?? 0) / 100) +
    (blackholed ? 15 : noFreeze ? 5 : 0) +
    10 * magnitude(row.uniqueTraders24h, 1000) +
    (10 * (row.lpBurnedPercent ?? 0)) / 100
  );
}

function trend(row: Frame, trades: readonly Frame[], now: number): number {
  const expected = trades.length / 24;
  const lastHour = trades.filter(({ time }) => time > now - HOUR_MS).length;
  const burst = expected > 0 ? Math.max(0, (lastHour - expected) / Math.sqrt(expected)) : 0;
  return Math.log10(1 + xrpOf(trades)) * Math.log2(1 + row.uniqueTraders24h) * (1 + Math.log2(1 + burst));
}

/** Checks the figures of a token's row. @returns how many had something to compute */
export async function checkTokenFormulas(row: Frame, asked: Asked): Promise<number> {
  const { md5 } = row;
  const from = asked.now - DAY_MS;
  const trades = (await asked.pages(`/history?md5=${md5}&start_time=${from + 1000}`, 'data')).rows;
  const traders = new Set(trades.flatMap(({ isAMM, maker, taker }) => (isAMM ? [maker] : [maker, taker])));
  expect([md5, row.vol24htx, row.uniqueTraders24h]).toEqual([md5, trades.length, traders.size]);
  expect(row.vol24hxrp, md5).toBeCloseTo(xrpOf(trades), 5);
  expect(row.trendingScore, md5).toBeCloseTo(trend(row, trades, asked.now), 3);
  if (row.holders === 0) expect(row.assessmentScore, md5).toBeUndefined();
  else expect(row.assessmentScore, md5).toBeCloseTo(assessment(row), 3);
  for (const [frame, minutes] of [
    ['rsi15m', 15],
    ['rsi1h', 60],
  ] as const) {
    const { ohlc } = await asked.get(`/ohlc/${md5}?resolution=${minutes}&cb=5000`);
    const closed = (ohlc as number[][]).filter(([time]) => time! + minutes * 60_000 <= asked.now);
    const expected = rsi(closed.map((candle) => candle[4]!));
    if (expected === undefined) expect(row[frame], md5).toBeUndefined();
    else expect(row[frame], `${frame} ${md5}`).toBeCloseTo(expected, 2);
  }
  const list = await asked.pages(`/holders/list/${md5}`, 'richList');
  const balances = list.rows.map(({ balance }) => Number(balance)).filter((balance) => balance > 0);
  expect([md5, row.holders]).toEqual([md5, balances.length]);
  if (balances.length === 0) {
    expect([md5, row.gini, row.hhi, row.top10]).toEqual([md5, undefined, undefined, undefined]);
    return trades.length;
  }
  const all = sum(balances);
  const shares = balances.map((balance) => (balance / all) * 100).sort((a, b) => b - a);
  expect(row.gini, md5).toBeCloseTo(gini(balances), 5);
  expect(row.hhi, md5).toBeCloseTo(sum(shares.map((share) => share ** 2)), 3);
  expect(row.top10, md5).toBeCloseTo(sum(shares.slice(0, 10)), 3);
  return trades.length;
}

/** An account's tokens of known cost, at their average cost. */
class Position {
  bought = 0;
  spent = 0;
  held = 0;
  cost = 0;
  profit = 0;

  buy(amount: number, xrp: number): void {
    this.bought += amount;
    this.spent += xrp;
    if (xrp === 0) return;
    this.held += amount;
    this.cost += xrp;
  }

  sell(amount: number, xrp: number): void {
    const sold = Math.min(amount, this.held);
    if (sold === 0) return;
    const cost = this.cost * (sold / this.held);
    if (xrp > 0) this.profit += xrp * (sold / amount) - cost;
    this.held -= sold;
    this.cost -= cost;
  }
}

/** Checks profit and return of everybody who traded a token. @returns how many */
export async function checkPositions({ md5, issuer, currency }: Frame, asked: Asked): Promise<number> {
  const trades = (await asked.pages(`/history?md5=${md5}&direction=asc`, 'data')).rows;
  const positions = new Map<string, Position>();
  const of = (account: string) => {
    const known = positions.get(account) ?? new Position();
    positions.set(account, known);
    return known;
  };
  for (const { maker, taker, paid, got, xrp } of trades) {
    if (maker === taker) continue;
    // What the taker paid the maker got.
    const isPaid = paid.issuer === issuer && paid.currency === currency;
    const [buyer, seller] = isPaid ? [maker, taker] : [taker, maker];
    const amount = Number((isPaid ? paid : got).value);
    of(buyer).buy(amount, xrp ?? 0);
    of(seller).sell(amount, xrp ?? 0);
  }
  const { rows } = await asked.pages(`/token/analytics/token/${md5}/traders`, 'traders');
  for (const row of rows) {
    const position = positions.get(row.address)!;
    const { profit, spent, cost } = position;
    // Of each sale, what its tokens cost is rounded to a drop.
    const within = 1e-6 * (row.tradesAll + 1);
    expect(Math.abs(row.profit - profit), row.address).toBeLessThanOrEqual(within);
    expect(row.xrpBought, row.address).toBeCloseTo(spent, 5);
    if (spent - cost > 1) expect(row.roi, row.address).toBeCloseTo((profit / (spent - cost)) * 100, 2);
    if (spent > 1) expect(row.totalRoi, row.address).toBeCloseTo((row.totalPnl / spent) * 100, 2);
  }
  return rows.length;
}

/** Checks yield and depth of a pool with XRP, of whose token this is the row. */
export function checkPool(pool: Frame, row: Frame): void {
  const { asset1Amount: xrp } = pool.currentLiquidity;
  const kept = 1 - pool.tradingFee / 100_000;
  for (const [yields, days] of [
    [pool.apy24h, 1],
    [pool.apy7d, 7],
  ] as const) {
    expect(yields.liquidity, pool.ammAccount).toBeCloseTo(2 * xrp, 5);
    expect(yields.fees, pool.ammAccount).toBeCloseTo(yields.volume * (1 - kept), 5);
    const apy = xrp > 0 ? (yields.fees / yields.liquidity) * 365 * (100 / days) : 0;
    expect(yields.apy, pool.ammAccount).toBeCloseTo(apy, 3);
  }
  if (row.AMM !== pool.ammAccount || row.depthPlus2 === undefined) return;
  // What is left of the token keeps the product; the fee stays in the pool.
  const after = (put: number, of: number) => ({ put: of + put, other: of / (of + put * kept) });
  const bought = after(row.depthPlus2, xrp);
  expect(bought.put / bought.other / xrp, pool.ammAccount).toBeCloseTo(1.02, 6);
  const left = 1 - row.depthMinus2 / xrp;
  // Tokens that pay that much XRP out, of one token that the pool has.
  const sold = (1 / left - 1) / kept;
  expect(left / (1 + sold), pool.ammAccount).toBeCloseTo(0.98, 6);
}
