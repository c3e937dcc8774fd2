/** Kept first offers of pools: one is taken again exactly where everything that it follows from is the same. */
import { expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { assetOf } from '../../../engine/quotes/amounts.ts';
import { type Basis, FirstOffers, type Made } from '../../../engine/quotes/first-offers.ts';
import { XRP } from '../../../engine/state/tokens.ts';

const TOKEN = 7;
const balances = (drops: bigint, tokens: bigint) => ({
  in: Amount.drops(drops),
  out: Amount.issued(assetOf(TOKEN), tokens, 0),
});
const basis: Basis = {
  balances: balances(1000n, 50n),
  fee: 500,
  best: 9n,
  severalStrands: false,
  rounds: 0,
};

test('an offer is made once for a basis, and again for each other one', () => {
  const kept = new FirstOffers();
  let calls = 0;
  const ask = (of: Basis, tokens: readonly [number, number] = [XRP, TOKEN]): number => {
    const before = calls;
    const make = (): Made => {
      calls += 1;
      return { ...of, made: undefined };
    };
    kept.of(tokens, of, make);
    return calls - before;
  };
  expect(ask(basis)).toBe(1);
  expect(ask({ ...basis, balances: balances(1000n, 50n) })).toBe(0);
  const others: readonly Basis[] = [
    { ...basis, balances: balances(1001n, 50n) },
    { ...basis, balances: balances(1000n, 51n) },
    { ...basis, fee: 501 },
    { ...basis, best: 10n },
    { ...basis, best: undefined },
    { ...basis, rounds: 1 },
  ];
  for (const other of others) {
    expect(ask(other)).toBe(1);
    expect(ask(basis)).toBe(1);
  }
  // One of each kind is kept beside the other.
  expect(ask({ ...basis, severalStrands: true })).toBe(1);
  expect(ask(basis)).toBe(0);
  expect(ask(basis, [TOKEN, XRP])).toBe(1);
  expect(ask(basis)).toBe(0);
});
