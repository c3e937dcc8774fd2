/** Kill -9 loses nothing. The same with more rounds: `npm run tool -- crash --rounds 200`. */
import { expect, test } from 'bun:test';
import { crashRounds } from '../service/crash.ts';

test('kill -9 at 20 random moments: nothing lost, nothing twice, the same digest', async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  const { kills } = await crashRounds(20, () => {}, seed);
  expect(kills).toBeGreaterThanOrEqual(20);
}, 180_000);
