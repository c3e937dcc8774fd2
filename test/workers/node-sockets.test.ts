import { describe, expect, test } from 'bun:test';
import { hexOf } from '../../engine/codec/bytes.ts';
import type { NodeSocket, NodeSockets } from '../../engine/ledger/endpoint.ts';
import { LIMITS } from '../../engine/ledger/limits.ts';
import { PackedAnswer, packedAnswer } from '../../engine/ledger/node-messages.ts';
import { NodeSource } from '../../engine/ledger/node-source.ts';
import { prove } from '../../engine/ledger/proof.ts';
import { FakeNode } from '../../support/fake-node.ts';
import type { Faults } from '../../support/stand-in-node.ts';
import { NodeSocketThread } from '../../workers/node-sockets.ts';
import { quietLog, SHORT, seeded, testClock, until } from '../engine/ledger/quiet.ts';
import { makeChain } from '../ledgers.ts';

const chain = makeChain({ count: 20 });

interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** The kind of sockets and what they deliver, for comparison with the thread's. */
function counting(sockets: NodeSockets): NodeSockets & { packed: number; texts: number } {
  const counted = {
    packed: 0,
    texts: 0,
    close: () => sockets.close(),
    connect(url: string): NodeSocket {
      const socket = sockets.connect(url);
      return new Proxy(socket, {
        get(target, name) {
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
        set(target, name, value) {
          if (name !== 'onmessage') return Reflect.set(target, name, value, target);
          target.onmessage = (event) => {
            if (event.data instanceof PackedAnswer) counted.packed++;
            else counted.texts++;
            value(event);
          };
          return true;
        },
      });
    },
  };
  return counted;
}

function sourceOf(node: FakeNode, sockets?: NodeSockets, limits = SHORT): NodeSource {
  return new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(9),
    log: quietLog,
    limits,
    ...(sockets && { sockets }),
  });
}

/** How a source with these sockets refuses a ledger of a node with these faults. */
async function refusal(faults: Partial<Faults>, sockets?: NodeSockets): Promise<Refusal | undefined> {
  const node = new FakeNode({ ledgers: chain });
  Object.assign(node.faults, faults);
  const source = sourceOf(node, sockets);
  await source.open();
  const answer = await source.ledger(1005).then(
    (packed) => (prove(packed) === undefined ? undefined : { code: 'false', message: 'not proved' }),
    ({ code, message }: Refusal) => ({ code, message }),
  );
  await source.close();
  await node.stop();
  return answer && { ...answer, message: answer.message.replace(/127\.0\.0\.1:\d+/, 'the node') };
}

describe('sockets to nodes in a thread', () => {
  test('deliver ledgers packed, and everything else as text', async () => {
    const node = new FakeNode({ ledgers: chain, shape: 'v2' });
    const sockets = counting(new NodeSocketThread());
    const source = sourceOf(node, sockets);
    await source.open();
    for (const ledger of chain) {
      const packed = await source.ledger(ledger.ledgerIndex);
      expect(hexOf(packed.bytes)).toBe(hexOf(ledger.bytes));
    }
    expect(sockets.packed).toBe(chain.length);
    const { texts } = sockets;
    // The same command by another part of the program, which reads JSON.
    const command = { command: 'ledger', ledger_index: 1003, binary: true, transactions: true, expand: true };
    const result = await source.request(command);
    expect((result.ledger as { transactions: unknown[] }).transactions.length).toBe(chain[3]!.count);
    expect(sockets.texts).toBe(texts + 1);
    await source.close();
    await node.stop();
  });

  const wrong: Record<string, Partial<Faults>> = {
    'a wrong hash': { falsify: 'hash' },
    'a wrong blob': { falsify: 'blob' },
    'another ledger': { falsify: 'other ledger' },
    'wrong types': { falsify: 'wrong types' },
    'a dropped transaction': { falsify: 'dropped transaction' },
    'a text that is not JSON': { garbage: '{"id":2,"tx_blob"' },
    'a binary frame': { garbage: new Uint8Array([1, 2, 3]) },
    'brackets without end': { garbage: `{"tx_blob":${'['.repeat(100_000)}` },
    'too long a frame': { oversize: SHORT.messageBytes + 1 },
    'a ledger it does not have': { missing: new Set([1005]) },
  };
  for (const [name, faults] of Object.entries(wrong))
    test(`lead to the same refusal of ${name} as sockets of the calling thread`, async () => {
      const own = await refusal(faults);
      expect(own).toBeDefined();
      expect(await refusal(faults, new NodeSocketThread(SHORT))).toEqual(own!);
    });

  test('do not pack what only resembles an answer', () => {
    const ledger = { ledger_data: hexOf(chain[5]!.header), transactions: [] };
    const text = (message: object) => JSON.stringify({ ...message, note: '"tx_blob"', tx_blob: '' });
    const answer = { id: 7, status: 'success', result: { ledger } };
    const empty = makeChain({ count: 1, transactions: 0 })[0]!;
    expect(packedAnswer(text(answer), LIMITS, new Set([7]))?.packed.ledgerIndex).toBe(1005);
    expect(empty.count).toBe(0);
    expect(packedAnswer(text(answer), LIMITS, new Set([8]))).toBeUndefined();
    expect(packedAnswer(text({ ...answer, type: 'ledgerClosed' }), LIMITS, new Set([7]))).toBeUndefined();
    expect(packedAnswer(text({ ...answer, status: 'error' }), LIMITS, new Set([7]))).toBeUndefined();
    const unvalidated = { ...answer, result: { ledger, validated: false } };
    expect(packedAnswer(text(unvalidated), LIMITS, new Set([7]))).toBeUndefined();
  });

  test('connect again after the node was down', async () => {
    const node = new FakeNode({ ledgers: chain });
    const source = sourceOf(node, new NodeSocketThread());
    await source.open();
    await node.stop();
    await until(() => !source.endpoints[0]!.up);
    node.restart();
    await until(() => source.endpoints[0]!.up);
    expect((await source.ledger(1004)).ledgerIndex).toBe(1004);
    await source.close();
    await node.stop();
  });

  test('end a connection whose messages wait in too large a number', async () => {
    const node = new FakeNode({ ledgers: chain });
    const limits = { ...SHORT, unreadMessages: 50, silence: 60_000 };
    const thread = new NodeSocketThread(limits);
    const socket = thread.connect(node.url);
    let received = 0;
    const lost = new Promise<void>((resolve) => {
      socket.onclose = () => resolve();
    });
    const opened = new Promise<void>((resolve) => {
      socket.onopen = () => resolve();
    });
    socket.onmessage = () => {
      received++;
    };
    await opened;
    // The node runs on this thread too: sent at once, while nothing is read here.
    for (let i = 0; i < 500; i++) node.broadcast('{}');
    const until = performance.now() + 300;
    while (performance.now() < until);
    await lost;
    expect(received).toBeLessThanOrEqual(50);
    await thread.close();
    await node.stop();
  });

  test('are lost when their thread ends by a fault, and opened by the next connect', async () => {
    const node = new FakeNode({ ledgers: chain });
    // A thread without limits fails at the first message.
    const thread = new NodeSocketThread(null as never);
    for (let i = 0; i < 2; i++) {
      const socket = thread.connect(node.url);
      const lost = new Promise<void>((resolve) => {
        socket.onclose = () => resolve();
      });
      await new Promise<void>((resolve) => {
        socket.onopen = () => resolve();
      });
      node.broadcast('{}');
      await lost;
    }
    expect(node.connections).toBe(2);
    await thread.close();
    await node.stop();
  });

  test('are lost when their thread is closed, and opened by the next connect', async () => {
    const node = new FakeNode({ ledgers: chain });
    const thread = new NodeSocketThread(SHORT);
    for (let i = 0; i < 2; i++) {
      const socket = thread.connect(node.url);
      await new Promise<void>((resolve) => {
        socket.onopen = resolve;
      });
      await thread.close();
    }
    expect(node.connections).toBe(2);
    await node.stop();
  });
});
