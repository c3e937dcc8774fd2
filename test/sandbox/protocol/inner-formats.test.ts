/** Fields of objects within arrays, by rippled's inner formats; a transaction that violates them is refused. */
import { describe, expect, test } from 'bun:test';
import { checkFormat, formatProblemText } from '../../../sandbox/protocol/formats.ts';
import { checkInnerFormats } from '../../../sandbox/protocol/inner-formats.ts';
import { Rig } from '../rig.ts';

const who = 'A'.repeat(40);
const price = { BaseAsset: '0'.repeat(40), QuoteAsset: '1'.repeat(40) };

describe('objects in arrays', () => {
  test.each([
    [{ SignerEntries: [{ SignerEntry: { Account: who } }] }, 'missing', 'SignerWeight'],
    [{ SignerEntries: [{ Memo: {} }] }, 'missing', 'SignerEntry'],
    [{ Permissions: [{ Permission: { PermissionValue: 1, Account: who } }] }, 'unknown', 'Account'],
    [{ PriceDataSeries: [{ PriceData: { ...price, Scale: 0 } }] }, 'default', 'Scale'],
    [{ BatchSigners: [{ BatchSigner: { Account: who, Signers: [{ Signer: {} }] } }] }, 'missing', 'Account'],
    [{ AuthorizeCredentials: [{ Credential: { Issuer: who } }] }, 'missing', 'CredentialType'],
  ])('%j', (fields, kind, field) => {
    expect(checkInnerFormats(fields)).toEqual({ kind, field } as never);
  });

  test.each([
    { PriceDataSeries: [{ PriceData: { ...price, Scale: 3, AssetPrice: 5n } }, { PriceData: price }] },
    { Memos: [{ Memo: { MemoData: 'AB', URI: 'CD' } }] },
    { RawTransactions: [{ RawTransaction: { TransactionType: 'Payment' } }] },
    { SignerEntries: [{ SignerEntry: { Account: who, SignerWeight: 1, WalletLocator: '0'.repeat(64) } }] },
  ])('valid fields pass: %#', (fields) => {
    expect(checkInnerFormats(fields)).toBeUndefined();
  });
});

test('texts are the network’s', () => {
  expect(formatProblemText({ kind: 'missing', field: 'Fee' })).toBe("Field 'Fee' is required but missing.");
  expect(formatProblemText({ kind: 'unknown', field: 'Fee' })).toBe(
    "Field 'Fee' found in disallowed location.",
  );
  expect(formatProblemText({ kind: 'default', field: 'Scale' })).toBe(
    "Field 'Scale' may not be explicitly set to default.",
  );
  expect(formatProblemText(checkFormat({}, 'transaction')!)).toBe('Invalid transaction type');
});

test('the transactor refuses a missing field, or an extra one', () => {
  const rig = new Rig();
  const [ann] = rig.fund('ann');
  const of = (json: Record<string, unknown>) => rig.apply({ Account: ann!.address, ...json }).result;
  expect(of({ TransactionType: 'CheckCash', Amount: '5' })).toBe('temMALFORMED');
  expect(of({ TransactionType: 'Payment', Amount: '5' })).toBe('temMALFORMED');
  expect(of({ TransactionType: 'AccountSet', OfferSequence: 5 })).toBe('temMALFORMED');
  expect(of({ TransactionType: 'AccountSet' })).toBe('tesSUCCESS');
});
