/** A reader that follows a store batch by batch: reads cost what they cost a reader that has just been opened. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LMDB_LOCK_FILE } from '../../data/environment.ts';
import { openReader, openStore, type StoreReader } from '../../data/store.ts';
import { cursorOf, hashOf, temporaryDir } from './tools.ts';

const BATCHES = 600;
const LOOKUPS = 3000;
const RUNS = 5;

/** The shortest of several times, ms, for looking up hashes that are not there: all lists are asked. */
function lookupMs(reader: StoreReader): number {
  const hashes = Array.from({ length: 64 }, (_, i) => hashOf(-1 - i));
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    for (let i = 0; i < LOOKUPS; i++) reader.transaction(hashes[i % hashes.length]!);
    return performance.now() - started;
  });
  return Math.min(...times);
}

test('a reader refreshed after each of 600 batches finds all of them, at most four times as slowly as a new one', async () => {
  const { dir, remove } = temporaryDir();
  const store = await openStore({ dir, network: 'test', history: { generationBatches: 2 * BATCHES } });
  let following: StoreReader | undefined;
  for (let n = 1; n <= BATCHES; n++) {
    const batch = store.batch();
    batch.ledger(n, n * 4, Buffer.alloc(50, n));
    for (let tx = 0; tx < 4; tx++) batch.transaction(hashOf(n * 4 + tx), 0, n, tx);
    batch.entry(hashOf(n % 7), 0, n, 1);
    batch.candle(0, n % 5, 60 * Math.floor(n / 10), Buffer.from([n & 0xff, n >> 8]));
    await store.commit(batch, cursorOf(n));
    if (following) following.refresh();
    else following = openReader(dir);
  }
  for (let n = 1; n <= BATCHES; n++)
    for (let tx = 0; tx < 4; tx++)
      expect(following!.transaction(hashOf(n * 4 + tx))).toEqual({ ledger: n, tx, entry: 0 });
  const opened = openReader(dir);
  for (let i = 0; i < 7; i++) expect(following!.entry(hashOf(i))).toEqual(opened.entry(hashOf(i))!);
  const candles = (reader: StoreReader): string[] => {
    const rows: string[] = [];
    for (let token = 0; token < 5; token++)
      reader.candles(0, token, {}, (bucket, record) => {
        rows.push(`${token} ${bucket} ${Buffer.from(record).toString('hex')}`);
        return undefined;
      });
    return rows;
  };
  expect(candles(following!)).toEqual(candles(opened));
  expect(candles(opened).length).toBeGreaterThan(100);
  const [old, fresh] = [lookupMs(following!), lookupMs(opened)];
  console.log(
    `${LOOKUPS} look-ups: ${old.toFixed(1)} ms by the reader that followed, ${fresh.toFixed(1)} ms by a new one`,
  );
  expect(old).toBeLessThan(4 * fresh);
  for (const reader of [following!, opened]) await reader.close();
  await store.close();
  remove();
});

test('what was read in part is let go of: a walk that stops early keeps no place of a reader, and no freed page, from then on', async () => {
  const { dir, remove } = temporaryDir();
  const store = await openStore({ dir, network: 'test', history: { generationBatches: 8 } });
  const held: number[] = [];
  for (let n = 1; n <= 60; n++) {
    const batch = store.batch();
    for (let entry = 0; entry < 3; entry++) batch.candle(0, 1, 60 * (3 * n + entry), Buffer.from([n]));
    await store.commit(batch, cursorOf(n));
    // Among rows of the table and of the log: as a list of the newest rows asks.
    store.candles(0, 1, { limit: 2, reverse: true }, () => undefined);
    store.candles(0, 1, { reverse: true }, () => false);
    expect(() =>
      store.candles(0, 1, {}, () => {
        throw new Error('of who reads');
      }),
    ).toThrow('of who reads');
    held.push(placesTaken(dir));
  }
  expect(Math.max(...held)).toBe(ITS_OWN);
  await store.close();
  remove();
});

/** Of the snapshot that it shows, and of the transaction that lmdb has ready for the next. */
const ITS_OWN = 2;
/** Bytes of a reader's place in LMDB's table of them: transaction, process, thread. */
const PLACE_BYTES = 64;
const PROCESS_AT = 8;

/** Places of readers that this process has taken, in the file in which LMDB keeps them. */
function placesTaken(dir: string): number {
  const table = readFileSync(join(dir, LMDB_LOCK_FILE));
  let taken = 0;
  for (let at = table.length % PLACE_BYTES; at < table.length; at += PLACE_BYTES)
    if (table.readUInt32LE(at + PROCESS_AT) === process.pid) taken++;
  return taken;
}
