/** Checks and payment channels: result codes, delivered amounts, directories and counts afterwards. */
import { expect, test } from 'bun:test';
import { encodeForSigningClaim } from 'ripple-binary-codec';
import { sign } from 'ripple-keypairs';
import { currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import { Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

function checks() {
  const rig = new Rig();
  const [alice, bob, issuer] = rig.fund('alice', 'bob', 'issuer') as [TestAccount, TestAccount, TestAccount];
  const usd = (value: string) => ({ currency: 'USD', issuer: issuer.address, value });
  const create = (SendMax: unknown, fields: Json = {}) => {
    const id = keylets.check(alice.id, rig.root(alice).Sequence!);
    const Destination = bob.address;
    const tx = { TransactionType: 'CheckCreate', Account: alice.address, Destination, SendMax, ...fields };
    return { id, result: rig.apply(tx).result };
  };
  const cash = (id: string, fields: Json, by = bob) =>
    rig.apply({ TransactionType: 'CheckCash', Account: by.address, CheckID: id, ...fields });
  const cancel = (id: string, by: TestAccount) =>
    rig.apply({ TransactionType: 'CheckCancel', Account: by.address, CheckID: id }).result;
  const set = (account: TestAccount, fields: Json) =>
    rig.apply({ TransactionType: 'AccountSet', Account: account.address, ...fields }).result;
  return { rig, alice, bob, issuer, usd, create, cash, cancel, set };
}

test('a check of XRP: created, cashed exactly, at least, not beyond the funds', () => {
  const { rig, alice, bob, create, cash } = checks();
  const { id, result } = create('1000000');
  expect(result).toBe('tesSUCCESS');
  expect(rig.root(alice).OwnerCount).toBe(1);
  expect(cash(id, {}).result).toBe('temMALFORMED');
  expect(cash(id, { Amount: '0' }).result).toBe('temBAD_AMOUNT');
  expect(cash(id, { Amount: '1000001' }).result).toBe('tecPATH_PARTIAL');
  expect(cash(id, { Amount: '1' }, alice).result).toBe('tecNO_PERMISSION');
  expect(cash('A'.repeat(64), { Amount: '1' }).result).toBe('tecNO_ENTRY');
  expect(cash('0'.repeat(64), { Amount: '1' }).result).toBe('temMALFORMED');
  const before = rig.root(bob).Balance!.drops;
  expect(cash(id, { Amount: '400000' }).result).toBe('tesSUCCESS');
  expect(rig.root(bob).Balance!.drops).toBe(before + 400_000n - 10n);
  expect(rig.root(alice).OwnerCount).toBe(0);

  const most = create('99000000000').id;
  const outcome = cash(most, { DeliverMin: '1' });
  expect(outcome.result).toBe('tesSUCCESS');
  // All above the reserve without the check: 1 XRP stays.
  expect(rig.root(alice).Balance!.drops).toBe(1_000_000n);
  expect(outcome.metadata!.DeliveredAmount!.drops).toBeGreaterThan(9_000_000_000n);
  rig.close();
  expect(rig.problems()).toEqual([]);
});

test('invalid checks', () => {
  const { rig, alice, bob, usd, create, set } = checks();
  expect(create('0').result).toBe('temBAD_AMOUNT');
  expect(create('1', { Expiration: 0 }).result).toBe('temBAD_EXPIRATION');
  expect(create('1', { Expiration: 1 }).result).toBe('tecEXPIRED');
  expect(create('1', { Destination: alice.address }).result).toBe('temREDUNDANT');
  expect(create('1', { Destination: rig.account('nobody').address }).result).toBe('tecNO_DST');
  expect(set(bob, { SetFlag: 1 })).toBe('tesSUCCESS');
  expect(create('1').result).toBe('tecDST_TAG_NEEDED');
  expect(create('1', { DestinationTag: 0 }).result).toBe('tesSUCCESS');
  expect(set(bob, { SetFlag: 13 })).toBe('tesSUCCESS');
  expect(create('1', { DestinationTag: 0 }).result).toBe('tecNO_PERMISSION');
  expect(set(bob, { ClearFlag: 13 })).toBe('tesSUCCESS');
  expect(set(rig.account('issuer'), { SetFlag: 7 })).toBe('tesSUCCESS');
  expect(create(usd('1'), { DestinationTag: 0 }).result).toBe('tecFROZEN');
});

test('who may cancel, and when', () => {
  const { rig, alice, bob, issuer, create, cancel, cash } = checks();
  const soon = rig.ledger.header.parentCloseTime + 6;
  const { id } = create('1', { Expiration: soon });
  expect(cancel(id, issuer)).toBe('tecNO_PERMISSION');
  rig.close();
  rig.close();
  expect(cash(id, { Amount: '1' }).result).toBe('tecEXPIRED');
  expect(cancel(id, issuer)).toBe('tesSUCCESS');
  expect(cancel(create('1').id, alice)).toBe('tesSUCCESS');
  expect(cancel(create('1').id, bob)).toBe('tesSUCCESS');
  expect(cancel('B'.repeat(64), bob)).toBe('tecNO_ENTRY');
  expect(rig.root(alice).OwnerCount).toBe(0);
  rig.close();
  expect(rig.problems()).toEqual([]);
});

test('a check of issued currency creates the line, pays the transfer fee, ignores the limit', () => {
  const { rig, alice, bob, issuer, usd, create, cash, set } = checks();
  expect(set(issuer, { SetFlag: 8, TransferRate: 1_100_000_000 })).toBe('tesSUCCESS');
  rig.apply({ TransactionType: 'TrustSet', Account: alice.address, LimitAmount: usd('1000') });
  const Amount = usd('110');
  rig.apply({ TransactionType: 'Payment', Account: issuer.address, Destination: alice.address, Amount });
  const { id } = create(usd('110'));
  expect(cash(id, { Amount: '5' }).result).toBe('temMALFORMED');
  expect(cash(id, { Amount: usd('111') }).result).toBe('tecPATH_PARTIAL');
  const outcome = cash(id, { DeliverMin: usd('50') });
  expect(outcome.result).toBe('tesSUCCESS');
  expect(outcome.metadata!.DeliveredAmount!.text()).toBe('100');
  const line = rig.ledger.read(keylets.line(bob.id, issuer.id, currencyOfJson('USD')!))!;
  expect(line.Balance!.abs().text()).toBe('100');
  expect([line.LowLimit!.isZero, line.HighLimit!.isZero]).toEqual([true, true]);
  // No balance is left: alice's line exists only by its limit.
  expect(cash(create(usd('1')).id, { Amount: usd('1') }).result).toBe('tecPATH_PARTIAL');
  expect(set(issuer, { SetFlag: 7 })).toBe('tesSUCCESS');
  rig.close();
  expect(rig.problems()).toEqual([]);
});

function channels() {
  const rig = new Rig();
  const [alice, bob, carol] = rig.fund('alice', 'bob', 'carol') as [TestAccount, TestAccount, TestAccount];
  const id = keylets.payChannel(alice.id, bob.id, rig.root(alice).Sequence!);
  const create = (fields: Json = {}) =>
    rig.apply({
      TransactionType: 'PaymentChannelCreate',
      Account: alice.address,
      Destination: bob.address,
      Amount: '1000000',
      SettleDelay: 100,
      PublicKey: alice.publicKey,
      ...fields,
    }).result;
  const claim = (by: TestAccount, fields: Json = {}) =>
    rig.apply({ TransactionType: 'PaymentChannelClaim', Account: by.address, Channel: id, ...fields }).result;
  const fund = (by: TestAccount, fields: Json = {}) =>
    rig.apply({
      TransactionType: 'PaymentChannelFund',
      Account: by.address,
      Channel: id,
      Amount: '5',
      ...fields,
    }).result;
  const signed = (amount: string, signer = alice) => ({
    PublicKey: signer.publicKey,
    Signature: sign(encodeForSigningClaim({ channel: id, amount }), signer.privateKey),
  });
  const channel = () => rig.ledger.read(id);
  return { rig, alice, bob, carol, id, create, claim, fund, signed, channel };
}

test('invalid channels', () => {
  const { rig, alice, bob, create } = channels();
  expect(create({ Amount: '0' })).toBe('temBAD_AMOUNT');
  expect(create({ Destination: alice.address })).toBe('temDST_IS_SRC');
  expect(create({ PublicKey: '04'.repeat(33) })).toBe('temMALFORMED');
  expect(create({ Destination: rig.account('nobody').address })).toBe('tecNO_DST');
  expect(create({ Amount: '9999900000' })).toBe('tecUNFUNDED');
  expect(create({ CancelAfter: 1 })).toBe('tecEXPIRED');
  rig.apply({ TransactionType: 'AccountSet', Account: bob.address, SetFlag: 14 });
  expect(create()).toBe('tecNO_PERMISSION');
  const poor = rig.fundWith('poor', 1_100_000n);
  expect(create({ Account: poor.address, Destination: alice.address, PublicKey: poor.publicKey })).toBe(
    'tecINSUFFICIENT_RESERVE',
  );
});

test('claims: signed by the payer, growing, within the funds', () => {
  const { rig, alice, bob, carol, create, claim, signed, channel } = channels();
  expect(claim(bob, { Balance: '1', ...signed('1') })).toBe('tecNO_TARGET');
  // The failed claim has not used alice's sequence.
  expect(create()).toBe('tesSUCCESS');
  expect(claim(carol)).toBe('tecNO_PERMISSION');
  expect(claim(bob, { Balance: '100' })).toBe('tecNO_PERMISSION');
  expect(claim(bob, { Balance: '100', ...signed('99') })).toBe('temBAD_SIGNATURE');
  expect(claim(bob, { Balance: '100', ...signed('100', carol) })).toBe('tecNO_PERMISSION');
  expect(claim(bob, { Balance: '101', Amount: '100', ...signed('100') })).toBe('temBAD_AMOUNT');
  expect(claim(bob, { Flags: Tf.tfClose | Tf.tfRenew })).toBe('temMALFORMED');
  const before = rig.root(bob).Balance!.drops;
  expect(claim(bob, { Balance: '100', Amount: '500', ...signed('500') })).toBe('tesSUCCESS');
  expect(rig.root(bob).Balance!.drops).toBe(before + 100n - 10n);
  expect(claim(bob, { Balance: '100', Amount: '500', ...signed('500') })).toBe('tecUNFUNDED_PAYMENT');
  expect(claim(alice, { Balance: '1000001' })).toBe('tecUNFUNDED_PAYMENT');
  expect(claim(alice, { Balance: '300' })).toBe('tesSUCCESS');
  expect(claim(bob, { Flags: Tf.tfRenew })).toBe('tecNO_PERMISSION');
  expect(claim(bob, { Flags: Tf.tfClose })).toBe('tesSUCCESS');
  expect(channel()).toBeUndefined();
  expect(rig.root(alice).OwnerCount).toBe(0);
  rig.close();
  expect(rig.problems()).toEqual([]);
});

test('the payer closes after the settle delay; renewing and funding in between', () => {
  const { rig, alice, bob, create, claim, fund, channel } = channels();
  expect(fund(alice)).toBe('tecNO_ENTRY');
  const again = keylets.payChannel(alice.id, bob.id, rig.root(alice).Sequence!);
  expect(create()).toBe('tesSUCCESS');
  expect(rig.ledger.read(again)).toBeDefined();
  const use = { Channel: again };
  const now = rig.ledger.header.parentCloseTime;
  expect(claim(alice, { ...use, Flags: Tf.tfClose })).toBe('tesSUCCESS');
  expect(rig.ledger.read(again)!.Expiration).toBe(now + 100);
  expect(fund(bob, use)).toBe('tecNO_PERMISSION');
  expect(fund(alice, { ...use, Expiration: now + 99 })).toBe('tecNO_PERMISSION');
  expect(fund(alice, { ...use, Expiration: now + 200 })).toBe('tesSUCCESS');
  expect(claim(alice, { ...use, Flags: Tf.tfRenew })).toBe('tesSUCCESS');
  expect(rig.ledger.read(again)!.Expiration).toBeUndefined();
  expect(claim(alice, { ...use, Flags: Tf.tfClose })).toBe('tesSUCCESS');
  rig.close(98);
  rig.close(4);
  expect(rig.ledger.header.parentCloseTime).toBeGreaterThan(now + 100);
  const before = rig.root(alice).Balance!.drops;
  expect(claim(bob, use)).toBe('tesSUCCESS');
  expect(rig.ledger.read(again)).toBeUndefined();
  expect(rig.root(alice).Balance!.drops).toBe(before + 1_000_005n);
  expect(channel()).toBeUndefined();
  rig.close();
  expect(rig.problems()).toEqual([]);
});

test('a receiver with deposit authorisation accepts claims of authorised payers', () => {
  const { rig, alice, bob, create, claim, signed } = channels();
  expect(create()).toBe('tesSUCCESS');
  rig.apply({ TransactionType: 'AccountSet', Account: bob.address, SetFlag: 9 });
  expect(claim(alice, { Balance: '10' })).toBe('tecNO_PERMISSION');
  expect(claim(bob, { Balance: '10', ...signed('10') })).toBe('tesSUCCESS');
  rig.apply({ TransactionType: 'DepositPreauth', Account: bob.address, Authorize: alice.address });
  expect(claim(alice, { Balance: '20' })).toBe('tesSUCCESS');
});
