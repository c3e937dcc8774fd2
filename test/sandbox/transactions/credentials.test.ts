/** Credentials and permissioned domains through the whole transactor: ownership, expiry, each refusal. */
import { describe, expect, test } from 'bun:test';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;
const TYPE = 'ABCD';

function rigOf(...names: string[]): [Rig, ...TestAccount[]] {
  const rig = new Rig();
  const accounts = rig.fund(...names);
  rig.close();
  return [rig, ...accounts];
}

const create = (rig: Rig, issuer: TestAccount, subject: TestAccount, more: Json = {}): string => {
  const fields = { Account: issuer.address, Subject: subject.address, CredentialType: TYPE };
  return rig.apply({ TransactionType: 'CredentialCreate', ...fields, ...more }).result;
};
const accept = (rig: Rig, issuer: TestAccount, subject: TestAccount, more: Json = {}): string => {
  const fields = { Account: subject.address, Issuer: issuer.address, CredentialType: TYPE };
  return rig.apply({ TransactionType: 'CredentialAccept', ...fields, ...more }).result;
};
const remove = (rig: Rig, by: TestAccount, more: Json): string =>
  rig.apply({ TransactionType: 'CredentialDelete', Account: by.address, CredentialType: TYPE, ...more })
    .result;

describe('credentials', () => {
  test('count for the issuer until accepted, then for the subject', () => {
    const [rig, issuer, subject] = rigOf('issuer', 'subject') as [Rig, TestAccount, TestAccount];
    const counts = () => [rig.root(issuer).OwnerCount, rig.root(subject).OwnerCount];
    expect(create(rig, issuer, subject, { URI: '6162' })).toBe('tesSUCCESS');
    expect(create(rig, issuer, subject)).toBe('tecDUPLICATE');
    const key = keylets.credential(subject.id, issuer.id, TYPE);
    expect(rig.ledger.read(key)).toMatchObject({ Flags: 0, URI: '6162' });
    expect(counts()).toEqual([1, 0]);
    expect(accept(rig, issuer, subject)).toBe('tesSUCCESS');
    expect(accept(rig, issuer, subject)).toBe('tecDUPLICATE');
    expect(rig.ledger.read(key)).toMatchObject({ Flags: 0x10000 });
    expect(counts()).toEqual([0, 1]);
    expect(remove(rig, issuer, { Subject: subject.address })).toBe('tesSUCCESS');
    expect(counts()).toEqual([0, 0]);
    expect(remove(rig, issuer, { Subject: subject.address })).toBe('tecNO_ENTRY');
    expect(rig.problems()).toEqual([]);
  });

  test('that an account issues to itself are accepted at once', () => {
    const [rig, alice] = rigOf('alice') as [Rig, TestAccount];
    expect(create(rig, alice, alice)).toBe('tesSUCCESS');
    const entry = rig.ledger.read(keylets.credential(alice.id, alice.id, TYPE))!;
    expect([entry.Flags, entry.SubjectNode]).toEqual([0x10000, undefined]);
    expect(remove(rig, alice, { Issuer: alice.address })).toBe('tesSUCCESS');
    expect(rig.root(alice).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });

  test('that have expired are deleted by an attempt to accept them, though that fails, or by any account', () => {
    const [rig, issuer, subject, other] = rigOf('issuer', 'subject', 'other') as [
      Rig,
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    const now = rig.ledger.header.parentCloseTime;
    expect(create(rig, issuer, subject, { Expiration: now - 1 })).toBe('tecEXPIRED');
    expect(create(rig, issuer, subject, { Expiration: now + 4 })).toBe('tesSUCCESS');
    expect(create(rig, issuer, subject, { CredentialType: '02', Expiration: now + 4 })).toBe('tesSUCCESS');
    const both = { Subject: subject.address, Issuer: issuer.address };
    rig.close();
    // In the very second of the expiration it is still valid.
    expect(remove(rig, other, both)).toBe('tecNO_PERMISSION');
    rig.close();
    expect(remove(rig, other, both)).toBe('tesSUCCESS');
    expect(accept(rig, issuer, subject, { CredentialType: '02' })).toBe('tecEXPIRED');
    expect(rig.ledger.read(keylets.credential(subject.id, issuer.id, '02'))).toBeUndefined();
    expect([rig.root(issuer).OwnerCount, rig.root(subject).OwnerCount]).toEqual([0, 0]);
    expect(rig.problems()).toEqual([]);
  });

  test('refusals', () => {
    const [rig, issuer, subject] = rigOf('issuer', 'subject') as [Rig, TestAccount, TestAccount];
    const unfunded = rig.account('nobody');
    const zero = 'rrrrrrrrrrrrrrrrrrrrrhoLvTp';
    expect(create(rig, issuer, subject, { CredentialType: '' })).toBe('temMALFORMED');
    expect(create(rig, issuer, subject, { CredentialType: 'AB'.repeat(65) })).toBe('temMALFORMED');
    expect(create(rig, issuer, subject, { URI: 'AB'.repeat(257) })).toBe('temMALFORMED');
    expect(create(rig, issuer, subject, { Flags: 1 })).toBe('temINVALID_FLAG');
    expect(create(rig, issuer, subject, { Subject: zero })).toBe('temMALFORMED');
    expect(create(rig, issuer, unfunded)).toBe('tecNO_TARGET');
    expect(accept(rig, unfunded, subject)).toBe('tecNO_ISSUER');
    expect(accept(rig, issuer, subject)).toBe('tecNO_ENTRY');
    expect(accept(rig, issuer, subject, { Issuer: zero })).toBe('temINVALID_ACCOUNT_ID');
    expect(remove(rig, issuer, {})).toBe('temMALFORMED');
    expect(remove(rig, issuer, { Subject: zero })).toBe('temINVALID_ACCOUNT_ID');
    const pool = rig.fundWith('pool', 5_000_000n);
    rig.ledger.peek(keylets.account(pool.id))!.AMMID = 'AB'.repeat(32);
    expect(create(rig, issuer, pool)).toBe('tecPSEUDO_ACCOUNT');
    const poor = rig.fundWith('poor', 1_199_999n);
    expect(create(rig, poor, subject)).toBe('tecINSUFFICIENT_RESERVE');
    create(rig, issuer, poor);
    expect(accept(rig, issuer, poor)).toBe('tecINSUFFICIENT_RESERVE');
  });

  test('authorise a deposit that requires them', () => {
    const [rig, issuer, alice, bob] = rigOf('issuer', 'alice', 'bob') as [
      Rig,
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    rig.apply({ TransactionType: 'AccountSet', Account: bob.address, SetFlag: 9 });
    const AuthorizeCredentials = [{ Credential: { Issuer: issuer.address, CredentialType: TYPE } }];
    const door = { TransactionType: 'DepositPreauth', Account: bob.address, AuthorizeCredentials };
    expect(rig.apply(door).result).toBe('tesSUCCESS');
    const now = rig.ledger.header.parentCloseTime;
    create(rig, issuer, alice, { Expiration: now + 100 });
    const CredentialIDs = [keylets.credential(alice.id, issuer.id, TYPE)];
    const sequence = rig.root(alice).Sequence!;
    const escrow = {
      TransactionType: 'EscrowCreate',
      Account: alice.address,
      Destination: bob.address,
      Amount: '7',
    };
    expect(rig.apply({ ...escrow, FinishAfter: now }).result).toBe('tesSUCCESS');
    rig.close();
    const finish = {
      TransactionType: 'EscrowFinish',
      Account: alice.address,
      Owner: alice.address,
      OfferSequence: sequence,
    };
    expect(rig.apply({ ...finish, CredentialIDs }).result).toBe('tecBAD_CREDENTIALS');
    accept(rig, issuer, alice);
    expect(rig.apply(finish).result).toBe('tecNO_PERMISSION');
    expect(rig.apply({ ...finish, CredentialIDs: [...CredentialIDs, ...CredentialIDs] }).result).toBe(
      'temMALFORMED',
    );
    expect(rig.apply({ ...finish, CredentialIDs }).result).toBe('tesSUCCESS');
    expect(rig.problems()).toEqual([]);
  });
});

describe('permissioned domains', () => {
  const accepted = (...pairs: [TestAccount, string][]) =>
    pairs.map(([issuer, CredentialType]) => ({ Credential: { Issuer: issuer.address, CredentialType } }));

  test('are created, changed and deleted by their owner', () => {
    const [rig, alice, bob] = rigOf('alice', 'bob') as [Rig, TestAccount, TestAccount];
    const set = (by: TestAccount, more: Json) =>
      rig.apply({ TransactionType: 'PermissionedDomainSet', Account: by.address, ...more }).result;
    const sequence = rig.root(alice).Sequence!;
    const AcceptedCredentials = accepted([bob, '02'], [alice, '01'], [bob, '01'], [alice, '0100']);
    expect(set(alice, { AcceptedCredentials })).toBe('tesSUCCESS');
    const DomainID = keylets.permissionedDomain(alice.id, sequence);
    const kinds = () =>
      rig.ledger
        .read(DomainID)!
        .AcceptedCredentials!.map(({ Credential: c }) => c!.Issuer! + c!.CredentialType!);
    expect(kinds()).toEqual([`${alice.id}01`, `${alice.id}0100`, `${bob.id}01`, `${bob.id}02`].sort());
    expect(rig.ledger.read(DomainID)).toMatchObject({ Owner: alice.id, Sequence: sequence });
    expect(set(bob, { DomainID, AcceptedCredentials })).toBe('tecNO_PERMISSION');
    expect(set(alice, { DomainID, AcceptedCredentials: accepted([bob, '03']) })).toBe('tesSUCCESS');
    expect(kinds()).toEqual([`${bob.id}03`]);
    expect(rig.root(alice).OwnerCount).toBe(1);
    const drop = { TransactionType: 'PermissionedDomainDelete', DomainID };
    expect(rig.apply({ ...drop, Account: bob.address }).result).toBe('tecNO_PERMISSION');
    expect(rig.apply({ ...drop, Account: alice.address }).result).toBe('tesSUCCESS');
    expect(rig.apply({ ...drop, Account: alice.address }).result).toBe('tecNO_ENTRY');
    expect(rig.root(alice).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });

  test('the number of a ticket is used for the domain', () => {
    const [rig, alice] = rigOf('alice') as [Rig, TestAccount];
    const ticket = rig.root(alice).Sequence! + 1;
    rig.apply({ TransactionType: 'TicketCreate', Account: alice.address, TicketCount: 1 });
    const fields = {
      Account: alice.address,
      AcceptedCredentials: accepted([alice, '01']),
      TicketSequence: ticket,
    };
    expect(rig.apply({ TransactionType: 'PermissionedDomainSet', ...fields }).result).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.permissionedDomain(alice.id, ticket))!.Sequence).toBe(ticket);
  });

  test('refusals', () => {
    const [rig, alice] = rigOf('alice') as [Rig, TestAccount];
    const set = (more: Json, by = alice) =>
      rig.apply({ TransactionType: 'PermissionedDomainSet', Account: by.address, ...more }).result;
    const many = Array.from(
      { length: 11 },
      (_, at) => [alice, at.toString(16).padStart(2, '0')] as [TestAccount, string],
    );
    const one = { AcceptedCredentials: accepted([alice, '01']) };
    expect(set({ AcceptedCredentials: [] })).toBe('temARRAY_EMPTY');
    expect(set({ AcceptedCredentials: accepted(...many) })).toBe('temARRAY_TOO_LARGE');
    expect(set({ AcceptedCredentials: accepted(...many.slice(1)) })).toBe('tesSUCCESS');
    expect(set({ AcceptedCredentials: accepted([alice, '01'], [alice, '01']) })).toBe('temMALFORMED');
    expect(set({ AcceptedCredentials: accepted([alice, '']) })).toBe('temMALFORMED');
    expect(set({ AcceptedCredentials: accepted([rig.account('nobody'), '01']) })).toBe('tecNO_ISSUER');
    expect(set({ ...one, DomainID: '0'.repeat(64) })).toBe('temMALFORMED');
    expect(set({ ...one, DomainID: 'AB'.repeat(32) })).toBe('tecNO_ENTRY');
    // The reserve must be covered after the fee.
    const poor = rig.fundWith('poor', 1_200_009n);
    expect(set(one, poor)).toBe('tecINSUFFICIENT_RESERVE');
    const drop = { TransactionType: 'PermissionedDomainDelete', Account: alice.address };
    expect(rig.apply({ ...drop, DomainID: '0'.repeat(64) }).result).toBe('temMALFORMED');
  });
});
