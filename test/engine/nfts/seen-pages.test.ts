/** Pages that were seen: the same state whether they are remembered or forgotten on the way. */
import { expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { SeenPages } from '../../../engine/nfts/seen-pages.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { follow, RandomNfts } from './random-nfts.ts';

const SEED = seedOf('seen pages', 20_261_203);
const LEDGERS = 90;
const RESTART_EVERY = 15;

test(`pages are remembered until they are forgotten (SEED=${SEED})`, () => {
  const draw = drawsOf(SEED);
  const pages = new SeenPages();
  const seen = new Set<number>();
  for (let i = 0; i < 20_000; i++) {
    // Keys that differ in few bits, as those of one owner do.
    const page = draw(6000);
    const bytes = new Uint8Array(40).fill(7);
    new DataView(bytes.buffer).setUint32(30, page);
    expect(pages.add(bytes, 4)).toBe(seen.has(page));
    seen.add(page);
    if (draw(8000) > 0) continue;
    pages.clear();
    seen.clear();
  }
});

test(`an engine that is opened again and again has the state of one that is not (SEED=${SEED})`, async () => {
  const random = new RandomNfts(drawsOf(SEED));
  const steady = new Engine({ store: new MemoryStore(), log: quiet });
  const store = new MemoryStore();
  let reopened = new Engine({ store, log: quiet });
  const ledgers = [random.rig.network.closed];
  for (let i = 0; i < LEDGERS; i++) ledgers.push(random.next());
  for (const [i, ledger] of ledgers.entries()) {
    await follow(steady, ledger);
    await follow(reopened, ledger);
    if (i % RESTART_EVERY > 0) continue;
    await reopened.drain();
    reopened = new Engine({ store, log: quiet });
    reopened.restore();
  }
  expect(steady.nfts.nfts.existing).toBeGreaterThan(20);
  expect(reopened.nfts.digest()).toBe(steady.nfts.digest());
});
