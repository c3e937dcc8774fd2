/**
 * Kill -9 at every third moment of the migration of a store of version 0.2.0, from a drawn one on, so that runs add up: what
 * test/data/upgrade.long.test.ts does at four moments of each phase; and of a rebuild by newer rules, at more moments than
 * test/service/recompute.long.test.ts.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { unpackFirstStore } from '../data/first-store.ts';
import { killAt, momentsOf, PHASES } from '../data/migration-kills.ts';
import { temporaryDir } from '../data/tools.ts';
import { killRebuild } from '../service/rebuild-kills.ts';

const LIMIT_MS = 20 * 60_000;
const REBUILD_KILLS = 20;
const ONE_IN = 3;
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

for (const phase of PHASES)
  test(
    `kill -9 at one moment in ${ONE_IN} of the migration of ${phase}: the next start finishes it`,
    async () => {
      const { dir, remove } = temporaryDir();
      const origin = join(dir, 'store');
      unpackFirstStore(origin);
      const moments = await momentsOf(origin, phase);
      expect(moments).toBeGreaterThan(0);
      console.log(`${phase}: ${moments} moments, SEED=${seed}`);
      for (let moment = 1 + (seed % ONE_IN); moment <= moments; moment += ONE_IN)
        await killAt(origin, phase, moment, moments);
      remove();
    },
    LIMIT_MS,
  );

test(
  `killed at ${REBUILD_KILLS} moments of the rebuild of a store of older rules: the next start finishes it`,
  async () => {
    const { dir, remove } = temporaryDir();
    await killRebuild({ dir, kills: REBUILD_KILLS });
    remove();
  },
  LIMIT_MS,
);
