/** How the value locked in a token's pools changed in a day in which pools were closed, on the embedded network. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';

const RIPPLES = 8;
const FEE = '2000000';
/** Of AMMWithdraw: all LP tokens, which closes the pool of the only provider. */
const WITHDRAWS_ALL = 0x00020000;
/** Of OfferCreate: what does not trade at once is dropped. */
const AT_ONCE = 0x00020000;

/** A pool of 100 XRP and 700 USD, a day and an hour after it was made. */
async function pooled() {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { get } = asker(new Network({ engine }));
  const [issuer, holder] = rig.fund(['issuer', 'holder']);
  const usd = { currency: 'USD', issuer: issuer!.address };
  await follow(engine, rig.network.closed);
  const after = async (seconds: number): Promise<void> => {
    rig.time += seconds;
    await follow(engine, rig.close());
  };
  rig.submit(issuer!, { TransactionType: 'AccountSet', SetFlag: RIPPLES });
  await after(4);
  rig.submit(holder!, { TransactionType: 'TrustSet', LimitAmount: { ...usd, value: '1000000' } });
  await after(4);
  rig.submit(issuer!, {
    TransactionType: 'Payment',
    Destination: holder!.address,
    Amount: { ...usd, value: '9000' },
  });
  await after(4);
  const make = async (drops: string): Promise<void> => {
    const Amount = { ...usd, value: '700' };
    rig.submit(holder!, { TransactionType: 'AMMCreate', Amount, Amount2: drops, TradingFee: 0, Fee: FEE });
    await after(4);
  };
  const closePool = async ({ swapsBefore = false } = {}): Promise<void> => {
    if (swapsBefore) {
      const TakerPays = { ...usd, value: '10' };
      rig.submit(holder!, {
        TransactionType: 'OfferCreate',
        TakerPays,
        TakerGets: '5000000',
        Flags: AT_ONCE,
      });
    }
    rig.submit(holder!, {
      TransactionType: 'AMMWithdraw',
      Asset: usd,
      Asset2: { currency: 'XRP' },
      Flags: WITHDRAWS_ALL,
    });
    await after(4);
  };
  /** The token's row, made anew for each ledger. */
  const row = async (): Promise<Json> => {
    await get('/amm?status=all');
    return (await get(`/token/${usd.issuer}-USD`)).body.token;
  };
  await make('100000000');
  await after(DAY + HOUR);
  return { make, closePool, row, after };
}

test('a pool that was closed has taken all that it locked a day ago, until that is a day ago', async () => {
  const { closePool, row, after } = await pooled();
  expect((await row()).tvlChange24h).toBe(0);
  await closePool();
  expect(await row()).toMatchObject({ tvlChange24h: -200 });
  await after(DAY - HOUR);
  expect(await row()).toMatchObject({ tvlChange24h: -200 });
  await after(2 * HOUR);
  expect((await row()).tvlChange24h).toBeUndefined();
});

test('a pool that was closed and made again is compared with the one before it', async () => {
  const { make, closePool, row } = await pooled();
  await closePool();
  await make('30000000');
  expect(await row()).toMatchObject({ tvl: 60, tvlChange24h: -140 });
  await closePool();
  expect(await row()).toMatchObject({ tvlChange24h: -200 });
});

test('trades of the ledger that closes a pool are of that pool', async () => {
  const { closePool, row } = await pooled();
  await closePool({ swapsBefore: true });
  const { tvlChange24h, vol24htx, vol24hAMM } = await row();
  expect([tvlChange24h, vol24htx]).toEqual([-200, 1]);
  expect(vol24hAMM).toBeGreaterThan(1);
});
