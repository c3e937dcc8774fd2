/** RSI of seven frames against a table worked out from all prices, across restarts, and derived for an older store. */
import { describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { CANDLE_COLUMNS, Candle } from '../../../engine/market/figures.ts';
import { RelativeStrength, RSI_FRAMES, type RsiFrame } from '../../../engine/market/relative-strength.ts';
import { restoreTables } from '../../../engine/state/stored-tables.ts';
import type { Store } from '../../../engine/store.ts';
import { TableId } from '../../../engine/table-ids.ts';
import { fillTables } from '../../../engine/upgrade.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { EPOCH, World } from '../../sandbox/population/world.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Price at a time, oldest first. */
type Point = readonly [time: number, price: number];

/** Start of the frame's interval, worked out from the calendar. */
function intervalOf(frame: RsiFrame, time: number): number {
  const day = Math.floor(time / DAY);
  switch (frame) {
    case '15m':
      return Math.floor(time / (15 * MINUTE));
    case '1h':
      return Math.floor(time / HOUR);
    case '4h':
      return Math.floor(time / (4 * HOUR));
    case '24h':
      return day;
    case '7d':
      // 2000-01-01 was a Saturday.
      return Math.floor((day - 2) / 7);
    case '30d':
      return Math.floor(day / 30);
    case '90d':
      return Math.floor(day / 90);
  }
}

/** From every price there was, as Wilder's book has it. */
function worked(frame: RsiFrame, points: readonly Point[], now: number): number | undefined {
  const closes = new Map<number, number>();
  for (const [time, price] of points) closes.set(intervalOf(frame, time), price);
  closes.delete(intervalOf(frame, now));
  const prices = [...closes.values()];
  if (prices.length < 15) return undefined;
  const changes = prices.slice(1).map((price, i) => price - prices[i]!);
  const mean = (pick: (change: number) => number) => {
    let average = changes.slice(0, 14).reduce((sum, change) => sum + pick(change), 0) / 14;
    for (const change of changes.slice(14)) average = (average * 13 + pick(change)) / 14;
    return average;
  };
  const up = mean((change) => Math.max(change, 0));
  const down = mean((change) => Math.max(-change, 0));
  if (up === 0 && down === 0) return 50;
  return (100 * up) / (up + down);
}

function expectIndex(found: number | undefined, wanted: number | undefined, about: string): void {
  if (wanted === undefined) expect(found, about).toBeUndefined();
  else expect(found, about).toBeCloseTo(wanted, 6);
}

describe('RSI', () => {
  test('is that of all closed candles, for random prices over seven years', () => {
    console.log(`relative strength seed ${seed}`);
    let state = seed;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const TOKENS = 4;
    const last = new Float64Array(TOKENS);
    const strength = new RelativeStrength(TOKENS, { last, end: TOKENS }, () => 0);
    const points: Point[][] = Array.from({ length: TOKENS }, () => []);
    const { closed: changed } = strength;
    const before = new Map<string, number | undefined>();
    let known = 0;
    let time = EPOCH;
    for (let ledger = 0; ledger < 4000; ledger++) {
      // Minutes, hours, days: what each frame sees.
      time += Math.ceil(random() ** 6 * 14 * DAY) + 4;
      strength.begin(time);
      strength.findClosed();
      for (let token = 1; token < TOKENS; token++) {
        expect(strength.isKnown(token)).toBe(
          RSI_FRAMES.some((frame) => strength.of(token, frame) !== undefined),
        );
        for (const frame of RSI_FRAMES) {
          const index = strength.of(token, frame);
          const key = `${token} ${frame}`;
          if (index !== before.get(key)) expect(changed.has(token), `${key} changed unseen`).toBe(true);
          before.set(key, index);
          if (ledger % 97 !== 0) continue;
          expectIndex(index, worked(frame, points[token]!, time), `ledger ${ledger}, token ${key}`);
          if (index !== undefined) known++;
        }
        if (random() < 0.4) continue;
        strength.close(token, last[token]!);
        // As after a trade or a change of liquidity that sets no price.
        if (random() < 0.3) continue;
        last[token] = Math.max(1e-9, (last[token] || 1) * (0.7 + 0.6 * random()));
        points[token]!.push([time, last[token]!]);
        strength.open(token);
      }
    }
    expect(known).toBeGreaterThan(500);
  });

  test('of the embedded network is that of its prices by minute, also after a restart and for a store without it', async () => {
    const world = new World({ seed: 'strength' });
    const store = new MemoryStore();
    let engine = new Engine({ store, log: quiet });
    const restarted = () => {
      const next = new Engine({ store, log: quiet });
      next.restore();
      return next;
    };
    for (let ledger = 0; ledger < 88; ledger++) {
      const packed = world.step(15 * MINUTE).packed();
      await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
      if (ledger !== 44) continue;
      await engine.drain();
      engine = restarted();
    }
    await engine.drain();
    const digest = engine.digest();
    engine = restarted();
    expect(engine.digest()).toBe(digest);

    const older = derivedFrom(store, engine);
    const { tokens } = engine.state;
    const now = engine.head!.closeTime;
    let known = 0;
    for (let token = 1; token < tokens.count; token++) {
      const points = pricesByMinute(engine, token);
      for (const frame of RSI_FRAMES) {
        const index = engine.market.strength.of(token, frame);
        expectIndex(index, worked(frame, points, now), `token ${token} ${frame}`);
        expect(older.of(token, frame), `token ${token} ${frame} of an older store`).toBe(index!);
        if (index !== undefined) known++;
      }
    }
    expect(known).toBeGreaterThan(5);
  });
});

function pricesByMinute({ market }: Engine, token: number): Point[] {
  const { rows, length } = market.candles.series({ token, seconds: MINUTE });
  return Array.from({ length }, (_, i) => {
    const at = i * CANDLE_COLUMNS;
    return [rows[at + Candle.time]!, rows[at + Candle.close]!] as const;
  });
}

/** As an upgrade derives it of a store that lacks the table. */
function derivedFrom(store: MemoryStore, { market, head }: Engine): RelativeStrength {
  const id = TableId.relativeStrength;
  const without: Store = Object.assign(Object.create(store), {
    value: (name: string) => (name === `columns ${id}` ? undefined : store.value(name)),
    blocks: (table: number, visit: Parameters<Store['blocks']>[1], from?: number) =>
      table === id ? undefined : store.blocks(table, visit, from),
    *rows() {},
  });
  const derived = new RelativeStrength(2 ** 12, market.prices, () => head!.closeTime);
  restoreTables(without, [derived.table]);
  expect(fillTables([derived.table], without, quiet)).toBe(true);
  return derived;
}
