/** `/ws/creator`: the first frame, and a frame for each event of a ledger, against `/creator-activity`. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { EventReader } from '../../engine/flows/event-record.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { HOUR } from '../../engine/ripple-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { type Followed, follow, pass } from '../flows-world.ts';
import { Faults, pause, rig } from './rig.ts';

const STEP = 600;
const log = new Faults();
const engine = new Engine({ store: new MemoryStore(), log });
const network = new Network({ engine });
const { open, stop, faults } = rig(network);
const ask = asker(network);
let followed: Followed;

async function step(): Promise<void> {
  const packed = followed.world.step(STEP).packed();
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
}

/** Events of creators, by account. */
const seen = new Map<number, number>();

beforeAll(async () => {
  engine.onLedger(({ events: { flows } }) => {
    const reader = new EventReader().load(flows.bytes);
    for (let i = 0; i < flows.count; i++) {
      const { account } = reader.at(i);
      if (engine.flows.creators.tokensOf(account).length > 0) seen.set(account, (seen.get(account) ?? 0) + 1);
    }
  });
  followed = follow('creators');
  (followed as { engine: Engine }).engine = engine;
  await pass(followed, 4 * HOUR, STEP);
});

afterAll(async () => {
  await stop();
  expect([...log.messages, ...faults.messages]).toEqual([]);
});

test('the first frame has the newest events, and each later event is a frame of its own', async () => {
  // The creator with most events so far.
  const [creator] = [...seen.keys()].sort((a, b) => seen.get(b)! - seen.get(a)!);
  const address = engine.state.accounts.text(creator!);
  const md5 = engine.state.tokens.md5(engine.flows.creators.tokensOf(creator!)[0]!);
  const rest = async (id: string): Promise<Json[]> =>
    (await ask.get(`/creator-activity/${id}?limit=200`)).body.events;
  const clients = await Promise.all([md5, address].map((id) => open(`/ws/creator/${id}`)));
  const before = await Promise.all([md5, address].map(rest));
  for (const [i, client] of clients.entries()) {
    const first = await client.next();
    expect(first).toEqual({
      type: 'initial',
      identifier: [md5, address][i],
      count: Math.min(50, before[i]!.length),
      events: before[i]!.slice(0, 50),
    });
    expect(first.count).toBeGreaterThan(0);
  }
  let after = before;
  for (let ledger = 0; ledger < 60 && after.some(({ length }, i) => length === before[i]!.length); ledger++) {
    await step();
    after = await Promise.all([md5, address].map(rest));
  }
  for (const [i, client] of clients.entries()) {
    const fresh = after[i]!.slice(0, after[i]!.length - before[i]!.length).toReversed();
    expect(fresh.length).toBeGreaterThan(0);
    for (const event of fresh) {
      const frame = await client.next();
      expect(frame).toMatchObject({
        type: 'activity',
        h: event.hash,
        r: event.result,
        t: event.time,
        s: event.side,
        y: event.type,
        x: event.xrpAmount,
        a: event.tokenAmount,
        c: event.currency,
        n: event.name,
        token: event.token,
        creator: address,
      });
      expect(frame.d).toBe(event.destination);
      expect(frame.fa).toBe(event.source);
    }
  }
});

test('who joins before a flush does not get what its first frame held again', async () => {
  const slow = rig(network, { limits: { flushMs: 5000 } });
  const addresses = [...seen.keys()]
    .sort((a, b) => seen.get(b)! - seen.get(a)!)
    .slice(0, 8)
    .map((creator) => engine.state.accounts.text(creator));
  const before = await Promise.all(
    addresses.map(async (address) => {
      const client = await slow.open(`/ws/creator/${address}`);
      await client.next();
      return { address, client };
    }),
  );
  // The first ledger is flushed at once, those within the pause after it are not.
  await step();
  const latest = async (address: string) =>
    (await ask.get(`/creator-activity/${address}?limit=1`)).body.events[0].hash as string;
  const shown = new Map<string, string>();
  for (const { address } of before) shown.set(address, await latest(address));
  const active = async () => {
    for (const one of before) if ((await latest(one.address)) !== shown.get(one.address)) return one;
    return undefined;
  };
  let found = await active();
  for (let ledger = 0; ledger < 60 && !found; ledger++) {
    await step();
    found = await active();
  }
  const after = await slow.open(`/ws/creator/${found!.address}`);
  const [{ hash }] = (await after.next()).events;
  await found!.client.next(({ h }) => h === hash);
  await pause(50);
  expect(after.frames.map(({ type }) => type)).toEqual(['initial']);
  await slow.stop();
});

test('what is no creator closes with the code of its kind', async () => {
  for (const [id, code] of [
    ['nonsense', 4020],
    ['0'.repeat(32), 4021],
    ['XRP', 4021],
    ['rrrrrrrrrrrrrrrrrrrrBZbvji', 4021],
  ] as const)
    expect(await (await open(`/ws/creator/${id}`)).closed).toMatchObject({ code });
});
