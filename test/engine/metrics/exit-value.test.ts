/** What a sale brings, against selling it in small parts, each where the next token brings most. */
import { expect, test } from 'bun:test';
import { type Bid, type ExitPool, exitValue } from '../../../engine/metrics/exit-value.ts';

const PARTS = 20_000;

function inParts(amount: number, pool: ExitPool | undefined, bids: readonly Bid[]) {
  const part = amount / PARTS;
  const left = bids.map(({ tokens }) => tokens);
  let [xrp, toPool, sold] = [0, 0, 0];
  const poolGives = (tokens: number) => {
    if (!pool) return 0;
    const arrives = tokens * (1 - pool.fee);
    return (pool.xrp * arrives) / (pool.tokens + arrives);
  };
  for (let i = 0; i < PARTS; i++) {
    const ofPool = poolGives(toPool + part) - poolGives(toPool);
    const best = left.findIndex((tokens) => tokens >= part);
    const ofBook = best < 0 ? 0 : (part * bids[best]!.xrp) / bids[best]!.tokens;
    if (ofPool === 0 && ofBook === 0) break;
    sold += part;
    if (ofBook >= ofPool) left[best]! -= part;
    else toPool += part;
    xrp += Math.max(ofBook, ofPool);
  }
  return { xrp, toPool, sold };
}

const POOL: ExitPool = { xrp: 10_000, tokens: 50_000, fee: 0.006 };
const BIDS: Bid[] = [
  { tokens: 500, xrp: 102 },
  { tokens: 2_000, xrp: 380 },
  { tokens: 9_000, xrp: 1_100 },
];

test.each([
  ['the pool alone', 5_000, POOL, []],
  ['the book alone', 5_000, undefined, BIDS],
  ['more than the book takes', 50_000, undefined, BIDS],
  ['both', 400, POOL, BIDS],
  ['both, a large sale', 30_000, POOL, BIDS],
] as const)('%s', (_name, amount, pool, bids) => {
  const found = exitValue(amount, pool, bids)!;
  const parts = inParts(amount, pool, bids);
  expect(Math.abs(found.xrp / parts.xrp - 1)).toBeLessThan(1e-3);
  expect(Math.abs(found.toPool - parts.toPool)).toBeLessThan(amount * 2e-3);
  expect(Math.abs(found.sold - parts.sold)).toBeLessThan(amount * 2e-3);
});

test('nothing where nobody buys', () => {
  expect(exitValue(10, undefined, [])).toBeUndefined();
});
