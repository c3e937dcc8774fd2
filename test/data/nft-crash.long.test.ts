/** Killed (SIGKILL) at any moment while it applies ledgers of NFTs, an engine continues to the state of one that never was. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import type { ClosedLedger } from '../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { casesOf } from '../cases.ts';
import { follow, RandomNfts } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';
import { linesUntilKilled, temporaryDir } from './tools.ts';

const SEED = seedOf('kills on ledgers of NFTs');
const LEDGERS = 60;
const KILLS = casesOf(2, 12);
const AFTER_MS_MAX = 400;
/** So that hours and days of collections end on the way. */
const JUMP_MAX = 20_000;

test(`${KILLS} kills on ledgers of NFTs lose nothing that was acknowledged (SEED=${SEED})`, async () => {
  const draw = drawsOf(SEED);
  const random = new RandomNfts(draw);
  const steady = new Engine({ store: new MemoryStore(), log: quiet });
  const parts: Buffer[] = [];
  const ledgers: ClosedLedger[] = [];
  for (let i = 0; i <= LEDGERS; i++) {
    if (draw(4) === 0) random.rig.time += draw(JUMP_MAX);
    ledgers.push(i === 0 ? random.rig.network.closed : random.next());
    const { bytes } = await follow(steady, ledgers[i]!);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    parts.push(length, Buffer.from(bytes));
  }
  const { dir, remove } = temporaryDir();
  try {
    const file = join(dir, 'ledgers');
    writeFileSync(file, Buffer.concat(parts));
    const data = join(dir, 'data');
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const lines = await linesUntilKilled('nft-crash.child.ts', [data, file], draw(AFTER_MS_MAX));
      const last = Number(lines.at(-1));
      expect(last).toBeGreaterThanOrEqual(acknowledged);
      acknowledged = last;
    }
    const store = await openStore({ dir: data, network: 'test' });
    const opened = new Engine({ store, log: quiet });
    opened.restore();
    expect(opened.head?.index ?? 0).toBeGreaterThanOrEqual(acknowledged);
    for (const ledger of ledgers) await follow(opened, ledger);
    await opened.drain();
    expect(opened.digest()).toBe(steady.digest());
    expect(opened.nfts.nfts.existing).toBeGreaterThan(10);
    await store.close();
  } finally {
    remove();
  }
});
