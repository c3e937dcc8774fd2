/** Rotations of NFTs over a list of sales that grows and is forgotten from its beginning: as when all of it is passed at once. */
import { expect, test } from 'bun:test';
import { runToEnd } from '../../engine/event-loop.ts';
import type { RecentSale } from '../../views/nfts/recent-sales.ts';
import { type Rotation, RotationFold } from '../../views/nfts/rotations.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const SEED = seedOf('rotations of NFTs', 20_261_124);
const DAY = 86_400;

/** As the documentation of the route says it, for each purchase by a search through the sales before it. */
function plainly(sales: readonly RecentSale[]): Rotation[] {
  const purses = new Map<number, { collection: number; time: number; left: number }>();
  return sales.flatMap(({ time, collection, seller, buyer, drops }) => {
    const purse = purses.get(buyer);
    const isOpen = purse !== undefined && time - purse.time <= DAY && purse.left > 0;
    const spent = isOpen ? Math.min(purse.left, drops) : 0;
    if (isOpen) purse.left -= spent;
    const found = isOpen && purse.collection !== collection;
    const from = purse?.collection ?? 0;
    const before = purses.get(seller);
    const isMore = before?.collection === collection && time - before.time <= DAY;
    purses.set(seller, { collection, time, left: drops + (isMore ? before.left : 0) });
    return found ? [{ party: buyer, from, to: collection, drops: spent, time }] : [];
  });
}

test(`what was passed before is not passed again, and nothing is missed (SEED=${SEED})`, () => {
  const draw = drawsOf(SEED);
  const fold = new RotationFold();
  const sales: RecentSale[] = [];
  let time = 800_000_000;
  for (let round = 0; round < 60; round++) {
    for (let n = draw(40); n > 0; n--) {
      time += draw(9000);
      const [seller, buyer] = [1 + draw(8), 1 + draw(8)];
      sales.push({ time, collection: 1 + draw(4), seller, buyer, drops: 1 + draw(1000) });
    }
    if (draw(8) === 0) sales.splice(0, draw(sales.length + 1));
    // The one that is asked first is overtaken by others, and by sales that come meanwhile.
    const [slow, quick] = [fold.over(sales), fold.over(sales)];
    slow.next();
    expect(runToEnd(quick)).toEqual(plainly(sales));
    expect(runToEnd(fold.over([...sales]))).toEqual(plainly(sales));
  }
});

test('a long list is passed in slices, once', () => {
  const count = 200_000;
  const sales = Array.from(
    { length: count },
    (_, n): RecentSale => ({
      time: 800_000_000 + n,
      collection: 1 + (n % 97),
      seller: 1 + (n % 1009),
      buyer: 1 + ((n * 7) % 1009),
      drops: 1 + (n % 13),
    }),
  );
  const fold = new RotationFold();
  const steps = (list: readonly RecentSale[]) => {
    const task = fold.over(list);
    let slices = 1;
    while (!task.next().done) slices++;
    return slices;
  };
  // A slice of 10,000 takes some 3 ms.
  expect(steps(sales)).toBeGreaterThanOrEqual(count / 10_000);
  expect(steps(sales)).toBe(1);
  sales.push({ ...sales[0]!, time: 800_000_000 + count });
  expect(steps(sales)).toBe(1);
  expect(runToEnd(fold.over(sales))).toEqual(plainly(sales));
});
