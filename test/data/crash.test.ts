/** Killed at any moment (SIGKILL), the store afterwards holds exactly the batches up to its cursor. */
import { expect, test } from 'bun:test';
import { type LmdbStore, openStore } from '../../data/store.ts';
import { casesOf } from '../cases.ts';
import { cursorOf, hashOf, linesUntilKilled, temporaryDir } from './tools.ts';

const ROUNDS = casesOf(8, 16);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Random numbers in [0, 1) that the seed repeats (mulberry32). */
function generator(start: number): () => number {
  let a = start;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs the child on the store and kills it `afterMs` after its first commit. @returns the last number it printed */
async function killedAfter(dir: string, afterMs: number, loggedBytes: number): Promise<number> {
  const lines = await linesUntilKilled('crash.child.ts', [dir, String(loggedBytes)], afterMs);
  return Number(lines.at(-1));
}

const markOf = (bytes: Uint8Array): number => Buffer.from(bytes).readUInt32BE(0);

/** Every row of every batch up to the cursor is there, and nothing behind it. */
function verify(store: LmdbStore, from: number): number {
  const last = store.cursor!.index;
  expect(store.cursor).toEqual(cursorOf(last));
  expect(store.ledgerRanges()).toEqual([[1, last]]);
  expect(store.ledger(last + 1)).toBeUndefined();
  expect(store.value('n')).toBe(last);
  for (let n = from; n <= last; n++) {
    expect(markOf(store.ledger(n)!)).toBe(n);
    expect(store.transaction(hashOf(n * 40 + 39))).toEqual({ ledger: n, tx: 39, entry: 0 });
  }
  expect(store.transaction(hashOf((last + 1) * 40))).toBeUndefined();
  let trades = 0;
  store.trades({ from: { ledger: from, tx: 0, entry: 0 } }, (position, record) => {
    if (markOf(record) !== position.ledger) throw new Error('a trade of another ledger');
    trades++;
    return true;
  });
  expect(trades).toBe((last - from + 1) * 40);
  let blocks = 0;
  store.blocks(1, (_, bytes) => {
    expect(markOf(bytes)).toBe(last);
    blocks++;
  });
  expect(blocks).toBe(40);
  for (let i = 0; i < 40; i++) {
    expect(store.entry(hashOf(-i))).toEqual({ ledger: last, tx: i, entry: 0 });
    store.candles(0, i, {}, (_, record) => {
      expect(markOf(record)).toBe(last);
      return true;
    });
  }
  return last;
}

test(`${ROUNDS} kills lose nothing that was acknowledged and leave nothing half written`, async () => {
  console.log(`seed ${seed} (repeat with SEED=${seed})`);
  const random = generator(seed);
  const { dir, remove } = temporaryDir();
  let verified = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Every third process merges its history at once, what was logged before included.
    const loggedBytes = round % 3 === 2 ? 0 : 1_000_000;
    const acknowledged = await killedAfter(dir, random() * 60, loggedBytes);
    const store = await openStore({ dir, network: 'test' });
    const last = verify(store, verified + 1);
    expect(last).toBeGreaterThanOrEqual(acknowledged);
    expect(last).toBeGreaterThan(verified);
    verified = last;
    await store.close();
  }
  console.log(`${verified} batches survived`);
  remove();
});
