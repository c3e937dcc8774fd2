/**
 * A thread that writes to a table without ever stopping. What holds between two writes: the second column follows from the
 * first, row 0 holds the exclusive or of all keys, and the index finds every row.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { randomOf, sampleTable, valueBeside } from './shared-sample.ts';

const { seed, capacity } = workerData as { seed: number; capacity: number };
const random = randomOf(seed);
const { table, keys, values, index } = sampleTable(capacity);
const live: number[] = [];
let lastKey = 0;
let generation = -1;

function change(): void {
  if (live.length < capacity / 2 && random() % 5 < 3) {
    const row = table.add();
    keys[row] = ++lastKey;
    values[row] = valueBeside(lastKey);
    values[0] = values[0]! ^ lastKey;
    index.add(row);
    live.push(row);
    return;
  }
  const [row] = live.splice(random() % Math.max(1, live.length), 1);
  if (row === undefined) return;
  values[0] = values[0]! ^ keys[row]!;
  index.remove(row);
  table.remove(row);
}

for (;;) {
  table.lock.beginWrite();
  for (let changes = random() % 20; changes > 0; changes--) change();
  table.lock.endWrite();
  const description = table.describe();
  if (description.generation !== generation) parentPort!.postMessage(description);
  generation = description.generation;
  // A moment between two ledgers, of random length, none among them.
  for (let pause = random() % 3 === 0 ? 0 : random() % 30_000; pause > 0; pause--) random();
}
