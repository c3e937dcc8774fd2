/**
 * Storage: the main thread's cost of a ledger and how fast it becomes durable, compared with writing from the main
 * thread.
 *
 *     bun bench/store.ts [ledgers] [transactions per ledger] [ledgers per batch]
 *
 * Every variant writes the same rows to an empty store in a temporary directory:
 *   writer thread      batches of 16 ledgers (27 MB), two in flight, as in catching up
 *   main thread        the same batches, sorted and committed by the main thread (one transaction each)
 *   unsorted puts      the same rows put one by one by the main thread in one transaction a batch: no packing, no
 *                      sorting, no compression
 * "stall" is the longest time the event loop was blocked, measured by a chain of 1 ms timers; the line without a store
 * shows how much of it the machine and the building of rows cause.
 * The rate of sorted puts alone (first part) is the upper limit of the writer; that of whole ledgers includes
 * compression and sync. Latency is of a commit of one ledger, from the call to the promise.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackedBatch } from '../data/batch.ts';
import { ChunkPool } from '../data/chunks.ts';
import { openEnvironment } from '../data/environment.ts';
import { Family, key, writeCursor } from '../data/keys.ts';
import { openStore } from '../data/store.ts';
import { BatchWriter } from '../data/write.ts';
import { HASH_BYTES } from '../engine/codec/hash.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Batch, Cursor } from '../engine/store.ts';
import { StallMeter } from './stall-meter.ts';

const LEDGERS = Number(process.argv[2] ?? 160);
const TRANSACTIONS = Number(process.argv[3] ?? 400);
const LEDGERS_A_BATCH = Number(process.argv[4] ?? 16);
const ENTRIES_A_TRANSACTION = 6;
const IN_FLIGHT = 2;

/** Bytes like those of ledgers: mostly hashes and amounts, some repetition. */
const noise = new Uint8Array(1 << 20);
for (let i = 0; i < noise.length; i += 65_536) crypto.getRandomValues(noise.subarray(i, i + 65_536));
const packed = noise.slice(0, TRANSACTIONS * 1300);
for (let i = 0; i < packed.length; i += 64) packed.fill(0x11, i, i + 28);
const block = noise.slice(0, 3200);
const record = noise.slice(0, 150);

/** Rows of one ledger: half of the transactions trade, each changes six entries, 300 state blocks are written. */
function fill(batch: Batch, ledger: number): void {
  batch.ledger(ledger, ledger * 4, packed);
  for (let tx = 0; tx < TRANSACTIONS; tx++) {
    const at = ((ledger * TRANSACTIONS + tx) * 37) % (noise.length - 512);
    batch.transaction(noise, at, ledger, tx);
    for (let i = 1; i <= ENTRIES_A_TRANSACTION; i++) batch.entry(noise, at + i * HASH_BYTES, ledger, tx);
    if (tx & 1) continue;
    batch.trade({ ledger, tx, entry: 0 }, record, [0, at % 5000], [at % 90_000, tx]);
    for (let level = 0; level < 4; level++) batch.candle(level, at % 5000, ledger, record);
  }
  for (let i = 0; i < 300; i++) batch.block(1, (ledger * 131 + i * 53) % 16_000, block);
}

const cursor = (index: number): Cursor => ({ index, hash: new Uint8Array(32), closeTime: index * 4 });

const rate = (n: number, ms: number): string => `${(n / ms).toFixed(0)} k/s`.padStart(10);

async function within(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  try {
    await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Packing alone. */
function build(): void {
  const pool = new ChunkPool();
  let rows = 0;
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round++) {
    const batch = new PackedBatch(pool);
    const start = performance.now();
    for (let i = 0; i < LEDGERS_A_BATCH; i++) fill(batch, i);
    ms = Math.min(ms, performance.now() - start);
    rows = batch.rows;
    batch.release();
  }
  const small = new PackedBatch(pool);
  const start = performance.now();
  for (let i = 0; i < 200_000; i++) small.entry(noise, (i * 37) % (noise.length - 512), i, 0);
  const nsARow = ((performance.now() - start) * 1e6) / 200_000;
  console.log(
    `build, whole ledgers        ${rate(rows, ms)} rows   ${((ms * 1e6) / rows).toFixed(0)} ns a row with blocks and ledgers`,
  );
  console.log(
    `build, entry rows           ${rate(200_000, nsARow / 5)} rows   ${nsARow.toFixed(0)} ns a row`,
  );
}

/** 100,000 small rows in one durable transaction, sorted by the writer. */
async function sortedPuts(): Promise<void> {
  await within(async (dir) => {
    const store = await openStore({ dir, network: 'bench' });
    const count = 25_000;
    for (let round = 0; round < 3; round++) {
      const batch = store.batch();
      for (let i = 0; i < count; i++) {
        batch.trade(
          { ledger: round * count + i, tx: 0, entry: 0 },
          record.subarray(0, 92),
          [i % 5000, 0],
          [i % 900, i % 900],
        );
      }
      const start = performance.now();
      await store.commit(batch, cursor(round));
      const ms = performance.now() - start;
      if (round > 0) console.log(`durable, 100,000 small rows ${rate(count * 4, ms)} rows`);
    }
    await store.close();
  });
}

/** Only the main thread's part, at the speed of the writer. */
async function withoutStore(): Promise<void> {
  const pool = new ChunkPool();
  const meter = new StallMeter();
  for (let ledger = 0; ledger < LEDGERS; ledger += LEDGERS_A_BATCH) {
    const batch = new PackedBatch(pool);
    for (let i = 0; i < LEDGERS_A_BATCH; i++) {
      fill(batch, ledger + i);
      await yieldToLoop();
    }
    batch.release();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  console.log(`without a store             stall ${meter.stop().toFixed(1)} ms`);
}

async function writerThread(): Promise<number> {
  let total = 0;
  await within(async (dir) => {
    const store = await openStore({ dir, network: 'bench' });
    const meter = new StallMeter();
    const start = performance.now();
    const inFlight: Promise<void>[] = [];
    for (let ledger = 0; ledger < LEDGERS; ledger += LEDGERS_A_BATCH) {
      const batch = store.batch();
      for (let i = 0; i < LEDGERS_A_BATCH; i++) {
        fill(batch, ledger + i);
        await yieldToLoop();
      }
      inFlight.push(store.commit(batch, cursor(ledger)));
      if (inFlight.length > IN_FLIGHT) await inFlight.shift();
    }
    await Promise.all(inFlight);
    total = performance.now() - start;
    const { rows, sortMs, compressMs, transactionMs } = store.stats().writer;
    console.log(
      `writer thread               ${rate(rows, total)} rows   ${((LEDGERS / total) * 1000).toFixed(0)} ledgers/s, stall ${meter.stop().toFixed(1)} ms ` +
        `(writer: sort ${sortMs.toFixed(0)}, compress ${compressMs.toFixed(0)}, transactions ${transactionMs.toFixed(0)} of ${total.toFixed(0)} ms)`,
    );
    await store.close();
  });
  return total;
}

async function mainThread(): Promise<number> {
  let total = 0;
  await within(async (dir) => {
    const environment = openEnvironment(dir);
    const pool = new ChunkPool();
    const meter = new StallMeter();
    const start = performance.now();
    let rows = 0;
    const writer = new BatchWriter(environment);
    for (let ledger = 0; ledger < LEDGERS; ledger += LEDGERS_A_BATCH) {
      const batch = new PackedBatch(pool);
      for (let i = 0; i < LEDGERS_A_BATCH; i++) {
        fill(batch, ledger + i);
        await yieldToLoop();
      }
      const { ledgers, chunks, history, images, checkpoints } = batch;
      rows += batch.rows;
      writer.write({
        ledgers,
        rows: chunks,
        history,
        images,
        checkpoints,
        cursor: writeCursor(cursor(ledger)),
      });
      batch.release();
      await yieldToLoop();
    }
    total = performance.now() - start;
    console.log(
      `main thread                 ${rate(rows, total)} rows   ${((LEDGERS / total) * 1000).toFixed(0)} ledgers/s, stall ${meter.stop().toFixed(1)} ms`,
    );
    await environment.root.close();
  });
  return total;
}

/** Rows of a batch in order of arrival, straight into LMDB. */
async function unsortedPuts(): Promise<number> {
  let total = 0;
  await within(async (dir) => {
    const environment = openEnvironment(dir);
    const pool = new ChunkPool();
    const meter = new StallMeter();
    const start = performance.now();
    let rows = 0;
    for (let ledger = 0; ledger < LEDGERS; ledger += LEDGERS_A_BATCH) {
      const batch = new PackedBatch(pool);
      for (let i = 0; i < LEDGERS_A_BATCH; i++) {
        fill(batch, ledger + i);
        await yieldToLoop();
      }
      environment.root.transactionSync(() => {
        for (const [index, packed] of batch.ledgers) {
          environment.families[Family.ledgers]!.putSync(key([4], [index]), new Uint8Array(packed));
          rows++;
        }
        for (const { bytes, view, used } of batch.chunks) {
          for (let at = 0; at < used; rows++) {
            const value = at + 8 + bytes[at + 1]!;
            const end = value + view.getUint32(at + 4, true);
            environment.families[bytes[at]!]!.putSync(
              bytes.subarray(at + 8, value),
              bytes.subarray(value, end),
            );
            at = end;
          }
        }
      });
      batch.release();
      await yieldToLoop();
    }
    total = performance.now() - start;
    console.log(
      `unsorted puts, main thread  ${rate(rows, total)} rows   ${((LEDGERS / total) * 1000).toFixed(0)} ledgers/s, stall ${meter.stop().toFixed(1)} ms`,
    );
    await environment.root.close();
  });
  return total;
}

/** One ledger per commit, as when following the network. */
async function latency(): Promise<void> {
  await within(async (dir) => {
    const store = await openStore({ dir, network: 'bench' });
    const times: number[] = [];
    const builds: number[] = [];
    const meter = new StallMeter();
    for (let ledger = 0; ledger < 60; ledger++) {
      const begin = performance.now();
      const batch = store.batch();
      fill(batch, ledger);
      const start = performance.now();
      await store.commit(batch, cursor(ledger));
      times.push(performance.now() - start);
      builds.push(start - begin);
    }
    const middle = (list: number[], part: number): string =>
      list.toSorted((a, b) => a - b)[Math.floor(list.length * part)]!.toFixed(1);
    console.log(
      `one ledger a commit         median ${middle(times, 0.5)} ms, 95 % ${middle(times, 0.95)} ms; build ${middle(builds, 0.5)} ms; ` +
        `stall ${meter.stop().toFixed(1)} ms`,
    );
    await store.close();
  });
}

console.log(`${LEDGERS} ledgers of ${TRANSACTIONS} transactions, ${packed.length / 1000} KB each`);
build();
await sortedPuts();
await withoutStore();
const threaded = await writerThread();
const inline = await mainThread();
const unsorted = await unsortedPuts();
console.log(
  `writer thread against main thread: ${(inline / threaded).toFixed(2)} times as fast; against unsorted puts: ${(unsorted / threaded).toFixed(2)}`,
);
await latency();
