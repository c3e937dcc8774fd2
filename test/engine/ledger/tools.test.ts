import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Counters } from '../../../engine/counters.ts';
import { ArchiveReader } from '../../../engine/ledger/archive.ts';
import { ArchiveSource } from '../../../engine/ledger/archive-source.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import { importCorpus, record, replay } from '../../../engine/ledger/tools.ts';
import { corpusDir, ledgerFiles, readLedger } from '../../../support/corpus.ts';
import { FakeNode } from '../../../support/fake-node.ts';
import { preparePool } from '../../../workers/prepare-pool.ts';
import { makeChain } from '../../ledgers.ts';
import { quietLog, SHORT, seeded, testClock } from './quiet.ts';

const chain = makeChain({ count: 40 });
const tools = {
  preparer: preparePool(0),
  log: quietLog,
  counters: new Counters(),
  clock: testClock,
  random: seeded(4),
};

describe('tools', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tools-'));
    path = join(dir, 'ledgers.mlr');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test('record from a node, continue later, and replay', async () => {
    const node = new FakeNode({ ledgers: chain });
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(1),
      log: quietLog,
      limits: SHORT,
    });
    await source.open();
    expect(await record({ ...tools, source, path, history: 29, to: 1019 })).toEqual({ done: 10, last: 1019 });
    expect(await record({ ...tools, source, path, history: 29, to: 1019 })).toEqual({
      done: 0,
      last: undefined,
    });
    expect(await record({ ...tools, source, path, history: 0, to: 1039 })).toEqual({ done: 20, last: 1039 });
    await source.close();
    await node.stop();
    const replayed: PackedLedger[] = [];
    const all = {
      ...tools,
      path,
      onLedger: ({ packed }: { packed: PackedLedger }) => void replayed.push(packed),
    };
    expect(await replay(all)).toEqual({ done: 30, last: 1039 });
    expect(replayed.map(({ bytes }) => Buffer.from(bytes))).toEqual(
      chain.slice(10).map(({ bytes }) => Buffer.from(bytes)),
    );
    expect(await replay({ ...all, first: 1035 })).toEqual({ done: 5, last: 1039 });
  });

  test('record one archive into another', async () => {
    const node = new FakeNode({ ledgers: chain });
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(1),
      log: quietLog,
      limits: SHORT,
    });
    await source.open();
    await record({ ...tools, source, path, history: 100, to: 1039 });
    await source.close();
    await node.stop();
    const archive = new ArchiveSource(path);
    await archive.open();
    const copy = join(dir, 'copy.mlr');
    expect((await record({ ...tools, source: archive, path: copy, history: 100 })).done).toBe(40);
    await archive.close();
    const reader = ArchiveReader.open(copy);
    expect(reader.ranges()).toEqual([{ first: 1000, last: 1039 }]);
    reader.close();
  });

  test('replay at ledger pace waits as the ledgers did', async () => {
    const node = new FakeNode({ ledgers: chain });
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(1),
      log: quietLog,
      limits: SHORT,
    });
    await source.open();
    await record({ ...tools, source, path, history: 100, to: 1039 });
    await source.close();
    await node.stop();
    const waits: number[] = [];
    const clock = {
      now: testClock.now,
      timer(ms: number, run: () => void) {
        waits.push(ms);
        return testClock.timer(0, run);
      },
    };
    await replay({ ...tools, clock, path, pace: 2, onLedger() {} });
    // 39 gaps of 4 s of close time, at twice the pace.
    expect(waits).toEqual(new Array(39).fill(2000));
  });

  test('import refuses ledgers that fail the proof, with the reason', () => {
    writeFileSync(join(dir, 'b.json.gz'), gzipSync('{"network":"mainnet","header":null}'));
    writeFileSync(join(dir, 'c.json.gz'), gzipSync('{"network":"testnet"}'));
    writeFileSync(join(dir, 'd.json.gz'), 'no gzip');
    writeFileSync(join(dir, 'notes.txt'), 'ignored');
    const { imported, refused } = importCorpus(dir, path);
    expect(imported).toBe(0);
    expect(Object.fromEntries(refused)).toEqual({
      'no complete header': ['b.json.gz'],
      'not of mainnet': ['c.json.gz'],
      'not readable': ['d.json.gz'],
    });
  });

  test.skipIf(ledgerFiles().length === 0)(
    'import takes the recorded mainnet ledgers that prove',
    async () => {
      const { imported, refused } = importCorpus(join(corpusDir!, 'ledgers'), path);
      const proved = ledgerFiles().filter((name) => {
        const { network, verified } = readLedger(name);
        return (
          network === 'mainnet' && verified.ledger_hash_ok === true && verified.transaction_hash_ok === true
        );
      });
      expect(imported).toBe(proved.length);
      const names = [...refused.values()].flat();
      expect(names.length + imported).toBe(ledgerFiles().length);
      let transactions = 0;
      const end = await replay({
        ...tools,
        path,
        onLedger({ packed }) {
          transactions += packed.count;
        },
      });
      expect(end.done).toBe(imported);
      expect(transactions).toBe(proved.reduce((sum, name) => sum + readLedger(name).transactions!.length, 0));
      // A second import adds nothing.
      const again = importCorpus(join(corpusDir!, 'ledgers'), path);
      expect(again.imported).toBe(0);
    },
  );

  test.skipIf(ledgerFiles().length === 0)('import refuses a recording with a changed digit', () => {
    const name = 'mainnet-11119610.json.gz';
    const recorded = JSON.parse(JSON.stringify(readLedger(name)));
    const { transactions } = recorded;
    transactions[2].meta_blob = transactions[2].meta_blob.replace(/.$/, (digit: string) =>
      digit === '0' ? '1' : '0',
    );
    writeFileSync(join(dir, name), gzipSync(JSON.stringify(recorded)));
    const { imported, refused } = importCorpus(dir, path);
    expect(imported).toBe(0);
    expect([...refused.keys()]).toEqual(['the transactions do not hash to the root in the header']);
  });
});
