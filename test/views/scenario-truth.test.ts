/**
 * A few days of one seed; test/long/truth.ts has more of them, whole weeks, and networks with projects:
 * `TRUTH_SEED=x TRUTH_WEEK=1 TRUTH_SIZE=default TRUTH_DAYS=7 npm test -- ./test/views/scenario-truth.test.ts`.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type Score, scenarioScores } from './scenario-truth.ts';

const {
  TRUTH_SEED: seed = 'truth',
  TRUTH_WEEK: week = '0',
  TRUTH_SIZE: size = 'small',
  TRUTH_DAYS: days = '3.75',
  TRUTH_THIN: thin = 'yes',
} = process.env;
/** What the routes find of these is the scenarios' alone; of the others they may find more, which is printed. */
const EXACT: ReadonlySet<string> = new Set([
  'launches',
  'creators who sold',
  'creators who emptied their pool',
  'snipers',
  'insiders',
  'cash-outs',
  'snipers by the tool',
  'cash-outs by the tool',
  'wash traders by the tool',
  'clusters by the tool',
  'escrows by the tool',
]);

let scores: readonly Score[];

beforeAll(async () => {
  if (size !== 'small' && size !== 'default') throw new Error(`no size ${size}`);
  scores = await scenarioScores({
    seed,
    week: Number(week),
    size,
    days: Number(days),
    isThin: thin === 'yes',
  });
}, 600_000);

describe(`what scenarios did (seed ${seed}, week ${week}, ${days} days, ${size})`, () => {
  test('is found, all of it, and no plain trader', () => {
    expect(scores.length).toBe(14);
    expect(scores.filter(({ truth }) => truth.size > 0).length).toBeGreaterThanOrEqual(7);
    for (const { name, found, truth, precision, recall, plain } of scores) {
      console.log(
        `${name}: ${found.size} found, ${truth.size} true, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, plain traders ${plain.length}`,
      );
      expect([name, 'not found', ...truth.difference(found)]).toEqual([name, 'not found']);
      expect([name, 'plain traders', ...plain]).toEqual([name, 'plain traders']);
      if (EXACT.has(name)) expect([name, 'more', ...found.difference(truth)]).toEqual([name, 'more']);
    }
  });
});
