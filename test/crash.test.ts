/** Kill -9 loses nothing. The same with 200 rounds: test/long/kills.ts, or `npm run tool -- crash --rounds 200`. */
import { expect, test } from 'bun:test';
import { crashRounds } from '../service/crash.ts';
import { casesOf } from './cases.ts';

const ROUNDS = casesOf(3, 6);

test(`kill -9 at ${ROUNDS} random moments: nothing lost, nothing twice, the same digest`, async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  const { kills } = await crashRounds(ROUNDS, () => {}, seed);
  expect(kills).toBeGreaterThanOrEqual(ROUNDS);
});
