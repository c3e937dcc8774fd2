/**
 * Candles in every currency over the true engine, with rates that move whether or not the token trades: what a client has
 * gathered, snapshot and live frames, is what the chart says after every ledger.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { CURRENCIES } from '../../views/charts.ts';
import { INTERVAL_NAMES, type Interval } from '../../views/intervals.ts';
import { Network } from '../../views/network.ts';
import { DrivenRates } from '../engine/market/fiat-brute.ts';
import { randomFrom, stream } from '../engine/market/stream.ts';
import { type Client, Faults, pause, rig } from './rig.ts';

const LEDGERS = 160;
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);
const PATIENCE_MS = 10_000;

interface Watched {
  readonly token: number;
  readonly interval: Interval;
  readonly currency: (typeof CURRENCIES)[number];
  readonly client: Client;
}

const log = new Faults();
const engine = new Engine({ store: new MemoryStore(), log });
const network = new Network({ engine });
const rates = new DrivenRates({ losesLate: false });
const watched: Watched[] = [];
let house: ReturnType<typeof rig>;

beforeAll(() => {
  rates.drive(engine);
  house = rig(network);
});
afterAll(async () => {
  await house.stop();
  expect(log.messages).toEqual([]);
});

/** Start of a candle -> its first six figures, as the client would draw it. */
function drawn({ client }: Watched): Map<number, number[]> {
  const candles = new Map<number, number[]>();
  for (const frame of client.frames) {
    for (const row of frame.ohlc ?? []) candles.set(row[0], row.slice(0, 6));
    if (frame.k) candles.set(frame.k.t, [frame.k.t, frame.k.o, frame.k.h, frame.k.l, frame.k.c, frame.k.v]);
  }
  return candles;
}

/** Whether what was gathered is the chart; candles older than the snapshot are not the client's. */
function isChart(one: Watched): boolean {
  const candles = drawn(one);
  const { token, interval, currency } = one;
  const { rows } = network.views.charts.ohlc({ token, interval, currency, invert: false });
  const oldest = rows.length <= 100 ? 0 : Math.min(...candles.keys());
  const want = rows.map((row) => row.slice(0, 6)).filter(([time]) => time! >= oldest);
  const have = [...candles.values()].sort((a, b) => a[0]! - b[0]!);
  return Bun.deepEquals(have, want);
}

async function settled(one: Watched): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isChart(one) && performance.now() < deadline) await pause(2);
  expect([one.token, one.interval, one.currency, isChart(one)]).toEqual([
    one.token,
    one.interval,
    one.currency,
    true,
  ]);
}

test('snapshot and frames are the chart after every ledger, and final candles come once', async () => {
  const random = randomFrom(seed);
  let at = 0;
  for (const sample of stream(seed, LEDGERS)) {
    rates.move(random, sample.closeTime);
    await engine.applyLedger({ packed: sample.packed, changes: sample.changes.words }, false);
    if (++at < LEDGERS / 2) continue;
    if (watched.length === 0) {
      for (const token of [0, 1, 2, 4])
        for (const currency of CURRENCIES)
          for (const interval of INTERVAL_NAMES) {
            const path = `/ws/ohlc/${network.views.tokens.md5(token)}?interval=${interval}&vs_currency=${currency}`;
            const client = await house.open(path);
            watched.push({ token, interval, currency, client });
            await client.next();
          }
    }
    for (const one of watched) await settled(one);
  }
  let frames = 0;
  for (const { client } of watched) {
    const finals = client.frames.filter((frame) => frame.k?.x).map((frame) => frame.k.t);
    expect(new Set(finals).size).toBe(finals.length);
    frames += client.frames.length - 1;
  }
  expect(frames).toBeGreaterThan(watched.length);
});
