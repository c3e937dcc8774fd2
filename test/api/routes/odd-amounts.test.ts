/** Tokens of very large and very small amounts, which issuers choose: amounts stay plain decimals, and sums whole. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { quietLog as log } from '../../engine/ledger/quiet.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import { type TestAccount, testAccount } from '../../sandbox/rig.ts';
import { asker, type Json } from './ask.ts';

const DEFAULT_RIPPLE = 8;
/** One unit of each token is a power of ten. */
const POWERS = { BIG: 60, TNY: -16, DST: -9 } as const;
const CODES = Object.keys(POWERS) as (keyof typeof POWERS)[];

const rig = new NetworkRig();
const [issuer, maker, taker] = ['odd issuer', 'odd maker', 'odd taker'].map((name) => testAccount(name));
const engine = new Engine({ store: new MemoryStore(), log });
const ask = asker(new Network({ engine, source: {} as Source }));
const get = async (path: string): Promise<Json> => (await ask.get(path)).body;

const units = (currency: keyof typeof POWERS, digits: number) => ({
  currency,
  issuer: issuer!.address,
  value: `${digits}e${POWERS[currency]}`,
});

async function close(): Promise<void> {
  const packed = new PackedLedger(rig.close().packed().bytes);
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  await engine.drain();
}

function send(account: TestAccount, json: Json): void {
  expect(rig.submit(account, json).result).toBe('tesSUCCESS');
}

beforeAll(async () => {
  rig.fund(['odd issuer', 'odd maker', 'odd taker'], '90000000000');
  send(issuer!, { TransactionType: 'AccountSet', SetFlag: DEFAULT_RIPPLE });
  for (const code of CODES)
    for (const account of [maker!, taker!])
      send(account, { TransactionType: 'TrustSet', LimitAmount: units(code, 1e9) });
  await close();
  for (const code of CODES) {
    send(issuer!, { TransactionType: 'Payment', Destination: maker!.address, Amount: units(code, 1e6) });
    await close();
    for (const traded of [1, 2]) {
      const [tokens, drops] = [units(code, traded), `${7_000_000 * traded}`];
      send(maker!, { TransactionType: 'OfferCreate', TakerGets: tokens, TakerPays: drops });
      await close();
      send(taker!, { TransactionType: 'OfferCreate', TakerPays: tokens, TakerGets: drops });
      await close();
    }
    const both = { Amount: '1000000000', Amount2: units(code, 5) };
    send(maker!, { TransactionType: 'AMMCreate', Fee: '2000000', TradingFee: 500, ...both });
    await close();
  }
});

describe.each(CODES)('%s', (code) => {
  const id = `${issuer!.address}-${code}`;
  const power = POWERS[code];

  test('what was traded in 24 hours is all of it', async () => {
    const { token } = await get(`/token/${id}`);
    expect(token.vol24h / Number(`3e${power}`)).toBeCloseTo(1, 14);
    const { pairs } = await get(`/pairs/${id}`);
    expect(pairs[0].curr1.value).toBe(token.vol24h);
  });

  test('the price of a trade is the quotient', async () => {
    const { data } = await get(`/history?md5=${(await get(`/token/${id}`)).token.md5}`);
    expect(data).toHaveLength(2);
    for (const { price } of data) {
      if (power < 0) expect(price).toBe(`7${'0'.repeat(-power)}`);
      expect(Number(price) / Number(`7e${-power}`)).toBeCloseTo(1, 14);
    }
  });

  test('listings of markets have no exponents', async () => {
    const tickers = (await get('/tickers/coingecko')) as unknown as Json[];
    const ticker = tickers.find(({ base_currency }) => base_currency === id)!;
    const digits = power > 0 ? `3${'0'.repeat(power)}` : `0.${'0'.repeat(-power - 1)}3`;
    expect(ticker.base_volume).toMatch(/^[\d.]+$/);
    expect(Number(ticker.base_volume) / Number(digits)).toBeCloseTo(1, 14);
    expect(ticker.last_price ?? '0').toMatch(/^[\d.]+$/);
  });

  test('a position shows amounts without exponents', async () => {
    const { positions } = await get(`/lp-positions/${maker!.address}`);
    const position = (Object.values(positions) as Json[]).find(({ asset2 }) => asset2.currency === code)!;
    const amount = power > 0 ? `5${'0'.repeat(power)}` : `0.${'0'.repeat(-power - 1)}5`;
    expect(position.currentAsset2.value).toBe(amount);
    expect(position.depositedAsset2.value).toBe(amount);
  });
});
