/** Pool transactions in a ledger: each kind, each failure in its order, and a consistent pool after any sequence. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Amount, assetJson } from '../../../engine/codec/arithmetic/amount.ts';
import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import { Lsf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { seedOf } from '../seed.ts';
import { AmmRig } from './amm-rig.ts';

const seed = seedOf('amm transactions', 20_260_323);

function withPool(fee?: number): AmmRig {
  const rig = new AmmRig();
  expect(rig.create(fee)).toBe('tesSUCCESS');
  rig.close();
  return rig;
}

describe('AMMCreate', () => {
  test('creates an account, an entry, lines and LP tokens', () => {
    const rig = withPool(1000);
    const { pool } = rig;
    // sqrt(10^9 drops * 1000)
    expect(pool.LPTokenBalance!.text()).toBe('1000000');
    expect(rig.held(rig.alice).text()).toBe('1000000');
    expect([pool.Asset, pool.Asset2, pool.TradingFee]).toEqual([XRP, rig.usd, 1000]);
    expect(pool.AuctionSlot).toMatchObject({ Account: rig.alice.id, DiscountedFee: 100 });
    expect(pool.VoteSlots).toEqual([
      { VoteEntry: { Account: rig.alice.id, VoteWeight: 100000, TradingFee: 1000 } },
    ]);
    const account = rig.ledger.read(keylets.account(pool.Account!))!;
    expect(account.AMMID).toBe(pool.index);
    expect(account.Balance!.drops).toBe(1_000_000_000n);
    const line = rig.ledger.read(keylets.line(pool.Account!, rig.issuer.id, rig.usd.slice(0, 40)))!;
    expect(line.Flags! & Lsf.lsfAMMNode).not.toBe(0);
    // Two initial lines, one for the LP tokens.
    expect(rig.root(rig.alice).OwnerCount).toBe(3);
    expect(rig.unsound()).toEqual([]);
    expect(rig.problems()).toEqual([]);
  });

  test('refuses', () => {
    const rig = new AmmRig();
    const create = (fields: Record<string, unknown>) =>
      rig.amm('Create', rig.alice, {
        Amount: '1000000',
        Amount2: rig.json(rig.usd, 10),
        TradingFee: 0,
        ...fields,
      });
    expect(create({ Amount: rig.json(rig.usd, 1) })).toBe('temBAD_AMM_TOKENS');
    expect(create({ Amount: '0' })).toBe('temBAD_AMOUNT');
    expect(create({ Amount2: rig.json(rig.usd, -1) })).toBe('temBAD_AMOUNT');
    expect(create({ TradingFee: 1001 })).toBe('temBAD_FEE');
    expect(create({ Amount: '10000000000' })).toBe('tecUNFUNDED_AMM');
    expect(create({ Amount2: rig.json(rig.usd, 100_001) })).toBe('tecUNFUNDED_AMM');
    rig.change(keylets.account(rig.issuer.id), { Flags: 0 });
    expect(create({})).toBe('terNO_RIPPLE');
    rig.change(keylets.account(rig.issuer.id), { Flags: Lsf.lsfDefaultRipple | Lsf.lsfGlobalFreeze });
    expect(create({})).toBe('tecFROZEN');
    rig.change(keylets.account(rig.issuer.id), { Flags: Lsf.lsfDefaultRipple | Lsf.lsfRequireAuth });
    expect(create({})).toBe('tecNO_AUTH');
    rig.change(keylets.account(rig.issuer.id), { Flags: Lsf.lsfDefaultRipple });
    expect(create({})).toBe('tesSUCCESS');
    expect(create({})).toBe('tecDUPLICATE');
    expect(create({ Amount: rig.json(rig.lpAsset, 1) })).toBe('tecAMM_INVALID_TOKENS');
    expect(rig.problems()).toEqual([]);
  });

  test('of a token that its issuer may claw back needs AMMClawback', () => {
    for (const [names, result] of [
      [[...SANDBOX_RULES.names], 'tesSUCCESS'],
      [[...SANDBOX_RULES.names].filter((name) => name !== 'AMMClawback'), 'tecNO_PERMISSION'],
    ] as const) {
      const rig = new AmmRig(rulesOf(names));
      const flags = Lsf.lsfDefaultRipple | Lsf.lsfAllowTrustLineClawback;
      rig.change(keylets.account(rig.issuer.id), { Flags: flags >>> 0 });
      expect(rig.create()).toBe(result);
    }
  });
});

describe('AMMDeposit', () => {
  const deposit = (rig: AmmRig, Flags: number, fields: Record<string, unknown>) =>
    rig.amm('Deposit', rig.bob, { Flags, ...fields });

  test('both assets for tokens', () => {
    const rig = withPool();
    const tokens = rig.json(rig.lpAsset, 100_000);
    expect(deposit(rig, Tf.tfLPToken, { LPTokenOut: tokens })).toBe('tesSUCCESS');
    expect(rig.held(rig.bob).text()).toBe('100000');
    expect(rig.balances().map((amount) => amount.text())).toEqual(['1100000000', '1100']);
    const least = { Amount: '200000000', Amount2: rig.json(rig.usd, 1) };
    expect(deposit(rig, Tf.tfLPToken, { LPTokenOut: tokens, ...least })).toBe('tecAMM_FAILED');
    expect(rig.unsound()).toEqual([]);
  });

  test('both assets within limits', () => {
    const rig = withPool();
    const limits = { Amount: '100000000', Amount2: rig.json(rig.usd, 50) };
    expect(deposit(rig, Tf.tfTwoAsset, limits)).toBe('tesSUCCESS');
    expect(rig.balances().map((amount) => amount.text())).toEqual(['1050000000', '1050']);
    const more = { ...limits, LPTokenOut: rig.json(rig.lpAsset, 60_000) };
    expect(deposit(rig, Tf.tfTwoAsset, more)).toBe('tecAMM_FAILED');
  });

  test('one asset', () => {
    const rig = withPool(0);
    // Without a fee: t = T * (sqrt(1 + b/B) - 1), here a quarter for 9/16.
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: '562500000' })).toBe('tesSUCCESS');
    expect(rig.held(rig.bob).text()).toBe('250000');
    expect(rig.unsound()).toEqual([]);
  });

  test('one asset for tokens', () => {
    const rig = withPool(0);
    const tokens = rig.json(rig.lpAsset, 250_000);
    expect(deposit(rig, Tf.tfOneAssetLPToken, { Amount: '562499999', LPTokenOut: tokens })).toBe(
      'tecAMM_FAILED',
    );
    expect(deposit(rig, Tf.tfOneAssetLPToken, { Amount: '562500100', LPTokenOut: tokens })).toBe(
      'tesSUCCESS',
    );
    expect(rig.held(rig.bob).text()).toBe('250000');
    expect(rig.unsound()).toEqual([]);
  });

  test('one asset at a price', () => {
    const rig = withPool(0);
    // 0.00225 USD a token: (b/t) of a quarter of the tokens for 562.5 USD.
    const price = { Amount: rig.json(rig.usd, 0), EPrice: rig.json(rig.usd, 0.00225) };
    expect(deposit(rig, Tf.tfLimitLPToken, price)).toBe('tesSUCCESS');
    expect(Number(rig.held(rig.bob).text())).toBeCloseTo(250_000, 5);
    expect(Number(rig.balances()[1].text())).toBeCloseTo(1562.5, 8);
    const cheap = { Amount: rig.json(rig.usd, 10), EPrice: rig.json(rig.usd, 0.000001) };
    expect(deposit(rig, Tf.tfLimitLPToken, cheap)).toBe('tecAMM_FAILED');
    expect(rig.unsound()).toEqual([]);
  });

  test('refuses in order', () => {
    const rig = withPool();
    const usd = rig.json(rig.usd, 1);
    const tokens = rig.json(rig.lpAsset, 10);
    expect(deposit(rig, 0, { Amount: '1' })).toBe('temMALFORMED');
    expect(deposit(rig, Tf.tfLPToken | Tf.tfSingleAsset, { LPTokenOut: tokens })).toBe('temMALFORMED');
    expect(deposit(rig, 0x02000000, { Amount: '1' })).toBe('temINVALID_FLAG');
    expect(deposit(rig, Tf.tfLPToken, { LPTokenOut: tokens, Amount: '1' })).toBe('temMALFORMED');
    expect(deposit(rig, Tf.tfTwoAsset, { Amount: '1', TradingFee: 1, Amount2: usd })).toBe('temMALFORMED');
    expect(deposit(rig, Tf.tfTwoAsset, { Amount: usd, Amount2: usd })).toBe('temBAD_AMM_TOKENS');
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: rig.json(rig.eur, 1) })).toBe('temBAD_AMM_TOKENS');
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: '0' })).toBe('temBAD_AMOUNT');
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: '1', Asset2: assetJson(rig.eur) })).toBe('terNO_AMM');
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: '1', Asset2: assetJson(XRP) })).toBe('temBAD_AMM_TOKENS');
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: rig.json(rig.usd, 100_001) })).toBe('tecUNFUNDED_AMM');
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: '9999000000' })).toBe('tecINSUF_RESERVE_LINE');
    expect(deposit(rig, Tf.tfTwoAssetIfEmpty, { Amount: '1', Amount2: usd })).toBe('tecAMM_NOT_EMPTY');
    expect(deposit(rig, Tf.tfLPToken, { LPTokenOut: rig.json(rig.eur, 10) })).toBe('temBAD_AMM_TOKENS');
    // Too little of an asset for a token of the sixteenth digit.
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: rig.json(rig.usd, '1e-15') })).toBe(
      'tecAMM_INVALID_TOKENS',
    );
    rig.change(keylets.account(rig.issuer.id), { Flags: Lsf.lsfDefaultRipple | Lsf.lsfGlobalFreeze });
    expect(deposit(rig, Tf.tfSingleAsset, { Amount: '1' })).toBe('tecFROZEN');
  });
});

describe('AMMWithdraw', () => {
  const withdraw = (rig: AmmRig, Flags: number, fields: Record<string, unknown> = {}) =>
    rig.amm('Withdraw', rig.alice, { Flags, ...fields });

  test('both assets for tokens, and the last of all', () => {
    const rig = withPool();
    expect(withdraw(rig, Tf.tfLPToken, { LPTokenIn: rig.json(rig.lpAsset, 250_000) })).toBe('tesSUCCESS');
    expect(rig.balances().map((amount) => amount.text())).toEqual(['750000000', '750']);
    expect(rig.unsound()).toEqual([]);
    const account = rig.pool.Account!;
    expect(withdraw(rig, Tf.tfWithdrawAll)).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.account(account))).toBeUndefined();
    expect(rig.ledger.read(keylets.ownerDirectory(account))).toBeUndefined();
    expect(rig.ledger.read(keylets.amm(XRP, rig.usd))).toBeUndefined();
    expect(rig.root(rig.alice).OwnerCount).toBe(2);
    expect(rig.problems()).toEqual([]);
  });

  test('both assets within limits', () => {
    const rig = withPool();
    const limits = { Amount: '100000000', Amount2: rig.json(rig.usd, 50) };
    expect(withdraw(rig, Tf.tfTwoAsset, limits)).toBe('tesSUCCESS');
    expect(rig.balances().map((amount) => amount.text())).toEqual(['950000000', '950']);
    expect(rig.unsound()).toEqual([]);
  });

  test('one asset', () => {
    const rig = withPool(0);
    // Without a fee: t = T * (1 - sqrt(1 - b/B)), here half for three quarters.
    expect(withdraw(rig, Tf.tfSingleAsset, { Amount: '750000000' })).toBe('tesSUCCESS');
    expect(rig.held(rig.alice).text()).toBe('500000');
    expect(rig.unsound()).toEqual([]);
  });

  test('one asset for tokens, for all tokens, at a price', () => {
    const rig = withPool(0);
    const half = rig.json(rig.lpAsset, 500_000);
    expect(withdraw(rig, Tf.tfOneAssetLPToken, { Amount: '750000001', LPTokenIn: half })).toBe(
      'tecAMM_FAILED',
    );
    expect(withdraw(rig, Tf.tfOneAssetLPToken, { Amount: '0', LPTokenIn: half })).toBe('tesSUCCESS');
    expect(rig.balances()[0].text()).toBe('250000000');
    // All tokens for one asset would leave the other in the pool.
    expect(withdraw(rig, Tf.tfOneAssetWithdrawAll, { Amount: '0' })).toBe('tecAMM_BALANCE');
    // t = T * (T + B*E*(f - 2)) / (T*f - B*E) with E = 520 tokens a USD: 500000 * (500000 - 1040000) / -520000.
    const price = { Amount: rig.json(rig.usd, 0), EPrice: rig.json(rig.lpAsset, 520) };
    expect(withdraw(rig, Tf.tfLimitLPToken, price)).toBe('tecAMM_INVALID_TOKENS');
    const better = { Amount: rig.json(rig.usd, 0), EPrice: rig.json(rig.lpAsset, 375) };
    expect(withdraw(rig, Tf.tfLimitLPToken, better)).toBe('tesSUCCESS');
    expect(Number(rig.held(rig.alice).text())).toBeCloseTo(500_000 - 500_000 * (250_000 / 375_000), 4);
    expect(rig.unsound()).toEqual([]);
  });

  test('refuses in order', () => {
    const rig = withPool();
    expect(withdraw(rig, 0)).toBe('temMALFORMED');
    expect(withdraw(rig, Tf.tfWithdrawAll, { Amount: '1' })).toBe('temMALFORMED');
    expect(withdraw(rig, Tf.tfSingleAsset, { Amount: rig.json(rig.eur, 1) })).toBe('temBAD_AMM_TOKENS');
    expect(withdraw(rig, Tf.tfSingleAsset, { Amount: '0' })).toBe('temBAD_AMOUNT');
    expect(withdraw(rig, Tf.tfSingleAsset, { Amount: '1000000001' })).toBe('tecAMM_BALANCE');
    expect(rig.amm('Withdraw', rig.bob, { Flags: Tf.tfWithdrawAll })).toBe('tecAMM_BALANCE');
    expect(withdraw(rig, Tf.tfLPToken, { LPTokenIn: rig.json(rig.lpAsset, 1_000_001) })).toBe(
      'tecAMM_INVALID_TOKENS',
    );
    expect(withdraw(rig, Tf.tfLPToken, { LPTokenIn: rig.json(rig.eur, 1) })).toBe('temBAD_AMM_TOKENS');
    expect(withdraw(rig, Tf.tfLPToken, { LPTokenIn: rig.json(rig.lpAsset, '1e-9') })).toBe('tecAMM_FAILED');
    const line = keylets.line(rig.alice.id, rig.issuer.id, rig.usd.slice(0, 40));
    const freeze = rig.issuer.id > rig.alice.id ? Lsf.lsfHighDeepFreeze : Lsf.lsfLowDeepFreeze;
    rig.change(line, { Flags: (rig.ledger.read(line)!.Flags! | freeze) >>> 0 });
    expect(withdraw(rig, Tf.tfWithdrawAll)).toBe('tecFROZEN');
    expect(withdraw(rig, Tf.tfSingleAsset, { Amount: '1000' })).toBe('tesSUCCESS');
  });
});

describe('frozen pools', () => {
  const freeze = (rig: AmmRig, account: string, flags: number): void => {
    const limit = { currency: 'USD', issuer: account, value: '0' };
    const set = {
      TransactionType: 'TrustSet',
      Account: rig.issuer.address,
      LimitAmount: limit,
      Flags: flags,
    };
    expect(rig.apply(set).result).toBe('tesSUCCESS');
  };

  test('no deposits while one asset is frozen for the pool or the provider, not even of the other', () => {
    const rig = withPool();
    const xrp = { Amount: '1000000', Flags: Tf.tfSingleAsset };
    freeze(rig, rig.addressOfPool(), Tf.tfSetFreeze);
    expect(rig.amm('Deposit', rig.bob, xrp)).toBe('tecFROZEN');
    freeze(rig, rig.addressOfPool(), Tf.tfClearFreeze);
    freeze(rig, rig.bob.address, Tf.tfSetFreeze);
    expect(rig.amm('Deposit', rig.bob, xrp)).toBe('tecFROZEN');
    freeze(rig, rig.bob.address, Tf.tfClearFreeze);
    expect(rig.amm('Deposit', rig.bob, xrp)).toBe('tesSUCCESS');
  });

  test('a frozen asset can be withdrawn unless deep frozen, or frozen for the pool; by its issuer always', () => {
    const rig = withPool();
    const usd = { Amount: rig.json(rig.usd, 1), Flags: Tf.tfSingleAsset };
    expect(rig.amm('Deposit', rig.issuer, usd)).toBe('tesSUCCESS');
    freeze(rig, rig.alice.address, Tf.tfSetFreeze);
    expect(rig.amm('Withdraw', rig.alice, usd)).toBe('tesSUCCESS');
    freeze(rig, rig.alice.address, Tf.tfSetDeepFreeze);
    expect(rig.amm('Withdraw', rig.alice, usd)).toBe('tecFROZEN');
    freeze(rig, rig.alice.address, Tf.tfClearFreeze | Tf.tfClearDeepFreeze);
    freeze(rig, rig.addressOfPool(), Tf.tfSetFreeze);
    expect(rig.amm('Withdraw', rig.alice, usd)).toBe('tecFROZEN');
    expect(rig.amm('Withdraw', rig.issuer, { ...usd, Amount: rig.json(rig.usd, '0.5') })).toBe('tesSUCCESS');
    expect(rig.unsound()).toEqual([]);
  });
});

describe('AMMVote', () => {
  test('the fee is the average by tokens, the slot gets a tenth', () => {
    const rig = withPool(500);
    expect(rig.amm('Vote', rig.bob, { TradingFee: 100 })).toBe('tecAMM_INVALID_TOKENS');
    rig.amm('Deposit', rig.bob, { Flags: Tf.tfLPToken, LPTokenOut: rig.json(rig.lpAsset, 1_000_000) });
    expect(rig.amm('Vote', rig.bob, { TradingFee: 1001 })).toBe('temBAD_FEE');
    expect(rig.amm('Vote', rig.bob, { TradingFee: 100 })).toBe('tesSUCCESS');
    expect(rig.pool.TradingFee).toBe(300);
    expect(rig.pool.AuctionSlot!.DiscountedFee).toBe(30);
    expect(rig.pool.VoteSlots!.map(({ VoteEntry }) => VoteEntry!.VoteWeight)).toEqual([50_000, 50_000]);
    for (const account of [rig.alice, rig.bob]) rig.amm('Vote', account, { TradingFee: 0 });
    expect([rig.pool.TradingFee, rig.pool.AuctionSlot!.DiscountedFee]).toEqual([undefined, undefined]);
  });

  test('a ninth voter replaces the weakest only when it is stronger', () => {
    const rig = withPool(500);
    const voters = rig.fund(...Array.from({ length: 9 }, (_, n) => `voter${n}`));
    voters.forEach((voter, n) => {
      rig.trust(voter, rig.usd, 1000n);
      const tokens = rig.json(rig.lpAsset, 1000 * (n < 8 ? n + 1 : 1));
      expect(rig.amm('Deposit', voter, { Flags: Tf.tfLPToken, LPTokenOut: tokens })).toBe('tesSUCCESS');
    });
    const votes = () => rig.pool.VoteSlots!.map(({ VoteEntry }) => VoteEntry!.Account);
    for (const voter of voters.slice(0, 7)) rig.amm('Vote', voter, { TradingFee: 200 });
    expect(votes()).toHaveLength(8);
    rig.amm('Vote', voters[7]!, { TradingFee: 200 });
    expect(votes()).not.toContain(voters[0]!.id);
    expect(votes()).toContain(voters[7]!.id);
    rig.amm('Vote', voters[8]!, { TradingFee: 1000 });
    expect(votes()).not.toContain(voters[8]!.id);
  });
});

describe('AMMBid', () => {
  test('the minimum price, then the holder is refunded', () => {
    const rig = withPool(1000);
    const tokens = rig.json(rig.lpAsset, 1_000_000);
    rig.amm('Deposit', rig.bob, { Flags: Tf.tfLPToken, LPTokenOut: tokens });
    // alice has the slot for free: 2,000,000 * 1% / 25 and 5% of zero.
    expect(rig.amm('Bid', rig.bob, { BidMax: rig.json(rig.lpAsset, 799) })).toBe('tecAMM_FAILED');
    expect(rig.amm('Bid', rig.bob, { BidMax: rig.json(rig.lpAsset, 800) })).toBe('tesSUCCESS');
    expect(rig.held(rig.bob).text()).toBe('999200');
    expect(rig.pool.LPTokenBalance!.text()).toBe('1999200');
    expect(rig.pool.AuctionSlot).toMatchObject({ Account: rig.bob.id, DiscountedFee: 100 });
    expect(rig.pool.AuctionSlot!.Price!.text()).toBe('800');
    const named = { AuthAccounts: [{ AuthAccount: { Account: rig.issuer.address } }] };
    expect(rig.amm('Bid', rig.alice, { ...named, BidMin: rig.json(rig.lpAsset, 2000) })).toBe('tesSUCCESS');
    expect(rig.pool.AuctionSlot!.AuthAccounts).toEqual([{ AuthAccount: { Account: rig.issuer.id } }]);
    // Of 800 bob gets back 95 %, the rest of the 2000 is burnt.
    expect(rig.held(rig.bob).text()).toBe('999960');
    expect(rig.held(rig.alice).text()).toBe('998000');
    expect(rig.pool.LPTokenBalance!.text()).toBe('1997960');
    expect(rig.unsound()).toEqual([]);
    expect(rig.problems()).toEqual([]);
  });

  test('refuses in order', () => {
    const rig = withPool();
    const auth = (...accounts: string[]) => ({
      AuthAccounts: accounts.map((Account) => ({ AuthAccount: { Account } })),
    });
    const { alice, bob, issuer } = rig;
    expect(rig.amm('Bid', alice, { BidMin: rig.json(rig.lpAsset, 0) })).toBe('temBAD_AMOUNT');
    expect(rig.amm('Bid', alice, auth(alice.address))).toBe('temMALFORMED');
    expect(rig.amm('Bid', alice, auth(bob.address, bob.address))).toBe('temMALFORMED');
    expect(rig.amm('Bid', alice, auth(rig.account('nobody').address))).toBe('terNO_ACCOUNT');
    expect(rig.amm('Bid', bob, auth(issuer.address))).toBe('tecAMM_INVALID_TOKENS');
    expect(rig.amm('Bid', alice, { BidMin: rig.json(rig.usd, 1) })).toBe('temBAD_AMM_TOKENS');
    expect(rig.amm('Bid', alice, { BidMin: rig.json(rig.lpAsset, 1_000_000) })).toBe('tecAMM_INVALID_TOKENS');
    const crossed = { BidMin: rig.json(rig.lpAsset, 20), BidMax: rig.json(rig.lpAsset, 10) };
    expect(rig.amm('Bid', alice, crossed)).toBe('tecAMM_INVALID_TOKENS');
  });
});

describe('AMMClawback', () => {
  test('takes one asset back, the other goes to the holder', () => {
    const rig = new AmmRig();
    const flags = Lsf.lsfDefaultRipple | Lsf.lsfAllowTrustLineClawback;
    rig.change(keylets.account(rig.issuer.id), { Flags: flags >>> 0 });
    rig.create();
    const claw = (fields: Record<string, unknown> = {}) =>
      rig.amm('Clawback', rig.issuer, {
        Holder: rig.alice.address,
        ...{ Asset: assetJson(rig.usd), Asset2: assetJson(XRP) },
        ...fields,
      });
    expect(claw({ Holder: rig.issuer.address })).toBe('temMALFORMED');
    expect(claw({ Asset: assetJson(XRP), Asset2: assetJson(rig.usd) })).toBe('temMALFORMED');
    expect(claw({ Flags: Tf.tfClawTwoAssets })).toBe('temINVALID_FLAG');
    expect(claw({ Amount: rig.json(rig.eur, 1) })).toBe('temBAD_AMOUNT');
    expect(claw({ Amount: rig.json(rig.usd, 0) })).toBe('temBAD_AMOUNT');
    expect(claw({ Holder: rig.account('nobody').address })).toBe('terNO_ACCOUNT');
    expect(claw({ Holder: rig.bob.address })).toBe('tecAMM_BALANCE');
    const before = rig.root(rig.alice).Balance!.drops;
    expect(claw({ Amount: rig.json(rig.usd, 400) })).toBe('tesSUCCESS');
    expect(rig.balances().map((amount) => amount.text())).toEqual(['600000000', '600']);
    expect(rig.root(rig.alice).Balance!.drops - before).toBe(400_000_000n);
    expect(rig.unsound()).toEqual([]);
    expect(claw()).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.amm(XRP, rig.usd))).toBeUndefined();
    rig.change(keylets.account(rig.issuer.id), { Flags: Lsf.lsfDefaultRipple });
    rig.create();
    expect(claw()).toBe('tecNO_PERMISSION');
    expect(rig.problems()).toEqual([]);
  });
});

describe('a pool with more former providers than one transaction can remove', () => {
  test('stays empty, can be funded again or deleted', () => {
    const rig = withPool();
    // Lines of LP tokens with a limit but without a balance, as TrustSet creates them.
    for (let n = 0; n < 520; n += 1) {
      const [account] = rig.fund(`former${n}`);
      rig.trust(account!, rig.lpAsset, 0n);
    }
    expect(rig.amm('Delete', rig.bob)).toBe('tecAMM_NOT_EMPTY');
    expect(rig.amm('Withdraw', rig.alice, { Flags: Tf.tfWithdrawAll })).toBe('tesSUCCESS');
    expect(rig.pool.LPTokenBalance!.isZero).toBe(true);
    const vote = { TradingFee: 10 };
    expect(rig.amm('Vote', rig.alice, vote)).toBe('tecAMM_EMPTY');
    const both = { Amount: '4000000', Amount2: rig.json(rig.usd, 9) };
    expect(rig.amm('Deposit', rig.bob, { Flags: Tf.tfTwoAsset, ...both })).toBe('tecAMM_EMPTY');
    expect(rig.amm('Deposit', rig.bob, { Flags: Tf.tfTwoAssetIfEmpty, ...both, ...vote })).toBe('tesSUCCESS');
    expect(rig.pool.LPTokenBalance!.text()).toBe('6000');
    expect(rig.pool.AuctionSlot!.Account).toBe(rig.bob.id);
    expect([rig.pool.TradingFee, rig.pool.AuctionSlot!.DiscountedFee]).toEqual([10, 1]);
    expect(rig.amm('Withdraw', rig.bob, { Flags: Tf.tfWithdrawAll })).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.amm(XRP, rig.usd))).toBeUndefined();
    expect(rig.amm('Delete', rig.bob)).toBe('terNO_AMM');
  });

  test('is deleted in steps', () => {
    const rig = withPool();
    for (let n = 0; n < 1030; n += 1) {
      const [account] = rig.fund(`former${n}`);
      rig.trust(account!, rig.lpAsset, 0n);
    }
    expect(rig.amm('Withdraw', rig.alice, { Flags: Tf.tfWithdrawAll })).toBe('tesSUCCESS');
    expect(rig.amm('Delete', rig.bob)).toBe('tecINCOMPLETE');
    expect(rig.amm('Delete', rig.bob)).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.amm(XRP, rig.usd))).toBeUndefined();
    expect(rig.root(rig.account('former7')).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });
});

describe('any sequence of deposits and withdrawals', () => {
  type Step = [deposit: boolean, kind: number, who: boolean, part: number];
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.tuple(
      fc.boolean(),
      fc.integer({ min: 0, max: 4 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 400_000 }),
    ),
    { minLength: 1, maxLength: 12 },
  );

  function take(rig: AmmRig, [isDeposit, kind, who, part]: Step): string {
    const [drops, usd] = rig.balances();
    const account = who ? rig.alice : rig.bob;
    const of = (amount: Amount): unknown =>
      Amount.of(amount.asset, (amount.mantissa * BigInt(part)) / 1_000_000n, amount.exponent).json();
    const tokens = of(isDeposit ? rig.pool.LPTokenBalance! : rig.held(account));
    const lp = isDeposit ? { LPTokenOut: tokens } : { LPTokenIn: tokens };
    const most = isDeposit ? usd.json() : rig.json(rig.usd, 0);
    const fields = [
      { Flags: Tf.tfLPToken, ...lp },
      { Flags: Tf.tfTwoAsset, Amount: of(drops), Amount2: of(usd) },
      { Flags: Tf.tfSingleAsset, Amount: of(drops) },
      { Flags: Tf.tfSingleAsset, Amount: of(usd) },
      { Flags: Tf.tfOneAssetLPToken, Amount: most, ...lp },
    ][kind]!;
    return rig.amm(isDeposit ? 'Deposit' : 'Withdraw', account, fields);
  }

  for (const [name, rules] of [
    ['16 digits', rulesOf([...SANDBOX_RULES.names].filter((one) => one !== 'SingleAssetVault'))],
    ['19 digits', SANDBOX_RULES],
  ] as const)
    test(`keeps the LP tokens covered and equal to those of the providers (${name})`, () => {
      const results = new Map<string, number>();
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 1000 }), steps, (fee, sequence) => {
          const rig = new AmmRig(rules);
          rig.create(fee);
          for (const step of sequence) {
            const result = take(rig, step);
            results.set(result, (results.get(result) ?? 0) + 1);
            expect([
              'tesSUCCESS',
              'tecAMM_FAILED',
              'tecAMM_INVALID_TOKENS',
              'tecAMM_BALANCE',
              'tecUNFUNDED_AMM',
              'temBAD_AMM_TOKENS',
              'temBAD_AMOUNT',
              'tecINSUF_RESERVE_LINE',
            ]).toContain(result);
            expect(rig.unsound()).toEqual([]);
          }
          expect(rig.problems()).toEqual([]);
        }),
        { seed, numRuns: 25 },
      );
      console.log(`${name}: ${[...results].map(([result, count]) => `${result} ${count}`).join(', ')}`);
      expect(results.get('tesSUCCESS')!).toBeGreaterThan(50);
    });
});
