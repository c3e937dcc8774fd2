/** Later changes of MPTs by their issuers, and giving up such changes (XLS-94), by result and by entry. */
import { describe, expect, test } from 'bun:test';
import { rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { Lsf, Lsif, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

const DYNAMIC = rulesOf([...SANDBOX_RULES.names, 'DynamicMPT']);
const GIVEN = ['CanLock', 'RequireAuth', 'CanEscrow', 'CanTrade', 'CanTransfer', 'CanClawback'] as const;
const ALL_GIVEN = GIVEN.reduce((all, name) => all | Tf[`tfMPTSet${name}`], 0);

/** An issuer and a holder of an issuance with these fields. */
function issued(create: Json = {}, rules = DYNAMIC) {
  const rig = new Rig({ rules });
  const [issuer, ann] = rig.fund('issuer', 'ann') as [TestAccount, TestAccount];
  const id = keylets.mptId(rig.root(issuer).Sequence as number, issuer.id);
  const does = (by: TestAccount, TransactionType: string, more: Json): string =>
    rig.apply({ TransactionType, Account: by.address, ...more }).result;
  expect(does(issuer, 'MPTokenIssuanceCreate', create)).toBe('tesSUCCESS');
  return {
    rig,
    issuer,
    ann,
    does,
    set: (more: Json, by = issuer) => does(by, 'MPTokenIssuanceSet', { MPTokenIssuanceID: id, ...more }),
    authorize: (more: Json = {}, by = ann) =>
      does(by, 'MPTokenAuthorize', { MPTokenIssuanceID: id, ...more }),
    entry: () => rig.ledger.read(keylets.mptIssuance(id)) as Entry,
  };
}

describe('an issuer', () => {
  test('adds every capability later, repeatedly without error', () => {
    const { rig, set, entry } = issued();
    expect(entry().Flags).toBe(0);
    for (let i = 0; i < 2; i++) expect(set({ Flags: ALL_GIVEN })).toBe('tesSUCCESS');
    expect(entry().Flags).toBe(GIVEN.reduce((all, name) => all | Lsf[`lsfMPT${name}`], 0));
    // The added capability is in effect.
    expect(set({ Flags: Tf.tfMPTLock })).toBe('tesSUCCESS');
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test.each([...GIVEN])('renounces to give %s, at the beginning or later', (name) => {
    const ImmutableFlags = Lsif[`lsifMPT${name}`];
    const Flags = Tf[`tfMPTSet${name}`];
    const atFirst = issued({ ImmutableFlags });
    expect(atFirst.set({ Flags })).toBe('tecNO_PERMISSION');
    expect(atFirst.set({ Flags: ALL_GIVEN & ~Flags })).toBe('tesSUCCESS');
    const later = issued();
    // Both in one: only what was given up before counts.
    expect(later.set({ Flags, ImmutableFlags })).toBe('tesSUCCESS');
    expect(later.entry()).toMatchObject({ Flags: Lsf[`lsfMPT${name}`], ImmutableFlags });
    expect(later.set({ Flags })).toBe('tecNO_PERMISSION');
  });

  test('changes and removes metadata, until it gives that up', () => {
    const { rig, set, entry } = issued({ MPTokenMetadata: 'AA' });
    expect(set({ MPTokenMetadata: 'BBCC' })).toBe('tesSUCCESS');
    expect(entry().MPTokenMetadata).toBe('BBCC');
    expect(set({ MPTokenMetadata: 'AA'.repeat(1_025) })).toBe('temMALFORMED');
    expect(set({ MPTokenMetadata: 'AA'.repeat(1_024) })).toBe('tesSUCCESS');
    expect(set({ MPTokenMetadata: '', ImmutableFlags: Lsif.lsifMPTMetadata })).toBe('tesSUCCESS');
    expect('MPTokenMetadata' in entry()).toBe(false);
    expect(set({ MPTokenMetadata: 'AA' })).toBe('tecNO_PERMISSION');
    expect(set({ MPTokenMetadata: '' })).toBe('tecNO_PERMISSION');
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('changes the transfer fee of a transferable token, until it gives that up', () => {
    const { rig, set, entry } = issued();
    expect(set({ TransferFee: 50_001 })).toBe('temBAD_TRANSFER_FEE');
    expect(set({ TransferFee: 200 })).toBe('tecNO_PERMISSION');
    expect(set({ TransferFee: 0 })).toBe('tesSUCCESS');
    expect(set({ TransferFee: 200, Flags: Tf.tfMPTSetCanTransfer })).toBe('tesSUCCESS');
    expect(entry()).toMatchObject({ TransferFee: 200, Flags: Lsf.lsfMPTCanTransfer });
    expect(set({ TransferFee: 0 })).toBe('tesSUCCESS');
    expect('TransferFee' in entry()).toBe(false);
    expect(set({ TransferFee: 50_000, ImmutableFlags: Lsif.lsifMPTTransferFee })).toBe('tesSUCCESS');
    for (const TransferFee of [0, 100]) expect(set({ TransferFee })).toBe('tecNO_PERMISSION');
    // Given-up changes add up, and cannot be restored.
    expect(set({ ImmutableFlags: Lsif.lsifMPTMetadata })).toBe('tesSUCCESS');
    expect(entry().ImmutableFlags).toBe(Lsif.lsifMPTMetadata | Lsif.lsifMPTTransferFee);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('only the issuer changes it, and not together with a lock or for a holder', () => {
    const { ann, set, authorize } = issued({ Flags: Tf.tfMPTCanLock });
    expect(authorize()).toBe('tesSUCCESS');
    const changes: readonly Json[] = [
      { Flags: Tf.tfMPTSetCanTrade },
      { MPTokenMetadata: 'AA' },
      { TransferFee: 0 },
      { ImmutableFlags: Lsif.lsifMPTMetadata },
    ];
    for (const change of changes) {
      expect(set(change, ann)).toBe('tecNO_PERMISSION');
      expect(set({ ...change, Holder: ann.address })).toBe('temMALFORMED');
      const flags = (change.Flags as number | undefined) ?? 0;
      expect(set({ ...change, Flags: flags | Tf.tfMPTLock })).toBe('temMALFORMED');
      expect(set(change)).toBe('tesSUCCESS');
    }
    expect(set({})).toBe('temMALFORMED');
  });

  test('gives up only existing capabilities, and none of confidential balances', () => {
    const { issuer, does, set } = issued();
    const cases = [
      [0, 'temINVALID_FLAG'],
      [1, 'temINVALID_FLAG'],
      [0x0004_0000, 'temINVALID_FLAG'],
      [Lsif.lsifMPTCanHoldConfidentialBalance, 'temDISABLED'],
    ] as const;
    for (const [ImmutableFlags, result] of cases) {
      expect(set({ ImmutableFlags })).toBe(result);
      expect(does(issuer, 'MPTokenIssuanceCreate', { ImmutableFlags })).toBe(result);
    }
    expect(set({ Flags: Tf.tfMPTSetCanHoldConfidentialBalance })).toBe('temDISABLED');
    const Flags = Tf.tfMPTCanHoldConfidentialBalance;
    expect(does(issuer, 'MPTokenIssuanceCreate', { Flags })).toBe('temDISABLED');
  });
});

test('without the amendment none of it is possible', () => {
  const { issuer, does, set } = issued({ Flags: Tf.tfMPTCanLock }, SANDBOX_RULES);
  for (const more of [
    { Flags: Tf.tfMPTSetCanTrade },
    { MPTokenMetadata: 'AA' },
    { TransferFee: 0 },
    { ImmutableFlags: Lsif.lsifMPTMetadata },
  ])
    expect(set(more)).toBe('temDISABLED');
  expect(does(issuer, 'MPTokenIssuanceCreate', { ImmutableFlags: 2 })).toBe('temDISABLED');
  expect(set({ Flags: Tf.tfMPTLock })).toBe('tesSUCCESS');
});
