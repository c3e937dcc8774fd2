/** The stages of a transaction: common checks, fee and sequence, failures that only pay the fee, signatures of all kinds. */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { preflight } from '../../../sandbox/apply/preflight.ts';
import { transactionOfFields } from '../../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../sandbox/apply/transactor.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import type { Entry, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

const tickets = (account: TestAccount, more: Record<string, unknown> = {}) => ({
  TransactionType: 'TicketCreate',
  Account: account.address,
  TicketCount: 1,
  ...more,
});

const rootOf = (rig: Rig, account: TestAccount): Entry =>
  rig.ledger.peek(keylets.account(account.id)) as Entry;

describe('a transaction', () => {
  test('pays its fee, uses its sequence, leaves metadata', () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    rig.close();
    const before = rig.root(alice);
    const outcome = rig.apply(tickets(alice, { TicketCount: 2, Fee: '15' }));
    expect(outcome).toMatchObject({ result: 'tesSUCCESS', applied: true, fee: 15n });
    const after = rig.root(alice);
    expect(after.Balance!.drops).toBe(before.Balance!.drops - 15n);
    expect(after.Sequence).toBe(before.Sequence! + 3);
    expect([after.TicketCount, after.OwnerCount]).toEqual([2, 2]);
    const nodes = outcome.metadata!.AffectedNodes!.map((node) => {
      const [kind, fields] = Object.entries(node)[0] as [string, { LedgerEntryType: string }];
      return `${kind} ${fields.LedgerEntryType}`;
    });
    expect(nodes.sort()).toEqual([
      'CreatedNode DirectoryNode',
      'CreatedNode Ticket',
      'CreatedNode Ticket',
      'ModifiedNode AccountRoot',
    ]);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('that fails pays its fee and does nothing else', () => {
    const rig = new Rig();
    const alice = rig.fundWith('alice', 1_100_000n);
    rig.close();
    const { Sequence } = rig.root(alice);
    expect(rig.apply(tickets(alice), { retry: true })).toMatchObject({
      result: 'tecINSUFFICIENT_RESERVE',
      applied: false,
    });
    expect(rig.apply(tickets(alice), { failHard: true })).toMatchObject({ applied: false });
    const outcome = rig.apply(tickets(alice));
    expect(outcome).toMatchObject({ result: 'tecINSUFFICIENT_RESERVE', applied: true });
    expect(outcome.metadata!.AffectedNodes!.length).toBe(1);
    expect(rig.root(alice)).toMatchObject({ Sequence: Sequence! + 1, OwnerCount: 0 });
    expect(rig.root(alice).Balance!.drops).toBe(1_099_990n);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('that is only simulated changes nothing', () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    rig.close();
    const fields = transactionOfFields({
      TransactionType: 'TicketCreate',
      Account: alice.id,
      Fee: Amount.drops(10n),
      Sequence: rig.root(alice).Sequence,
      SigningPubKey: '',
      TicketCount: 1,
    } as TransactionFields);
    const outcome = applyTransaction(rig.ledger, fields, { networkId: 0, simulate: true });
    expect(outcome).toMatchObject({ result: 'tesSUCCESS', applied: false });
    expect(outcome.metadata!.AffectedNodes!.length).toBe(3);
    expect([...rig.ledger.changes()]).toEqual([]);
  });

  test('that cannot pay in full pays what the account has, in a closing ledger only', () => {
    const rig = new Rig();
    const poor = rig.fundWith('poor', 5n);
    expect(rig.apply(tickets(poor))).toMatchObject({ result: 'tecINSUFF_FEE', applied: true, fee: 5n });
    expect(rig.root(poor).Balance!.drops).toBe(0n);
    expect(rig.apply(tickets(poor))).toMatchObject({ result: 'terINSUF_FEE_B', applied: false });
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('in an open ledger must offer the required fee, and has no metadata', () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    rig.close();
    const closed = rig.ledger;
    rig.ledger = new EntryTable(closed, { open: true });
    expect(rig.apply(tickets(alice), { requiredFee: (base) => base * 2n }).result).toBe('telINSUF_FEE_P');
    expect(rig.apply(tickets(alice, { Fee: '9' })).result).toBe('telINSUF_FEE_P');
    const outcome = rig.apply(tickets(alice, { Fee: '20' }), { requiredFee: (base) => base * 2n });
    expect(outcome).toMatchObject({ result: 'tesSUCCESS', applied: true });
    expect(outcome.metadata).toBeUndefined();
    expect(rig.ledger.destroyed).toBe(0n);
  });

  test('contains the hash of the one before it, which is zero for an account that tracks none', () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    rig.close();
    const zero = '0'.repeat(64);
    expect(rig.apply(tickets(alice, { AccountTxnID: zero })).result).toBe('tesSUCCESS');
    expect(rig.root(alice).AccountTxnID).toBeUndefined();
    const tracking = { Account: alice.address, TransactionType: 'AccountSet', SetFlag: 5 };
    expect(rig.apply(tracking).result).toBe('tesSUCCESS');
    // The transaction that starts the tracking is not tracked itself.
    expect(rig.apply(tickets(alice, { AccountTxnID: zero })).result).toBe('tesSUCCESS');
    const last = rig.root(alice).AccountTxnID!;
    expect(last).not.toBe(zero);
    expect(rig.apply(tickets(alice, { AccountTxnID: zero })).result).toBe('tefWRONG_PRIOR');
    expect(rig.apply(tickets(alice, { AccountTxnID: last })).result).toBe('tesSUCCESS');
  });

  const refusals: [name: string, more: Record<string, unknown>, result: string][] = [
    ['a sequence used before', { Sequence: 1 }, 'tefPAST_SEQ'],
    ['a sequence to come', { Sequence: 1000 }, 'terPRE_SEQ'],
    ['a ticket to come', { TicketSequence: 1000 }, 'terPRE_TICKET'],
    ['a ticket never made', { TicketSequence: 1 }, 'tefNO_TICKET'],
    ['sequence and ticket', { Sequence: 4, TicketSequence: 1 }, 'temSEQ_AND_TICKET'],
    ['ticket and AccountTxnID', { TicketSequence: 1, AccountTxnID: 'A'.repeat(64) }, 'temINVALID'],
    ['a last ledger that is past', { LastLedgerSequence: 1 }, 'tefMAX_LEDGER'],
    ['another transaction before', { AccountTxnID: 'A'.repeat(64) }, 'tefWRONG_PRIOR'],
    ['a network on one that has none', { NetworkID: 5 }, 'telNETWORK_ID_MAKES_TX_NON_CANONICAL'],
    ['an unknown flag', { Flags: 1 }, 'temINVALID_FLAG'],
    ['the flag of an inner transaction', { Flags: 0x4000_0000 }, 'temINVALID_INNER_BATCH'],
    [
      'a fee that is no XRP',
      { Fee: { currency: 'USD', issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '1' } },
      'temBAD_FEE',
    ],
    ['nothing to do', { TicketCount: 0 }, 'temINVALID_COUNT'],
    ['too many tickets', { TicketCount: 251 }, 'temINVALID_COUNT'],
    ['the account itself as delegate', { Delegate: 'SELF' }, 'temBAD_SIGNER'],
    ['a delegate who is none', { Delegate: 'BOB' }, 'terNO_DELEGATE_PERMISSION'],
    ['a sponsor', { SponsorFlags: 1, Sponsor: 'BOB' }, 'temDISABLED'],
    ['memos too long', { Memos: [{ Memo: { MemoData: 'AB'.repeat(1100) } }] }, 'temINVALID'],
  ];
  test.each(refusals)('is refused with %s', (_name, more, result) => {
    const rig = new Rig();
    const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
    rig.close();
    const named = Object.entries(more).map(([name, value]) => [
      name,
      value === 'SELF' ? alice.address : value === 'BOB' ? bob.address : value,
    ]);
    const outcome = rig.apply(tickets(alice, Object.fromEntries(named)));
    expect(outcome).toMatchObject({ result, applied: false, fee: 0n });
    expect([...rig.ledger.changes()]).toEqual([]);
  });

  test('of a missing account, of a type that is not implemented', () => {
    const rig = new Rig();
    const unfunded = rig.account('nobody');
    expect(rig.apply(tickets(unfunded)).result).toBe('terNO_ACCOUNT');
    const fields = { TransactionType: 'LoanSet', Account: unfunded.id } as TransactionFields;
    expect(preflight(fields, SANDBOX_RULES, { networkId: 0 })).toBe('temDISABLED');
  });

  test('contains the network id where the network requires it', () => {
    const rig = new Rig({ networkId: 21_337 });
    const [alice] = rig.fund('alice') as [TestAccount];
    expect(rig.apply(tickets(alice)).result).toBe('telREQUIRES_NETWORK_ID');
    expect(rig.apply(tickets(alice, { NetworkID: 21_338 })).result).toBe('telWRONG_NETWORK');
    expect(rig.apply(tickets(alice, { NetworkID: 21_337 })).result).toBe('tesSUCCESS');
  });

  test("keeps the account's own chain of transactions", () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    rootOf(rig, alice).AccountTxnID = '0'.repeat(64);
    rig.close();
    expect(rig.apply(tickets(alice, { AccountTxnID: '0'.repeat(64) })).result).toBe('tesSUCCESS');
    expect(rig.root(alice).AccountTxnID).toBe(rig.root(alice).PreviousTxnID!);
    expect(rig.apply(tickets(alice, { AccountTxnID: '0'.repeat(64) })).result).toBe('tefWRONG_PRIOR');
  });

  test('that the ledger already contains is refused', () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    expect(rig.apply(tickets(alice), { known: () => true }).result).toBe('tefALREADY');
  });

  test('uses tickets in any order', () => {
    const rig = new Rig();
    const [alice] = rig.fund('alice') as [TestAccount];
    rig.apply(tickets(alice, { TicketCount: 3 }));
    const first = rig.root(alice).Sequence! - 3;
    expect(rig.apply(tickets(alice, { TicketSequence: first + 1 })).result).toBe('tesSUCCESS');
    expect(rig.apply(tickets(alice, { TicketSequence: first + 1 })).result).toBe('tefNO_TICKET');
    expect(rig.root(alice)).toMatchObject({ TicketCount: 3, OwnerCount: 3 });
    rig.close();
    expect(rig.problems()).toEqual([]);
  });
});

describe('signatures', () => {
  test('of the master key, the regular key, and neither', () => {
    const rig = new Rig();
    const [alice, bob, carol] = rig.fund('alice', 'bob', 'carol') as [TestAccount, TestAccount, TestAccount];
    expect(rig.apply(tickets(alice), { signer: bob }).result).toBe('tefBAD_AUTH');
    rootOf(rig, alice).RegularKey = bob.id;
    expect(rig.apply(tickets(alice), { signer: bob }).result).toBe('tesSUCCESS');
    expect(rig.apply(tickets(alice)).result).toBe('tesSUCCESS');
    rootOf(rig, alice).Flags = Lsf.lsfDisableMaster;
    expect(rig.apply(tickets(alice)).result).toBe('tefMASTER_DISABLED');
    expect(rig.apply(tickets(alice), { signer: carol }).result).toBe('tefBAD_AUTH');
  });

  test('that do not match, or of an unknown type of key', () => {
    const rig = new Rig();
    const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
    expect(rig.apply(tickets(alice, { TxnSignature: 'AB' }), { verify: () => false }).result).toBe(
      'temINVALID',
    );
    const odd = { ...bob, publicKey: `05${bob.publicKey.slice(2)}` };
    expect(rig.apply(tickets(alice), { signer: odd }).result).toBe('temBAD_SIGNATURE');
  });

  const listed = (rig: Rig, owner: TestAccount, quorum: number, members: [TestAccount, number][]): void => {
    rig.ledger.insert({
      LedgerEntryType: 'SignerList',
      index: keylets.signerList(owner.id),
      Flags: Lsf.lsfOneOwnerCount,
      SignerQuorum: quorum,
      SignerListID: 0,
      OwnerNode: 0n,
      SignerEntries: members
        .sort(([a], [b]) => (a.id < b.id ? -1 : 1))
        .map(([{ id }, SignerWeight]) => ({ SignerEntry: { Account: id, SignerWeight } })),
    });
  };

  test('of members of a signer list whose weights reach the quorum', () => {
    const rig = new Rig();
    const [alice, bob, carol] = rig.fund('alice', 'bob', 'carol') as [TestAccount, TestAccount, TestAccount];
    const phantom = rig.account('phantom');
    const key = rig.account('key');
    expect(rig.apply(tickets(alice), { signers: [bob] }).result).toBe('tefNOT_MULTI_SIGNING');
    listed(rig, alice, 3, [
      [bob, 1],
      [carol, 2],
      [phantom, 2],
    ]);
    expect(rig.apply(tickets(alice), { signers: [bob] }).result).toBe('tefBAD_QUORUM');
    expect(rig.apply(tickets(alice), { signers: [bob, carol] }).result).toBe('tesSUCCESS');
    expect(rig.apply(tickets(alice), { signers: [bob, phantom] }).result).toBe('tesSUCCESS');
    expect(rig.apply(tickets(alice), { signers: [bob, key] }).result).toBe('tefBAD_SIGNATURE');
    expect(rig.apply(tickets(alice), { signers: [bob, carol], keys: { carol: key } }).result).toBe(
      'tefBAD_SIGNATURE',
    );
    rootOf(rig, carol).RegularKey = key.id;
    expect(rig.apply(tickets(alice), { signers: [bob, carol], keys: { carol: key } }).result).toBe(
      'tesSUCCESS',
    );
    rootOf(rig, carol).Flags = Lsf.lsfDisableMaster;
    expect(rig.apply(tickets(alice), { signers: [bob, carol] }).result).toBe('tefMASTER_DISABLED');
    expect(rig.apply(tickets(alice), { signers: [bob, alice] }).result).toBe('temINVALID');
    expect(rig.apply(tickets(alice), { signers: [bob, carol], verify: () => false }).result).toBe(
      'temINVALID',
    );
  });

  test('cost one base fee each', () => {
    const rig = new Rig();
    const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
    listed(rig, alice, 1, [[bob, 1]]);
    rig.ledger = new EntryTable(rig.ledger, { open: true });
    expect(rig.apply(tickets(alice, { Fee: '19' }), { signers: [bob] }).result).toBe('telINSUF_FEE_P');
    expect(rig.apply(tickets(alice, { Fee: '20' }), { signers: [bob] }).result).toBe('tesSUCCESS');
  });
});
