/** NFTs of the embedded network's population: after each ledger that changes them the same as its node's. */
import { expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { casesOf } from '../../cases.ts';
import { askerOf } from '../../embedded.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { asTheEngine, asTheNode } from './node-nfts.ts';
import { follow } from './random-nfts.ts';

const SEED = process.env.SEED ?? 'nfts';
const LEDGERS = casesOf(300, 1500);

test(`owners, URIs, offers and counts by issuer equal the node’s, seed ${SEED}`, async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const world = new World({ seed: SEED, commitEvery: 1 });
  const ask = askerOf(world.network);
  await follow(engine, world.network.closed);
  let compared = 0;
  for (let made = 1; made < LEDGERS; made++) {
    await follow(engine, world.step());
    if (engine.nfts.events.count === 0) continue;
    compared++;
    expect(asTheEngine(engine.nfts)).toEqual(asTheNode(ask));
  }
  expect(compared).toBeGreaterThan(10);
  expect(engine.nfts.nfts.count).toBeGreaterThan(10);
});
