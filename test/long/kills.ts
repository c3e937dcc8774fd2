/** Kill -9 at 200 random moments: what test/crash.test.ts does in 6 rounds. */
import { expect, test } from 'bun:test';
import { crashRounds } from '../../service/crash.ts';

const ROUNDS = 200;
const LIMIT_MS = 20 * 60_000;

test(
  `kill -9 at ${ROUNDS} random moments: nothing lost, nothing twice, the same digest`,
  async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`kills: SEED=${seed}`);
    const { kills } = await crashRounds(ROUNDS, () => {}, seed);
    expect(kills).toBeGreaterThanOrEqual(ROUNDS);
  },
  LIMIT_MS,
);
