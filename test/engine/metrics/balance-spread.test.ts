/** Gini and HHI kept while balances come and go, against the definitions over all balances. */
import { expect, test } from 'bun:test';
import { BalanceSpread } from '../../../engine/metrics/balance-spread.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** From the definitions: mean absolute difference over twice the mean, squared shares in percent. */
function worked(balances: readonly number[]): { gini: number | undefined; hhi: number | undefined } {
  const n = balances.length;
  const sum = balances.reduce((all, balance) => all + balance, 0);
  if (n === 0) return { gini: undefined, hhi: undefined };
  const ascending = balances.toSorted((a, b) => a - b);
  let below = 0;
  let differences = 0;
  for (const [i, balance] of ascending.entries()) {
    differences += i * balance - below;
    below += balance;
  }
  const hhi = balances.reduce((all, balance) => all + ((balance / sum) * 100) ** 2, 0);
  return { gini: differences / (n * sum), hhi };
}

test('is that of all balances after any changes, equal and tiny and huge ones among them', () => {
  console.log(`balance spread seed ${seed}`);
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const one = () => {
    const kind = random();
    if (kind < 0.2) return 7;
    if (kind < 0.3) return 1 + Math.floor(random() * 5);
    return 10 ** (random() * 12 - 6);
  };
  for (const size of [0, 1, 700, 5000]) {
    const balances = Array.from({ length: size }, one);
    const spread = new BalanceSpread(Float64Array.from(balances).sort().reverse());
    for (let round = 0; round < 40; round++) {
      // Grows, then shrinks to nothing, so that blocks split and go.
      const growing = round < 20;
      for (let i = 0; i < 200; i++) {
        if (balances.length > 0 && random() < (growing ? 0.3 : 0.97)) {
          const at = Math.floor(random() * balances.length);
          expect(spread.remove(balances[at]!)).toBe(true);
          balances[at] = balances.at(-1)!;
          balances.pop();
        } else {
          const balance = one();
          balances.push(balance);
          spread.add(balance);
        }
      }
      expect(spread.count).toBe(balances.length);
      const { gini, hhi } = spread.measure();
      const wanted = worked(balances);
      if (wanted.gini === undefined) {
        expect([gini, hhi]).toEqual([undefined, undefined]);
        continue;
      }
      expect(gini!).toBeCloseTo(wanted.gini, 10);
      expect(hhi! / wanted.hhi!).toBeCloseTo(1, 10);
    }
  }
});

test('what is not there cannot be removed', () => {
  const spread = new BalanceSpread(Float64Array.of(3, 2, 2, 1));
  expect([spread.remove(2.5), spread.remove(9), spread.remove(0.5), spread.count]).toEqual([
    false,
    false,
    false,
    4,
  ]);
  expect([spread.remove(2), spread.remove(2), spread.remove(2), spread.count]).toEqual([
    true,
    true,
    false,
    2,
  ]);
  expect(new BalanceSpread(new Float64Array(0)).remove(1)).toBe(false);
});
