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

test('a line for LP tokens with nothing on it is no position', async () => {
  const { issuer, holder, get, close, deposit, trustShares } = await onePool(1000);
  const count = async (address: string) => (await get(`/lp-positions/${address}`)).body.count;
  await deposit('50000000');
  await trustShares();
  expect([await count(holder.address), await count(issuer.address)]).toEqual([1, 1]);
  // One of two providers leaves: the pool stays.
  await close();
  expect([await count(holder.address), await count(issuer.address)]).toEqual([0, 1]);
});
