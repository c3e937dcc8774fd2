/** Members that nodes add to transactions, and their format of values: examples, and rippled's rules for issued values. */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { SHIPPED } from '../../../engine/codec/definitions.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { nodeIssuedValue, nodeSpelling } from '../../../engine/codec/node-spelling.ts';
import {
  ctidOf,
  mptIssuanceId,
  recordsDelivered,
  syntheticMeta,
  withDeliverMax,
} from '../../../engine/codec/synthetic.ts';

const done = (more: JsonObject = {}): JsonObject => ({ TransactionResult: 'tesSUCCESS', ...more });
const node = (
  kind: string,
  LedgerEntryType: string,
  LedgerIndex: string,
  fields: JsonObject,
): JsonObject => ({
  [kind]: { LedgerEntryType, LedgerIndex, [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: fields },
});

describe('delivered_amount', () => {
  const paid: JsonObject = { TransactionType: 'Payment', Amount: '5' };

  test('is the Amount for ledgers that record differing amounts: by index or by close time', () => {
    expect(recordsDelivered(4_594_094, 446_000_000)).toBe(false);
    expect(recordsDelivered(4_594_095, 0)).toBe(true);
    expect(recordsDelivered(3, 446_000_001)).toBe(true);
    expect(syntheticMeta(paid, done(), true)).toEqual({ delivered_amount: '5' });
    expect(syntheticMeta(paid, done(), false)).toEqual({ delivered_amount: 'unavailable' });
  });

  test('is the amount in the metadata if there is one; absent for failed and non-delivering transactions', () => {
    expect(syntheticMeta(paid, done({ DeliveredAmount: '4' }), false)).toEqual({ delivered_amount: '4' });
    const cashed: JsonObject = { TransactionType: 'CheckCash', DeliverMin: '3' };
    expect(syntheticMeta(cashed, done(), true)).toEqual({ delivered_amount: 'unavailable' });
    expect(syntheticMeta(paid, { TransactionResult: 'tecPATH_DRY' }, true)).toEqual({});
    expect(syntheticMeta({ TransactionType: 'TrustSet' }, done(), true)).toEqual({});
  });
});

test('ids that follow from metadata', () => {
  const ended = (key: string, NFTokenID: string) => node('DeletedNode', 'NFTokenOffer', key, { NFTokenID });
  const offers = [ended('1', 'BB'), ended('2', 'AA'), ended('3', 'BB')];
  const add = (TransactionType: string, nodes: JsonObject[], more: JsonObject = {}) =>
    syntheticMeta({ TransactionType, ...more }, done({ AffectedNodes: nodes }), true);
  expect(add('NFTokenCancelOffer', offers)).toEqual({ nftoken_ids: ['AA', 'BB'] });
  expect(add('NFTokenCancelOffer', [])).toEqual({ nftoken_ids: [] });
  expect(add('NFTokenAcceptOffer', offers)).toEqual({ nftoken_id: 'AA' });
  const placed = node('CreatedNode', 'NFTokenOffer', 'C0', {});
  expect(add('NFTokenCreateOffer', [placed])).toEqual({ offer_id: 'C0' });
  const page = node('CreatedNode', 'NFTokenPage', 'P', { NFTokens: [{ NFToken: { NFTokenID: 'AA' } }] });
  expect(add('NFTokenMint', [placed, page])).toEqual({ nftoken_id: 'AA' });
  expect(add('NFTokenMint', [placed, page], { Amount: '1' })).toEqual({ nftoken_id: 'AA', offer_id: 'C0' });
  const issuance = node('CreatedNode', 'MPTokenIssuance', 'I', {
    Issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
    Sequence: 255,
  });
  const id = `000000FF${'0'.repeat(39)}1`;
  expect(add('MPTokenIssuanceCreate', [issuance])).toEqual({ mpt_issuance_id: id });
  expect(mptIssuanceId(255, 'nobody')).toBeUndefined();
});

test('DeliverMax is added to a Payment’s Amount in version 1 and replaces it in version 2', () => {
  const paid: JsonObject = { TransactionType: 'Payment', Amount: '5' };
  expect(withDeliverMax(paid, 1)).toEqual({ ...paid, DeliverMax: '5' });
  expect(withDeliverMax(paid, 2)).toEqual({ TransactionType: 'Payment', DeliverMax: '5' });
  expect(withDeliverMax({ TransactionType: 'CheckCash', Amount: '5' }, 2)).toHaveProperty('Amount');
});

test('a CTID has ledger, position and network; undefined when a number does not fit', () => {
  // The example of XLS-37.
  expect(ctidOf(0xfffffff, 0xffff, 0xffff)).toBe('CFFFFFFFFFFFFFFF');
  expect(ctidOf(13_249_191, 12, 65_535)).toBe('C0CA2AA7000CFFFF');
  expect(ctidOf(0x10000000, 0, 0)).toBeUndefined();
  expect(ctidOf(1, 0x10000, 0)).toBeUndefined();
});

test('issued values are written as rippled does, at every exponent', () => {
  let scientific = 0;
  for (const digits of ['1', '15', '9999999999999999', '1234567890123456', '7000000000000001'])
    for (let exponent = -80; exponent <= 60; exponent++)
      for (const sign of ['', '-']) {
        const amount = Amount.parse({
          value: `${sign}${digits}e${exponent}`,
          currency: 'USD',
          issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
        });
        const plain = plainOf(`${digits}`, exponent);
        expect(nodeIssuedValue(sign + plain)).toBe(amount.text());
        if (amount.text().includes('e')) scientific++;
      }
  expect(scientific).toBeGreaterThan(500);
  expect(nodeIssuedValue('0')).toBe('0');
});

/** digits * 10^exponent as plain text, without superfluous zeros. */
function plainOf(digits: string, exponent: number): string {
  if (exponent >= 0) return digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  const fraction = padded.slice(exponent).replace(/0+$/, '');
  return padded.slice(0, exponent) + (fraction === '' ? '' : `.${fraction}`);
}

test('UInt64, EmailHash and zero XRP are written as rippled does, at any depth', () => {
  const read: JsonObject = {
    OwnerNode: '000000000000001F',
    BookNode: '0000000000000000',
    ExchangeRate: 'FF0AA87BEE538000',
    MPTAmount: '00',
    EmailHash: '',
    Balance: '-0',
    Fee: '10',
    NFTokens: [{ NFToken: { URI: '00', NFTokenOfferNode: '000000000000000A' } }],
    Memos: [{ Memo: { MemoData: '' } }],
  };
  expect(nodeSpelling(read, SHIPPED)).toEqual({
    OwnerNode: '1f',
    BookNode: '0',
    ExchangeRate: 'ff0aa87bee538000',
    MPTAmount: '00',
    EmailHash: '0'.repeat(32),
    Balance: '0',
    Fee: '10',
    NFTokens: [{ NFToken: { URI: '00', NFTokenOfferNode: 'a' } }],
    Memos: [{ Memo: { MemoData: '' } }],
  });
});
