/**
 * Costs on a generated state at a tenth of the main network's size, against a hundredth: what bench/size-*.ts measures at its
 * full size. Counts where something can be counted; else ratios of times within the run, without the time that the thread
 * waited for a core, with bounds that only work in proportion to the state, or in one piece, exceeds.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { quantile } from '../../../bench/latency.ts';
import { BASE_CLOSE_TIME } from '../../../bench/size/ledgers.ts';
import { WORDS } from '../../../bench/size-serve.ts';
import { FOLLOWED_LINES } from '../../../engine/market/largest-holders.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import type { TokenSort } from '../../../views/token-fields.ts';
import { type Followed, followWithSockets } from './followed.ts';
import { type MadeStore, makeStore, Sized, timeUntil } from './sized.ts';
import { startOf } from './started.ts';
import { yielding } from './yielding.ts';

const LEDGERS = 30;
/** The state is ten times as large: what grows in proportion to it becomes ten times as expensive. */
const GROWTH = 10;
/** Bound of what a ledger or an answer may cost more at ten times the size: caches of the processor have a part in it. */
const STEADY = 3;
/** Bound of what reads everything: twice what is in proportion. What is quadratic becomes a hundred times as expensive. */
const LINEAR = 2 * GROWTH;
/** Noise only ever adds: the best of so many counts. */
const TRIES = 3;
/** Part of a start until /health answers: modules, routes and the first requests, which do not grow with the state. */
const LISTENING = 1 / 4;
/** Part of a start for which /health may have to wait once it has answered: as 0.5 s of 4 s. */
const LATE = 1 / 8;
/**
 * Bound of the longest page of a snapshot against the median one. Where two indexes grow at once each new row copies a part
 * of both (engine/state/row-index.ts: 10 us each): up to 11 times. Indexes that grow in one piece: 30 times.
 */
const PAGE = 16;
/** Bound of the longest stall of a ledger against all it costs: its frames in one piece are most of that. */
const STALL = 1 / 2;
/** Bound of what a ledger and its frames cost more at ten times the size: the frames, most of it, are those of as many sockets. */
const FRAMES = 2;
/** Bound of what the slowest searches cost more at ten times the names: half of what is in proportion to them. */
const SEARCH = GROWTH / 2;
const SORTS: readonly TokenSort[] = [
  'vol24hxrp',
  'marketcap',
  'holders',
  'exch',
  'uniqueTraders24h',
  'supply',
];

describe('at a tenth of the main network', () => {
  let made: MadeStore;
  /** Of each page of the snapshot, ms on a core: the least of some makings, which are alike. */
  let pages: readonly number[];
  let sized: Sized;
  let small: Sized;
  const starts: Awaited<ReturnType<typeof startOf>>[] = [];
  beforeAll(async () => {
    made = await makeStore(0.1);
    pages = made.pages;
    for (let i = 1; i < TRIES; i++) {
      const again = await makeStore(0.1);
      pages = pages.map((ms, at) => Math.min(ms, again.pages[at]!));
      again.remove();
    }
    // On the untouched store: afterwards the tests apply ledgers to it.
    for (let i = 0; i < TRIES; i++) starts.push(await startOf(made));
    sized = await Sized.open(made);
    small = await Sized.open(await makeStore(0.01));
  });
  afterAll(async () => {
    await sized.close();
    await small.close();
  });

  test('the end of an hour makes no ledger look at all lines of a large token', async () => {
    const { lines, tokens } = sized.engine.state;
    const counts = Array.from({ length: tokens.count }, (_, token) => lines.lineCount(token));
    expect(Math.max(...counts)).toBeGreaterThan(FOLLOWED_LINES * 1.5);
    for (let i = 0; i < 10; i++) await sized.ledger();
    const lists = spyOn(lines, 'holders');
    for (let hour = 1; hour <= 3; hour++) {
      await sized.ledger(BASE_CLOSE_TIME + hour * HOUR);
      for (let i = 0; i < 5; i++) await sized.ledger();
    }
    const looked = lists.mock.results.map(({ value }) => (value as Uint32Array).length);
    lists.mockRestore();
    expect(looked.length).toBeGreaterThan(100);
    expect(Math.max(...looked)).toBeLessThanOrEqual(FOLLOWED_LINES);
  });

  test('a ledger hands over at most 1.3 times the bytes that it does at a tenth of that', async () => {
    const bytes: number[] = [];
    for (const one of [sized, small]) {
      const { counters } = one.engine;
      await one.engine.drain();
      const before = counters.commitBytes;
      for (let i = 0; i < LEDGERS; i++) await one.ledger();
      await one.engine.drain();
      bytes.push((counters.commitBytes - before) / LEDGERS);
    }
    expect(bytes[0]! / bytes[1]!).toBeLessThan(1.3);
  });

  test('a line takes at most 1.2 times the memory that it does at a tenth of that', () => {
    const [large, less] = [sized, small].map(
      ({ engine: { state } }) => state.lines.byteLength / state.lines.existing,
    );
    expect(large! / less!).toBeLessThan(1.2);
  });

  /** What a step gives at the full size and at a tenth of it, in turns. */
  const inTurns = async <T>(rounds: number, step: (one: Sized) => Promise<T>): Promise<[T[], T[]]> => {
    const given: [T[], T[]] = [[], []];
    for (let round = 0; round < rounds; round++)
      for (const [side, one] of [sized, small].entries()) given[side]!.push(await step(one));
    return given;
  };

  /** Medians of what a step costs at both sizes after each of some ledgers, as a ratio. */
  const growthAfterLedgers = async (step: (one: Sized) => Promise<number>): Promise<number> => {
    const [large, less] = await inTurns(LEDGERS, step);
    return quantile(large, 0.5) / quantile(less, 0.5);
  };

  test('a restart costs in proportion to the state', () => {
    const growth = sized.restored / small.restored;
    console.log(`restore: ${growth.toFixed(2)} times at ten times the size`);
    expect(growth).toBeLessThan(LINEAR);
  });

  test('the digest costs in proportion to the state', async () => {
    const [large, less] = [await timeUntil(() => sized.digest()), await timeUntil(() => small.digest())];
    console.log(`digest: ${(large / less).toFixed(2)} times at ten times the size`);
    expect(large / less).toBeLessThan(LINEAR);
  });

  test('the first answers of each kind are made in slices', async () => {
    const { tokens, books, search, pools } = sized.views;
    const names = [await yielding(() => search.prepare()), await yielding(() => tokens.prepare())];
    const { count } = sized.engine.state.tokens;
    for (const { yields } of names) expect(yields).toBeGreaterThanOrEqual(Math.floor(count / 2000));
    const first = await yielding(async () => {
      await books.pairs(XRP, 1000);
      await pools.prepare();
      for (const sort of SORTS) await tokens.listReady(sort);
    });
    for (const { longest, total: of, yields } of [...names, first])
      console.log(`first answers: ${longest.toFixed(1)} ms of ${of.toFixed(1)} at once, ${yields} slices`);
    const all = [...names, first];
    const total = all.reduce((sum, one) => sum + one.total, 0);
    expect(Math.max(...all.map(({ longest }) => longest)) / total).toBeLessThan(0.25);
  });

  test('a ledger, and lists and books after it, cost at most 3 times what they do at a tenth of that', async () => {
    const apply = await growthAfterLedgers((one) => one.ledger());
    const list = await growthAfterLedgers(async (one) => {
      await one.ledger();
      return timeUntil(() => one.list());
    });
    console.log(`apply ${apply.toFixed(2)}, lists ${list.toFixed(2)} times`);
    expect(apply).toBeLessThan(STEADY);
    expect(list).toBeLessThan(STEADY);
  });

  test('what concerns the holders of the largest token is not read from all its lines after each ledger', async () => {
    const step = async (one: Sized): Promise<number> => {
      await one.ledger();
      const [token] = one.largest(1) as [number];
      return timeUntil(async () => {
        await one.views.holders.infoReady(token);
        one.views.holders.info(token);
      });
    };
    const growth = await growthAfterLedgers(step);
    console.log(`holders: ${growth.toFixed(2)} times at ten times the size`);
    expect(growth).toBeLessThan(STEADY);
  });

  test('no page of a snapshot takes more than 16 times as long as the median one', () => {
    const longestFirst = pages.toSorted((a, b) => b - a);
    const median = quantile(longestFirst, 0.5);
    console.log(
      `${pages.length} pages, median ${median.toFixed(1)} ms, longest ${longestFirst
        .slice(0, 4)
        .map((ms) => ms.toFixed(1))
        .join(', ')} ms`,
    );
    expect(pages.length).toBeGreaterThan(500);
    expect(longestFirst[0]! / median).toBeLessThan(PAGE);
  });

  test('/health answers long before everything is restored, and never late meanwhile', () => {
    for (const { listening, longest, total, answers } of starts)
      console.log(
        `start: /health answers after ${listening.toFixed(0)} ms of ${total.toFixed(0)} on a core, ` +
          `${answers} times before it is ready; longest slice ${longest.toFixed(1)} ms`,
      );
    expect(Math.min(...starts.map(({ listening, total }) => listening / total))).toBeLessThan(LISTENING);
    expect(Math.min(...starts.map(({ longest, total }) => longest / total))).toBeLessThan(LATE);
    expect(Math.max(...starts.map(({ answers }) => answers))).toBeGreaterThan(1 / LATE);
  });

  test('ledgers of 400 transactions and their frames are made in slices, and cost at most twice what they do at a tenth', async () => {
    const best = (tries: readonly Followed[]): Followed => ({
      total: Math.min(...tries.map(({ total }) => total)),
      longest: Math.min(...tries.map(({ longest }) => longest)),
      bytes: Math.min(...tries.map(({ bytes }) => bytes)),
    });
    const tries = await inTurns(TRIES, followWithSockets);
    const [large, less] = [best(tries[0]), best(tries[1])];
    for (const { total, longest, bytes } of [large, less])
      console.log(
        `a ledger and its frames: ${total.toFixed(1)} ms on a core, longest slice ${longest.toFixed(1)} ms, ${bytes} bytes`,
      );
    expect(large.bytes).toBeGreaterThan(0);
    expect(large.longest / large.total).toBeLessThan(STALL);
    expect(large.longest / less.longest).toBeLessThan(STEADY);
    expect(large.total / less.total).toBeLessThan(FRAMES);
  });

  test('the slowest searches cost at most 5 times what they do at a tenth of the names', async () => {
    const slowest = async (one: Sized): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < LEDGERS / TRIES; round++) {
        await one.ledger();
        for (const word of WORDS)
          for (const text of [word, `${word}${round}`])
            times.push(await timeUntil(() => one.views.search.find(text, 20)));
      }
      return quantile(times, 0.99);
    };
    for (const one of [sized, small]) await slowest(one);
    const p99s = await inTurns(TRIES, slowest);
    const [large, less] = [Math.min(...p99s[0]), Math.min(...p99s[1])];
    console.log(
      `search: p99 ${large.toFixed(2)} ms, ${(large / less).toFixed(2)} times at ten times the names`,
    );
    expect(large / less).toBeLessThan(SEARCH);
  });
});
