/** Tokens of every size: Gini and HHI ledger after ledger, against their definitions over all balances; the memory of rankings. */
import { expect, test } from 'bun:test';
import { linePages } from '../../bench/lines.ts';
import { HolderRankings } from '../../views/holder-ranking.ts';
import { randomOf } from '../engine/state/shared-sample.ts';
import { holderLedger } from './holder-ledgers.ts';
import { newEngine } from './world.ts';

const seed = Number(process.env.SEED ?? 20_261_123);

test.each([1_500, 8_000, 30_000])(`of %i lines over all tokens (SEED=${seed})`, async (count) => {
  const engine = newEngine();
  for (const page of linePages(count)) engine.loadEntries(page);
  engine.market.gap();
  engine.version++;
  const { lines, tokens } = engine.state;
  const bySize = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1)
    .filter((token) => lines.lineCount(token) > 0)
    .sort((a, b) => lines.lineCount(b) - lines.lineCount(a));
  const token = bySize[0]!;
  const rankings = new HolderRankings(engine.state);
  engine.onLedger(({ events }) => rankings.applied(events.state.holderLines, events.state.balances));
  const random = randomOf(seed);
  const first = (engine.head?.index ?? 0) + 1;
  await rankings.figuresReady([token], first);
  // Of tokens that are not small they are made in the background.
  while (rankings.concentration(token, first).gini === undefined) await Bun.sleep(1);
  let moved = 0;
  let before = rankings.concentration(token, first).gini;
  for (let ledger = first; ledger < first + 15; ledger++) {
    await engine.applyLedger(holderLedger(engine, token, ledger, random), true);
    await rankings.figuresReady([token], ledger);
    const { gini, hhi } = rankings.concentration(token, ledger);
    const held = [...lines.holders(token)]
      .map((line) => lines.balanceNumber(line, token))
      .filter((one) => one > 0);
    held.sort((a, b) => b - a);
    const n = held.length;
    const sum = held.reduce((all, balance) => all + balance, 0);
    const squares = held.reduce((all, balance) => all + ((balance / sum) * 100) ** 2, 0);
    const weighted = held.reduce((all, balance, place) => all + (n - 1 - 2 * place) * balance, 0);
    expect(gini!).toBeCloseTo(weighted / (n * sum), 9);
    expect(hhi! / squares).toBeCloseTo(1, 9);
    if (gini !== before) moved++;
    before = gini;
  }
  expect(moved).toBeGreaterThan(5);
});

test('rankings of small tokens take as much memory as they have holders, and so many are kept', async () => {
  const engine = newEngine();
  for (const page of linePages(2_000, { tokens: 200 })) engine.loadEntries(page);
  engine.market.gap();
  engine.version++;
  const { lines, tokens } = engine.state;
  const all = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1);
  const small = all.filter((token) => lines.lineCount(token) > 0 && lines.lineCount(token) < 20).slice(0, 8);
  expect(small.length).toBe(8);
  const LINES = 10_000;
  const rankings = new HolderRankings(engine.state, { linesKept: LINES });
  engine.onLedger(({ events }) => rankings.applied(events.state.holderLines, events.state.balances));
  const random = randomOf(seed);
  let index = (engine.head?.index ?? 0) + 1;
  for (const token of small) {
    rankings.of(token);
    await engine.applyLedger(holderLedger(engine, token, index++, random), true);
    const { balances } = rankings.of(token);
    expect(balances.length).toBeGreaterThan(0);
    expect(balances.buffer.byteLength).toBeLessThan(8 * (2 * balances.length + 32));
  }
  // Each takes memory beside its lines, also one without any.
  for (const token of all) rankings.of(token);
  const { rankings: kept, lines: room } = rankings.kept;
  expect(kept).toBeGreaterThan(10);
  expect(kept * 64 + room).toBeLessThanOrEqual(LINES);
  rankings.drop();
  expect(rankings.kept).toEqual({ rankings: 0, lines: 0 });
});
