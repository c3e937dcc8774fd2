/**
 * What routes find of the scenarios' ground truth (test/views/scenario-truth.test.ts), over five seeds and three weeks,
 * with precision and recall of each printed. The first week of each seed is one of a network with projects: launches
 * through platforms, cash-outs at exchanges, whales of small tokens. The second has a ledger every quarter of an hour, so that
 * its markets are busy; in the others ledgers are an hour apart where no scenario acts, which takes a third of the time.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

const SEEDS = 5;
const WEEKS = 3;
const AT_ONCE = 2;
const LIMIT_MS = 20 * 60_000;
/** The compiler for the hottest code begins later than usual: a week is over before its work has paid for itself. */
const COMPILER = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000' };
const root = join(import.meta.dir, '../..');

interface Run {
  readonly seed: number;
  readonly week: number;
}

async function passes({ seed, week }: Run): Promise<boolean> {
  const command = [process.execPath, 'test', './test/views/scenario-truth.test.ts'];
  const size = week === 0 ? 'default' : 'small';
  const child = Bun.spawn(command, {
    cwd: root,
    env: {
      ...COMPILER,
      ...process.env,
      TRUTH_SEED: `truth-${seed}`,
      TRUTH_WEEK: String(week),
      TRUTH_SIZE: size,
      TRUTH_DAYS: '7',
      TRUTH_THIN: week === 1 ? 'no' : 'yes',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const passed = (await child.exited) === 0;
  console.log(`seed truth-${seed}, week ${week}, ${size}\n${passed ? out : `${out}${error}`}`);
  return passed;
}

test(
  `what scenarios did is found, in ${SEEDS} seeds and ${WEEKS} weeks`,
  async () => {
    const first = Math.floor(Number(process.env.SEED ?? Math.random() * 2 ** 31));
    const runs = Array.from({ length: SEEDS * WEEKS }, (_, i): Run => {
      return { seed: first + Math.floor(i / WEEKS), week: i % WEEKS };
    });
    const failed: Run[] = [];
    const work = async () => {
      for (let run = runs.pop(); run; run = runs.pop()) if (!(await passes(run))) failed.push(run);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(failed).toEqual([]);
  },
  LIMIT_MS,
);
