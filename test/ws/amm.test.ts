/** `/ws/amm/info`: the first frame, and one after each ledger that changed what `/amm/info` says. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Source } from '../../engine/ledger/source.ts';
import { HOUR } from '../../engine/ripple-time.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { askerOf } from '../embedded.ts';
import { follow, pass } from '../flows-world.ts';
import { PrunedMemory } from '../pruned-memory.ts';
import { Faults, rig } from './rig.ts';

const STEP = 600;
const log = new Faults();
const store = new PrunedMemory();
const engine = new Engine({ store, log, batch: { recentLedgers: 1 } });
const network = new Network({ engine });
const { open, stop, faults } = rig(network);
const ask = asker(network);
const followed = { ...follow('pools'), engine };
let account: string;

/** What `/amm/info` says of the pool. */
async function info(): Promise<Json> {
  return (await ask.get(`/amm/info?amm_account=${account}`)).body.amm;
}

beforeAll(async () => {
  await pass(followed, 4 * HOUR, STEP);
  const { pools, accounts } = engine.state;
  const busiest = Array.from({ length: pools.table.count - 1 }, (_, i) => i + 1).filter((pool) =>
    pools.exists(pool),
  );
  const traded = (pool: number) => engine.market.accountCounts.trades(pools.accounts[pool]!);
  const [pool] = busiest.sort((a, b) => traded(b) - traded(a));
  account = accounts.text(pools.accounts[pool!]!);
});

afterAll(async () => {
  await stop();
  expect([...log.messages, ...faults.messages]).toEqual([]);
});

test('by account, by token ids and by JSON: the pool, and again after each ledger at which it differs', async () => {
  const first = await info();
  const ids = [first.amount, first.amount2].map(({ issuer, currency }: Json) =>
    issuer === 'XRPL' ? 'XRP' : `${issuer}-${currency}`,
  );
  const json = [first.amount, first.amount2].map(({ issuer, currency }: Json) =>
    encodeURIComponent(JSON.stringify(issuer === 'XRPL' ? { currency: 'XRP' } : { currency, issuer })),
  );
  const clients = await Promise.all([
    open(`/ws/amm/info?amm_account=${account}`),
    open(`/ws/amm/info?asset=${ids[0]}&asset2=${ids[1]}`),
    open(`/ws/amm/info?asset=${json[1]}&asset2=${json[0]}`),
  ]);
  for (const client of clients) expect(await client.next()).toEqual({ type: 'initial', amm: first });
  let changes = 0;
  for (let ledger = 0, last = JSON.stringify(first); ledger < 12; ledger++) {
    const packed = followed.world.step(STEP).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    const amm = await info();
    const text = JSON.stringify(amm);
    expect(amm).toMatchObject({
      auction_slot: { account: expect.any(String) },
      vote_slots: expect.any(Array),
    });
    if (text === last) continue;
    for (const client of clients)
      expect(await client.next()).toEqual({ e: 'amm', E: expect.any(Number), amm });
    last = text;
    changes++;
  }
  expect(changes).toBeGreaterThan(2);
});

test('the interval of the auction slot goes on in ledgers that do not change the pool', async () => {
  const { pools, accounts } = engine.state;
  const quiet = Array.from({ length: pools.table.count - 1 }, (_, i) => i + 1).filter((pool) =>
    pools.exists(pool),
  );
  const addresses = quiet.map((pool) => accounts.text(pools.accounts[pool]!));
  const clients = await Promise.all(addresses.map((one) => open(`/ws/amm/info?amm_account=${one}`)));
  const shown = await Promise.all(clients.map(async (client) => (await client.next()).amm));
  let later = 0;
  for (let ledger = 0; ledger < 10; ledger++) {
    const packed = followed.world.step(STEP).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    for (const [i, client] of clients.entries()) {
      const { amm } = (await ask.get(`/amm/info?amm_account=${addresses[i]}`)).body;
      if (amm === undefined || JSON.stringify(amm) === JSON.stringify(shown[i])) continue;
      expect((await client.next()).amm).toEqual(amm);
      shown[i] = amm;
      if (!engine.state.changed.pools.has(quiet[i]!)) later++;
    }
  }
  expect(later).toBeGreaterThan(0);
});

test('what is no pool closes with the code of its kind', async () => {
  for (const [query, code] of [
    ['', 4021],
    ['asset=XRP', 4021],
    ['amm_account=nonsense', 4020],
    ['amm_account=rrrrrrrrrrrrrrrrrrrrBZbvji', 4021],
    ['asset=XRP&asset2=XRP', 4021],
    ['asset=XRP&asset2=nonsense', 4020],
    ['asset=XRP&asset2={nonsense', 4020],
    ['asset=XRP&asset2=%7B%7D', 4020],
    [
      `asset=XRP&asset2=${encodeURIComponent('{"currency":"USD","issuer":"rrrrrrrrrrrrrrrrrrrrBZbvji"}')}`,
      4021,
    ],
  ] as const)
    expect([query, (await (await open(`/ws/amm/info?${query}`)).closed).code]).toEqual([query, code]);
});

test('what stored ledgers do not show of its slot and votes comes from a node, and stays with ledgers that do not change it', async () => {
  const addresses = (await ask.get('/amm?limit=100')).body.pools.map(({ ammAccount }: Json) => ammAccount);
  const infoOf = async (asked: ReturnType<typeof asker>, address: string) =>
    (await asked.get(`/amm/info?amm_account=${address}`)).body.amm;
  const shown = new Map<string, Json>();
  for (const address of addresses) shown.set(address, await infoOf(ask, address));
  await engine.drain();
  store.oldest = engine.head!.index;
  followed.world.flush();
  const node = askerOf(followed.world.network);
  let asked = 0;
  const request: Source['request'] = async ({ command, ...more }) => {
    asked++;
    return node(command, more as Json);
  };
  const source = { request, range: () => undefined } as unknown as Source;
  const own = new Network({ engine, source });
  const streams = rig(own);
  const alone = new Network({ engine });
  const changed = async (address: string) => (await infoOf(asker(alone), address)).vote_slots !== undefined;
  const [first] = addresses.filter((address: string) => shown.get(address).vote_slots !== undefined);
  expect(await changed(first)).toBe(false);
  const client = await streams.open(`/ws/amm/info?amm_account=${first}`);
  expect(await client.next()).toEqual({ type: 'initial', amm: shown.get(first) });
  for (const address of addresses) expect(await infoOf(asker(own), address)).toEqual(shown.get(address));
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(addresses.length);
  asked = 0;
  const packed = followed.world.step(STEP).packed();
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
  for (const address of addresses)
    if (shown.get(address).vote_slots) expect(await infoOf(asker(own), address)).toHaveProperty('vote_slots');
  expect(asked).toBe(0);
  // What changed since is not what the node said: it is asked again.
  await engine.drain();
  store.oldest = engine.head!.index + 2;
  await infoOf(asker(own), first);
  expect(asked).toBe(1);
  await streams.stop();
});
