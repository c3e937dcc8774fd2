import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Client } from 'xrpl';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { LIMITS, type Limits } from '../../../engine/ledger/limits.ts';
import {
  closedOf,
  ledgerOf,
  parseMessage,
  rangesOf,
  resultOf,
  statePageOf,
} from '../../../engine/ledger/node-messages.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import { SourceError } from '../../../engine/ledger/source.ts';
import { FakeNode } from '../../../support/fake-node.ts';
import { makeChain } from '../../ledgers.ts';
import { quietLog, SHORT, seeded, testClock, until } from './quiet.ts';

const chain = makeChain({ count: 20 });
const state = [{ index: '7'.repeat(64), data: '1100662200000003' }];

function sourceOf(nodes: readonly FakeNode[], limits: Limits = SHORT): NodeSource {
  const urls = nodes.map(({ url }) => url);
  return new NodeSource({ urls, clock: testClock, random: seeded(9), log: quietLog, limits });
}

describe('the loopback node', () => {
  let node: FakeNode;
  let client: Client;
  beforeAll(async () => {
    node = new FakeNode({ ledgers: chain, closed: 10, state, shape: 'v2' });
    client = new Client(node.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.disconnect();
    await node.stop();
  });

  test('is understood by the xrpl package', async () => {
    expect(await client.getLedgerIndex()).toBe(1009);
    const info = await client.request({ command: 'server_info' });
    expect(info.result.info.complete_ledgers).toBe('1000-1009');
    const ledger = await client.request({
      command: 'ledger',
      ledger_index: 1003,
      transactions: true,
      expand: true,
    });
    expect(ledger.result.ledger.transactions?.length).toBe(2);
    expect(ledger.result.ledger_hash).toBe(hexOf(chain[3]!.hash));
    const binary = await client.request({ command: 'ledger', ledger_index: 'validated', binary: true });
    expect(binary.result.ledger_index).toBe(1009);
    const data = await client.request({ command: 'ledger_data', ledger_index: 1003, binary: true });
    expect(data.result.state).toEqual(state as never);
    const entry = await client.request({ command: 'ledger_entry', index: state[0]!.index });
    expect(entry.result.node?.LedgerEntryType).toBe('Amendments');
    await expect(client.request({ command: 'ledger', ledger_index: 5 })).rejects.toThrow('ledgerNotFound');
    await expect(client.request({ command: 'fee' })).rejects.toThrow('Unknown method');
  });

  test('announces closed ledgers to the xrpl package', async () => {
    await client.request({ command: 'subscribe', streams: ['ledger'] });
    const closed = new Promise<number>((resolve) =>
      client.on('ledgerClosed', ({ ledger_index }) => resolve(ledger_index)),
    );
    node.advance();
    expect(await closed).toBe(1010);
  });
});

describe('node source', () => {
  test('refuses invalid addresses', () => {
    for (const urls of [[], ['http://example.org'], ['nowhere'], ['ws://x', 'ftp://y']]) {
      const make = () =>
        new NodeSource({ urls, clock: testClock, random: seeded(9), log: quietLog, limits: SHORT });
      expect(make).toThrow();
    }
  });

  test('keeps credentials out of its name', () => {
    const url = 'wss://user:secret@node.example.org:51233/?key=secret';
    const source = new NodeSource({ urls: [url], clock: testClock, random: seeded(9), log: quietLog });
    expect(source.name).toBe('node.example.org:51233');
    // Providers have the key in the path, too.
    const urls = [
      'wss://a.example/secret/',
      'ws://b.example',
      'ws://a.example/?key=other',
      'wss://a.example',
    ];
    const several = new NodeSource({ urls, clock: testClock, random: seeded(9), log: quietLog });
    const names = ['a.example', 'b.example', 'a.example #2', 'a.example #3'];
    expect(several.endpoints.map(({ name }) => name)).toEqual(names);
    expect(several.name).toBe(names.join(', '));
  });

  test('passes read commands through, errors of the node included', async () => {
    const node = new FakeNode({ ledgers: chain, state });
    const source = sourceOf([node]);
    await source.open();
    const entry = await source.request({ command: 'ledger_entry', index: state[0]!.index, binary: true });
    expect(entry.node_binary).toBe(state[0]!.data);
    const missing = await source.request({ command: 'ledger_entry', index: '8'.repeat(64) });
    expect(missing).toMatchObject({ status: 'error', error: 'entryNotFound' });
    for (const command of ['subscribe', 'unsubscribe', 'path_find']) {
      const error = await source.request({ command }).catch((reason) => reason);
      expect(error.code).toBe('refused');
    }
    await source.close();
    await node.stop();
  });

  test('waits for the first endpoint, and stops waiting when closed', async () => {
    const node = new FakeNode({ ledgers: chain });
    await node.stop();
    const source = sourceOf([node]);
    const opened = source.open();
    await Bun.sleep(30);
    node.restart();
    await opened;
    expect(source.latest()?.index).toBe(1019);
    await source.close();
    await node.stop();
    const never = sourceOf([node]);
    const error = never.open().catch((reason) => reason);
    await never.close();
    expect((await error).code).toBe('closed');
  });

  test('reports a ledger that closes before its subscription is answered', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 10 });
    node.faults.delay = 40;
    const source = sourceOf([node]);
    const announced: number[] = [];
    source.onClosed(({ index }) => announced.push(index));
    const opened = source.open();
    await until(() => node.requests.subscribe === 1);
    node.advance();
    await opened;
    expect(source.latest()?.index).toBe(1010);
    expect(announced.sort()).toEqual([1009, 1010]);
    await source.close();
    await node.stop();
  });

  test('subscribes again after a silence, then connects again', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 10 });
    const limits = { ...SHORT, silence: 60 };
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(9),
      log: quietLog,
      limits,
    });
    await source.open();
    await until(() => node.connections === 2 && source.endpoints[0]!.up);
    // Twice on the first connection, once on the second.
    expect(node.requests.subscribe).toBeGreaterThanOrEqual(3);
    await source.close();
    await node.stop();
  });

  test('spreads no more requests than allowed, and loses none', async () => {
    const node = new FakeNode({ ledgers: chain });
    node.faults.delay = 5;
    const limits = { ...SHORT, requestsInFlight: 2 };
    const source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(9),
      log: quietLog,
      limits,
    });
    await source.open();
    const all = await Promise.all(chain.map(({ ledgerIndex }) => source.ledger(ledgerIndex)));
    expect(all.map(({ ledgerIndex }) => ledgerIndex)).toEqual(chain.map(({ ledgerIndex }) => ledgerIndex));
    await source.close();
    await node.stop();
  });

  test('drops an endpoint that repeats the same announcement without end', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 10 });
    const source = sourceOf([node]);
    await source.open();
    node.faults.duplicates = 1100;
    node.advance();
    await until(() => !source.endpoints[0]!.up);
    await source.close();
    await node.stop();
  });

  test('drops an endpoint that floods', async () => {
    const node = new FakeNode({ ledgers: chain });
    const source = sourceOf([node]);
    await source.open();
    for (let i = 0; i < 1100; i++) node.broadcast(JSON.stringify({ type: 'unknown', i }));
    await until(() => !source.endpoints[0]!.up);
    await source.close();
    await node.stop();
  });

  for (const type of ['unknown', 'ledgerClosed'] as const)
    test(`drops an endpoint that sends much that nobody requested (${type}), also between new ledgers`, async () => {
      const warned: string[] = [];
      const log = {
        ...quietLog,
        warn: (fields: object, message: string) => warned.push(message + JSON.stringify(fields)),
      };
      const node = new FakeNode({ ledgers: chain });
      const source = new NodeSource({
        urls: [node.url],
        clock: testClock,
        random: seeded(9),
        log,
        limits: { ...SHORT, messageBytes: LIMITS.messageBytes, silence: LIMITS.silence },
      });
      await source.open();
      const ledger_hash = 'AB'.repeat(32);
      const first = chain.at(-1)!.ledgerIndex + 1;
      for (let i = 0; i < 6; i++) {
        node.broadcast(JSON.stringify({ type: 'ledgerClosed', ledger_index: first + 2 * i, ledger_hash }));
        const padding = 'x'.repeat(4 * 1024 * 1024);
        node.broadcast(JSON.stringify({ type, ledger_index: first + 2 * i + 1, ledger_hash, padding }));
      }
      await until(() => !source.endpoints[0]!.up);
      expect(warned.join()).toContain('not requested');
      await source.close();
      await node.stop();
    });
});

test('an endpoint that ends each connection before its data is found to be false is left alone in the end', async () => {
  const warned: string[] = [];
  const log = { ...quietLog, warn: (_: object, message: string) => warned.push(message) };
  const node = new FakeNode({ ledgers: chain, closed: 10 });
  const source = new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(9),
    log,
    limits: { ...SHORT, distrustPauseAlone: 60_000, distrustPauseAloneMax: 60_000 },
  });
  await source.open();
  for (let times = 1; times <= LIMITS.falseAfterEndMax; times++) {
    await until(() => source.endpoints[0]!.up);
    const ledger = await source.ledger(1000 + times);
    node.dropSockets();
    await until(() => !source.endpoints[0]!.up);
    source.refuse(ledger, 'it is false');
  }
  expect(warned.filter((line) => line.includes('has ended'))).toHaveLength(LIMITS.falseAfterEndMax - 1);
  expect(warned.at(-1)).toBe('endpoint marked down: it sent false data');
  await Bun.sleep(200);
  expect(node.connections).toBe(LIMITS.falseAfterEndMax);
  await source.close();
  await node.stop();
});

describe('what a node sends unasked', () => {
  test('counts by its values, too: they take longer to parse than their characters', async () => {
    const node = new FakeNode({ ledgers: chain });
    const source = sourceOf([node], LIMITS);
    await source.open();
    const values = `[${'{},'.repeat(60_000)}{}]`;
    for (let i = 0; i < 6; i++) node.broadcast(`{"type":"unknown","values":${values}}`);
    await until(() => !source.endpoints[0]!.up);
    await source.close();
    await node.stop();
  });

  test('is counted for seconds, however long the network may be silent', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 10 });
    const limits = { ...LIMITS, silence: 7 * 86_400_000, unrequestedBytes: 1_500, unrequestedTime: 5 };
    const source = sourceOf([node], limits);
    await source.open();
    for (let i = 11; i <= 20; i++) {
      await Bun.sleep(10);
      node.advance();
      await until(() => source.latest()?.index === chain[i - 1]!.ledgerIndex);
    }
    expect(source.endpoints[0]).toMatchObject({ up: true, faults: 0 });
    await source.close();
    await node.stop();
  });
});

describe('messages of a node', () => {
  const readers: ((value: never) => unknown)[] = [
    (value) => resultOf(value),
    (value) => closedOf(value),
    (value) => ledgerOf(value, 1000, LIMITS),
    (value) => statePageOf(value, chain[0]!.hash, LIMITS),
  ];
  const hex = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789ABCDEFxyz') }),
    fc.constant(hexOf(chain[0]!.header)),
  );
  const value = fc.oneof(fc.jsonValue(), hex, fc.integer());
  const fields = [
    'ledger',
    'ledger_data',
    'ledger_hash',
    'ledger_index',
    'transactions',
    'validated',
    'state',
    'marker',
    'status',
    'result',
    'error',
    'total_coins',
    'close_time',
    'parent_hash',
    'transaction_hash',
    'account_hash',
    'hash',
  ];
  const message = fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(value, fc.dictionary(fc.constantFrom(...fields), value)),
  );

  test('of any content are either read or refused with a SourceError', () => {
    fc.assert(
      fc.property(message, (content) => {
        for (const read of readers)
          try {
            read(content as never);
          } catch (error) {
            expect(error).toBeInstanceOf(SourceError);
          }
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.uint8Array()), (data) => {
        try {
          expect(typeof parseMessage(data, LIMITS)).toBe('object');
        } catch (error) {
          expect(error).toBeInstanceOf(SourceError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('have a largest size', () => {
    const limits = { ...LIMITS, messageBytes: 100, transactions: 1, pageEntries: 1 };
    expect(() => parseMessage(`{"a":"${'x'.repeat(100)}"}`, limits)).toThrow(SourceError);
    const ledger = { ledger_data: hexOf(chain[0]!.header), transactions: [{}, {}] };
    expect(() => ledgerOf({ ledger }, 1000, limits)).toThrow(/bounded length/);
    const page = { ledger_hash: hexOf(chain[0]!.hash), state: [{}, {}] };
    expect(() => statePageOf(page, chain[0]!.hash, limits)).toThrow(/bounded length/);
  });

  test('contain ranges', () => {
    expect(rangesOf('32570-6595042,6595050-6595060', LIMITS)).toEqual([
      { first: 32570, last: 6595042 },
      { first: 6595050, last: 6595060 },
    ]);
    expect(rangesOf('17', LIMITS)).toEqual([{ first: 17, last: 17 }]);
    for (const none of ['empty', '', '9-1', 'a-b', '-', '99999999999-1'])
      expect(rangesOf(none, LIMITS)).toEqual([]);
    expect(rangesOf(7, LIMITS)).toBeUndefined();
    expect(rangesOf('1-2,'.repeat(1_000_000), LIMITS)).toBeUndefined();
  });
});
