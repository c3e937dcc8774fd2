/** What is said of scams, by the routes, over the embedded network. */
import { beforeAll, expect, test } from 'bun:test';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { World } from '../../sandbox/population/world.ts';
import { asker, type Json } from './ask.ts';

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const api = asker(engine);

beforeAll(async () => {
  const world = new World({ seed: 'scams' });
  for (let i = 0; i < 12; i++) {
    const packed = new PackedLedger(world.step(600).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await engine.drain();
});

test('the tokens of an issuer are those of its trust lines that somebody holds, in pages from 1', async () => {
  const { tokens, lines, accounts } = engine.state;
  const held = new Map<string, string[]>();
  for (let token = tokens.count - 1; token > 0; token--) {
    const issuer = tokens.issuer(token);
    if (issuer === 0 || lines.holdersCount(token) === 0) continue;
    const address = accounts.text(issuer);
    held.set(address, [...(held.get(address) ?? []), tokens.md5(token)]);
  }
  expect(held.size).toBeGreaterThan(3);
  const ask = async (query: string): Promise<Json> => (await api.get(`/scams/tokens?${query}`)).body;
  const md5s = (body: Json) => body.tokens.map(({ md5 }: Json) => md5);
  for (const [issuer, expected] of held) {
    const all = await ask(`issuer=${issuer}`);
    expect(all).toMatchObject({ issuer, page: 1, limit: 50, total: expected.length });
    expect(md5s(all)).toEqual(expected.slice(0, 50));
    const second = await ask(`issuer=${issuer}&page=2&limit=1`);
    expect([second.page, second.total, md5s(second)]).toEqual([2, expected.length, expected.slice(1, 2)]);
  }
  expect((await api.get('/scams/tokens')).status).toBe(400);
  const nobody = await ask('issuer=rrrrrrrrrrrrrrrrrrrrBZbvji');
  expect(nobody).toMatchObject({ total: 0, count: 0, tokens: [] });
});
