/** Nodes that send false entries during the first snapshot: none of them is ever part of a state that counts as proved. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import { openStore } from '../data/store.ts';
import { accountText } from '../engine/codec/base58.ts';
import { Engine } from '../engine/engine.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import { SourceError } from '../engine/ledger/source.ts';
import { takeSnapshot, UnusableSnapshotError } from '../engine/snapshot.ts';
import { takeFirstSnapshot } from '../service/first-snapshot.ts';
import { readOptions } from '../service/options.ts';
import { RestartingService } from '../service/restarting.ts';
import { networksOf } from '../service/service.ts';
import { FakeNode } from '../support/fake-node.ts';
import type { StateEntry } from '../support/stand-in-node.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { quietLog, SHORT, seeded, testClock, until } from './engine/ledger/quiet.ts';
import { makeChain } from './ledgers.ts';

const ACCOUNTS = 200;
const PAGE = 20;
const dir = mkdtempSync(join(tmpdir(), 'millrace-snapshot-false-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const random = seeded(9);
const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
const byIndex = (a: { index: string }, b: { index: string }) => (a.index < b.index ? -1 : 1);
const account = (balance: string) => ({
  LedgerEntryType: 'AccountRoot',
  Account: accountText(bytes(20), 0),
  Balance: balance,
  Flags: 0,
  OwnerCount: 0,
  Sequence: 1,
  PreviousTxnID: 'A'.repeat(64),
  PreviousTxnLgrSeq: 5,
  index: bytes(32).toHex().toUpperCase(),
});
const entries = Array.from({ length: ACCOUNTS }, (_, i) => account(String(20_000_000 + i))).sort(byIndex);
const encoded = ({ index, ...fields }: ReturnType<typeof account>): StateEntry => ({
  index,
  data: encode(fields as never),
});
const state = entries.map(encoded);
const ledgers = makeChain({ count: 10, accountHash: hashes.hashStateTree(entries as never) });

/** An account that is not in the state, with an index between those of the second page. */
const invented = { ...account('77'), index: `${entries[PAGE + 5]!.index.slice(0, 60)}FFFF` };

const ENDINGS = ['a page out of order', 'no further answer', 'all other pages'] as const;

/** Sends the invented account, and after four pages the ending. */
function hostileNode(ending: (typeof ENDINGS)[number]): FakeNode {
  const falseState = [...state, encoded(invented)].sort(byIndex);
  let pages = 0;
  const node: FakeNode = new FakeNode({
    ledgers,
    pageOf: (marker) => {
      const from = falseState.findIndex(({ index }) => index > (marker ?? ''));
      const page = falseState.slice(from, from + PAGE);
      const next = from + PAGE < falseState.length ? page.at(-1)!.index : undefined;
      const isEnd = ++pages === 5;
      if (isEnd && ending === 'no further answer') setTimeout(() => node.stop());
      return { state: isEnd && ending === 'a page out of order' ? page.toReversed() : page, marker: next };
    },
  });
  return node;
}

/** Slow, so that the other one is preferred. */
function honestNode(): FakeNode {
  const node = new FakeNode({ ledgers, state, pageEntries: PAGE });
  node.faults.delay = 40;
  return node;
}

describe.each(ENDINGS)('a node that sends a false entry, and then %s', (ending) => {
  test('nothing of it counts as proved, whoever sends the rest', async () => {
    const hostile = hostileNode(ending);
    const honest = honestNode();
    const source = new NodeSource({
      urls: [hostile.url, honest.url],
      clock: testClock,
      random: seeded(2),
      log: quietLog,
      limits: { ...SHORT, silence: 180_000, pageAttempts: 2 },
    });
    await source.open();
    await until(() => source.endpoints.every(({ up }) => up));
    const store = await openStore({ dir: join(dir, `engine ${ending}`), network: 0 });
    const engine = new Engine({ store, log: quietLog });
    const preparer = preparePool(0);
    const { signal } = new AbortController();
    const plan = { engine, source, preparer, history: 4, log: quietLog, signal, onProgress() {} };
    let taken: unknown;
    do taken = await takeSnapshot(plan).catch((fault: unknown) => fault);
    while (taken instanceof SourceError);
    expect(hostile.requests.ledger_data).toBeGreaterThan(4);
    if (ending === 'no further answer') expect(honest.requests.ledger_data).toBeGreaterThan(0);
    expect(taken).toBeInstanceOf(UnusableSnapshotError);
    expect(String(taken)).toContain(source.endpoints[0]!.name);
    expect(engine.head).toBeUndefined();
    await store.close();
    await source.close();
    await Promise.all([hostile.stop(), honest.stop()]);
  });

  // A minute passes before a node that is gone is given up.
  if (ending === 'no further answer') return;

  test('the service says so, and takes the whole state from the other node', async () => {
    const hostile = hostileNode(ending);
    const honest = honestNode();
    const data = join(dir, `service ${ending}`);
    const sources = ['--source', `${hostile.url},${honest.url}`, '--history', '4'];
    const options = readOptions([...sources, '--port', '0', '--data', data, '--workers', '0'], {});
    const warnings: string[] = [];
    const warn = (fields: object, message: string) => warnings.push(`${message} ${JSON.stringify(fields)}`);
    const faults: unknown[] = [];
    const ports = new Set<number>();
    let opened = 0;
    const running = new RestartingService({
      options,
      networks: networksOf(options),
      log: { ...quietLog, warn },
      onFault: (fault) => faults.push(fault),
      onOpened: async ({ engine, port }) => {
        opened++;
        ports.add(port);
        // What the service itself owns is not lost with the state of the network.
        if (opened === 1) await Bun.write(join(data, 'platform', 'kept'), 'kept');
        expect(engine.head).toBeUndefined();
      },
    });
    await until(() => opened > 1 && running.service?.networks[0]?.open.network.engine.head !== undefined);
    const { accounts } = running.service!.engine.state;
    await running.stop();
    expect(faults).toEqual([]);
    // Whoever read from it finds it again.
    expect(ports.size).toBe(1);
    expect(accounts.existing).toBe(ACCOUNTS);
    expect(accounts.findText(invented.Account)).toBeUndefined();
    expect(warnings.join('\n')).toContain('the first snapshot is of no use');
    expect(warnings.join('\n')).toContain(new URL(hostile.url).host);
    expect(await Bun.file(join(data, 'platform', 'kept')).text()).toBe('kept');
    await Promise.all([hostile.stop(), honest.stop()]);
  });
});

/** Of these, one state takes some 60 GiB with its store, and two take more than there are. */
const ADDRESSES_GIB = 80;

test.skipIf(process.platform !== 'linux')(
  'where the addresses do not suffice for two states, it goes on all the same',
  async () => {
    const [hostile, honest] = [hostileNode('all other pages'), honestNode()];
    const command = ['sh', '-c', `ulimit -v ${ADDRESSES_GIB * 2 ** 20} && exec "$0" "$@"`, process.execPath];
    const program = resolve(import.meta.dir, '../service/main.ts');
    const sources = ['--source', `${hostile.url},${honest.url}`, '--history', '4'];
    const args = ['--port', '0', '--data', join(dir, 'addresses'), '--workers', '0', '--log-format', 'json'];
    const child = Bun.spawn([...command, program, ...sources, ...args], { stdout: 'pipe', stderr: 'ignore' });
    let log = '';
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      log += text;
      if (log.includes('"caught up')) child.kill('SIGTERM');
    }
    expect([await child.exited, child.signalCode, log.includes('the first snapshot is of no use')]).toEqual([
      0,
      null,
      true,
    ]);
    await Promise.all([hostile.stop(), honest.stop()]);
  },
);

test('two networks, each with a node that sends a false entry: both have the state of the other node in the end', async () => {
  const nodes = [0, 1].map(() => [hostileNode('all other pages'), honestNode()] as const);
  const [main = '', other = ''] = nodes.map(([hostile, honest]) => `${hostile.url},${honest.url}`);
  const networks = ['--source', main, '--testnet', other, '--testnet-network', '0'];
  const args = [...networks, '--history', '4', '--port', '0', '--data', join(dir, 'two'), '--workers', '0'];
  const options = readOptions(args, {});
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  const plans = networksOf(options);
  const running = new RestartingService({ options, networks: plans, log: quietLog, onFault, onOpened() {} });
  const engines = () => (running.service?.networks ?? []).map(({ open }) => open.network.engine);
  await until(() => engines().filter(({ head }) => head !== undefined).length === 2);
  const existing = engines().map(({ state: { accounts } }) => accounts.existing);
  await running.stop();
  expect([faults, existing]).toEqual([[], [ACCOUNTS, ACCOUNTS]]);
  await Promise.all(nodes.flat().map((node) => node.stop()));
});

test('a snapshot that no node can continue any more is given up after eight times, and not before', async () => {
  const node = honestNode();
  const url = [node.url];
  const limits = { ...SHORT, silence: 180_000 };
  const source = new NodeSource({ urls: url, clock: testClock, random: seeded(2), log: quietLog, limits });
  await source.open();
  const store = await openStore({ dir: join(dir, 'outdated'), network: 0 });
  const engine = new Engine({ store, log: quietLog });
  const stop = new AbortController();
  const plan = { engine, source, preparer: preparePool(0), history: 4, log: quietLog };
  const part = { ...plan, signal: stop.signal, onProgress: () => stop.abort() };
  expect(await takeSnapshot(part)).toBe(false);
  expect(store.cursor).toBeDefined();
  // Pages that were requested ahead.
  await Bun.sleep(100);
  node.faults.stateFrom = 2_000;
  const before = node.requests.ledger_data!;
  const { signal } = new AbortController();
  const fast = { ...testClock, timer: (_: number, run: () => void) => testClock.timer(0, run) };
  const taken = takeFirstSnapshot({ ...plan, signal, onProgress() {} }, fast);
  expect(await taken.catch((fault: unknown) => fault)).toBeInstanceOf(UnusableSnapshotError);
  expect(node.requests.ledger_data! - before).toBe(8);
  await store.close();
  await source.close();
  await node.stop();
});
