/** MPT issuances and their holders, price oracles and decentralised identifiers, by result code and by entries. */
import { describe, expect, test } from 'bun:test';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

function world(...names: string[]) {
  const rig = new Rig();
  const accounts = rig.fund(...names) as TestAccount[];
  const does = (account: TestAccount, TransactionType: string, more: Json = {}): string =>
    rig.apply({ TransactionType, Account: account.address, ...more }).result;
  return { rig, accounts, does };
}

describe('MPT issuances', () => {
  test('fields of an issuance', () => {
    const { rig, accounts, does } = world('issuer');
    const issuer = accounts[0]!;
    const create = (more: Json): string => does(issuer, 'MPTokenIssuanceCreate', more);
    expect(create({ MaximumAmount: '0' })).toBe('temMALFORMED');
    expect(create({ TransferFee: 10 })).toBe('temMALFORMED');
    expect(create({ TransferFee: 50_001, Flags: 32 })).toBe('temBAD_TRANSFER_FEE');
    expect(create({ MPTokenMetadata: 'AA'.repeat(1025) })).toBe('temMALFORMED');
    expect(create({ Flags: 1 })).toBe('temINVALID_FLAG');
    expect(create({ Flags: 4, DomainID: '0'.repeat(64) })).toBe('temMALFORMED');
    expect(create({ DomainID: 'A'.repeat(64) })).toBe('temMALFORMED');
    const id = keylets.mptId(rig.root(issuer).Sequence as number, issuer.id);
    expect(create({ Flags: 32, AssetScale: 2, TransferFee: 0, MaximumAmount: '100' })).toBe('tesSUCCESS');
    const entry = rig.ledger.read(keylets.mptIssuance(id)) as Entry;
    expect(entry).toMatchObject({ Flags: 32, AssetScale: 2, MaximumAmount: 100n, OutstandingAmount: 0n });
    expect('TransferFee' in entry).toBe(false);
    const destroy = (): string => does(issuer, 'MPTokenIssuanceDestroy', { MPTokenIssuanceID: id });
    expect(destroy()).toBe('tesSUCCESS');
    expect(destroy()).toBe('tecOBJECT_NOT_FOUND');
    expect(rig.root(issuer).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });

  test('holders, their locks and their authorisation', () => {
    const { rig, accounts, does } = world('issuer', 'ann', 'bob');
    const [issuer, ann, bob] = accounts as [TestAccount, TestAccount, TestAccount];
    const id = keylets.mptId(rig.root(issuer).Sequence as number, issuer.id);
    expect(does(issuer, 'MPTokenIssuanceCreate', { Flags: 2 | 4 | 32 })).toBe('tesSUCCESS');
    const auth = (by: TestAccount, more: Json = {}): string =>
      does(by, 'MPTokenAuthorize', { MPTokenIssuanceID: id, ...more });
    expect(auth(ann, { Holder: ann.address })).toBe('temMALFORMED');
    expect(auth(issuer)).toBe('tecNO_PERMISSION');
    expect(auth(issuer, { Holder: ann.address })).toBe('tecOBJECT_NOT_FOUND');
    expect(auth(ann)).toBe('tesSUCCESS');
    expect(auth(ann)).toBe('tecDUPLICATE');
    expect(auth(bob, { Holder: ann.address })).toBe('tecNO_PERMISSION');
    const pay = (value: string): string =>
      does(issuer, 'Payment', { Destination: ann.address, Amount: { mpt_issuance_id: id, value } });
    expect(pay('5')).toBe('tecNO_AUTH');
    expect(auth(issuer, { Holder: ann.address })).toBe('tesSUCCESS');
    expect(pay('5')).toBe('tesSUCCESS');
    expect(auth(ann, { Flags: 1 })).toBe('tecHAS_OBLIGATIONS');
    expect(does(issuer, 'MPTokenIssuanceDestroy', { MPTokenIssuanceID: id })).toBe('tecHAS_OBLIGATIONS');
    const set = (more: Json, by = issuer): string =>
      does(by, 'MPTokenIssuanceSet', { MPTokenIssuanceID: id, ...more });
    expect(set({})).toBe('temMALFORMED');
    expect(set({ Flags: 3 })).toBe('temINVALID_FLAG');
    expect(set({ Flags: 1 }, ann)).toBe('tecNO_PERMISSION');
    expect(set({ Flags: 1, Holder: bob.address })).toBe('tecOBJECT_NOT_FOUND');
    expect(set({ Flags: 1, Holder: ann.address })).toBe('tesSUCCESS');
    const back = { Destination: issuer.address, Amount: { mpt_issuance_id: id, value: '5' } };
    expect(does(ann, 'Payment', back)).toBe('tesSUCCESS');
    expect(auth(ann, { Flags: 1 })).toBe('tecNO_PERMISSION');
    expect(set({ Flags: 2, Holder: ann.address })).toBe('tesSUCCESS');
    expect(auth(ann, { Flags: 1 })).toBe('tesSUCCESS');
    expect(rig.root(ann).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });

  test('a domain may be set and removed', () => {
    const { rig, accounts, does } = world('issuer');
    const issuer = accounts[0]!;
    const domain = keylets.permissionedDomain(issuer.id, rig.root(issuer).Sequence as number);
    const kind = { Issuer: issuer.address, CredentialType: 'AB' };
    does(issuer, 'PermissionedDomainSet', { AcceptedCredentials: [{ Credential: kind }] });
    const id = keylets.mptId(rig.root(issuer).Sequence as number, issuer.id);
    does(issuer, 'MPTokenIssuanceCreate', { Flags: 4 });
    const set = (DomainID: string): string =>
      does(issuer, 'MPTokenIssuanceSet', { MPTokenIssuanceID: id, DomainID });
    expect(set('A'.repeat(64))).toBe('tecOBJECT_NOT_FOUND');
    expect(set(domain)).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.mptIssuance(id))?.DomainID).toBe(domain);
    expect(set('0'.repeat(64))).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.mptIssuance(id))?.DomainID).toBeUndefined();
  });
});

describe('oracles', () => {
  test('prices are set, renewed and removed', () => {
    const { rig, accounts, does } = world('ann');
    const ann = accounts[0]!;
    const price = (BaseAsset: string, AssetPrice?: string, Scale?: number): Json => ({
      PriceData: {
        BaseAsset,
        QuoteAsset: 'USD',
        ...(AssetPrice && { AssetPrice }),
        ...(Scale !== undefined && { Scale }),
      },
    });
    let time = rig.ledger.header.closeTime + RIPPLE_EPOCH;
    const set = (PriceDataSeries: Json[], more: Json = {}): string =>
      does(ann, 'OracleSet', { OracleDocumentID: 7, LastUpdateTime: time++, PriceDataSeries, ...more });
    const first = { Provider: 'AA', AssetClass: 'BB' };
    expect(set([], first)).toBe('temARRAY_EMPTY');
    expect(set([price('XRP', '1')])).toBe('temMALFORMED');
    expect(set([price('XRP', '1')], { ...first, Provider: '' })).toBe('temMALFORMED');
    expect(set([price('USD', '1')], first)).toBe('temMALFORMED');
    expect(set([price('XRP')], first)).toBe('temMALFORMED');
    expect(set([price('XRP', '1', 21)], first)).toBe('temMALFORMED');
    expect(set([price('XRP', '1')], { ...first, LastUpdateTime: time - 330 })).toBe('tecINVALID_UPDATE_TIME');
    expect(set([price('EUR', 'AA', 2), price('XRP', '2E4', 3)], first)).toBe('tesSUCCESS');
    const entry = (): Entry => rig.ledger.read(keylets.oracle(ann.id, 7)) as Entry;
    const codes = (): string[] =>
      entry().PriceDataSeries!.map(({ PriceData }) => PriceData!.BaseAsset!.slice(24, 30));
    // XRP is all zeros and comes first.
    expect(codes()).toEqual(['000000', '455552']);
    expect(set([price('XRP', '2E5', 3)], { Provider: 'CC' })).toBe('temMALFORMED');
    expect(set([price('XRP', '2E5', 3)])).toBe('tesSUCCESS');
    // A price that was not renewed is removed.
    expect(entry().PriceDataSeries!.map(({ PriceData }) => PriceData!.AssetPrice)).toEqual([
      0x2e5n,
      undefined,
    ]);
    expect(set([price('GBP')])).toBe('tecTOKEN_PAIR_NOT_FOUND');
    expect(set(['AAA', 'BBB', 'CCC', 'DDD'].map((code) => price(code, '1')))).toBe('tesSUCCESS');
    expect(rig.root(ann).OwnerCount).toBe(2);
    expect(set(['EEE', 'FFF', 'GGG', 'HHH', 'III'].map((code) => price(code, '1')))).toBe(
      'tecARRAY_TOO_LARGE',
    );
    expect(set(['AAA', 'BBB', 'CCC', 'DDD'].map((code) => price(code)))).toBe('tesSUCCESS');
    expect(rig.root(ann).OwnerCount).toBe(1);
    expect(set([price('XRP'), price('EUR')])).toBe('tecARRAY_EMPTY');
    expect(does(ann, 'OracleDelete', { OracleDocumentID: 8 })).toBe('tecNO_ENTRY');
    expect(does(ann, 'OracleDelete', { OracleDocumentID: 7 })).toBe('tesSUCCESS');
    expect(rig.root(ann).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });
});

describe('decentralised identifiers', () => {
  test('three fields, at least one of them with a value', () => {
    const { rig, accounts, does } = world('ann');
    const ann = accounts[0]!;
    const set = (more: Json): string => does(ann, 'DIDSet', more);
    expect(set({})).toBe('temEMPTY_DID');
    expect(set({ URI: '', Data: '', DIDDocument: '' })).toBe('temEMPTY_DID');
    expect(set({ URI: '' })).toBe('tecEMPTY_DID');
    expect(set({ URI: 'AA'.repeat(257) })).toBe('temMALFORMED');
    expect(does(ann, 'DIDDelete')).toBe('tecNO_ENTRY');
    expect(set({ URI: 'AABB', Data: '' })).toBe('tesSUCCESS');
    expect(set({ Data: 'CC' })).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.did(ann.id))).toMatchObject({ URI: 'AABB', Data: 'CC' });
    expect(set({ URI: '' })).toBe('tesSUCCESS');
    expect(set({ Data: '' })).toBe('tecEMPTY_DID');
    expect(rig.root(ann).OwnerCount).toBe(1);
    expect(does(ann, 'DIDDelete')).toBe('tesSUCCESS');
    expect(rig.root(ann).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });

  test('the balance after the fee covers the reserve', () => {
    const { rig, does } = world();
    const poor = rig.fundWith('poor', 1_200_009n);
    expect(does(poor, 'DIDSet', { URI: 'AA' })).toBe('tecINSUFFICIENT_RESERVE');
    const enough = rig.fundWith('enough', 1_200_010n);
    expect(does(enough, 'DIDSet', { URI: 'AA' })).toBe('tesSUCCESS');
  });
});
