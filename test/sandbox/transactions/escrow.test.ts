/** Escrows of XRP, issued currencies and MPTs through the whole transactor: times, conditions, fees, limits, refusals. */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { Amount, currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import { lineBalance } from '../../../sandbox/assets/trust-lines.ts';
import { rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { escrowFinish } from '../../../sandbox/transactions/escrow-finish.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;
const USD = currencyOfJson('USD')!;
const SECRET = Buffer.from('the secret of this escrow');
const FULFILLMENT = `A01B8019${SECRET.toString('hex')}`.toUpperCase();
const CONDITION = `A0258020${createHash('sha256').update(SECRET).digest('hex')}810119`.toUpperCase();

class EscrowRig extends Rig {
  get now(): number {
    return this.ledger.header.parentCloseTime;
  }

  /** @returns result, and the sequence that identifies the escrow. */
  create(from: TestAccount, to: TestAccount, amount: unknown, more: Json = {}): [string, number] {
    const sequence = this.root(from).Sequence!;
    const { result } = this.apply({
      TransactionType: 'EscrowCreate',
      Account: from.address,
      Destination: to.address,
      Amount: amount,
      ...more,
    });
    return [result, sequence];
  }

  finish(by: TestAccount, owner: TestAccount, OfferSequence: number, more: Json = {}): string {
    const tx = {
      TransactionType: 'EscrowFinish',
      Account: by.address,
      Owner: owner.address,
      OfferSequence,
      ...more,
    };
    return this.apply(tx).result;
  }

  cancel(by: TestAccount, owner: TestAccount, OfferSequence: number): string {
    const tx = { TransactionType: 'EscrowCancel', Account: by.address, Owner: owner.address, OfferSequence };
    return this.apply(tx).result;
  }

  set(account: TestAccount, flag: number, more: Json = {}): void {
    const tx = { TransactionType: 'AccountSet', Account: account.address, SetFlag: flag, ...more };
    expect(this.apply(tx).result).toBe('tesSUCCESS');
  }
}

function rigOf(...names: string[]): [EscrowRig, ...TestAccount[]] {
  const rig = new EscrowRig();
  const accounts = rig.fund(...names);
  rig.close();
  return [rig, ...accounts];
}

describe('escrows of XRP', () => {
  test('can be finished after FinishAfter and until CancelAfter, by any account', () => {
    const [rig, alice, bob, carol] = rigOf('alice', 'bob', 'carol');
    const [result, at] = rig.create(alice!, bob!, '1000000', {
      FinishAfter: rig.now + 4,
      CancelAfter: rig.now + 8,
    });
    expect(result).toBe('tesSUCCESS');
    const [, late] = rig.create(alice!, bob!, '5', { FinishAfter: rig.now + 4, CancelAfter: rig.now + 8 });
    expect(rig.root(alice!)).toMatchObject({ OwnerCount: 2 });
    expect(rig.root(alice!).Balance!.drops).toBe(10_000_000_000n - 1_000_005n - 20n);
    rig.close();
    // In the very second of FinishAfter it is too early.
    expect(rig.finish(carol!, alice!, at)).toBe('tecNO_PERMISSION');
    rig.close();
    // In the very second of CancelAfter it is not over yet.
    expect(rig.cancel(alice!, alice!, late)).toBe('tecNO_PERMISSION');
    expect(rig.finish(carol!, alice!, at)).toBe('tesSUCCESS');
    expect(rig.root(bob!).Balance!.drops).toBe(10_001_000_000n);
    rig.close();
    expect(rig.finish(carol!, alice!, late)).toBe('tecNO_PERMISSION');
    expect(rig.cancel(carol!, alice!, late)).toBe('tesSUCCESS');
    expect(rig.root(alice!).OwnerCount).toBe(0);
    expect(rig.finish(carol!, alice!, late)).toBe('tecNO_TARGET');
    expect(rig.problems()).toEqual([]);
  });

  test('refusals of creation', () => {
    const [rig, alice, bob] = rigOf('alice', 'bob');
    const result = (more: Json, amount: unknown = '5', to = bob!) => rig.create(alice!, to, amount, more)[0];
    const FinishAfter = rig.now + 10;
    expect(result({})).toBe('temBAD_EXPIRATION');
    expect(result({ FinishAfter, CancelAfter: FinishAfter })).toBe('temBAD_EXPIRATION');
    expect(result({ CancelAfter: FinishAfter })).toBe('temMALFORMED');
    expect(result({ FinishAfter, Condition: 'A000' })).toBe('temMALFORMED');
    expect(result({ FinishAfter }, '0')).toBe('temBAD_AMOUNT');
    expect(result({ FinishAfter: rig.now - 1 })).toBe('tecNO_PERMISSION');
    expect(result({ FinishAfter: rig.now })).toBe('tesSUCCESS');
    expect(result({ FinishAfter }, '5', rig.account('nobody'))).toBe('tecNO_DST');
    expect(result({ FinishAfter }, '9999000000')).toBe('tecUNFUNDED');
    rig.set(bob!, 1);
    expect(result({ FinishAfter })).toBe('tecDST_TAG_NEEDED');
    expect(result({ FinishAfter, DestinationTag: 1 })).toBe('tesSUCCESS');
    const dave = rig.fundWith('dave', 1_200_009n);
    expect(rig.create(dave, alice!, '1', { FinishAfter })[0]).toBe('tecINSUFFICIENT_RESERVE');
  });

  test('a condition must be repeated and fulfilled, and the fee must cover its fulfillment', () => {
    const [rig, alice, bob] = rigOf('alice', 'bob');
    const [created, at] = rig.create(alice!, bob!, '1', { CancelAfter: rig.now + 100, Condition: CONDITION });
    expect(created).toBe('tesSUCCESS');
    const both = { Condition: CONDITION, Fulfillment: FULFILLMENT };
    // 29 bytes: a base fee, 32 for the check, one for the first 16 bytes.
    const fields = { TransactionType: 'EscrowFinish', Account: bob!.id, Fee: Amount.drops(0n), Sequence: 1 };
    expect(escrowFinish.baseFee!(rig.ledger, { ...fields, Fulfillment: FULFILLMENT }, 10n)).toBe(340n);
    expect(escrowFinish.baseFee!(rig.ledger, fields, 10n)).toBe(10n);
    const Fee = '340';
    expect(rig.finish(bob!, alice!, at)).toBe('tecCRYPTOCONDITION_ERROR');
    expect(rig.finish(bob!, alice!, at, { Condition: CONDITION })).toBe('temMALFORMED');
    const wrong = FULFILLMENT.replace(/..$/, '00');
    expect(rig.finish(bob!, alice!, at, { ...both, Fulfillment: wrong, Fee })).toBe(
      'tecCRYPTOCONDITION_ERROR',
    );
    expect(rig.finish(bob!, alice!, at, { ...both, Fee })).toBe('tesSUCCESS');
    const [, plain] = rig.create(alice!, bob!, '1', { FinishAfter: rig.now });
    rig.close();
    expect(rig.finish(bob!, alice!, plain, { ...both, Fee })).toBe('tecCRYPTOCONDITION_ERROR');
    expect(rig.finish(bob!, alice!, plain)).toBe('tesSUCCESS');
  });

  test('deposit authorisation applies to the account that finishes', () => {
    const [rig, alice, bob, carol] = rigOf('alice', 'bob', 'carol');
    rig.set(bob!, 9);
    const [, at] = rig.create(alice!, bob!, '1', { FinishAfter: rig.now });
    rig.close();
    expect(rig.finish(carol!, alice!, at)).toBe('tecNO_PERMISSION');
    expect(rig.finish(carol!, alice!, at, { CredentialIDs: ['AB'.repeat(32)] })).toBe('tecBAD_CREDENTIALS');
    expect(rig.finish(bob!, alice!, at)).toBe('tesSUCCESS');
  });
});

/** A gateway whose currency can be in escrow, with a transfer rate; alice holds 1,000. */
function issuedRig(rate = 1_000_000_000): [EscrowRig, ...TestAccount[]] {
  const rigged = rigOf('gateway', 'alice', 'bob');
  const [rig, gateway, alice] = rigged as [EscrowRig, TestAccount, TestAccount, TestAccount];
  rig.set(gateway, 8, { TransferRate: rate });
  const usd = (value: string) => ({ currency: 'USD', issuer: gateway.address, value });
  rig.apply({ TransactionType: 'TrustSet', Account: alice.address, LimitAmount: usd('10000') });
  const funding = { TransactionType: 'Payment', Account: gateway.address, Destination: alice.address };
  expect(rig.apply({ ...funding, Amount: usd('1000') }).result).toBe('tesSUCCESS');
  return rigged;
}

describe('escrows of issued currencies (XLS-85)', () => {
  const held = (rig: EscrowRig, of: TestAccount, gateway: TestAccount) =>
    lineBalance(rig.ledger, of.id, issued(USD, gateway.id)).text();

  test('the transfer fee is taken from the amount, at the lower of the rates', () => {
    for (const [after, received] of [
      [undefined, '80'],
      [1_100_000_000, '90.90909090909091'],
      [1_500_000_000, '80'],
    ] as const) {
      const [rig, gateway, alice, bob] = issuedRig(1_250_000_000);
      const amount = { currency: 'USD', issuer: gateway!.address, value: '100' };
      expect(rig.create(alice!, bob!, amount, { FinishAfter: rig.now })[0]).toBe('tecNO_PERMISSION');
      rig.set(gateway!, 17);
      const [created, at] = rig.create(alice!, bob!, amount, { FinishAfter: rig.now });
      expect(created).toBe('tesSUCCESS');
      expect(rig.ledger.read(keylets.escrow(alice!.id, at))!.TransferRate).toBe(1_250_000_000);
      expect(held(rig, alice!, gateway!)).toBe('900');
      rig.close();
      if (after) rig.apply({ TransactionType: 'AccountSet', Account: gateway!.address, TransferRate: after });
      // Only the receiver itself can create its line.
      expect(rig.finish(alice!, alice!, at)).toBe('tecNO_LINE');
      expect(rig.finish(bob!, alice!, at)).toBe('tesSUCCESS');
      expect(held(rig, bob!, gateway!)).toBe(received);
      expect(rig.root(alice!).OwnerCount).toBe(1);
      expect(rig.root(bob!).OwnerCount).toBe(1);
      expect(rig.problems()).toEqual([]);
    }
  });

  test('after cancelling, all of it is returned; others cannot exceed the limit of a line', () => {
    const [rig, gateway, alice, bob] = issuedRig();
    rig.set(gateway!, 17);
    const amount = { currency: 'USD', issuer: gateway!.address, value: '100' };
    const times = { FinishAfter: rig.now, CancelAfter: rig.now + 5 };
    const [, at] = rig.create(alice!, bob!, amount, times);
    const limit = { currency: 'USD', issuer: gateway!.address, value: '99' };
    rig.apply({ TransactionType: 'TrustSet', Account: bob!.address, LimitAmount: limit });
    rig.close();
    expect(rig.finish(alice!, alice!, at)).toBe('tecLIMIT_EXCEEDED');
    rig.close();
    expect(rig.cancel(bob!, alice!, at)).toBe('tesSUCCESS');
    expect(held(rig, alice!, gateway!)).toBe('1000');
    expect(rig.problems()).toEqual([]);
  });

  test('refusals', () => {
    const [rig, gateway, alice, bob] = issuedRig();
    rig.set(gateway!, 17);
    const usd = (value: string) => ({ currency: 'USD', issuer: gateway!.address, value });
    const result = (from: TestAccount, to: TestAccount, amount: unknown) =>
      rig.create(from, to, amount, { FinishAfter: rig.now })[0];
    expect(result(gateway!, bob!, usd('1'))).toBe('tecNO_PERMISSION');
    expect(result(bob!, alice!, usd('1'))).toBe('tecNO_LINE');
    expect(result(alice!, bob!, usd('1001'))).toBe('tecINSUFFICIENT_FUNDS');
    expect(result(alice!, bob!, usd('-1'))).toBe('temBAD_AMOUNT');
    expect(result(alice!, gateway!, usd('1'))).toBe('tesSUCCESS');
    rig.set(gateway!, 7);
    expect(result(alice!, bob!, usd('1'))).toBe('tecFROZEN');
    const names = [...SANDBOX_RULES.names].filter((name) => name !== 'TokenEscrow');
    const early = new EscrowRig({ rules: rulesOf(names) });
    const [carol, dave] = early.fund('carol', 'dave') as [TestAccount, TestAccount];
    expect(early.create(carol, dave, usd('1'), { FinishAfter: early.now })[0]).toBe('temBAD_AMOUNT');
  });
});

describe('escrows of MPTs (XLS-85)', () => {
  test('units are locked; the fee of a finished escrow is destroyed', () => {
    const [rig, issuer, alice, bob] = rigOf('issuer', 'alice', 'bob');
    const sequence = rig.root(issuer!).Sequence!;
    const id = keylets.mptId(sequence, issuer!.id);
    rig.apply({
      TransactionType: 'MPTokenIssuanceCreate',
      Account: issuer!.address,
      Flags: 0x20 | 0x08, // can transfer, can be in escrow
      TransferFee: 25_000,
    });
    const authorize = { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id };
    const amount = (value: string) => ({ mpt_issuance_id: id, value });
    expect(rig.create(alice!, bob!, amount('100'), { FinishAfter: rig.now })[0]).toBe('tecOBJECT_NOT_FOUND');
    rig.apply({ ...authorize, Account: alice!.address });
    const funding = { TransactionType: 'Payment', Account: issuer!.address, Destination: alice!.address };
    expect(rig.apply({ ...funding, Amount: amount('1000') }).result).toBe('tesSUCCESS');
    const times = { FinishAfter: rig.now, CancelAfter: rig.now + 9 };
    const [created, at] = rig.create(alice!, bob!, amount('100'), times);
    const [, back] = rig.create(alice!, bob!, amount('50'), times);
    expect(created).toBe('tesSUCCESS');
    const holding = (of: TestAccount) => rig.ledger.read(keylets.mptoken(id, of.id));
    const issuance = () => rig.ledger.read(keylets.mptIssuance(id))!;
    expect(holding(alice!)).toMatchObject({ MPTAmount: 850n, LockedAmount: 150n });
    expect(issuance()).toMatchObject({ OutstandingAmount: 1000n, LockedAmount: 150n });
    rig.close();
    expect(rig.finish(alice!, alice!, at)).toBe('tecNO_PERMISSION');
    expect(rig.finish(bob!, alice!, at)).toBe('tesSUCCESS');
    // 100 at a rate of 1.25 are 80; the other 20 are gone.
    expect(holding(bob!)!.MPTAmount).toBe(80n);
    expect(issuance()).toMatchObject({ OutstandingAmount: 980n, LockedAmount: 50n });
    rig.close();
    rig.close();
    expect(rig.cancel(bob!, alice!, back)).toBe('tesSUCCESS');
    expect(holding(alice!)).toMatchObject({ MPTAmount: 900n });
    expect(holding(alice!)!.LockedAmount).toBeUndefined();
    expect(issuance().LockedAmount).toBeUndefined();
    expect(rig.problems()).toEqual([]);
  });
});
