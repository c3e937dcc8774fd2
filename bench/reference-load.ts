/**
 * A fixed amount of work that uses no code of the project. Absolute times are divided by its time, so that a budget means
 * the same on a machine of half the speed. It does what the measured paths do most: hashing, random access to typed
 * arrays, writing and parsing JSON text.
 *
 * The shortest of many runs is used: other load on the machine can only add time.
 */
import type { BudgetName, Figure } from './budgets.ts';

const RUNS = 40;
const HASHED_BYTES = 1 << 20;
const CELLS = 1 << 18;
const OBJECTS = 2_000;

/** Keeps the results of the work alive, so that none of it is optimised away. */
function work(bytes: Uint8Array, cells: Uint32Array): number {
  let sum = new Bun.CryptoHasher('sha512').update(bytes).digest()[0]!;
  for (let i = 0, at = 1; i < CELLS; i++) {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    sum += cells[at & (CELLS - 1)]!++;
  }
  const rows = Array.from({ length: OBJECTS }, (_, i) => ({ id: i, name: `row ${i}`, price: i / 7 }));
  return sum + (JSON.parse(JSON.stringify(rows)) as unknown[]).length;
}

/** @returns the shortest time of the work on this machine, ms */
function referenceMs(): number {
  const bytes = new Uint8Array(HASHED_BYTES).fill(7);
  const cells = new Uint32Array(CELLS);
  let shortest = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let i = 0; i < RUNS; i++) {
    const started = performance.now();
    sum += work(bytes, cells);
    shortest = Math.min(shortest, performance.now() - started);
  }
  if (sum === 0) throw new Error('the reference work was optimised away');
  return shortest;
}

/** A time as a multiple of the reference load, both printed. @param ms measured in this run */
export function againstReference(name: BudgetName, ms: number): Figure {
  const reference = referenceMs();
  return {
    name,
    value: ms / reference,
    ours: `${ms.toFixed(1)} ms`,
    other: `${reference.toFixed(2)} ms`,
  };
}
