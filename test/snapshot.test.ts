/** An empty store takes the whole state of a ledger from a node, survives an interruption, and follows from there. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import { openStore } from '../data/store.ts';
import { accountText } from '../engine/codec/base58.ts';
import { Counters } from '../engine/counters.ts';
import { Engine } from '../engine/engine.ts';
import { follow } from '../engine/ledger/follow.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import { takeSnapshot } from '../engine/snapshot.ts';
import { readOptions } from '../service/options.ts';
import { networksOf, startService } from '../service/service.ts';
import { FakeNode } from '../support/fake-node.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { quietLog, SHORT, seeded, testClock, until } from './engine/ledger/quiet.ts';
import { makeChain } from './ledgers.ts';

const ACCOUNTS = 500;
const dir = mkdtempSync(join(tmpdir(), 'millrace-snapshot-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const random = seeded(5);
const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
const entries = Array.from({ length: ACCOUNTS }, (_, i) => ({
  LedgerEntryType: 'AccountRoot',
  Account: accountText(bytes(20), 0),
  Balance: String(20_000_000 + i),
  Flags: 0,
  OwnerCount: i % 7,
  Sequence: i + 1,
  PreviousTxnID: 'A'.repeat(64),
  PreviousTxnLgrSeq: 5,
  index: bytes(32).toHex().toUpperCase(),
})).sort((a, b) => (a.index < b.index ? -1 : 1));

async function open(name = 'store') {
  const store = await openStore({ dir: join(dir, name), network: 0 });
  const engine = new Engine({ store, log: quietLog });
  engine.restore();
  return { store, engine };
}

test('snapshot, interruption, resume, follow, restart', async () => {
  const accountHash = hashes.hashStateTree(entries as never);
  const ledgers = makeChain({ count: 10, accountHash });
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));
  const node = new FakeNode({ ledgers, state, pageEntries: 50 });
  const source = new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(2),
    log: quietLog,
    counters: new Counters(),
    limits: SHORT,
  });
  const preparer = preparePool(0);
  await source.open();
  const plan = { source, preparer, history: 4, log: quietLog, step: 100 };

  const first = await open();
  const stop = new AbortController();
  const interrupted = await takeSnapshot({
    ...plan,
    engine: first.engine,
    signal: stop.signal,
    onProgress: (seen) => seen >= 250 && stop.abort(),
  });
  expect(interrupted).toBe(false);
  expect(first.engine.head).toBeUndefined();
  await first.store.close();

  const second = await open();
  expect(second.engine.head).toBeUndefined();
  let again = 0;
  const progress = (seen: number) => {
    again = seen;
  };
  const signal = new AbortController().signal;
  expect(await takeSnapshot({ ...plan, engine: second.engine, signal, onProgress: progress })).toBe(true);
  expect(again).toBeLessThan(ACCOUNTS); // it continued and did not start over
  expect(second.engine.head?.index).toBe(1005);

  const end = new AbortController();
  await follow({
    source,
    preparer,
    from: second.engine.cursor,
    history: 0,
    window: 4,
    onLedger: async (prepared) => {
      await second.engine.applyLedger(prepared, false);
      if (prepared.packed.ledgerIndex === 1009) end.abort();
    },
    log: quietLog,
    counters: second.engine.counters,
    clock: testClock,
    random: seeded(3),
    signal: end.signal,
  });
  await second.engine.drain();
  const digest = second.engine.digest();
  await second.store.close();

  const third = await open();
  expect(third.engine.head?.index).toBe(1009);
  expect(third.engine.digest()).toBe(digest);
  const { accounts } = third.engine.state;
  for (const entry of entries) {
    const id = accounts.findText(entry.Account)!;
    expect(id).toBeDefined();
    expect(accounts.sequence[id]).toBe(entry.Sequence);
    expect(accounts.ownerCount[id]).toBe(entry.OwnerCount);
    expect(accounts.balanceLo[id]).toBe(Number(entry.Balance));
  }
  await third.store.close();
  await source.close();
  await node.stop();
});

test('a snapshot that is interrupted again and again equals one that is not', async () => {
  const accountHash = hashes.hashStateTree(entries as never);
  const ledgers = makeChain({ count: 3, accountHash });
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));
  const PAGE = 10;
  const PAGES_A_STEP = 3;
  const node = new FakeNode({ ledgers, state, pageEntries: PAGE });
  const preparer = preparePool(1);
  const pagesOf = () => node.requests.ledger_data ?? 0;
  let steps = 0;

  /** One run of the program: until the end, or until so many entries are loaded. @returns the digest at the end */
  async function run(name: string, until = Number.POSITIVE_INFINITY): Promise<string | undefined> {
    const { store, engine } = await open(name);
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(2),
      log: quietLog,
      limits: SHORT,
    });
    await source.open();
    const stop = new AbortController();
    const taken = await takeSnapshot({
      engine,
      source,
      preparer,
      history: 1,
      log: quietLog,
      step: PAGES_A_STEP * PAGE,
      signal: stop.signal,
      onProgress: (seen) => seen >= until && stop.abort(),
      onStep: () => steps++,
    });
    const digest = taken ? await engine.digestWithHistory() : undefined;
    await source.close();
    await store.close();
    return digest;
  }

  const whole = await run('uninterrupted');
  expect(whole).toBeDefined();
  const pages = pagesOf();
  expect(pages).toBe(ACCOUNTS / PAGE);
  let runs = 1;
  // The first page is a step by itself, so that it is never loaded a second time from another ledger.
  expect(steps).toBe(1 + Math.floor((pages - 2) / PAGES_A_STEP));
  let digest = await run('interrupted', 7 * PAGE);
  while (digest === undefined) {
    digest = await run('interrupted', 7 * PAGE);
    runs++;
  }
  expect(digest).toBe(whole!);
  expect(runs).toBeGreaterThan(5);
  // Each time at most the steps that are not durable, the page that was loaded last, and the pages ahead of it.
  expect(pagesOf() - 2 * pages).toBeLessThanOrEqual((runs - 1) * (2 * PAGES_A_STEP + 1 + SHORT.pagesAhead));
  await preparer.close();
  await node.stop();
});

test('the service asks again while no node has the state', async () => {
  const accountHash = hashes.hashStateTree(entries as never);
  const ledgers = makeChain({ count: 3, accountHash });
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));
  const node = new FakeNode({ ledgers, state, pageEntries: 50 });
  for (const { ledgerIndex } of ledgers) node.faults.missing.add(ledgerIndex);
  const args = ['--source', node.url, '--port', '0', '--data', join(dir, 'service'), '--workers', '0'];
  const faults: unknown[] = [];
  const options = readOptions(args, {});
  const service = await startService({
    options,
    networks: networksOf(options),
    log: quietLog,
    onFault: (fault) => faults.push(fault),
  });
  await until(() => node.requests.ledger! >= 2);
  node.faults.missing.clear();
  await until(() => service.network.ready);
  const { head, state: held } = service.engine;
  await service.stop();
  await node.stop();
  expect(faults).toEqual([]);
  expect(head?.index).toBe(1002);
  expect(held.accounts.existing).toBe(ACCOUNTS);
});

describe('a node that has old headers without their state', () => {
  const accountHash = hashes.hashStateTree(entries as never);
  const ledgers = makeChain({ count: 40, accountHash });
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));

  /** Starts a snapshot `history` ledgers back on a node that has the state from `stateFrom` on. */
  async function begin(stateFrom: number, history: number) {
    const node = new FakeNode({ ledgers, state, pageEntries: 100 });
    node.faults.stateFrom = stateFrom;
    const lines: Record<string, unknown>[] = [];
    const warn = (fields: object, message: string) => lines.push({ ...fields, message });
    const log = { ...quietLog, warn };
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(2),
      log,
      // It announces no ledgers, however long a machine beside other load takes for this.
      limits: { ...SHORT, silence: 180_000 },
    });
    await source.open();
    const { store, engine } = await open(`state-from-${stateFrom}`);
    const { signal } = new AbortController();
    const plan = { source, preparer: preparePool(0), log, engine, history, signal, onProgress() {} };
    const taken = await takeSnapshot(plan).catch((reason: unknown) => reason);
    const head = engine.head?.index;
    await store.close();
    await source.close();
    await node.stop();
    return { taken, head, lines, asked: node.requests };
  }

  test('begins at the oldest ledger tried whose state is there, and says what that is', async () => {
    const { taken, head, lines } = await begin(1031, 32);
    expect(taken).toBe(true);
    // 32, 16 and 8 ledgers back: 1031 is the first that has its state.
    expect(head).toBe(1031);
    expect(lines).toEqual([
      {
        wanted: 1007,
        ledger: 1031,
        history: 8,
        message:
          'no node has the state of ledger 1007 any more: beginning at ledger 1031, as with --history 8',
      },
    ]);
  });

  test('says what helps where no state is there at all, and asks no more often than it must', async () => {
    const { taken, head, lines, asked } = await begin(2000, 32);
    expect(taken).toMatchObject({ name: 'SourceError', code: 'missing' });
    expect(String(taken)).toContain('--source');
    expect(String(taken)).toContain('--snapshot no');
    expect(head).toBeUndefined();
    expect(lines).toEqual([]);
    // 32, 16, 8, 4, 2, 1 and 0 ledgers back.
    expect(asked.ledger_data).toBe(7);
  });
});
