/** Copies, checks and compaction of every kind of store; what only the engine's can do is refused of the others. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupStore, checkWhole, compactStore } from '../../data/maintenance.ts';
import { openPlatformStore } from '../../data/platform-store.ts';
import { openSandboxStore } from '../../data/sandbox-store.ts';
import { openStore } from '../../data/store.ts';
import { rebuildStore } from '../../service/rebuild.ts';
import { preparePool } from '../../workers/prepare-pool.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import { balances } from './platform-collections.ts';
import { cursorOf, temporaryDir } from './tools.ts';

const { dir, remove } = temporaryDir();
const network = join(dir, 'network');
const platform = join(dir, 'platform');
let head = 0;

beforeAll(async () => {
  const sandbox = openSandboxStore({ dir: network, network: 7 });
  const rig = new NetworkRig({ store: sandbox });
  rig.fund(['ann', 'ben']);
  rig.close();
  head = rig.network.validated.index;
  await sandbox.close();
  const store = await openPlatformStore({ dir: platform, network: 7, collections: [balances] });
  await store.transaction((transaction) => transaction.put(balances, ['one'], { drops: 5, events: [] }));
  await store.close();
});

afterAll(remove);

/** What was written, read again. */
const contents: Readonly<Record<string, (at: string) => Promise<unknown>>> = {
  network: async (at) => {
    const store = openSandboxStore({ dir: at, network: 7 });
    const found = store.ledger(head)?.ledgerIndex;
    await store.close();
    return found === head;
  },
  platform: async (at) => {
    const store = await openPlatformStore({ dir: at, network: 7, collections: [balances] });
    const found = store.get(balances, ['one'])?.drops;
    await store.close();
    return found === 5;
  },
};

test.each([
  ['network', network],
  ['platform', platform],
])('the %s: copied, checked and compacted like the engine, with everything in it', async (kind, at) => {
  const copy = join(dir, `${kind}-copy`);
  await backupStore(at, copy);
  checkWhole(copy);
  expect(await contents[kind]!(copy)).toBe(true);
  await compactStore(at);
  checkWhole(at);
  expect(await contents[kind]!(at)).toBe(true);
});

test.each([
  ['network', network, "the embedded network's own ledgers"],
  ['platform', platform, "data of the service's own"],
])('the %s is neither opened nor rebuilt as the engine: the line says what it is', async (_, at, what) => {
  const before = readFileSync(join(at, 'data.mdb'));
  const preparer = preparePool(0);
  const plan = { dir: at, network: 7, source: undefined, withoutSnapshot: true, preparer, log: quiet };
  for (const work of [() => openStore({ dir: at, network: 7 }), () => rebuildStore(plan)])
    await expect(work()).rejects.toThrow(`${at}: holds ${what}, not`);
  await preparer.close();
  expect(readFileSync(join(at, 'data.mdb')).equals(before)).toBe(true);
  expect(existsSync(join(at, 'rebuilt'))).toBe(false);
});

test('in the folder of the network or the platform, one of another kind is refused as what it is, and stays as it is', async () => {
  const engine = join(dir, 'an-engine');
  await (await openStore({ dir: engine, network: 7 })).close();
  const opened = {
    network: async (at: string) => openSandboxStore({ dir: at, network: 7 }),
    platform: (at: string) => openPlatformStore({ dir: at, network: 7, collections: [balances] }),
  };
  const cases = [
    ['network', engine, 'ledgers and what follows from them'],
    ['network', platform, "data of the service's own"],
    ['platform', engine, 'ledgers and what follows from them'],
    ['platform', network, "the embedded network's own ledgers"],
  ] as const;
  for (const [kind, at, what] of cases) {
    const before = readFileSync(join(at, 'data.mdb'));
    await expect(opened[kind](at), `${at} as ${kind}`).rejects.toThrow(`${at}: holds ${what}, not`);
    expect(readFileSync(join(at, 'data.mdb')).equals(before), `${at} as ${kind}`).toBe(true);
  }
});

test('what a compaction that was cut short has left takes no room after the next start', async () => {
  const at = join(dir, 'cut-short');
  const stores = {
    engine: () => openStore({ dir: at, network: 7 }),
    platform: () => openPlatformStore({ dir: platform, network: 7, collections: [balances] }),
  };
  for (const [kind, open] of Object.entries(stores)) {
    await (await open()).close();
    const left = join(kind === 'engine' ? at : platform, 'compacted');
    mkdirSync(left);
    writeFileSync(join(left, 'data.mdb'), new Uint8Array(100_000));
    await (await open()).close();
    expect(existsSync(left), kind).toBe(false);
  }
});

test('an empty store is the engine', async () => {
  const at = join(dir, 'engine');
  await (await openStore({ dir: at, network: 7 })).close();
  await backupStore(at, join(dir, 'engine-copy'));
  checkWhole(at);
  const store = await openStore({ dir: join(dir, 'engine-copy'), network: 7 });
  await store.commit(store.batch(), cursorOf(1));
  await store.close();
});
