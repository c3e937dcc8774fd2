/** TrustSet and Clawback of issued currency: result codes, owner counts, creation and deletion of lines. */
import { expect, test } from 'bun:test';
import { currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import { Lsf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

const USD = currencyOfJson('USD')!;
const usd = (value: string, { address }: TestAccount) => ({ currency: 'USD', issuer: address, value });

function setUp() {
  const rig = new Rig();
  const [issuer, alice] = rig.fund('issuer', 'alice') as [TestAccount, TestAccount];
  const trust = (from: TestAccount, to: TestAccount, value: string, fields: Record<string, unknown> = {}) =>
    rig.apply({ TransactionType: 'TrustSet', Account: from.address, LimitAmount: usd(value, to), ...fields })
      .result;
  const pay = (from: TestAccount, to: TestAccount, value: string, of = issuer) =>
    rig.apply({
      TransactionType: 'Payment',
      Account: from.address,
      Destination: to.address,
      Amount: usd(value, of),
    }).result;
  const line = () => rig.ledger.read(keylets.line(issuer.id, alice.id, USD));
  const set = (account: TestAccount, flag: number) =>
    rig.apply({ TransactionType: 'AccountSet', Account: account.address, SetFlag: flag }).result;
  return { rig, issuer, alice, trust, pay, line, set };
}

/** Whether the account is on the high side of the line. */
const isHigh = (account: TestAccount, peer: TestAccount) => account.id > peer.id;

test('a line is created with a limit and deleted with its last difference from the default', () => {
  const { rig, issuer, alice, trust, line } = setUp();
  expect(trust(alice, issuer, '0')).toBe('tecNO_LINE_REDUNDANT');
  expect(trust(alice, issuer, '100')).toBe('tesSUCCESS');
  expect([rig.root(alice).OwnerCount, rig.root(issuer).OwnerCount]).toEqual([1, 0]);
  expect(trust(issuer, alice, '5')).toBe('tesSUCCESS');
  expect([rig.root(alice).OwnerCount, rig.root(issuer).OwnerCount]).toEqual([1, 1]);
  expect(trust(alice, issuer, '0', { Flags: Tf.tfSetNoRipple })).toBe('tesSUCCESS');
  expect([rig.root(alice).OwnerCount, rig.root(issuer).OwnerCount]).toEqual([0, 1]);
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetNoRipple })).toBe('tesSUCCESS');
  expect(line()).toBeUndefined();
  expect([rig.root(alice).OwnerCount, rig.root(issuer).OwnerCount]).toEqual([0, 0]);
  rig.close();
  expect(rig.problems()).toEqual([]);
});

test('form and targets', () => {
  const { rig, issuer, alice, trust } = setUp();
  const bad = (LimitAmount: unknown) =>
    rig.apply({ TransactionType: 'TrustSet', Account: alice.address, LimitAmount }).result;
  expect(bad('100')).toBe('temBAD_LIMIT');
  expect(bad(usd('-1', issuer))).toBe('temBAD_LIMIT');
  expect(trust(alice, alice, '1')).toBe('temDST_IS_SRC');
  expect(trust(alice, rig.account('nobody'), '1')).toBe('tecNO_DST');
  expect(trust(alice, issuer, '1', { Flags: Tf.tfSetfAuth })).toBe('tefNO_AUTH_REQUIRED');
});

test('the first two lines need no reserve, the third does', () => {
  const { rig, trust } = setUp();
  const poor = rig.fundWith('poor', 1_000_100n);
  const [a, b, c] = rig.fund('a', 'b', 'c') as [TestAccount, TestAccount, TestAccount];
  expect(trust(poor, a, '1')).toBe('tesSUCCESS');
  expect(trust(poor, b, '1')).toBe('tesSUCCESS');
  expect(trust(poor, c, '1')).toBe('tecNO_LINE_INSUF_RESERVE');
  expect(rig.root(poor).OwnerCount).toBe(2);
});

test('qualities are stored; face value of quality out is stored as none', () => {
  const { issuer, alice, trust, line } = setUp();
  trust(alice, issuer, '100', { QualityIn: 990_000_000, QualityOut: 1_000_000_000 });
  const side = isHigh(alice, issuer) ? 'High' : 'Low';
  expect(line()![`${side}QualityIn`]).toBe(990_000_000);
  expect(line()![`${side}QualityOut`]).toBeUndefined();
  trust(alice, issuer, '100', { QualityIn: 0, QualityOut: 980_000_000 });
  expect(line()![`${side}QualityIn`]).toBeUndefined();
  expect(line()![`${side}QualityOut`]).toBe(980_000_000);
});

test('authorisation is required before a line receives a balance', () => {
  const { issuer, alice, trust, pay, set } = setUp();
  expect(set(issuer, 2)).toBe('tesSUCCESS');
  trust(alice, issuer, '100');
  expect(pay(issuer, alice, '10')).toBe('tecPATH_DRY');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetfAuth })).toBe('tesSUCCESS');
  expect(pay(issuer, alice, '10')).toBe('tesSUCCESS');
});

test('freezes: deep needs plain, no freeze forbids both, setting and clearing do not mix', () => {
  const { issuer, alice, trust, line, set } = setUp();
  trust(alice, issuer, '100');
  const deep = isHigh(issuer, alice) ? Lsf.lsfHighDeepFreeze : Lsf.lsfLowDeepFreeze;
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetDeepFreeze })).toBe('tecNO_PERMISSION');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetFreeze | Tf.tfClearFreeze })).toBe('tecNO_PERMISSION');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetFreeze | Tf.tfSetDeepFreeze })).toBe('tesSUCCESS');
  expect(line()!.Flags! & deep).not.toBe(0);
  expect(trust(issuer, alice, '0', { Flags: Tf.tfClearFreeze })).toBe('tecNO_PERMISSION');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfClearFreeze | Tf.tfClearDeepFreeze })).toBe('tesSUCCESS');
  expect(set(issuer, 6)).toBe('tesSUCCESS');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetFreeze })).toBe('tecNO_PERMISSION');
});

test('the side that owes cannot set no-ripple', () => {
  const { issuer, alice, trust, pay } = setUp();
  trust(alice, issuer, '100');
  expect(pay(issuer, alice, '10')).toBe('tesSUCCESS');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfClearNoRipple })).toBe('tesSUCCESS');
  expect(trust(issuer, alice, '0', { Flags: Tf.tfSetNoRipple })).toBe('tecNO_PERMISSION');
});

test('new incoming lines can be refused, but not changes of existing ones', () => {
  const { issuer, alice, trust, set } = setUp();
  expect(trust(alice, issuer, '1')).toBe('tesSUCCESS');
  expect(set(issuer, 15)).toBe('tesSUCCESS');
  expect(trust(alice, issuer, '2')).toBe('tesSUCCESS');
  expect(set(alice, 15)).toBe('tesSUCCESS');
  expect(trust(alice, issuer, '0', { Flags: Tf.tfSetNoRipple })).toBe('tesSUCCESS');
  expect(trust(issuer, alice, '1')).toBe('tecNO_PERMISSION');
});

test('clawback takes at most the balance, and the line is deleted when nothing is left', () => {
  const { rig, issuer, alice, trust, pay, line, set } = setUp();
  const claw = (from: TestAccount, amount: unknown, fields: Record<string, unknown> = {}) =>
    rig.apply({ TransactionType: 'Clawback', Account: from.address, Amount: amount, ...fields }).result;
  expect(claw(issuer, usd('1', alice))).toBe('tecNO_PERMISSION');
  expect(set(issuer, 16)).toBe('tesSUCCESS');
  expect(set(issuer, 8)).toBe('tesSUCCESS');
  expect(claw(issuer, usd('1', alice))).toBe('tecNO_LINE');
  trust(alice, issuer, '100');
  expect(claw(issuer, usd('1', alice))).toBe('tecINSUFFICIENT_FUNDS');
  pay(issuer, alice, '10');
  expect(claw(issuer, '1')).toBe('temBAD_AMOUNT');
  expect(claw(issuer, usd('1', issuer))).toBe('temBAD_AMOUNT');
  expect(claw(issuer, usd('1', alice), { Holder: alice.address })).toBe('temMALFORMED');
  expect(claw(alice, usd('1', issuer))).toBe('tecNO_PERMISSION');
  expect(claw(issuer, usd('4', alice))).toBe('tesSUCCESS');
  expect(line()!.Balance!.abs().text()).toBe('6');
  trust(alice, issuer, '0', { Flags: Tf.tfSetNoRipple });
  expect(claw(issuer, usd('100', alice))).toBe('tesSUCCESS');
  expect(line()).toBeUndefined();
  expect(rig.root(alice).OwnerCount).toBe(0);
  rig.close();
  expect(rig.problems()).toEqual([]);
});
