/** What readers see of a token on the day on which its pool was closed, on the embedded network. */
import { expect, test } from 'bun:test';
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import type { Json } from '../api/routes/ask.ts';
import { onePool } from './one-pool.ts';

/** A pool of 100 XRP, a day and an hour after it was made. */
async function aDayAgo() {
  const pool = await onePool(0);
  await pool.after(DAY + HOUR);
  return pool;
}

test('a pool that was closed has taken all that it locked a day ago, until that is a day ago', async () => {
  const { close, row, after } = await aDayAgo();
  expect((await row()).tvlChange24h).toBe(0);
  await close();
  expect(await row()).toMatchObject({ tvlChange24h: -200 });
  await after(DAY - HOUR);
  expect(await row()).toMatchObject({ tvlChange24h: -200 });
  await after(2 * HOUR);
  expect((await row()).tvlChange24h).toBeUndefined();
});

test('a pool that was closed and made again is compared with the one before it', async () => {
  const { make, close, row } = await aDayAgo();
  await close();
  await make('30000000');
  expect(await row()).toMatchObject({ tvl: 60, tvlChange24h: -140 });
  await close();
  expect(await row()).toMatchObject({ tvlChange24h: -200 });
});

test('trades of the ledger that closes a pool are of that pool', async () => {
  const { close, row } = await aDayAgo();
  await close({ swapsBefore: true });
  const { tvlChange24h, vol24htx, vol24hAMM } = await row();
  expect([tvlChange24h, vol24htx]).toEqual([-200, 1]);
  expect(vol24hAMM).toBeGreaterThan(1);
});

test('a pool that was closed is no seller, though it has nothing left', async () => {
  const { close, row, get } = await aDayAgo();
  await close();
  const { md5, exch } = await row();
  const { sellers, buyers, pressure } = (await get(`/holders/movers/${md5}`)).body;
  expect(sellers).toMatchObject([{ change: '-700', isAMM: true }]);
  expect(buyers).toMatchObject([{ change: '700' }]);
  expect(pressure.h24).toEqual({
    sellers: 0,
    sellPressureXrp: 0,
    buyers: 1,
    buyPressureXrp: expect.closeTo(700 * Number(exch), 6),
  });
});

test('charts of what was locked keep a pool that was closed', async () => {
  const { make, close, row, get, after } = await aDayAgo();
  const { md5, AMM } = await row();
  await close();
  await after(2 * HOUR);
  await make('30000000');
  const tvls = async (query: string) => {
    const { status, body } = await get(`/amm/liquidity-chart?period=1w&${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body.data.map(({ tvl }: Json) => tvl);
  };
  for (const query of [`token=${md5}`, `token=${md5}&token2=XRP`]) {
    const [first, ...rest] = await tvls(query);
    expect([first, rest.includes(0), rest.at(-1)]).toEqual([200, true, 60]);
  }
  const closed = await tvls(`ammAccount=${AMM}`);
  expect([closed[0], closed.at(-1)]).toEqual([200, 0]);
  expect((await get(`/amm/liquidity-chart?ammAccount=${md5}`)).status).not.toBe(200);
});
