/** Crypto-conditions: vectors of draft-thomas-crypto-conditions-02, conditions made here from the draft's rules, and broken ones. */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { fulfils, isCondition } from '../../../sandbox/transactions/escrow-condition.ts';

/** The draft's minimal vector (0000_test-minimal-preimage). */
const EMPTY_CONDITION = 'A0258020E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855810100';
const EMPTY_FULFILLMENT = 'A0028000';

const element = (tag: number, contents: Buffer): Buffer => {
  const length = contents.length < 128 ? [contents.length] : [0x81, contents.length];
  return Buffer.concat([Buffer.from([tag, ...length]), contents]);
};
const hex = (bytes: Buffer): string => bytes.toString('hex').toUpperCase();

function conditionOf(secret: Buffer, cost = secret.length, hashBytes = 32): string {
  const hash = createHash('sha256').update(secret).digest().subarray(0, hashBytes);
  const costBytes = Buffer.from(cost > 127 ? [0, cost] : [cost]);
  return hex(element(0xa0, Buffer.concat([element(0x80, hash), element(0x81, costBytes)])));
}
const fulfillmentOf = (secret: Buffer): string => hex(element(0xa0, element(0x80, secret)));

describe('PREIMAGE-SHA-256', () => {
  test('the minimal vector of the draft', () => {
    expect(isCondition(EMPTY_CONDITION)).toBe(true);
    expect(fulfils(EMPTY_FULFILLMENT, EMPTY_CONDITION)).toBe(true);
    expect(conditionOf(Buffer.alloc(0))).toBe(EMPTY_CONDITION);
  });

  test('secrets of every length that is allowed, and one more', () => {
    for (let length = 0; length <= 129; length += 1) {
      const secret = Buffer.alloc(length, length);
      const condition = conditionOf(secret);
      expect(isCondition(condition)).toBe(length <= 128);
      expect(fulfils(fulfillmentOf(secret), condition)).toBe(length <= 128);
    }
  });

  test('another secret, another length, another condition', () => {
    const secret = Buffer.from('millrace');
    expect(fulfils(fulfillmentOf(Buffer.from('millracf')), conditionOf(secret))).toBe(false);
    expect(fulfils(fulfillmentOf(secret), conditionOf(secret, 7))).toBe(false);
    expect(fulfils(fulfillmentOf(secret), EMPTY_CONDITION)).toBe(false);
  });

  test('what is malformed', () => {
    const good = conditionOf(Buffer.from('millrace'));
    const body = good.slice(4);
    const broken = [
      '',
      'A0',
      good.slice(0, -2),
      `${good}00`,
      `A1${good.slice(2)}`, // another type
      `80${good.slice(2)}`, // primitive
      `A080${body}`, // indefinite length
      `A08125${body.slice(0, -2)}`,
      conditionOf(Buffer.from('millrace'), 8, 31),
      `A026${body.replace('810108', '81020808')}`, // cost 2056
      `A026${body.replace('810108', '810108')}00`, // more after the cost
      `A024${body.replace('810108', '8100')}`, // no cost
      `A0258020${'00'.repeat(32)}820108`, // another tag
      `A0258020${'00'.repeat(32)}8101FF`, // negative
      `A023${'00'.repeat(35)}`,
    ];
    for (const text of broken) expect([text, isCondition(text)]).toEqual([text, false]);
    expect(isCondition(good)).toBe(true);
    // A longer form of the same length, and zeros before the cost, are taken.
    expect(isCondition(`A08125${body}`)).toBe(true);
    expect(isCondition(`A026${body.replace('810108', '81020008')}`)).toBe(true);
  });

  test('malformed fulfillments', () => {
    const secret = Buffer.from('millrace');
    const condition = conditionOf(secret);
    const good = fulfillmentOf(secret);
    expect(fulfils(good, condition)).toBe(true);
    for (const text of [
      '',
      'A0',
      good.slice(0, -2),
      `${good}00`,
      `A1${good.slice(2)}`,
      `A00A81${good.slice(6)}`,
    ]) {
      expect([text, fulfils(text, condition)]).toEqual([text, false]);
    }
  });
});
