/**
 * The queue of `npm test`: every file once, the most expensive first, and a table without files that are gone. That of
 * `npm run test:long`: every long file, and every file that draws from a seed.
 */
import { expect, test } from 'bun:test';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dir, '..');

interface Queue {
  readonly LONG_END: string;
  testFiles(root: string): string[];
  longFiles(root: string): string[];
  seededFiles(root: string): string[];
  testCosts(root: string): Record<string, number>;
  batchesOf(files: readonly string[], costs: Record<string, number>): string[][];
}

const queue: Queue = await import(join(root, 'test-queue.mjs'));
const { testFiles, testCosts, batchesOf, LONG_END } = queue;
const files = testFiles(root);
const costs = testCosts(root);

test('every test file is run, once, but for the long ones', () => {
  const found = [...new Bun.Glob('test/**/*.test.ts').scanSync(root)].map((path) => `./${path}`);
  const all = found.filter((file) => !file.endsWith(LONG_END));
  expect(all.length).toBeLessThan(found.length);
  expect(all.length).toBeGreaterThan(300);
  expect(batchesOf(files, costs).flat().sort()).toEqual(all.sort());
});

test('the long run has every long file, and each that draws from a seed', () => {
  const long = queue.longFiles(root);
  expect(long.length).toBeGreaterThan(0);
  expect(new Set([...files, ...long]).size).toBe(files.length + long.length);
  const seeded = queue.seededFiles(root);
  expect(seeded.every((file) => files.includes(file))).toBe(true);
  expect(seeded).toContain('./test/engine/nfts/random.test.ts');
  expect(seeded).not.toContain('./test/tidy.test.ts');
});

test('the table of costs names only files that are there', () => {
  expect(Object.keys(costs).filter((file) => !files.includes(file))).toEqual([]);
});

test('the most expensive begin, alone; cheap ones share a process, up to a number that its address space holds', () => {
  const many = Array.from({ length: 70 }, (_, i) => `cheap ${i}`);
  const cheap = Object.fromEntries(many.map((file) => [file, 0.1]));
  const batches = batchesOf(['b', ...many, 'a', 'c'], { a: 40, b: 50, c: 35, ...cheap });
  expect(batches.slice(0, 3)).toEqual([['b'], ['a'], ['c']]);
  expect(batches.slice(3).map((batch) => batch.length)).toEqual([28, 28, 14]);
});

test('two runners end at about the same time', () => {
  const ends = [0, 0];
  const costOf = (file: string): number => costs[file] ?? 1;
  for (const batch of batchesOf(files, costs)) {
    const next = ends[0]! <= ends[1]! ? 0 : 1;
    for (const file of batch) ends[next]! += costOf(file);
  }
  expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThan(0.05 * Math.max(...ends));
});
