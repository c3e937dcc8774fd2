/** Transactions as plain text: the words of the pages, with everything in them written out. */
import { describe, expect, test } from 'bun:test';
import examples from '../../api/transaction-examples.json';
import { transactionText } from '../../explain/text.ts';

const done = { TransactionResult: 'tesSUCCESS' };
const pay = { TransactionType: 'Payment', Account: 'rA', Destination: 'rB', DeliverMax: '5000001' };

describe('a transaction as text', () => {
  test('writes XRP in XRP, tokens by their text, and the account that is asked for as this account', () => {
    expect(transactionText(pay, done)).toBe('rA paid 5.000001 XRP to rB.');
    expect(transactionText(pay, done, 'rA')).toBe('This account paid 5.000001 XRP to rB.');
    expect(transactionText(pay, done, 'rB')).toBe('rA paid 5.000001 XRP to this account.');
    const currency = '504F4F4C45440000000000000000000000000000';
    const delivered_amount = { value: '12345678.90123', currency, issuer: 'rC' };
    expect(transactionText(pay, { ...done, delivered_amount })).toBe('rA paid 12345678.90123 POOLED to rB.');
    const mpt = { value: '7', mpt_issuance_id: '00AB' };
    expect(transactionText({ ...pay, DeliverMax: mpt }, done)).toBe('rA paid 7 MPT 00AB to rB.');
  });

  test('says why it failed', () => {
    expect(transactionText(pay, { TransactionResult: 'tecUNFUNDED_PAYMENT' }, 'rA')).toBe(
      'This account tried to pay 5.000001 XRP to rB. It failed: the account did not hold what it sent (tecUNFUNDED_PAYMENT); only the fee was taken.',
    );
  });

  test('of what strangers wrote has no control characters, no marks that turn the direction, and no more than a line', () => {
    const Domain = Buffer.from(`a\u0000b\u202ec\n${'x'.repeat(500)}`).toString('hex');
    const text = transactionText({ TransactionType: 'AccountSet', Account: 'rA', Domain }, done);
    expect(text).toStartWith('rA changed the settings of its account; domain “a b c xx');
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text.length).toBeLessThan(200);
  });

  test('is what the examples of the types say', () => {
    for (const [type, { json, summary }] of Object.entries(examples))
      expect([type, transactionText(json, done)]).toEqual([type, summary]);
  });
});
