/** Who shares an audience is kept for five minutes; how many hold a token is what its row says, at every ledger. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { quiet } from '../live-rig.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll } from './world.ts';

const LEDGERS = 100;
/** Within the time for which an answer is kept. */
const MORE = 4;

test('rows of related tokens have the holders of the newest ledger', async () => {
  const world = new World({ seed: 'related holders' });
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const close = async (count: number, seconds: number) => {
    for (let i = 0; i < count; i++) await applyAll(engine, [world.step(seconds).packed()]);
  };
  const ask = asker(engine);
  const shown = async () => {
    const { tokens, lines } = engine.state;
    let rows = 0;
    for (let token = 1; token < tokens.count; token++) {
      const { body } = await ask.get(`/token/${tokens.md5(token)}/related`);
      for (const { type, md5, holders } of (body.related ?? []) as Json[]) {
        if (type !== 'token') continue;
        expect([md5, holders]).toEqual([md5, lines.holdersCount(tokens.byMd5(md5)!)]);
        rows++;
      }
    }
    return rows;
  };
  const counts = () => {
    const { tokens, lines } = engine.state;
    return Array.from({ length: tokens.count - 1 }, (_, i) => lines.holdersCount(i + 1));
  };
  await close(LEDGERS, 300);
  expect(await shown()).toBeGreaterThan(10);
  const before = counts();
  await close(MORE, 60);
  expect(counts()).not.toEqual(before);
  expect(await shown()).toBeGreaterThan(10);
}, 120_000);
