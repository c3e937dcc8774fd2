/** Batches in their four modes, and delegation. Batches are signed by the xrpl package. */
import { describe, expect, test } from 'bun:test';
import { hashes, signMultiBatch, Wallet } from 'xrpl';
import { Rig, type TestAccount } from '../rig.ts';

const XRP_MODES = { all: 0x1_0000, one: 0x2_0000, untilFailure: 0x4_0000, independent: 0x8_0000 };
const INNER = 0x4000_0000;

function setUp(): { rig: Rig; alice: TestAccount; bob: TestAccount } {
  const rig = new Rig();
  const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.close();
  return { rig, alice, bob };
}

const pay = (from: TestAccount, to: TestAccount, drops: string, Sequence: number) => ({
  RawTransaction: {
    TransactionType: 'Payment',
    Account: from.address,
    Destination: to.address,
    Amount: drops,
    Fee: '0',
    Sequence,
    Flags: INNER,
    SigningPubKey: '',
  },
});

describe('Batch', () => {
  const tooMuch = '99000000000';
  const cases: [mode: keyof typeof XRP_MODES, drops: string[], applied: string[]][] = [
    ['all', ['1', '2'], ['tesSUCCESS', 'tesSUCCESS']],
    ['all', ['1', tooMuch], []],
    ['one', [tooMuch, '2', '3'], ['tecUNFUNDED_PAYMENT', 'tesSUCCESS']],
    ['untilFailure', ['1', tooMuch, '3'], ['tesSUCCESS', 'tecUNFUNDED_PAYMENT']],
    ['independent', ['1', tooMuch, '3'], ['tesSUCCESS', 'tecUNFUNDED_PAYMENT', 'tesSUCCESS']],
  ];
  test.each(cases)('%s of %p', (mode, drops, applied) => {
    const { rig, alice, bob } = setUp();
    const first = rig.root(alice).Sequence! + 1;
    const outcome = rig.apply({
      TransactionType: 'Batch',
      Account: alice.address,
      Flags: XRP_MODES[mode],
      Fee: '100',
      RawTransactions: drops.map((amount, at) => pay(alice, bob, amount, first + at)),
    });
    expect(outcome.result).toBe('tesSUCCESS');
    expect(outcome.inner!.map(({ outcome: { result } }) => result as string)).toEqual(applied);
    outcome.inner!.forEach(({ outcome: { metadata, fee } }, at) => {
      expect(metadata!.ParentBatchID).toMatch(/^[0-9A-F]{64}$/);
      expect([metadata!.TransactionIndex, fee]).toEqual([at + 1, 0n]);
    });
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('of two accounts, the other one signing by the xrpl package', () => {
    const { rig, alice, bob } = setUp();
    const wallet = new Wallet(bob.publicKey, bob.privateKey);
    const batch: Record<string, unknown> = {
      TransactionType: 'Batch',
      Account: alice.address,
      Sequence: rig.root(alice).Sequence,
      Flags: XRP_MODES.all,
      Fee: '100',
      RawTransactions: [
        pay(alice, bob, '5', rig.root(alice).Sequence! + 1),
        pay(bob, alice, '7', rig.root(bob).Sequence!),
      ],
    };
    expect(rig.apply(batch).result).toBe('temBAD_SIGNER');
    signMultiBatch(wallet, batch as never);
    const wrong = structuredClone(batch) as never as { Flags: number };
    wrong.Flags = XRP_MODES.independent;
    expect(rig.apply(wrong as never).result).toBe('temINVALID');
    const before = rig.root(bob).Balance!.drops;
    const outcome = rig.apply(batch);
    expect(outcome.result).toBe('tesSUCCESS');
    const inner = batch.RawTransactions as { RawTransaction: never }[];
    expect(outcome.inner!.map(({ transaction }) => transaction.hash)).toEqual(
      inner.map(({ RawTransaction }) => hashes.hashSignedTx(RawTransaction)),
    );
    expect(rig.root(bob).Balance!.drops).toBe(before - 2n);
  });

  test('refuses what is not a batch', () => {
    const { rig, alice, bob } = setUp();
    const sequence = rig.root(alice).Sequence! + 1;
    const batch = (RawTransactions: unknown[], Flags = XRP_MODES.all) =>
      rig.apply({ TransactionType: 'Batch', Account: alice.address, Flags, Fee: '100', RawTransactions })
        .result;
    const one = pay(alice, bob, '1', sequence);
    expect(batch([one])).toBe('temARRAY_EMPTY');
    expect(batch([one, one])).toBe('temREDUNDANT');
    expect(batch([one, pay(alice, bob, '2', sequence)])).toBe('temREDUNDANT');
    expect(batch([one, pay(alice, bob, '2', 0)])).toBe('temSEQ_AND_TICKET');
    expect(batch([one, pay(alice, bob, '2', sequence + 1)], 0x3_0000)).toBe('temINVALID_FLAG');
    expect(batch([one, pay(alice, bob, '0', sequence + 1)])).toBe('temINVALID_INNER_BATCH');
  });
});

describe('delegation', () => {
  test('of a whole type: the delegate signs and pays', () => {
    const { rig, alice, bob } = setUp();
    const set = (values: string[]) => ({
      TransactionType: 'DelegateSet',
      Account: alice.address,
      Authorize: bob.address,
      Permissions: values.map((PermissionValue) => ({ Permission: { PermissionValue } })),
    });
    const tickets = {
      TransactionType: 'TicketCreate',
      Account: alice.address,
      TicketCount: 1,
      Delegate: bob.address,
    };
    expect(rig.apply(tickets).result).toBe('terNO_DELEGATE_PERMISSION');
    expect(rig.apply(set([])).result).toBe('tecNO_ENTRY');
    expect(rig.apply(set(['AccountDelete'])).result).toBe('temMALFORMED');
    expect(rig.apply(set(['Payment', 'Payment'])).result).toBe('temMALFORMED');
    expect(rig.apply(set(['TicketCreate'])).result).toBe('tesSUCCESS');
    expect(rig.root(alice).OwnerCount).toBe(1);
    const [balance, paid] = [rig.root(alice).Balance!.drops, rig.root(bob).Balance!.drops];
    expect(rig.apply(tickets).result).toBe('tesSUCCESS');
    expect([rig.root(alice).Balance!.drops, rig.root(bob).Balance!.drops]).toEqual([balance, paid - 10n]);
    expect(rig.apply(tickets, { signer: alice }).result).toBe('tefBAD_AUTH');
    expect(rig.apply(set([])).result).toBe('tesSUCCESS');
    expect(rig.root(alice).OwnerCount).toBe(1);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });
});
