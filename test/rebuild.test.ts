/** What a rebuilt store is when its ledgers are not all there, or are not all that it was made of. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import type { HistoryLimits } from '../data/history-merge.ts';
import { PageFile } from '../data/pages.ts';
import { openStore } from '../data/store.ts';
import { accountText } from '../engine/codec/base58.ts';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { Counters } from '../engine/counters.ts';
import { Engine } from '../engine/engine.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { takeSnapshot } from '../engine/snapshot.ts';
import { type RebuildPlan, rebuildStore } from '../service/rebuild.ts';
import { FakeNode } from '../support/fake-node.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { quietLog, SHORT, seeded, testClock } from './engine/ledger/quiet.ts';
import { makeChain } from './ledgers.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-rebuild-'));
const preparer = preparePool(0);
afterAll(async () => {
  await preparer.close();
  rmSync(base, { recursive: true, force: true });
});

const random = seeded(11);
const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
const entries = Array.from({ length: 60 }, (_, i) => ({
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

function sourceOf(node: FakeNode): NodeSource {
  return new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(2),
    log: quietLog,
    counters: new Counters(),
    limits: SHORT,
  });
}

/** Applies ledgers to a store; with a node, after a snapshot of the first one. @returns the digest */
async function made(
  dir: string,
  ledgers: readonly PackedLedger[],
  node?: FakeNode,
  history?: Partial<HistoryLimits>,
): Promise<string> {
  const store = await openStore({ dir, network: 0, ...(history && { history }) });
  const engine = new Engine({ store, log: quietLog });
  if (node) {
    const source = sourceOf(node);
    await source.open();
    const signal = new AbortController().signal;
    const history = ledgers.length - 1;
    const onProgress = () => {};
    await takeSnapshot({ engine, source, preparer, history, log: quietLog, signal, onProgress });
    await source.close();
  }
  for (const packed of ledgers) await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
  const digest = await engine.digestWithHistory();
  await store.close();
  return digest;
}

const planOf = (dir: string, more: Partial<RebuildPlan> = {}): RebuildPlan => ({
  dir,
  network: undefined,
  source: undefined,
  withoutSnapshot: false,
  preparer,
  log: quietLog,
  ...more,
});

test('a lost ledger ends the rebuild: older ones are rebuilt, the rest must be fetched', async () => {
  const dir = join(base, 'lost');
  const ledgers = makeChain({ count: 12, transactions: 3 });
  await made(dir, ledgers);
  const until = await made(join(base, 'until'), ledgers.slice(0, 7));
  const file = readFileSync(join(dir, 'data.mdb'));
  const frame = Bun.zstdCompressSync(ledgers[7]!.bytes, { level: 1 });
  const at = file.indexOf(frame);
  expect(at).toBeGreaterThan(0);
  for (let from = at; from >= 0; from = file.indexOf(frame, from + 1)) file[from + 20]! ^= 0x55;
  writeFileSync(join(dir, 'data.mdb'), file);
  const end = await rebuildStore(planOf(dir));
  expect([end.ledgers, end.first, end.last, end.left]).toEqual([7, 1000, 1006, 5]);
  expect(end.digest).toBe(until);
  expect([end.wasDamaged, end.kept]).toEqual([true, join(dir, 'damaged-1.mdb')]);
  expect(readFileSync(end.kept)).toEqual(file);
  const store = await openStore({ dir, network: 0 });
  expect(store.cursor!.index).toBe(1006);
  await store.close();
});

test('a whole store with runs of hashes is rebuilt to its last ledger: none is left behind it', async () => {
  const dir = join(base, 'runs');
  const digest = await made(dir, makeChain({ count: 6, transactions: 3 }), undefined, { loggedBytes: 0 });
  const pages = PageFile.open(dir)!;
  expect(pages.trees().get('runs')!.root).toBeDefined();
  pages.close();
  const totals = new Set<number>();
  const onProgress = (_done: number, total: number) => void totals.add(total);
  const end = await rebuildStore(planOf(dir, { onProgress }));
  expect([end.first, end.last, end.left, end.wasDamaged]).toEqual([1000, 1005, 0, false]);
  expect(end.digest).toBe(digest);
  expect([...totals]).toEqual([6]);
});

test('a store that started with a snapshot names what it needs, and with it is rebuilt to the same state', async () => {
  const dir = join(base, 'snapshot');
  const ledgers = makeChain({ count: 8, accountHash: hashes.hashStateTree(entries as never) });
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));
  const node = new FakeNode({ ledgers, state, pageEntries: 20 });
  const digest = await made(dir, ledgers, node);
  const before = readFileSync(join(dir, 'data.mdb'));

  const fault = await rebuildStore(planOf(dir)).catch((error: Error) => error);
  expect((fault as Error).message).toContain('began with a snapshot of the whole state at ledger 1000');
  expect((fault as Error).message).toContain('--source wss://');
  expect(readFileSync(join(dir, 'data.mdb'))).toEqual(before);

  const source = sourceOf(node);
  const end = await rebuildStore(planOf(dir, { source }));
  await source.close();
  expect([end.ledgers, end.first, end.last, end.left]).toEqual([8, 1000, 1007, 0]);
  expect(end.digest).toBe(digest);

  // A program of the checkout waits for a node that does not answer, says so, and leaves the store when it is stopped.
  const [waiting, whole] = [
    join(import.meta.dir, '..', 'service', 'tool.ts'),
    readFileSync(join(dir, 'data.mdb')),
  ];
  const words = [waiting, 'rebuild', '--data', dir, '--source', 'ws://127.0.0.1:1'];
  const child = Bun.spawn([process.execPath, ...words], { stdout: 'pipe', stderr: 'pipe' });
  const reader = child.stderr.getReader();
  const line = async () => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await line()).toBe('127.0.0.1:1: nothing answers yet; asking again until it does\n');
  child.kill('SIGTERM');
  expect([await child.exited, await line()]).toEqual([
    1,
    'millrace: 127.0.0.1:1: stopped before it answered\n',
  ]);
  expect(readFileSync(join(dir, 'data.mdb'))).toEqual(whole);
  expect(existsSync(join(dir, 'rebuilt'))).toBe(false);

  const without = await rebuildStore(planOf(dir, { withoutSnapshot: true }));
  expect([without.last, without.digest === digest]).toEqual([1007, false]);
  expect([end.wasDamaged, without.wasDamaged]).toEqual([false, false]);
  expect([end.kept, without.kept]).toEqual([join(dir, 'replaced-1.mdb'), join(dir, 'replaced-2.mdb')]);
  expect(readFileSync(end.kept)).toEqual(before);
  await node.stop();
});

/** A program of the checkout, to its end. */
async function run(...command: readonly string[]) {
  const child = Bun.spawn([process.execPath, ...command], { stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}

test('the program on a damaged store: one line, exit code 1, and the command it names repairs it', async () => {
  const root = join(import.meta.dir, '..');
  const dir = join(base, 'program');
  const ledgers = makeChain({ count: 6 });
  const digest = await made(dir, ledgers);
  const archive = join(base, 'program.mlr');
  const writer = ArchiveWriter.open(archive);
  for (const packed of ledgers) writer.append(packed);
  writer.close();
  const pages = PageFile.open(dir)!;
  const page = pages.trees().get('log')!.root!;
  pages.close();
  const file = readFileSync(join(dir, 'data.mdb'));
  file[page * pages.pageBytes + 20]! ^= 1;
  writeFileSync(join(dir, 'data.mdb'), file);

  const tool = (name: string) => run(join(root, 'service', 'tool.ts'), name, '--data', dir);
  const service = join(root, 'service', 'main.ts');
  const started = await run(service, '--port=0', `--data=${dir}`, `--source=file:${archive}`, '--workers=0');
  expect([started.code, started.err.split('\n').length]).toEqual([1, 1]);
  expect(started.err).toContain(`the store is damaged (table 'log': page ${page} has wrong bounds)`);
  expect(started.err).toContain(`npm run tool -- rebuild --data ${dir}`);
  expect(await tool('check')).toEqual({ code: 1, out: '', err: started.err });
  const rebuilt = await tool('rebuild');
  expect(rebuilt.err).toBe('');
  expect(rebuilt.out).toContain(`digest ${digest}`);
  expect(rebuilt.out).toContain(`the damaged file is kept as ${join(dir, 'damaged-1.mdb')}`);
  expect(await tool('check')).toEqual({ code: 0, out: 'the store is whole', err: '' });
  expect((await tool('digest')).out).toBe(digest);
});

test('a file that holds no ledger, a store in use, and none at all are one line each', async () => {
  const dir = join(base, 'nothing');
  await made(dir, []);
  await expect(rebuildStore(planOf(dir))).rejects.toThrow('no ledger can be read from it');
  const store = await openStore({ dir, network: 0 });
  await expect(rebuildStore(planOf(dir))).rejects.toThrow(/in use by this process\. Stop it first$/);
  await store.close();
  await expect(rebuildStore(planOf(join(base, 'nowhere')))).rejects.toThrow('there is no store here');
});
