/** A fresh store takes the whole state of a ledger from a node, survives an interruption, and follows from there. */
import { afterAll, expect, test } from 'bun:test';
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
import { readOptions } from '../options.ts';
import { startService } from '../service.ts';
import { preparePool } from '../workers/pool.ts';
import { quietLog, SHORT, seeded, testClock, until } from './engine/ledger/quiet.ts';
import { FakeNode } from './fake-node.ts';
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

async function open() {
  const store = await openStore({ dir: join(dir, 'store'), network: 0 });
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
  expect(again).toBeLessThan(ACCOUNTS); // it went on, it did not begin anew
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

test('the service asks again while no node has the state', async () => {
  const accountHash = hashes.hashStateTree(entries as never);
  const ledgers = makeChain({ count: 3, accountHash });
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));
  const node = new FakeNode({ ledgers, state, pageEntries: 50 });
  for (const { ledgerIndex } of ledgers) node.faults.missing.add(ledgerIndex);
  const args = ['--source', node.url, '--port', '0', '--data', join(dir, 'service'), '--workers', '0'];
  const faults: unknown[] = [];
  const options = readOptions(args, {});
  const service = await startService({ options, log: quietLog, onFault: (fault) => faults.push(fault) });
  await until(() => node.asked.ledger! >= 2);
  node.faults.missing.clear();
  await until(() => service.engine.ready);
  const { head, state: held } = service.engine;
  await service.stop();
  await node.stop();
  expect(faults).toEqual([]);
  expect(head?.index).toBe(1002);
  expect(held.accounts.existing).toBe(ACCOUNTS);
}, 180_000);
