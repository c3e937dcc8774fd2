/**
 * A fixed piece of work that calls nothing of the project: what an absolute time is divided by, so that a budget means
 * the same on a machine of half the speed. It does what the measured paths do most: hashing, walking typed arrays out
 * of order, making and reading JSON text.
 *
 * Reported is the shortest of many runs: whatever else the machine does only ever adds.
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

/** @returns ms that the work takes at its quickest on this machine */
function referenceMs(): number {
  const bytes = new Uint8Array(HASHED_BYTES).fill(7);
  const cells = new Uint32Array(CELLS);
  let least = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let i = 0; i < RUNS; i++) {
    const started = performance.now();
    sum += work(bytes, cells);
    least = Math.min(least, performance.now() - started);
  }
  if (sum === 0) throw new Error('the reference work was left out');
  return least;
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
