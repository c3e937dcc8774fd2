/** AccountSet, SetRegularKey, SignerListSet and DepositPreauth: result codes and effects, as in rippled. */
import { expect, test } from 'bun:test';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

const settings = (account: TestAccount, fields: Record<string, unknown>) => ({
  TransactionType: 'AccountSet',
  Account: account.address,
  ...fields,
});

test('plain flags are set and cleared', () => {
  const rig = new Rig();
  const [alice] = rig.fund('alice') as [TestAccount];
  for (const [asf, lsf] of [
    [1, Lsf.lsfRequireDestTag],
    [2, Lsf.lsfRequireAuth],
    [3, Lsf.lsfDisallowXRP],
    [7, Lsf.lsfGlobalFreeze],
    [8, Lsf.lsfDefaultRipple],
    [9, Lsf.lsfDepositAuth],
    [12, Lsf.lsfDisallowIncomingNFTokenOffer],
    [13, Lsf.lsfDisallowIncomingCheck],
    [14, Lsf.lsfDisallowIncomingPayChan],
    [15, Lsf.lsfDisallowIncomingTrustline],
    [17, Lsf.lsfAllowTrustLineLocking],
  ] as const) {
    expect(rig.apply(settings(alice, { SetFlag: asf })).result).toBe('tesSUCCESS');
    expect(rig.root(alice).Flags).toBe(lsf);
    expect(rig.apply(settings(alice, { ClearFlag: asf })).result).toBe('tesSUCCESS');
    expect(rig.root(alice).Flags).toBe(0);
  }
});

test('contradictions and bad values', () => {
  const rig = new Rig();
  const [alice] = rig.fund('alice') as [TestAccount];
  for (const [fields, result] of [
    [{ SetFlag: 1, ClearFlag: 1 }, 'temINVALID_FLAG'],
    [{ Flags: 0x0001_0000, ClearFlag: 1 }, 'temINVALID_FLAG'],
    [{ Flags: 0x0000_0001 }, 'temINVALID_FLAG'],
    [{ TransferRate: 999_999_999 }, 'temBAD_TRANSFER_RATE'],
    [{ TransferRate: 2_000_000_001 }, 'temBAD_TRANSFER_RATE'],
    [{ TickSize: 2 }, 'temBAD_TICK_SIZE'],
    [{ TickSize: 17 }, 'temBAD_TICK_SIZE'],
    [{ MessageKey: '04'.repeat(33) }, 'telBAD_PUBLIC_KEY'],
    [{ Domain: '61'.repeat(257) }, 'telBAD_DOMAIN'],
    [{ SetFlag: 10 }, 'temMALFORMED'],
    [{ ClearFlag: 10, NFTokenMinter: alice.address }, 'temMALFORMED'],
    [{ SetFlag: 4 }, 'tecNO_ALTERNATIVE_KEY'],
  ] as const) {
    expect([fields, rig.apply(settings(alice, fields)).result]).toEqual([fields, result]);
  }
});

test('values are stored, and their empty form removes them', () => {
  const rig = new Rig();
  const [alice, minter] = rig.fund('alice', 'minter') as [TestAccount, TestAccount];
  const full = {
    Domain: '6578616D706C65',
    EmailHash: 'AB'.repeat(16),
    MessageKey: `ED${'11'.repeat(32)}`,
    TransferRate: 1_010_000_000,
    TickSize: 5,
    WalletLocator: '22'.repeat(32),
  };
  rig.apply(settings(alice, full));
  expect(rig.root(alice)).toMatchObject(full);
  rig.apply(settings(alice, { SetFlag: 10, NFTokenMinter: minter.address }));
  expect(rig.root(alice).NFTokenMinter).toBe(minter.id);
  const none = { Domain: '', EmailHash: '0'.repeat(32), MessageKey: '', TransferRate: 0, TickSize: 16 };
  rig.apply(settings(alice, { ...none, WalletLocator: '0'.repeat(64), ClearFlag: 10 }));
  for (const name of [...Object.keys(full), 'NFTokenMinter'])
    expect(rig.root(alice)).not.toHaveProperty(name);
});

test('no freeze needs the master key, is permanent, and keeps a global freeze', () => {
  const rig = new Rig();
  const [alice, key] = rig.fund('alice', 'key') as [TestAccount, TestAccount];
  rig.apply({ TransactionType: 'SetRegularKey', Account: alice.address, RegularKey: key.address });
  expect(rig.apply(settings(alice, { SetFlag: 6 }), { signer: key }).result).toBe('tecNEED_MASTER_KEY');
  expect(rig.apply(settings(alice, { SetFlag: 6 })).result).toBe('tesSUCCESS');
  rig.apply(settings(alice, { SetFlag: 7 }));
  expect(rig.apply(settings(alice, { ClearFlag: 7 })).result).toBe('tesSUCCESS');
  expect(rig.root(alice).Flags! & Lsf.lsfGlobalFreeze).not.toBe(0);
  expect(rig.apply(settings(alice, { SetFlag: 16 })).result).toBe('tecNO_PERMISSION');
});

test('clawback and required authorisation are for accounts that own nothing', () => {
  const rig = new Rig();
  const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.apply({ TransactionType: 'DepositPreauth', Account: alice.address, Authorize: bob.address });
  expect(rig.apply(settings(alice, { SetFlag: 16 })).result).toBe('tecOWNERS');
  expect(rig.apply(settings(alice, { SetFlag: 2 })).result).toBe('tecOWNERS');
  rig.apply({ TransactionType: 'DepositPreauth', Account: alice.address, Unauthorize: bob.address });
  expect(rig.apply(settings(alice, { SetFlag: 16 })).result).toBe('tesSUCCESS');
  expect(rig.apply(settings(alice, { SetFlag: 6 })).result).toBe('tecNO_PERMISSION');
});

test('keys: the last way to sign cannot be removed', () => {
  const rig = new Rig();
  const [alice, key] = rig.fund('alice', 'key') as [TestAccount, TestAccount];
  const set = { TransactionType: 'SetRegularKey', Account: alice.address };
  expect(rig.apply({ ...set, RegularKey: alice.address }).result).toBe('temBAD_REGKEY');
  const before = rig.root(alice).Balance!.drops;
  expect(rig.apply({ ...set, RegularKey: key.address, Fee: '0' }).result).toBe('tesSUCCESS');
  expect(rig.root(alice).Balance!.drops).toBe(before);
  expect(rig.root(alice).Flags! & Lsf.lsfPasswordSpent).not.toBe(0);
  expect(rig.apply(settings(alice, { SetFlag: 4 })).result).toBe('tesSUCCESS');
  expect(rig.apply(set, { signer: key }).result).toBe('tecNO_ALTERNATIVE_KEY');
  expect(rig.apply(settings(alice, { ClearFlag: 4 }), { signer: key }).result).toBe('tesSUCCESS');
  expect(rig.apply(set).result).toBe('tesSUCCESS');
  expect(rig.root(alice)).not.toHaveProperty('RegularKey');
});

test('a payment of XRP restores the free key change and leaves the other flags, including the highest bit', () => {
  const rig = new Rig();
  const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.apply(settings(alice, { SetFlag: 16 }));
  rig.apply({ TransactionType: 'SetRegularKey', Account: alice.address, RegularKey: bob.address, Fee: '0' });
  expect(rig.root(alice).Flags).toBe(Lsf.lsfAllowTrustLineClawback + Lsf.lsfPasswordSpent);
  const pay = { TransactionType: 'Payment', Account: bob.address, Destination: alice.address, Amount: '1' };
  expect(rig.apply(pay).result).toBe('tesSUCCESS');
  expect(rig.root(alice).Flags).toBe(Lsf.lsfAllowTrustLineClawback);
});

test('signer lists: form, one owner count, replaced and destroyed', () => {
  const rig = new Rig();
  const [alice, bob, carol] = rig.fund('alice', 'bob', 'carol') as [TestAccount, TestAccount, TestAccount];
  const list = (quorum: number, ...entries: [TestAccount, number][]) => ({
    TransactionType: 'SignerListSet',
    Account: alice.address,
    SignerQuorum: quorum,
    SignerEntries: entries.map(([{ address }, weight]) => ({
      SignerEntry: { Account: address, SignerWeight: weight },
    })),
  });
  for (const [tx, result] of [
    [list(3, [bob, 1], [carol, 1]), 'temBAD_QUORUM'],
    [list(1, [bob, 0]), 'temBAD_WEIGHT'],
    [list(1, [alice, 1]), 'temBAD_SIGNER'],
    [list(1, [bob, 1], [bob, 1]), 'temBAD_SIGNER'],
    [list(0, [bob, 1]), 'temMALFORMED'],
    [{ ...list(1), SignerEntries: undefined }, 'temMALFORMED'],
  ] as const)
    expect(rig.apply(tx).result).toBe(result);
  expect(rig.apply(list(2, [bob, 1], [carol, 1])).result).toBe('tesSUCCESS');
  expect(rig.root(alice).OwnerCount).toBe(1);
  const stored = rig.ledger.read(keylets.signerList(alice.id))!;
  const order = stored.SignerEntries!.map(({ SignerEntry }) => SignerEntry!.Account!);
  expect(order).toEqual([...order].sort());
  expect(rig.apply(list(1, [carol, 1]), { signers: [bob, carol] }).result).toBe('tesSUCCESS');
  expect(rig.root(alice).OwnerCount).toBe(1);
  const destroy = { TransactionType: 'SignerListSet', Account: alice.address, SignerQuorum: 0 };
  expect(rig.apply(destroy).result).toBe('tesSUCCESS');
  expect(rig.root(alice).OwnerCount).toBe(0);
  expect(rig.ledger.read(keylets.ownerDirectory(alice.id))).toBeUndefined();
  rig.close();
  expect(rig.problems()).toEqual([]);
});

test('deposit authorisation by account and by credentials', () => {
  const rig = new Rig();
  const [alice, bob, issuer] = rig.fund('alice', 'bob', 'issuer') as [TestAccount, TestAccount, TestAccount];
  const tx = (fields: Record<string, unknown>) => ({
    TransactionType: 'DepositPreauth',
    Account: alice.address,
    ...fields,
  });
  const kind = (type: string, { address }: TestAccount) => ({
    Credential: { Issuer: address, CredentialType: type },
  });
  for (const [fields, result] of [
    [{}, 'temMALFORMED'],
    [{ Authorize: bob.address, Unauthorize: bob.address }, 'temMALFORMED'],
    [{ Authorize: alice.address }, 'temCANNOT_PREAUTH_SELF'],
    [{ Authorize: rig.account('nobody').address }, 'tecNO_TARGET'],
    [{ Unauthorize: bob.address }, 'tecNO_ENTRY'],
    [{ Authorize: bob.address }, 'tesSUCCESS'],
    [{ Authorize: bob.address }, 'tecDUPLICATE'],
    [{ AuthorizeCredentials: [kind('AA', issuer), kind('AA', issuer)] }, 'temMALFORMED'],
    [{ AuthorizeCredentials: [kind('AA', rig.account('nobody'))] }, 'tecNO_ISSUER'],
    [{ AuthorizeCredentials: [kind('BB', issuer), kind('AA', issuer)] }, 'tesSUCCESS'],
    [{ AuthorizeCredentials: [kind('AA', issuer), kind('BB', issuer)] }, 'tecDUPLICATE'],
  ] as const)
    expect([fields, rig.apply(tx(fields)).result]).toEqual([fields, result]);
  expect(rig.root(alice).OwnerCount).toBe(2);
  rig.close();
  expect(rig.problems()).toEqual([]);
  expect(rig.apply(tx({ UnauthorizeCredentials: [kind('AA', issuer), kind('BB', issuer)] })).result).toBe(
    'tesSUCCESS',
  );
  expect(rig.root(alice).OwnerCount).toBe(1);
});
