/**
 * The scams of eight weeks of five networks: all are found, and nobody else. Each week is run as a network that begins with it;
 * `SCAM_WEEKS` and `SCAM_SEEDS` ask for fewer.
 */
import { expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { copyScoreOf } from './copies.ts';
import { applyAll, scenarioRun } from './scenario-run.ts';
import { scoresOf } from './scores.ts';

const WEEKS = Number(process.env.SCAM_WEEKS ?? 8);
const SEEDS = Number(process.env.SCAM_SEEDS ?? 5);
/** Hours between ledgers while no scam is done, in which plain accounts pay, trade, mint and quarrel as ever. */
const QUIET_HOURS = 4;
const LIMIT_MS = 20 * 60_000;
const first = Math.floor(Number(process.env.SEED ?? Math.random() * 2 ** 31));

const sums = new Map<string, { found: number; guilty: number; wrong: number; missed: number }>();

for (let n = 0; n < SEEDS; n++) {
  const seed = `scams-${first + n}`;
  for (let week = 0; week < WEEKS; week++)
    test(
      `seed ${seed}, week ${week}`,
      async () => {
        const engine = new Engine({ store: new MemoryStore(), log: quiet });
        const run = scenarioRun({ seed, week, days: 7, quiet: QUIET_HOURS * 3600 });
        await applyAll(engine, run);
        const copies = { ...(await copyScoreOf(engine, run, seed)), kind: 'NFT copies' };
        for (const { kind, found, guilty, wrong, missed } of [...scoresOf(engine, run), copies]) {
          const sum = sums.get(kind) ?? { found: 0, guilty: 0, wrong: 0, missed: 0 };
          sum.found += found;
          sum.guilty += guilty;
          sum.wrong += wrong.length;
          sum.missed += missed.length;
          sums.set(kind, sum);
          expect([kind, 'wrong', ...wrong, 'missed', ...missed]).toEqual([kind, 'wrong', 'missed']);
        }
      },
      LIMIT_MS,
    );
}

test('in sums', () => {
  for (const [kind, { found, guilty, wrong, missed }] of sums) {
    const precision = found === 0 ? 1 : (found - wrong) / found;
    const recall = guilty === 0 ? 1 : (guilty - missed) / guilty;
    console.log(
      `${kind}: ${found} found, ${guilty} true, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`,
    );
  }
  expect(sums.size).toBeGreaterThan(0);
});
