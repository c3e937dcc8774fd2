/** What entries of the ledger add to pools and tokens: auction slots, votes, black holes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../engine/engine.ts';
import { ammSlots } from '../../views/ledger/amm-slots.ts';
import { wholeWorld } from '../views/world.ts';
import { asker } from './routes/ask.ts';

// The example of https://xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types/amm
const entry = {
  Account: 'rE54zDvgnghAoPopCgvtiqWNq3dU5y836S',
  Asset: { currency: 'XRP' },
  Asset2: { currency: 'TST', issuer: 'rP9jPyP5kyvFRb6ZiRghAGw5u8SGAmU4bd' },
  AuctionSlot: {
    Account: 'rJVUeRqDFNs2xqA7ncVE6ZoAhPUoaJJSQm',
    AuthAccounts: [{ AuthAccount: { Account: 'rMKXGCbJ5d8LbrqthdG46q3f969MVK2Qeg' } }],
    DiscountedFee: 60,
    Expiration: 721870180,
    Price: {
      currency: '039C99CD9AB0B70B32ECDA51EAAE471625608EA2',
      issuer: 'rE54zDvgnghAoPopCgvtiqWNq3dU5y836S',
      value: '0.8696263565463045',
    },
  },
  TradingFee: 600,
  VoteSlots: [
    { VoteEntry: { Account: 'rJVUeRqDFNs2xqA7ncVE6ZoAhPUoaJJSQm', TradingFee: 600, VoteWeight: 100000 } },
    { VoteEntry: { Account: 'rMKXGCbJ5d8LbrqthdG46q3f969MVK2Qeg', VoteWeight: 1 } },
  ],
};

describe('slots of a pool', () => {
  test('read as amm_info shows them', () => {
    const { auction_slot: slot, vote_slots: votes } = ammSlots(entry, 721870180 - 86_400 + 4320 * 3);
    expect(slot).toEqual({
      account: 'rJVUeRqDFNs2xqA7ncVE6ZoAhPUoaJJSQm',
      auth_accounts: [{ account: 'rMKXGCbJ5d8LbrqthdG46q3f969MVK2Qeg' }],
      discounted_fee: 60,
      expiration: (721870180 + 946684800) * 1000,
      price: { ...entry.AuctionSlot.Price, name: entry.AuctionSlot.Price.currency },
      time_interval: 3,
    });
    expect(votes).toEqual([
      { account: 'rJVUeRqDFNs2xqA7ncVE6ZoAhPUoaJJSQm', trading_fee: 600, vote_weight: 100000 },
      { account: 'rMKXGCbJ5d8LbrqthdG46q3f969MVK2Qeg', trading_fee: 0, vote_weight: 1 },
    ]);
  });

  test('a slot that has run out is in its last interval; what is not there is absent', () => {
    for (const now of [721870180, 721870180 - 86_401])
      expect(ammSlots(entry, now).auction_slot).toMatchObject({ time_interval: 20 });
    expect(ammSlots({}, 0)).toEqual({});
    expect(ammSlots({ AuctionSlot: 7, VoteSlots: [7, { VoteEntry: 8 }] }, 0)).toEqual({});
  });
});

describe('over recorded ledgers', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await wholeWorld();
  });

  test('/amm/info shows the fields of the stored AMM entry', async () => {
    const ask = asker(engine);
    const { body } = await ask.get('/amm?status=all');
    let slots = 0;
    for (const { ammAccount, asset1, asset2 } of body.pools) {
      const { amm } = (await ask.get(`/amm/info?amm_account=${ammAccount}`)).body;
      const asset = (one: { currency: string; issuer: string }) =>
        one.issuer === 'XRPL' ? 'XRP' : { currency: one.currency, issuer: one.issuer };
      const named = encodeURIComponent(JSON.stringify({ asset: asset(asset1), asset2: asset(asset2) }));
      const { status, body: found } = await ask.get(`/ledger/entry?amm=${named}`);
      if (status !== 200) continue;
      slots += found.node.VoteSlots ? 1 : 0;
      expect(amm.vote_slots?.length).toBe(found.node.VoteSlots?.length);
      expect(amm.auction_slot?.account).toBe(found.node.AuctionSlot?.Account);
      expect(amm.trading_fee).toBe(found.node.TradingFee ?? 0);
    }
    expect(slots).toBeGreaterThan(0);
  });

  test('issuers with a master key are no black holes; one without is recognised by its regular key, or is a pool', async () => {
    const ask = asker(engine);
    const { tokens, accounts } = engine.state;
    let checked = 0;
    for (let token = 1; token < tokens.count; token++) {
      const address = tokens.issuerText(token);
      const { issuer_info: info } = (await ask.get(`/token/${tokens.md5(token)}?skip_metrics=1`)).body.token;
      expect(info?.blackholed).toBe(accounts.isBlackholed(tokens.issuer(token)));
      if (!accounts.exists(tokens.issuer(token))) continue;
      checked++;
      const root = (await ask.get(`/ledger/entry?account_root=${address}`)).body.node;
      if (!info.disableMaster) expect(info.blackholed).toBe(false);
      else if (root) {
        const ofThePool = root.AMMID !== undefined;
        expect(info.blackholed).toBe(ofThePool || /^rrrrrrrrrrrrrrrrr/.test(String(root.RegularKey)));
      }
    }
    expect(checked).toBeGreaterThan(5);
  });
});
