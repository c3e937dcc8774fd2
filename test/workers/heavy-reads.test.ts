/** Heavy reads in threads of their own, over the memory that the main thread goes on writing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { linePages } from '../../bench/lines.ts';
import { decimalNumber } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { HeavyReadsBusyError } from '../../engine/heavy-reads.ts';
import { HolderGathering } from '../../engine/state/holder-ranking.ts';
import { HolderRankings } from '../../views/holder-ranking.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { HeavyReadPool } from '../../workers/heavy-reads.ts';
import { randomOf } from '../engine/state/shared-sample.ts';
import { holderLedger } from '../views/holder-ledgers.ts';
import { newEngine } from '../views/world.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const HOLDERS = 300_000;

/** The main thread's own way, at this moment. */
function gathered({ state }: Engine, token: number): HolderGathering {
  const list = state.lines.holders(token);
  const gathering = new HolderGathering(list.length);
  gathering.add(state, token, list, 0, list.length);
  return gathering;
}

describe('a token of 300,000 holders', () => {
  const pool = new HeavyReadPool({ threads: 1, deadline: 60_000 });
  let engine: Engine;
  let token = 0;
  let ledger = 0;
  const random = randomOf(seed);
  const next = () => engine.applyLedger(holderLedger(engine, token, ++ledger, random), true);

  beforeAll(async () => {
    engine = newEngine();
    for (const page of linePages(460_000, { tokens: 2, accounts: 460_000 })) engine.loadEntries(page);
    engine.market.gap();
    engine.version++;
    const { lines } = engine.state;
    token = lines.lineCount(1) > lines.lineCount(2) ? 1 : 2;
    await next();
  });

  afterAll(() => pool.close());

  test('is that large', () => {
    expect(engine.state.lines.holdersCount(token)).toBeGreaterThan(HOLDERS);
  });

  test(`is ranked in a worker while ledgers are applied, equal to the main thread's at the ledger it names (SEED=${seed})`, async () => {
    const reads = pool.of(engine.state);
    const named = new Set<number>();
    // Several rankings, each of another ledger, one of them at least of a ledger applied after it was asked for.
    let later = 0;
    while (named.size < 4 || later === 0) {
      const asked = reads.run('rankHolders', { token });
      let done = false;
      void asked.then(() => {
        done = true;
      });
      const at = new Map<number, HolderGathering>([[ledger, gathered(engine, token)]]);
      const first = ledger;
      while (!done || ledger < first + 3) {
        await next();
        at.set(ledger, gathered(engine, token));
        await new Promise((resume) => setImmediate(resume));
      }
      const { value, ledger: of } = await asked;
      expect(of).toBeGreaterThanOrEqual(first);
      if (of > first) later++;
      const expected = at.get(of)!.ordered();
      expect(value.lines.length).toBeGreaterThan(HOLDERS);
      expect(Buffer.compare(bytes(value.lines), bytes(expected.lines))).toBe(0);
      expect(Buffer.compare(bytes(value.balances), bytes(expected.balances))).toBe(0);
      named.add(of);
    }
  });

  test('stays ranked as ledgers follow, equal to ranking it again', async () => {
    const rankings = new HolderRankings(engine.state, { heavy: pool.of(engine.state) });
    const stop = engine.onLedger(({ events }) => rankings.applied(events.state.holderLines));
    const ready = rankings.ready(token)!;
    await next();
    await ready;
    for (let i = 0; i < 5; i++) {
      const { lines, balances } = rankings.of(token);
      const expected = gathered(engine, token).ordered();
      expect(Buffer.compare(bytes(lines), bytes(expected.lines))).toBe(0);
      expect(Buffer.compare(bytes(balances), bytes(expected.balances))).toBe(0);
      await next();
    }
    stop();
  });

  test('its shares need no ranking, and are those of the ranking', () => {
    const { holders } = new Network({ engine }).views;
    expect(holders.infoReady(token)).toBeUndefined();
    const info = holders.info(token);
    const { balances } = gathered(engine, token).ordered();
    const supply = decimalNumber(engine.state.lines.supply(token));
    for (const [count, share] of [
      [10, info.top10],
      [20, info.top20],
      [50, info.top50],
      [100, info.top100],
    ] as const) {
      const held = balances.subarray(0, count).reduce((sum, balance) => sum + balance, 0);
      expect(share).toBeCloseTo((held / supply) * 100, 4);
    }
    expect([info.holders, info.length]).toEqual([balances.length, engine.state.lines.lineCount(token)]);
  });

  test('a call that is cancelled rejects at once with its reason; the thread goes on with the next', async () => {
    const reads = pool.of(engine.state);
    const stopping = new AbortController();
    const one = reads.run('rankHolders', { token }, stopping.signal);
    const reason = new Error('nobody waits');
    stopping.abort(reason);
    expect(await one.catch((fault) => fault)).toBe(reason);
    await expect(reads.run('rankHolders', { token }, stopping.signal)).rejects.toBe(reason);
    expect((await reads.run('rankHolders', { token })).ledger).toBe(ledger);
  });

  test('a call that takes too long is refused', async () => {
    const short = new HeavyReadPool({ threads: 1, deadline: 1 });
    try {
      const fault = await short
        .of(engine.state)
        .run('rankHolders', { token })
        .catch((one) => one);
      expect(fault).toBeInstanceOf(HeavyReadsBusyError);
    } finally {
      await short.close();
    }
  });

  test('calls that run when the pool is closed are refused, and later ones', async () => {
    const closing = new HeavyReadPool({ threads: 1 });
    const reads = closing.of(engine.state);
    const calls = [1, 2, 3].map(() => reads.run('rankHolders', { token }).catch((fault) => fault));
    await closing.close();
    calls.push(reads.run('rankHolders', { token }).catch((fault) => fault));
    for (const fault of await Promise.all(calls)) expect(fault).toBeInstanceOf(HeavyReadsBusyError);
  });

  test('with the queue full a call is refused, over REST with 503 and when to come again', async () => {
    const full = new HeavyReadPool({ threads: 1, queue: 2, deadline: 60_000 });
    try {
      const reads = full.of(engine.state);
      const calls = Array.from({ length: 8 }, () => reads.run('rankHolders', { token }));
      const settled = Promise.allSettled(calls);
      const api = createApi({ mounts: [Mount.of(new Network({ engine, heavy: reads }))], log: quiet });
      const id = engine.state.tokens.md5(token);
      const response = await api.fetch(new Request(`http://localhost/v1/holders/list/${id}`));
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      const body = (await response.json()) as Record<string, unknown>;
      expect([body.code, body.retryAfter]).toEqual(['unavailable', 1]);
      const refused = (await settled).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refused.length).toBeGreaterThan(0);
      for (const reason of refused) expect(reason).toBeInstanceOf(HeavyReadsBusyError);
      const answered = await api.fetch(new Request(`http://localhost/v1/holders/list/${id}`));
      expect(answered.status).toBe(200);
      const { length, richList } = (await answered.json()) as {
        length: number;
        richList: { rank: number }[];
      };
      expect(length).toBe(engine.state.lines.holdersCount(token));
      expect(richList[0]!.rank).toBe(1);
    } finally {
      await full.close();
    }
  });
});

function bytes(values: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
