/** What accounts are called by the figures of their transactions, and why. */
import { describe, expect, test } from 'bun:test';
import { type Conduct, readConduct } from '../../explain/conduct.ts';

const NEWEST = { count: 10, sent: 10, failed: 0, trades: 0, fees: '0.0001', xrpNet: '-5.0001' };
const of = (changes: Partial<Conduct>) =>
  readConduct({
    exists: true,
    isPool: false,
    issued: 0,
    transactions: 10,
    isAll: true,
    sent: 10,
    received: 0,
    types: [{ name: 'TrustSet', count: 10 }],
    newest: NEWEST,
    scams: [],
    ...changes,
  });
const types = (name: string, count: number, other = 10 - count) => [
  { name, count },
  { name: 'AccountSet', count: other },
];

describe('what an account is called', () => {
  const cases: readonly [string, Partial<Conduct>][] = [
    ['inactive account', { transactions: 0, types: [], newest: { ...NEWEST, count: 0, sent: 0 } }],
    ['liquidity pool', { isPool: true }],
    ['issuer of tokens', { issued: 2 }],
    ['trader of NFTs', { types: types('NFTokenMint', 5) }],
    ['liquidity provider', { types: types('AMMDeposit', 3) }],
    ['trader', { newest: { ...NEWEST, trades: 5 } }],
    ['maker of offers', { types: types('OfferCreate', 6) }],
    ['payer', { types: types('Payment', 6) }],
    ['receiver of payments', { types: types('Payment', 6), sent: 2, received: 8 }],
    ['account of mixed use', { types: types('NFTokenMint', 4) }],
  ];
  for (const [profile, changes] of cases)
    test(profile, () => {
      const reading = of(changes);
      expect(reading.profile).toBe(profile);
      expect(reading.headline.toLowerCase()).toStartWith(`${profile.toLowerCase()}: `);
      expect(JSON.stringify(reading)).not.toMatch(/undefined|NaN|null/);
    });
});

describe('risk', () => {
  const listed = { category: 'phishing', isVerified: true };
  const failing = { ...NEWEST, failed: 5 };
  test('high: a rule or a confirmed report names it', () =>
    expect(of({ scams: [listed, listed], newest: failing })).toMatchObject({
      riskLevel: 'high',
      riskReason: 'It is listed for scams: phishing.',
    }));
  test('medium: a report that is not confirmed, many failures, or it is gone', () => {
    expect(of({ scams: [{ ...listed, isVerified: false }] }).riskLevel).toBe('medium');
    expect(of({ exists: false }).riskLevel).toBe('medium');
    expect(of({ newest: failing }).riskReason).toContain('5 of the newest 10');
  });
  test('low: neither; failures of few transactions do not count', () => {
    expect(of({}).riskLevel).toBe('low');
    expect(of({ newest: { ...NEWEST, sent: 9, failed: 9 } }).riskLevel).toBe('low');
  });
});

test('findings say what was counted', () =>
  expect(of({ received: 1, partner: { account: 'rB', count: 4 }, isAll: false })).toEqual({
    profile: 'account of mixed use',
    riskLevel: 'low',
    headline:
      'Account of mixed use: at least 10 transactions, of which it sent 10; 0 of the newest 10 exchanged one asset for another.',
    riskReason: 'No rule and no report names it as a scam, and it exists.',
    keyFindings: [
      'Most are TrustSet (10).',
      '1 transaction had it as the destination.',
      'Of the newest 10 that it sent, 0 failed; they cost 0.0001 XRP in fees.',
      'Over the newest 10, its XRP changed by -5.0001, fees included.',
      'It has most to do with rB (4).',
    ],
  }));
