/** Tokens with thousands of holders: ranked in slices, so that no reader holds up the others. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { linePages } from '../../bench/lines.ts';
import type { Engine } from '../../engine/engine.ts';
import { mapInSlices } from '../../engine/event-loop.ts';
import type { HolderQuery } from '../../views/holder-query.ts';
import { HolderRankings } from '../../views/holder-ranking.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { HolderOrders } from '../../views/traders/holder-orders.ts';
import { Views } from '../../views/views.ts';
import { randomOf } from '../engine/state/shared-sample.ts';
import { holderLedger } from './holder-ledgers.ts';
import { newEngine } from './world.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

describe('a token of ten thousand lines', () => {
  let engine: Engine;
  /** Largest first. */
  let tokens: number[];

  beforeAll(() => {
    engine = newEngine();
    for (const page of linePages(100_000)) engine.loadEntries(page);
    engine.market.gap();
    engine.version++;
    const { lines } = engine.state;
    tokens = Array.from({ length: engine.state.tokens.count - 1 }, (_, i) => i + 1)
      .sort((a, b) => lines.lineCount(b) - lines.lineCount(a))
      .slice(0, 5);
  });

  /** Balances above zero, largest first, as floats. */
  const balances = (token: number) => {
    const { lines } = engine.state;
    return [...lines.holders(token)]
      .map((line) => ({ line, balance: lines.balanceNumber(line, token) }))
      .filter(({ balance }) => balance > 0)
      .sort((a, b) => b.balance - a.balance || a.line - b.line);
  };

  test('is large', () => {
    for (const token of tokens) expect(engine.state.lines.lineCount(token)).toBeGreaterThan(8000);
  });

  test('has figures when they are ready, and none before', async () => {
    const announced: number[] = [];
    const rankings = new HolderRankings(engine.state, { onFigures: (token) => announced.push(token) });
    const [token = 0] = tokens;
    expect(rankings.concentration(token, 1).gini).toBeUndefined();
    await rankings.figuresReady([token], 1);
    expect(announced).toContain(token);
    const held = balances(token);
    const sum = held.reduce((all, { balance }) => all + balance, 0);
    const squares = held.reduce((all, { balance }) => all + ((balance / sum) * 100) ** 2, 0);
    expect(rankings.concentration(token, 1).hhi!).toBeCloseTo(squares, 6);
    expect(rankings.figuresReady([token], 1)).toBeUndefined();
  });

  test('shows the share of its ten largest holders in rows of lists, without being ranked', () => {
    const views = new Views(engine);
    for (const token of tokens) {
      const held = balances(token);
      const sum = held.reduce((all, { balance }) => all + balance, 0);
      const top = held.slice(0, 10).reduce((all, { balance }) => all + balance, 0);
      expect(JSON.parse(views.tokens.rowText(token, 'light')).top10).toBeCloseTo((top / sum) * 100, 2);
      expect(views.tokens.rankings.concentration(token, 1).gini).toBeUndefined();
    }
  });

  test('is ranked in slices, as a naive sort ranks it', async () => {
    const rankings = new HolderRankings(engine.state);
    const [token = 0] = tokens;
    let rounds = 0;
    let running = true;
    const count = () => {
      rounds++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await rankings.ready(token);
    running = false;
    expect(rounds).toBeGreaterThanOrEqual(1);
    expect(rankings.ready(token)).toBeUndefined();
    const held = balances(token);
    expect([...rankings.of(token).lines]).toEqual(held.map(({ line }) => line));
    for (const at of [0, 1, 77, held.length - 1]) expect(rankings.rank(token, held[at]!.line)).toBe(at + 1);
    const { lines } = engine.state;
    const empty = lines.holders(token).find((line) => !(lines.balanceNumber(line, token) > 0))!;
    expect(rankings.rank(token, empty)).toBeUndefined();
  });

  test(`changed by ledgers while it is ranked, is ranked once and up to date (SEED=${seed})`, async () => {
    const rankings = new HolderRankings(engine.state);
    const stop = engine.onLedger(({ events }) => rankings.applied(events.state.holderLines));
    const [token = 0] = tokens;
    const random = randomOf(seed);
    const ready = rankings.ready(token);
    // A ledger changes the lines before it first yields: this one comes while they are ranked, the others may come later.
    const first = engine.applyLedger(holderLedger(engine, token, 1, random), true);
    expect(rankings.ready(token)).toBe(ready!);
    await first;
    for (let ledger = 2; ledger <= 5; ledger++) {
      await engine.applyLedger(holderLedger(engine, token, ledger, random), true);
      expect([ready, undefined]).toContain(rankings.ready(token));
    }
    await ready;
    expect(rankings.ready(token)).toBeUndefined();
    for (let ledger = 6; ledger <= 20; ledger++) {
      const held = balances(token);
      const { lines, balances: ranked } = rankings.of(token);
      expect([...lines]).toEqual(held.map(({ line }) => line));
      expect([...ranked]).toEqual(held.map(({ balance }) => balance));
      expect(rankings.rank(token, held[ledger]!.line)).toBe(ledger + 1);
      await engine.applyLedger(holderLedger(engine, token, ledger, random), true);
    }
    stop();
  });

  test(`has its Gini and HHI after every ledger (SEED=${seed})`, async () => {
    const rankings = new HolderRankings(engine.state);
    const [, token = 0] = tokens;
    await rankings.figuresReady([token], engine.head?.index ?? 0);
    const stop = engine.onLedger(({ events }) =>
      rankings.applied(events.state.holderLines, events.state.balances),
    );
    const random = randomOf(seed);
    const first = (engine.head?.index ?? 0) + 1;
    let before = rankings.concentration(token, first).gini;
    for (let ledger = first; ledger < first + 12; ledger++) {
      await engine.applyLedger(holderLedger(engine, token, ledger, random), true);
      expect(rankings.figuresReady([token], ledger)).toBeUndefined();
      const { gini, hhi } = rankings.concentration(token, ledger);
      const held = balances(token);
      const sum = held.reduce((all, { balance }) => all + balance, 0);
      const squares = held.reduce((all, { balance }) => all + ((balance / sum) * 100) ** 2, 0);
      const n = held.length;
      const weighted = held.reduce((all, { balance }, place) => all + (n - 1 - 2 * place) * balance, 0);
      expect(gini!).toBeCloseTo(weighted / (n * sum), 9);
      expect(hhi! / squares).toBeCloseTo(1, 9);
      expect(gini).not.toBe(before);
      before = gini;
    }
    stop();
  });

  test('its issuer at an earlier ledger is read in slices', async () => {
    const views = new Views(engine);
    const [token = 0] = tokens;
    const issuer = engine.state.tokens.issuer(token);
    await views.accounts.lines.ready();
    let rounds = 0;
    let running = true;
    const count = () => {
      rounds++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const snapshot = await views.accounts.snapshots.of(issuer, engine.head!.index);
    running = false;
    expect(snapshot).toMatchObject({ tokens: [] });
    // A slice is a small part of its lines.
    expect(rounds).toBeGreaterThanOrEqual(engine.state.lines.lineCount(token) / 2000);
  });

  test('ordered by profit or change, has no set of all its lines', async () => {
    const views = new Views(engine);
    const orders = new HolderOrders(engine, views.traders.orders);
    const [token = 0] = tokens;
    const ranked = Uint32Array.from(balances(token), ({ line }) => line);
    let byChange: Uint32Array | undefined;
    const made: number[] = [];
    const { Set: OldSet } = globalThis;
    globalThis.Set = class<T> extends OldSet<T> {
      constructor(of?: Iterable<T> | null) {
        super(of);
        made.push(this.size);
      }
    } as typeof Set;
    try {
      // Nobody has traded it: largest first.
      expect(await orders.lines(token, { by: 'pnl', ascending: false }, ranked)).toEqual(ranked);
      byChange = await orders.lines(token, { by: 'change24h', ascending: false }, ranked);
      const query = { offset: 0, limit: 5, ascending: false, frozen: false, minBalance: 1 };
      views.holders.list(token, query, { order: ranked });
    } finally {
      globalThis.Set = OldSet;
    }
    expect(Math.max(0, ...made)).toBeLessThan(1000);
    const { of } = await orders.dayBalances(token);
    const { lines, tokens: all } = engine.state;
    const changes = new Map(
      Array.from(ranked, (line) => {
        const raw = of.get(lines.holderAccount(line, token));
        return [line, raw ? lines.balanceNumber(line, token) - all.number(token, ...raw) : 0] as const;
      }),
    );
    expect(of.size).toBeGreaterThan(10);
    expect([...byChange!]).toEqual([...ranked].sort((a, b) => changes.get(b)! - changes.get(a)!));
  });

  test(`filtered by freeze, balance and part of an address as a naive filter does it (SEED=${seed})`, async () => {
    const { holders } = new Network({ engine }).views;
    const { lines, accounts } = engine.state;
    const [token = 0] = tokens;
    const random = randomOf(seed + 1);
    const all = { offset: 0, limit: 100_000, ascending: false, frozen: false };
    for (let ledger = 101; ledger <= 110; ledger++) {
      await engine.applyLedger(holderLedger(engine, token, ledger, random), true);
      const held = balances(token).map(({ line, balance }, i) => ({
        rank: i + 1,
        balance,
        account: accounts.text(lines.holderAccount(line, token)),
        isFrozen: lines.frozenByIssuer(line, token) || lines.frozenByHolder(line, token),
      }));
      const ranksOf = async (query: Partial<HolderQuery>) => {
        await holders.listReady(token, { ...all, ...query });
        return holders.list(token, { ...all, ...query }).richList.map(({ rank }) => rank);
      };
      const naive = (isFound: (holder: (typeof held)[number]) => boolean) =>
        held.filter(isFound).map(({ rank }) => rank);
      const frozen = naive(({ isFrozen }) => isFrozen);
      expect(frozen.length).toBeGreaterThan(0);
      expect(await ranksOf({ frozen: true })).toEqual(frozen);
      const least = held[500]!.balance;
      expect(await ranksOf({ frozen: true, minBalance: least })).toEqual(
        naive(({ isFrozen, balance }) => isFrozen && balance >= least),
      );
      expect(await ranksOf({ minBalance: held[50]!.balance, maxBalance: held[20]!.balance })).toEqual(
        naive(({ balance }) => balance >= held[50]!.balance && balance <= held[20]!.balance),
      );
      const part = held[ledger]!.account.slice(10, 13);
      expect(await ranksOf({ search: part })).toEqual(
        naive(({ account }) => account.toLowerCase().includes(part.toLowerCase())),
      );
      expect(await ranksOf({ search: held[300]!.account })).toEqual([301]);
      const byIssuer = [...lines.holders(token)].filter((line) => lines.frozenByIssuer(line, token));
      expect(holders.list(token, all).summary.frozen).toBe(byIssuer.length);
    }
  });

  test('of which too much has changed, is ranked again', async () => {
    const rankings = new HolderRankings(engine.state);
    const [token = 0] = tokens;
    await rankings.ready(token);
    const lines = [...engine.state.lines.holders(token)];
    rankings.applied(lines.slice(0, 100).flatMap((line) => [token, line]));
    expect(rankings.ready(token)).toBeUndefined();
    rankings.applied(lines.slice(0, lines.length / 2).flatMap((line) => [token, line]));
    expect(rankings.ready(token)).toBeDefined();
  });

  test('all forgotten while it is ranked, is ranked again', async () => {
    const rankings = new HolderRankings(engine.state);
    const [token = 0] = tokens;
    const ready = rankings.ready(token);
    rankings.drop();
    await ready;
    expect(rankings.ready(token)).toBeUndefined();
    expect([...rankings.of(token).lines]).toEqual(balances(token).map(({ line }) => line));
  });

  test('is listed with its figures at the first asking', async () => {
    const api = createApi({ mounts: [Mount.of(new Network({ engine }))], log: quiet });
    const response = await api.fetch(new Request('http://localhost/v1/tokens?sort=holders&limit=5'));
    const body = (await response.json()) as { tokens: { gini?: number; holders: number }[] };
    expect(body.tokens[0]!.holders).toBeGreaterThan(7000);
    for (const row of body.tokens) expect(row.gini).toBeGreaterThan(0);
  });

  test('work in slices makes every item, in order', async () => {
    const items = Uint32Array.from({ length: 25 }, (_, i) => i);
    expect(await mapInSlices(items, 10, (i) => i * 2)).toEqual([...items].map((i) => i * 2));
    expect(await mapInSlices([], 10, () => 1)).toEqual([]);
  });
});
