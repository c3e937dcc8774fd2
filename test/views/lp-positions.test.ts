/** What providers earned in a pool, on the embedded network. */
import { expect, test } from 'bun:test';
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { onePool } from './one-pool.ts';

test('fees of trades before the hour of a deposit are not of that deposit', async () => {
  const { issuer, get, swap, deposit, row, after } = await onePool(1000);
  await after(HOUR);
  await swap();
  await after(HOUR);
  await deposit('50000000');
  const position = async () =>
    Object.values((await get(`/lp-positions/${issuer.address}`)).body.positions as object)[0];
  expect((await position()).feesEarnedXrp).toBe(0);

  await after(2 * HOUR);
  const { vol24hAMM: before } = await row();
  await swap();
  await after(DAY);
  await swap();
  const volume = (await row()).vol7dxrp - before;
  const { feesEarnedXrp, poolShare } = await position();
  expect(feesEarnedXrp).toBeCloseTo(((volume * 0.01) / 100) * poolShare, 5);
  expect(feesEarnedXrp).toBeGreaterThan(0);
});
