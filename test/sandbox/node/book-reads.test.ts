/** Books, pools and prices: answers compared with a search through the whole state and the ledger's metadata. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Client } from 'xrpl';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { type Entry, ReadsRig, type Reply } from './reads-rig.ts';

let rig: ReadsRig;
let client: Client;
let state: Entry[];
const XRP = { currency: 'XRP' };
let USD: { currency: string; issuer: string };

beforeAll(async () => {
  rig = new ReadsRig().build();
  client = await rig.client();
  state = await rig.state();
  USD = { currency: 'USD', issuer: rig.accounts.issuer.address };
});

afterAll(() => rig.end());

const sizeOf = (amount: unknown): number => Number((amount as { value?: string }).value ?? amount);
const isUsd = (amount: unknown): boolean => (amount as { currency?: string }).currency === 'USD';

/** Offers that sell USD, best first, with their owners' funds after the issuer's fee of one percent. */
function sellers(feeless = false) {
  const fee = feeless ? 1 : 1.01;
  const issuer = rig.accounts.issuer.address;
  const funds = new Map<unknown, number>();
  for (const person of Object.values(rig.accounts)) {
    const line = state.find(
      ({ LedgerEntryType, LowLimit, HighLimit }) =>
        LedgerEntryType === 'RippleState' &&
        isUsd(LowLimit) &&
        [LowLimit, HighLimit].some((side) => (side as Reply).issuer === person.address) &&
        [LowLimit, HighLimit].some((side) => (side as Reply).issuer === issuer),
    );
    if (line !== undefined) funds.set(person.address, Math.abs(sizeOf(line.Balance)));
  }
  const offers = state
    .filter(({ LedgerEntryType, TakerGets }) => LedgerEntryType === 'Offer' && isUsd(TakerGets))
    .map((offer) => ({ offer, rate: sizeOf(offer.TakerPays) / sizeOf(offer.TakerGets) }))
    .sort((a, b) => a.rate - b.rate);
  return offers.map(({ offer, rate }) => {
    const gets = sizeOf(offer.TakerGets);
    if (offer.Account === issuer) return { offer, rate, funded: gets, owned: gets };
    const owned = funds.get(offer.Account)!;
    const funded = Math.min(gets, owned / fee);
    funds.set(offer.Account, owned - funded * fee);
    return { offer, rate, funded, owned };
  });
}

describe('book_offers', () => {
  test('shows the offers of a book, best first, with the funds of their owners', async () => {
    for (const taker of [undefined, rig.accounts.issuer.address]) {
      const wanted = sellers(taker !== undefined);
      const { offers } = (await rig.read('book_offers', {
        taker_pays: XRP,
        taker_gets: USD,
        ...(taker === undefined ? {} : { taker }),
      })) as { offers: Entry[] };
      expect(offers.map(({ index }) => index)).toEqual(wanted.map(({ offer }) => offer.index));
      const seen = new Set<unknown>();
      for (const [i, shown] of offers.entries()) {
        const { offer, rate, funded, owned } = wanted[i]!;
        expect(shown).toMatchObject(offer);
        expect(Number(shown.quality)).toBeCloseTo(rate, 6);
        const isFirst = !seen.has(offer.Account) || offer.Account === rig.accounts.issuer.address;
        seen.add(offer.Account);
        if (isFirst) expect(Number(shown.owner_funds)).toBeCloseTo(owned, 9);
        else expect(shown.owner_funds).toBeUndefined();
        if (funded >= sizeOf(offer.TakerGets)) expect(shown.taker_gets_funded).toBeUndefined();
        else {
          expect(sizeOf(shown.taker_gets_funded)).toBeCloseTo(funded, 9);
          expect(Math.abs(sizeOf(shown.taker_pays_funded) - funded * rate)).toBeLessThanOrEqual(1);
        }
      }
      expect(offers.filter((shown) => shown.taker_gets_funded !== undefined).length).toBe(3);
    }
  });

  test('stops at its limit; pools are not listed with offers', async () => {
    const ask = { taker_pays: XRP, taker_gets: USD };
    const { offers } = (await rig.read('book_offers', { ...ask, limit: 5 })) as { offers: Entry[] };
    expect(offers.length).toBe(5);
    expect(offers.map(({ index }) => index)).toEqual(
      sellers()
        .slice(0, 5)
        .map(({ offer }) => offer.index),
    );
    const other = await rig.read('book_offers', { taker_pays: USD, taker_gets: XRP });
    expect((other.offers as Entry[]).map(({ Account }) => Account)).toEqual([rig.accounts.bob.address]);
    const domain = await rig.read('book_offers', { ...ask, domain: 'A'.repeat(64) });
    expect(domain.offers).toEqual([]);
  });

  test('reports errors of a request as rippled does', async () => {
    const cases: readonly (readonly [Reply, Reply])[] = [
      [{ taker_gets: USD }, { error_message: "Missing field 'taker_pays'." }],
      [{ taker_pays: XRP }, { error_message: "Missing field 'taker_gets'." }],
      [{ taker_pays: 'XRP', taker_gets: USD }, { error_message: "Invalid field 'taker_pays', not object." }],
      [{ taker_pays: {}, taker_gets: USD }, { error_message: "Missing field 'taker_pays.currency'." }],
      [
        { taker_pays: { currency: 1 }, taker_gets: USD },
        { error_message: "Invalid field 'taker_pays.currency', not string." },
      ],
      [
        { taker_pays: { currency: 'A' }, taker_gets: USD },
        { error: 'srcCurMalformed', error_code: 69 },
      ],
      [{ taker_pays: XRP, taker_gets: { currency: 'A' } }, { error: 'dstAmtMalformed' }],
      [{ taker_pays: { ...XRP, issuer: USD.issuer }, taker_gets: USD }, { error: 'srcIsrMalformed' }],
      [{ taker_pays: { currency: 'USD' }, taker_gets: XRP }, { error: 'srcIsrMalformed' }],
      [{ taker_pays: XRP, taker_gets: { currency: 'USD' } }, { error: 'dstIsrMalformed' }],
      [{ taker_pays: XRP, taker_gets: { currency: 'USD', issuer: 'r' } }, { error: 'dstIsrMalformed' }],
      [
        { taker_pays: USD, taker_gets: USD },
        { error: 'badMarket', error_code: 42 },
      ],
      [{ taker_pays: XRP, taker_gets: USD, taker: 1 }, { error: 'invalidParams' }],
      [{ taker_pays: XRP, taker_gets: USD, taker: 'r' }, { error: 'invalidParams' }],
      [
        { taker_pays: XRP, taker_gets: USD, domain: '1' },
        { error: 'domainMalformed', error_code: 97 },
      ],
      [{ taker_pays: XRP, taker_gets: USD, limit: 0 }, { error: 'invalidParams' }],
      [{ taker_pays: XRP, taker_gets: USD, ledger_index: 99_999 }, { error: 'lgrNotFound' }],
    ];
    for (const [ask, wanted] of cases) expect(await rig.ask('book_offers', ask)).toMatchObject(wanted);
  });

  test('gives the public client the same order book', async () => {
    const book = await client.getOrderbook(XRP, USD, { ledger_index: 'validated', limit: 20 });
    const sells = book.sell.length + book.buy.length;
    expect(sells).toBeGreaterThan(10);
    expect(book.buy.map(({ index }) => index)).toContain(sellers()[0]!.offer.index);
  });
});

describe('amm_info', () => {
  const poolOf = async (params: Reply): Promise<Reply> => (await rig.read('amm_info', params)).amm as Reply;

  test('shows a pool by its assets in either order, and by its account', async () => {
    const pool = state.find(({ LedgerEntryType }) => LedgerEntryType === 'AMM')!;
    const root = state.find(
      ({ LedgerEntryType, Account }) => LedgerEntryType === 'AccountRoot' && Account === pool.Account,
    )!;
    const amm = await poolOf({ asset: XRP, asset2: USD });
    expect(amm).toMatchObject({
      account: pool.Account,
      amount: root.Balance,
      amount2: { ...USD, value: '100' },
      asset2_frozen: false,
      lp_token: pool.LPTokenBalance,
      trading_fee: pool.TradingFee,
    });
    const slot = (pool.AuctionSlot ?? {}) as Reply;
    expect(amm.auction_slot).toMatchObject({ account: slot.Account, price: slot.Price, time_interval: 0 });
    const expires = new Date((Number(slot.Expiration) + RIPPLE_EPOCH) * 1000).toISOString().slice(0, 19);
    expect((amm.auction_slot as Reply).expiration).toBe(`${expires}+0000`);
    expect(amm.vote_slots).toEqual(
      (pool.VoteSlots as { VoteEntry: Reply }[]).map(({ VoteEntry }) => ({
        account: VoteEntry.Account,
        trading_fee: VoteEntry.TradingFee,
        vote_weight: VoteEntry.VoteWeight,
      })),
    );
    const turned = await poolOf({ asset: USD, asset2: XRP });
    expect([turned.amount, turned.amount2]).toEqual([amm.amount2, amm.amount]);
    expect(await poolOf({ amm_account: pool.Account })).toEqual(amm);
  });

  test("shows an account's share in place of the total", async () => {
    const { lp_token: all } = await poolOf({ asset: XRP, asset2: USD });
    const shares = await Promise.all(
      ['alice', 'bob', 'carol'].map(async (name) => {
        const account = rig.accounts[name as 'alice'].address;
        return sizeOf((await poolOf({ asset: XRP, asset2: USD, account })).lp_token);
      }),
    );
    expect(shares[2]).toBe(0);
    expect(shares[0]! + shares[1]!).toBeCloseTo(sizeOf(all), 6);
  });

  test('reports errors of a request', async () => {
    const cases: readonly (readonly [Reply, string])[] = [
      [{}, 'invalidParams'],
      [{ asset: XRP }, 'invalidParams'],
      [{ asset: XRP, asset2: USD, amm_account: USD.issuer }, 'invalidParams'],
      [{ asset: XRP, asset2: 'USD' }, 'issueMalformed'],
      [{ asset: XRP, asset2: { currency: 'EUR', issuer: USD.issuer } }, 'actNotFound'],
      [{ amm_account: 'x' }, 'actMalformed'],
      [{ amm_account: USD.issuer }, 'actNotFound'],
      [{ asset: XRP, asset2: USD, account: rig.account('nobody').address }, 'actMalformed'],
    ];
    for (const [ask, error] of cases) expect(await rig.ask('amm_info', ask)).toMatchObject({ error });
  });
});

test('book_changes shows the trades of each ledger', async () => {
  const range = rig.network.ledgers.range()!;
  let traded = 0;
  for (let index = range.first; index <= range.last; index++) {
    const { changes, type } = (await rig.read('book_changes', { ledger_index: index })) as {
      changes: Reply[];
      type: string;
    };
    expect(type).toBe('bookChanges');
    traded += changes.length;
    for (const change of changes) {
      expect(change).toEqual({
        currency_a: 'XRP_drops',
        currency_b: `${USD.issuer}/USD`,
        volume_a: '9000000',
        volume_b: '20',
        high: '450000',
        low: '450000',
        open: '450000',
        close: '450000',
      });
    }
  }
  expect(traded).toBe(1);
});

describe('get_aggregate_price', () => {
  const ask = (more: Reply = {}): Reply => ({
    base_asset: 'XRP',
    quote_asset: 'USD',
    oracles: [1, 2, 3].map((n) => ({
      account: rig.accounts[`oracle${n}` as 'oracle1'].address,
      oracle_document_id: n === 2 ? '1' : 1,
    })),
    ...more,
  });

  test('computes mean, median and spread of the prices of oracles, from an earlier state if the newest has no price', async () => {
    const prices = [0.74, 0.76, 0.8];
    const mean = prices.reduce((a, b) => a + b) / 3;
    const spread = Math.sqrt(prices.reduce((sum, price) => sum + (price - mean) ** 2, 0) / 2);
    const answer = await rig.read('get_aggregate_price', ask({ trim: 25 }));
    const set = answer.entire_set as Reply;
    expect([Number(set.mean), set.size, answer.median]).toEqual([expect.closeTo(mean, 12), 3, '0.76']);
    expect(Number(set.standard_deviation)).toBeCloseTo(spread, 12);
    expect(answer.trimmed_set).toEqual(set);
    const recent = await rig.read('get_aggregate_price', ask({ time_threshold: 60 }));
    expect(recent).toMatchObject({ entire_set: { mean: '0.78', size: 2 }, median: '0.78' });
    const bitcoin = await rig.read('get_aggregate_price', ask({ base_asset: 'BTC' }));
    expect(bitcoin).toMatchObject({ entire_set: { mean: '0.101', size: 1, standard_deviation: '0' } });
  });

  test('reports errors of a request', async () => {
    const cases: readonly (readonly [Reply, string])[] = [
      [{ oracles: undefined }, 'invalidParams'],
      [{ oracles: [] }, 'oracleMalformed'],
      [{ oracles: [{}] }, 'oracleMalformed'],
      [{ oracles: [{ account: 'r', oracle_document_id: 1 }] }, 'invalidParams'],
      [{ base_asset: undefined }, 'invalidParams'],
      [{ base_asset: '' }, 'invalidParams'],
      [{ quote_asset: 'DOLLAR' }, 'invalidParams'],
      [{ trim: 0 }, 'invalidParams'],
      [{ trim: 26 }, 'invalidParams'],
      [{ time_threshold: -1 }, 'invalidParams'],
      [{ quote_asset: 'EUR' }, 'objectNotFound'],
    ];
    for (const [more, error] of cases)
      expect(await rig.ask('get_aggregate_price', ask(more))).toMatchObject({ error });
  });
});
