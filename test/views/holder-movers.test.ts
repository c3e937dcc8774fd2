/**
 * Who bought and sold a token, against two snapshots of all balances: of now, and of the last ledger of at least 24 hours
 * ago (of a window's length ago). In whole decimals, in arithmetic of the test's own.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Changes } from '../../engine/codec/changes.ts';
import type { Engine } from '../../engine/engine.ts';
import { Flows } from '../../engine/flows/flows.ts';
import { FLOW_LIMITS } from '../../engine/flows/limits.ts';
import { prepare } from '../../engine/ledger/prepare.ts';
import { DAY, HOUR, MINUTE } from '../../engine/ripple-time.ts';
import { BalanceLogReader } from '../../engine/state/balance-log.ts';
import { isZeroIssued } from '../../engine/state/line-fields.ts';
import { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Views } from '../../views/views.ts';
import { type Asker, asker, type Json } from '../api/routes/ask.ts';
import { balancesOf, type Followed, follow, pass, restart } from '../flows-world.ts';
import { recordedRun } from '../ledgers.ts';

const STEP = 600;
const WINDOWS = { m15: 15 * MINUTE, m30: 30 * MINUTE, h1: HOUR, h4: 4 * HOUR, h24: DAY };
const PLACES = 100;

/** Units of 10^-PLACES. */
function units(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole, part = ''] = (negative ? text.slice(1) : text).split('.');
  const value = BigInt(whole + part.padEnd(PLACES, '0'));
  return negative ? -value : value;
}

type Snapshot = { readonly time: number; readonly held: ReadonlyMap<string, string> };

/** Every token's balances after each ledger of somewhat more than a day. */
class Snapshots {
  readonly #taken: { time: number; byToken: Map<number, Map<string, string>> }[] = [];

  take(engine: Engine): void {
    const { tokens } = engine.state;
    const byToken = new Map<number, Map<string, string>>();
    for (let token = 1; token < tokens.count; token++) byToken.set(token, balancesOf(engine, token));
    this.#taken.push({ time: engine.head!.closeTime, byToken });
    if (this.#taken.length > DAY / STEP + 2) this.#taken.shift();
  }

  /** The last ledger's that closed at or before the time. */
  at(token: number, time: number): Snapshot {
    const last = this.#taken.findLast((one) => one.time <= time)!;
    return { time: last.time, held: last.byToken.get(token) ?? new Map() };
  }
}

/** Differences of all accounts that differ. */
function differences(now: Snapshot, then: Snapshot): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const account of new Set([...now.held.keys(), ...then.held.keys()])) {
    const change = units(now.held.get(account) ?? '0') - units(then.held.get(account) ?? '0');
    if (change !== 0n) found.set(account, change);
  }
  return found;
}

describe('movers of the embedded network', () => {
  let followed: Followed;
  const snapshots = new Snapshots();
  let ask: Asker;
  let busiest: number[];
  const now = () => followed.engine.head!.closeTime;
  const md5 = (token: number) => followed.engine.state.tokens.md5(token);
  const movers = async (token: number, limit = 50): Promise<Json> =>
    (await ask.get(`/holders/movers/${md5(token)}?limit=${limit}`)).body;

  beforeAll(async () => {
    followed = follow('movers');
    await pass(followed, HOUR, STEP);
    await pass(followed, 24.5 * HOUR, STEP, (engine) => snapshots.take(engine));
    ask = asker(followed.engine);
    const { tokens } = followed.engine.state;
    const changed = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1).map((token) => {
      const size = differences(snapshots.at(token, now()), snapshots.at(token, now() - DAY)).size;
      return { token, size };
    });
    busiest = changed.filter(({ size }) => size > 0).map(({ token }) => token);
  });

  test('are those whose balance differs from the snapshot of a day ago, by as much', async () => {
    expect(busiest.length).toBeGreaterThan(10);
    let [rows, pools, mpts] = [0, 0, 0];
    for (const token of busiest) {
      const [after, before] = [snapshots.at(token, now()), snapshots.at(token, now() - DAY)];
      const expected = differences(after, before);
      const body = await movers(token);
      const side = (sign: 1 | -1) =>
        [...expected].filter(([, change]) => (sign > 0 ? change > 0n : change < 0n));
      const sum = (sign: 1 | -1) => side(sign).reduce((total, [, change]) => total + change, 0n);
      expect(body).toMatchObject({ success: true, limit: 50, movers: expected.size });
      expect([body.buyersTotal, body.sellersTotal]).toEqual([side(1).length, side(-1).length]);
      expect([units(body.boughtTotal), units(body.soldTotal)]).toEqual([sum(1), -sum(-1)]);
      expect(body.since).toBeUndefined();
      for (const row of [...body.buyers, ...body.sellers]) {
        expect(units(row.change)).toBe(expected.get(row.account)!);
        expect(row.balance).toBe(after.held.get(row.account) ?? '0');
        expect(row.balance24h).toBe(before.held.get(row.account) ?? '0');
        rows++;
        if (row.isAMM) pools++;
      }
      const order = (list: Json[]) => list.map(({ change }) => Math.abs(Number(change)));
      for (const list of [body.buyers, body.sellers]) {
        expect(order(list)).toEqual(order(list).toSorted((a, b) => b - a));
        expect(list).toHaveLength(Math.min(50, list === body.buyers ? side(1).length : side(-1).length));
      }
      if (followed.engine.state.tokens.kind(token) === 2) mpts++;
    }
    expect(rows).toBeGreaterThan(100);
    expect(pools).toBeGreaterThan(0);
    expect(mpts).toBeGreaterThan(0);
  });

  test('press by what accounts other than pools have less and more than at the start of each window', async () => {
    const { state, market } = followed.engine;
    let counted = 0;
    for (const token of busiest) {
      const price = market.totals.price(token);
      const { pressure } = await movers(token);
      if (price === undefined) {
        expect(pressure).toBeUndefined();
        continue;
      }
      for (const [name, seconds] of Object.entries(WINDOWS)) {
        const found = differences(snapshots.at(token, now()), snapshots.at(token, now() - seconds));
        const own = [...found].filter(
          ([address]) => state.pools.byAccount(state.accounts.findText(address)!) === undefined,
        );
        const less = own.filter(([, change]) => change < 0n);
        const more = own.filter(([, change]) => change > 0n);
        expect([pressure[name].sellers, pressure[name].buyers]).toEqual([less.length, more.length]);
        const xrp = (side: typeof own) =>
          Math.abs(Number(side.reduce((sum, [, change]) => sum + change, 0n)) / 10 ** PLACES) * price;
        expect(pressure[name].sellPressureXrp).toBeCloseTo(xrp(less), 4);
        expect(pressure[name].buyPressureXrp).toBeCloseTo(xrp(more), 4);
        counted += own.length;
      }
    }
    expect(counted).toBeGreaterThan(100);
  });

  test('show their changes, which lead from one balance to the other: trades, liquidity and transfers', async () => {
    const kinds = new Set<number>();
    for (const token of busiest) {
      const { buyers, sellers } = await movers(token);
      for (const { account, trades, lastTrade, balance24h, balance } of [...buyers, ...sellers]) {
        expect(trades.length).toBeGreaterThan(0);
        expect(trades.length).toBeLessThanOrEqual(120);
        const times = trades.map(([time]: number[]) => time);
        expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
        for (const [, side, xrp, cap, kind] of trades) {
          expect([1, -1]).toContain(side);
          expect(xrp).toBeGreaterThanOrEqual(0);
          expect(cap).toBeGreaterThanOrEqual(0);
          kinds.add(kind);
        }
        const traded = trades.findLast(([, , , , kind]: number[]) => kind === 0);
        if (traded) expect(lastTrade).toBeGreaterThanOrEqual(traded[0]);
        // Also of a trade that bought and sold as much of it.
        const { data } = (await ask.get(`/history?md5=${md5(token)}&account=${account}&limit=1`)).body;
        const newest =
          data[0]?.time > followed.engine.head!.closeTimeMs - 86_400_000 ? data[0].time : undefined;
        expect([account, lastTrade]).toEqual([account, newest]);
        if (trades.length === 1)
          expect(trades[0][1]).toBe(Math.sign(Number(units(balance) - units(balance24h))));
      }
    }
    expect([...kinds].sort()).toEqual([0, 1, 2]);
  });

  test('are of the trades that history has: kind 0 is a trade of that account and token at that time', async () => {
    const token = busiest.find((one) => followed.engine.market.windows.uniqueTraders(one) > 5)!;
    const { buyers, sellers } = await movers(token);
    let trades = 0;
    for (const row of [...buyers, ...sellers].filter(({ isAMM }) => !isAMM).slice(0, 12)) {
      const { data } = (
        await ask.get(`/history?md5=${md5(token)}&account=${row.account}&type=all&limit=1000`)
      ).body;
      const has = new Set(data.map(({ time, isLiquidity }: Json) => `${time} ${isLiquidity ? 1 : 0}`));
      for (const [time, , , , kind] of row.trades) {
        if (kind === 2) continue;
        expect(has).toContain(`${time} ${kind}`);
        trades++;
      }
    }
    expect(trades).toBeGreaterThan(3);
  });

  test('limit, and what cannot be answered', async () => {
    const [token] = busiest;
    for (const [sent, used] of [
      ['0', 1],
      ['51', 50],
      ['x', 20],
      ['7', 7],
    ] as const)
      expect((await ask.get(`/holders/movers/${md5(token!)}?limit=${sent}`)).body.limit).toBe(used);
    expect((await ask.get(`/holders/movers/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await ask.get('/holders/movers/XRP')).status).toBe(400);
    expect((await ask.get(`/holders/movers/${md5(XRP)}`)).status).toBe(400);
  });

  test('a restart changes nothing', async () => {
    const before = await Promise.all(busiest.map((token) => new Views(followed.engine).movers.of(token, 50)));
    restart(followed);
    const views = new Views(followed.engine);
    expect(await Promise.all(busiest.map((token) => views.movers.of(token, 50)))).toEqual(before);
  });
});

describe('the ring of balance changes', () => {
  const ROWS = 128;

  test('that is full forgets the oldest changes, and says since when they are known', async () => {
    const state = new State();
    const totals = { price: () => undefined };
    const flows = new Flows(
      state,
      { totals, trades: new Uint8Array(0), tradeCount: 0 },
      { ...FLOW_LIMITS, balanceChanges: ROWS },
    );
    const store = new MemoryStore();
    const seen: { time: number; account: number }[] = [];
    for (const packed of recordedRun()) {
      const answer = prepare(packed.bytes, false);
      if ('fault' in answer) throw new Error(answer.fault);
      const changes = new Changes(answer.changes);
      state.applyLedger(packed, changes);
      flows.applyLedger(packed, changes, store.batch());
      const reader = new BalanceLogReader(state.changed.balances);
      while (reader.next()) {
        const { low, high, code, beforeHi, beforeLo, afterHi, afterLo } = reader;
        const sides = [beforeHi, afterHi].map((hi, i) =>
          isZeroIssued(hi, [beforeLo, afterLo][i]!) ? 0 : hi & 0x40000000 ? 1 : -1,
        );
        for (const side of [1, -1] as const) {
          if (!sides.includes(side)) continue;
          const token = side > 0 ? state.tokens.findPair(high, code) : state.tokens.findPair(low, code);
          if (token !== 0) seen.push({ time: packed.closeTime, account: side > 0 ? low : high });
        }
      }
    }
    expect(seen.length).toBeGreaterThan(200);
    const kept: [number, number][] = [];
    for (let id = 1; id < state.tokens.count; id++)
      for (const row of flows.balanceChanges.rows(id, 0))
        kept.push([flows.balanceChanges.time[row]!, flows.balanceChanges.account[row]!]);
    const newest = seen.slice(-ROWS).map(({ time, account }): [number, number] => [time, account]);
    const byTime = (a: [number, number], b: [number, number]) => a[0] - b[0] || a[1] - b[1];
    expect(kept.sort(byTime)).toEqual(newest.sort(byTime));
    const { since } = flows.balanceChanges;
    expect(seen.slice(0, -ROWS).every(({ time }) => time < since)).toBe(true);
    expect(seen.some(({ time }) => time >= since)).toBe(true);
  });
});
