/** Reading what another thread writes: all of a change or nothing of it, or the reader learns that it cannot. */
import { describe, expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import { hashWord } from '../../../engine/state/hash.ts';
import { OvertakenError, readConsistently, SequenceLock } from '../../../engine/state/sequence-lock.ts';
import { OutdatedDescriptionError, type TableDescription } from '../../../engine/state/table-memory.ts';
import { sampleTable, valueBeside } from './shared-sample.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const CAPACITY = 4096;
const READS = 400;

const newLock = () => new SequenceLock(new SharedArrayBuffer(4));

describe('a sequence lock', () => {
  test('gives what was read when nothing was written', () => {
    expect(readConsistently([newLock(), newLock()], () => 7)).toBe(7);
  });

  test('reads again what was written to meanwhile, and gives up when it always is', () => {
    const lock = newLock();
    const write = () => {
      lock.beginWrite();
      lock.endWrite();
    };
    let reads = 0;
    const read = (writes: number) => () => {
      if (reads++ < writes) write();
      return reads;
    };
    expect(readConsistently([newLock(), lock], read(3))).toBe(4);
    reads = 0;
    expect(() => readConsistently([lock], read(Number.POSITIVE_INFINITY))).toThrow(OvertakenError);
    expect(reads).toBeLessThan(100);
  });

  test('passes on what reading throws, unless it read halves', () => {
    const lock = newLock();
    const fail = () => {
      throw new RangeError('out of range');
    };
    expect(() => readConsistently([lock], fail)).toThrow(RangeError);
    let reads = 0;
    const half = () => {
      if (reads++ > 0) return 1;
      lock.beginWrite();
      lock.endWrite();
      return fail();
    };
    expect(readConsistently([lock], half)).toBe(1);
  });
});

test('an attached table says when an index was replaced', () => {
  const { table, keys, index } = sampleTable(CAPACITY);
  const attached = sampleTable(table.describe());
  attached.table.ensureCurrent();
  const row = table.add();
  keys[row] = 5;
  index.add(row);
  expect(attached.index.at(attached.index.first(hashWord(5)))).toBe(row);
  expect(attached.table.count).toBe(2);
  index.reset(1000);
  expect(() => attached.table.ensureCurrent()).toThrow(OutdatedDescriptionError);
});

/** What does not hold of a table at this moment; see never-stops.worker.ts. */
function faultsOf({ table, keys, values, index }: ReturnType<typeof sampleTable>): string[] {
  const faults: string[] = [];
  const rows = Math.min(table.count, CAPACITY);
  let all = 0;
  for (let row = 1; row < rows; row++) {
    const key = keys[row]!;
    all ^= key;
    if (key === 0) continue;
    if (values[row] !== valueBeside(key)) faults.push(`row ${row}: value of another key`);
    let slot = index.first(hashWord(key));
    let steps = 0;
    while (index.at(slot) !== 0 && index.at(slot) !== row && steps++ < CAPACITY) slot = index.next(slot);
    if (index.at(slot) !== row) faults.push(`row ${row} is not in the index`);
  }
  if (all >>> 0 !== values[0]) faults.push('row 0 is of another moment');
  return faults;
}

test(`under a writer that never stops, what is read is of one moment (SEED=${seed})`, async () => {
  const writer = new Worker(new URL('./never-stops.worker.ts', import.meta.url), {
    workerData: { seed, capacity: CAPACITY },
  });
  try {
    let attached: ReturnType<typeof sampleTable> | undefined;
    writer.on('message', (description: TableDescription) => {
      attached = sampleTable(description);
    });
    let consistent = 0;
    let torn = 0;
    while (consistent < READS || torn === 0) {
      await new Promise((resume) => setImmediate(resume));
      if (!attached) continue;
      const sample = attached;
      try {
        const faults = readConsistently([sample.table.lock], () => {
          sample.table.ensureCurrent();
          const found = faultsOf(sample);
          // Without the lock halves would have been seen: the test is one.
          if (found.length > 0) torn++;
          return found;
        });
        expect(faults).toEqual([]);
        consistent++;
      } catch (fault) {
        if (!(fault instanceof OvertakenError || fault instanceof OutdatedDescriptionError)) throw fault;
      }
    }
  } finally {
    await writer.terminate();
  }
});
