/** What happened to the NFTs of collections is kept up to so many bytes of all of them. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { CollectionSales } from '../../views/nfts/collection-sales.ts';
import { follow, RandomNfts } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { drawsOf } from '../sandbox/seed.ts';

test('what is kept of collections is bounded in bytes, and forgotten with their events', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const random = new RandomNfts(drawsOf(20_261_201));
  await follow(engine, random.rig.network.closed);
  for (let i = 0; i < 10; i++) await follow(engine, random.next());
  const { collections } = engine.nfts;
  const rows = Array.from({ length: collections.count - 1 }, (_, i) => i + 1);
  expect(rows.length).toBeGreaterThan(3);

  const unlimited = new CollectionSales(engine);
  const sizes: number[] = [];
  for (const row of rows) {
    const before = unlimited.bytes;
    const past = await unlimited.of(row);
    await Promise.resolve();
    sizes.push(unlimited.bytes - before);
    expect(sizes.at(-1)!).toBeGreaterThanOrEqual(past.moves.times.length * 12 + past.sales.length * 60);
  }
  const most = Math.max(...sizes) + Math.min(...sizes);
  const bounded = new CollectionSales(engine, most);
  for (const row of [...rows, ...rows]) {
    const past = await bounded.of(row);
    await Promise.resolve();
    expect(bounded.bytes).toBeLessThanOrEqual(most);
    expect(bounded.bytes).toBeGreaterThan(0);
    // The newest one stays.
    expect(await bounded.of(row)).toBe(past);
  }
  // Those that are read at one time, too.
  await Promise.all(rows.map((row) => bounded.of(row)));
  await Promise.resolve();
  expect(bounded.bytes).toBeLessThanOrEqual(most);

  const stop = engine.onLedger((event) => unlimited.applied(event));
  let left = unlimited.bytes;
  for (let i = 0; i < 20 && left === unlimited.bytes; i++) await follow(engine, random.next());
  stop();
  expect(unlimited.bytes).toBeLessThan(left);
  left = unlimited.bytes;
  unlimited.drop();
  expect(unlimited.bytes).toBe(0);
});
