/** Searches for quotes in threads of their own, over the memory that the main thread goes on writing. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { runToEnd } from '../../engine/event-loop.ts';
import { HeavyReadsBusyError, type OfLedger } from '../../engine/heavy-reads.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { amountOfDecimal } from '../../engine/quotes/amounts.ts';
import { Estimates } from '../../engine/quotes/estimate.ts';
import { TokenGraph } from '../../engine/quotes/graph.ts';
import type { Quote, QuoteRequest } from '../../engine/quotes/quote.ts';
import { ledgerRules } from '../../engine/quotes/rules.ts';
import { rankedQuotes } from '../../engine/quotes/search.ts';
import type { QuoteSearches } from '../../engine/quotes/searches.ts';
import { HOUR } from '../../engine/ripple-time.ts';
import { OvertakenError } from '../../engine/state/sequence-lock.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { BestPayments } from '../../views/quotes/best-payments.ts';
import { QuoteThreads } from '../../workers/quote-threads.ts';
import { follow, pass } from '../flows-world.ts';
import { until } from '../live-rig.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const SEED = seedOf('searches in threads', 20_261_125);
const RULES = ledgerRules({ vaults: true, cleanup: true });
const STEP = 600;
const REQUESTS = 12;
const WAITING_MAX = 8;

const followed = follow('pools');
const { engine } = followed;
const threads = new QuoteThreads(2);
const searches = threads.of(engine.state, RULES);
const random = drawsOf(SEED);
let tokens: number[] = [];

beforeAll(async () => {
  await pass(followed, 4 * HOUR, STEP);
  const { pools } = engine.state;
  const all = Array.from({ length: pools.count - 1 }, (_, i) => i + 1).filter((pool) => pools.exists(pool));
  tokens = [...new Set(all.flatMap((pool) => [pools.asset1(pool), pools.asset2(pool)]))];
  expect(tokens.length).toBeGreaterThan(4);
  await isReady(searches);
});

afterAll(() => threads.close());

/** The first searches start the threads, and run on the calling one. */
async function isReady(one: QuoteSearches): Promise<void> {
  const request = requestOf(XRP, tokens.find((token) => token !== XRP)!, 'in', 5n);
  await until(async () => {
    const found = one.ranked(request);
    await found;
    return found !== undefined;
  }, 'threads that are ready');
}

function requestOf(source: number, destination: number, side: 'in' | 'out', units: bigint): QuoteRequest {
  const amount = amountOfDecimal(side === 'in' ? source : destination, { m: units, e: 0 });
  return { source, destination, side, amount };
}

function drawn(): QuoteRequest {
  const source = tokens[random(tokens.length)]!;
  const others = tokens.filter((token) => token !== source);
  const side = random(2) === 0 ? 'in' : 'out';
  return requestOf(source, others[random(others.length)]!, side, BigInt(1 + random(500)));
}

/** The calling thread's own way, now. */
function here(request: QuoteRequest): readonly Quote[] {
  const graph = new TokenGraph(engine.state);
  graph.update();
  return runToEnd(rankedQuotes(engine.state, graph, request, RULES));
}

/** Every amount of a quote as text. */
const texts = (quotes: readonly Quote[]) =>
  quotes.map(({ rounds, ...quote }) => ({
    ...quote,
    in: quote.in.text(),
    out: quote.out.text(),
    rounds: rounds.map(({ strand, books, ...round }) => ({
      strand,
      moved: [round.in.text(), round.out.text()],
      books: books.map((parts) => parts.map((part) => [part.offer, part.in.text(), part.out.text()])),
    })),
  }));

async function next(): Promise<void> {
  const packed = followed.world.step(STEP).packed();
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
}

test(`while ledgers are applied they find what the main thread does at the ledger that they name (SEED=${SEED})`, async () => {
  let found = 0;
  let later = 0;
  while (found < 40 || later === 0) {
    const requests = Array.from({ length: REQUESTS }, drawn);
    const asked = requests.map((request) => searches.ranked(request)!);
    const all = Promise.all(asked);
    const first = engine.head!.index;
    const expected = new Map([[first, requests.map((request) => texts(here(request)))]]);
    let done: readonly OfLedger<readonly Quote[]>[] | undefined;
    void all.then((results) => {
      done = results;
    });
    while (!done || engine.head!.index < first + 2) {
      await next();
      expected.set(
        engine.head!.index,
        requests.map((request) => texts(here(request))),
      );
      await new Promise((resume) => setImmediate(resume));
    }
    for (const [i, { value, ledger }] of done.entries()) {
      expect(texts(value)).toEqual(expected.get(ledger)![i]!);
      if (value.length > 0) found++;
      if (ledger > first) later++;
    }
  }
});

test('more than may wait are refused at once, and those that were taken are answered', async () => {
  await using disposed = new AsyncDisposableStack();
  const few = new QuoteThreads(1, WAITING_MAX);
  disposed.defer(() => few.close());
  const narrow = few.of(engine.state, RULES);
  await isReady(narrow);
  const taken: Promise<OfLedger<readonly Quote[]>>[] = [];
  const refused = () => {
    for (let i = 0; i <= 2 * WAITING_MAX; i++) taken.push(narrow.ranked(drawn())!);
  };
  expect(refused).toThrow(HeavyReadsBusyError);
  expect(taken.length).toBeLessThanOrEqual(WAITING_MAX);
  for (const { ledger } of await Promise.all(taken)) expect(ledger).toBe(engine.head!.index);
});

test('payments are of the newest ledger, and equal requests share them until the next', async () => {
  const payments = new BestPayments(engine, RULES, searches);
  const [token] = tokens.filter((one) => one !== XRP);
  const request = requestOf(XRP, token!, 'in', 7n);
  const ask = () =>
    payments.with(request, (ranked) => ({ ledger: engine.head!.index, ranked: texts(ranked) }));
  const one = await ask();
  expect(one).toEqual({ ledger: engine.head!.index, ranked: texts(here(request)) });
  expect(await ask()).toEqual(one);
  const overtaken = ask();
  await next();
  const another = ask();
  for (const answer of await Promise.all([overtaken, another]))
    expect(answer.ledger === one.ledger ? one : { ...answer, ranked: texts(here(request)) }).toEqual(answer);
  expect((await another).ledger).toBe(engine.head!.index);
});

test('searches of one ledger share what they read of pairs, and those of the next read it again', async () => {
  const payments = new BestPayments(engine, RULES, undefined);
  const pairs = tokens.flatMap((pays) => tokens.filter((gets) => gets !== pays).map((gets) => [pays, gets]));
  const outputs = (estimates: Estimates) =>
    pairs.map(([pays, gets]) => estimates.outFor(pays!, gets!, pays === XRP ? 1e7 : 10));
  let moved = 0;
  for (let ledgers = 0; ledgers < 5; ledgers++) {
    const before = payments.estimates;
    const outputsBefore = outputs(before);
    for (const request of Array.from({ length: REQUESTS }, drawn))
      expect(texts(await payments.with(request, (ranked) => ranked))).toEqual(texts(here(request)));
    expect(payments.estimates).toBe(before);
    await next();
    const after = outputs(payments.estimates);
    expect(after).toEqual(outputs(new Estimates(engine.state)));
    if (!Bun.deepEquals(after, outputsBefore)) moved++;
  }
  expect(moved).toBeGreaterThan(0);
});

test('many at once are searched in the threads as well, with the same results', async () => {
  let handed = 0;
  const counted: QuoteSearches = {
    now: () => performance.now(),
    ranked: (request) => {
      handed++;
      return searches.ranked(request);
    },
  };
  const payments = new BestPayments(engine, RULES, counted);
  const requests = Array.from({ length: 100 }, drawn);
  const found = await Promise.all(requests.map((request) => payments.with(request, texts)));
  expect(found).toEqual(requests.map((request) => texts(here(request))));
  expect(handed).toBeGreaterThan(0);
});

test('a search that takes long goes on in a thread, with the same result', async () => {
  let time = 0;
  let handed = 0;
  // Every step takes 10 ms.
  const now = () => {
    time += 10;
    return time;
  };
  const counted: QuoteSearches = {
    now,
    ranked: (request) => {
      handed++;
      return searches.ranked(request);
    },
  };
  const payments = new BestPayments(engine, RULES, counted);
  const [token] = tokens.filter((one) => one !== XRP);
  const request = requestOf(XRP, token!, 'in', 11n);
  expect(await payments.with(request, texts)).toEqual(texts(here(request)));
  expect(handed).toBe(1);
  // Nothing is lost where no thread is ready.
  const alone = new BestPayments(engine, RULES, { now, ranked: () => undefined });
  expect(await alone.with(request, texts)).toEqual(texts(here(request)));
});

test('a long search that ledgers overtake each time is refused, and does not run here to its end', async () => {
  const [token] = tokens.filter((one) => one !== XRP);
  const request = requestOf(XRP, token!, 'in', 13n);
  const ranked = () => Promise.reject(new OvertakenError('each time'));
  let time = 0;
  const now = () => {
    time += 50;
    return time;
  };
  const slow = new BestPayments(engine, RULES, { now, ranked });
  await expect(slow.with(request, texts)).rejects.toThrow(HeavyReadsBusyError);
  expect(() => slow.bestNow(request)).toThrow(HeavyReadsBusyError);
  const fast = new BestPayments(engine, RULES, { now: () => 0, ranked });
  expect(await fast.with(request, texts)).toEqual(texts(here(request)));
  expect(texts([fast.bestNow(request)!])).toEqual(texts(here(request)).slice(0, 1));
});

test('a long search here that begins again with the next ledger is of that, and is used', async () => {
  const [token] = tokens.filter((one) => one !== XRP);
  const request = requestOf(XRP, token!, 'in', 17n);
  const moving = { state: engine.state, head: engine.head, version: engine.version };
  let time = 0;
  const now = () => {
    time += 50;
    return time;
  };
  // No thread is ready, and a ledger is applied each time one is asked for.
  const ranked = () => {
    moving.version++;
    return undefined;
  };
  const payments = new BestPayments(moving, RULES, { now, ranked });
  expect(await payments.with(request, texts)).toEqual(texts(here(request)));
});

test('closed threads refuse, and what they had taken is refused too', async () => {
  const closed = new QuoteThreads(1);
  const one = closed.of(engine.state, RULES);
  await isReady(one);
  const taken = one.ranked(drawn())!.catch((fault: Error) => fault.name);
  await closed.close();
  expect(await taken).toBe('HeavyReadsBusyError');
  expect(() => one.ranked(drawn())).toThrow(HeavyReadsBusyError);
});
