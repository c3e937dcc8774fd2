/**
 * What `npm test` and `npm run test:long` run, and the order in which `npm test` runs its files. Goal: runners that end at
 * about the same time, whatever the machine's speed. Non-goal: exact costs; a table that is 50 % wrong is still better than none.
 *
 *     costs.json ──► batches, most expensive first ──► queue ──► runner 1: [sandbox-service] [a b c ...] ...
 *                                                           └──► runner 2: [sandbox-contract] [d e f ...] ...
 *
 * A batch is what one process runs. Objects at the top level of a test file live as long as their process, and every engine
 * maps about 350 ranges of address space for its columns; Linux allows a process 65,530. So batches are bounded by files,
 * too. A process costs 0.1 s of its own, and the modules that its first file loads.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** s of a batch that is not a single file: short enough that the last batches leave no runner idle for long. */
const BATCH_S = 30;
const BATCH_FILES = 28;
/** s of a file that the table does not name. */
const USUAL_S = 1;

/** Files of this end are run by `npm run test:long` only. */
export const LONG_END = '.long.test.ts';

/** What a file reads that draws its cases from a seed, or that has more of them in the long run (test/cases.ts). */
const DRAWS = /process\.env\.SEED|\bseedOf\(|\bcasesOf\(|\bsampled\(/;

/** All test files, as arguments of Bun's test runner. */
function allFiles(root) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => `./test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
}

/** The test files of `npm test`. */
export const testFiles = (root) => allFiles(root).filter((file) => !file.endsWith(LONG_END));

/** Those that `npm test` leaves out for their length. */
export const longFiles = (root) => allFiles(root).filter((file) => file.endsWith(LONG_END));

/** Those of `npm test` that have something further to do with another seed; a new one joins by itself. */
export const seededFiles = (root) =>
  testFiles(root).filter((file) => DRAWS.test(readFileSync(join(root, file), 'utf8')));

/** A seed, drawn again in every run, so that runs add up. */
export const newSeed = () => String(Math.floor(Math.random() * 2 ** 31));

/** s by file, with a core of its own: of files that take longer than USUAL_S. */
export function testCosts(root) {
  return JSON.parse(readFileSync(join(root, 'test', 'costs.json'), 'utf8'));
}

/** Batches of files, each file in one of them; the most expensive batch first. */
export function batchesOf(files, costs) {
  const costOf = (file) => costs[file] ?? USUAL_S;
  const dearestFirst = [...files].sort((a, b) => costOf(b) - costOf(a));
  const batches = [];
  for (const file of dearestFirst) {
    const cost = costOf(file);
    let batch = batches.at(-1);
    if (!batch || batch.cost + cost > BATCH_S || batch.files.length === BATCH_FILES) {
      batch = { cost: 0, files: [] };
      batches.push(batch);
    }
    batch.cost += cost;
    batch.files.push(file);
  }
  return batches.sort((a, b) => b.cost - a.cost).map((batch) => batch.files);
}
