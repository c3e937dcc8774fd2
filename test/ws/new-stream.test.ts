/**
 * A new stream is one file and one row: the stream of this file reads a view, an event of each domain and the ledger's
 * transactions, and the hub needs no more than its row in the list.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine, type LedgerEvent } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import type { NewTrade } from '../../views/history-views.ts';
import { Network } from '../../views/network.ts';
import { Channel } from '../../ws/channel.ts';
import { type StreamContext, type StreamServer, stream } from '../../ws/stream.ts';
import { streams } from '../../ws/streams/index.ts';
import { Faults, type Frame, rig } from './rig.ts';

const LEDGERS = 12;

const activityStream = stream({
  path: '/ws/activity',
  summary: 'What each ledger did',
  auth: 'none',
  tier: 'anonymous',
  params: { min: { in: 'query', kind: 'int', default: 0, min: 0, max: 1000, about: 'Fewest transactions.' } },
  messages: [],
  frames: [
    { name: 'activity', fields: ['ledger', 'transactions', 'trades', 'accounts', 'tokens'], about: '' },
  ],
  serve: (context) => new ActivityServer(context),
});

class ActivityServer implements StreamServer<{ min: number }> {
  readonly channels = 1;
  readonly #context: StreamContext;
  readonly #channel: Channel;
  #frames: object[] = [];

  constructor(context: StreamContext) {
    this.#context = context;
    this.#channel = new Channel(context.transport, 'activity');
  }

  open(connection: Parameters<StreamServer['open']>[0], { min }: { min: number }): void {
    this.#channel.join(connection);
    connection.reply({ type: 'initial', min, total: this.#context.views.tokens.total });
  }

  markDirty({ head, packed, events: { state, market } }: LedgerEvent): void {
    this.#frames.push({
      ledger: head.index,
      transactions: packed.count,
      trades: market.tradeCount,
      accounts: Array.from(state.accounts, (id) => this.#context.engine.state.accounts.text(id)),
      tokens: this.#context.views.tokens.total,
    });
  }

  flush(): void {
    this.#context.scheduler.urgent(() => {
      for (const frame of this.#frames.splice(0)) this.#channel.publish(JSON.stringify(frame));
    });
  }
}

/** By the reference codec. */
function sendersOf(packed: PackedLedger): string[] {
  const sender = (_: unknown, at: number) => String(decode(packed.tx(at).toHex().toUpperCase()).Account);
  return [...new Set(Array.from({ length: packed.count }, sender))];
}

describe('a stream that is one file and one row', () => {
  const log = new Faults();
  const engine = new Engine({ store: new MemoryStore(), log });
  const network = new Network({ engine });
  const { open, http, stop, faults, hub } = rig(network, { streams: [...streams, activityStream] });
  /** What a listener beside the hub got, in its own words. */
  const expected: Frame[] = [];
  /** The trades as two readers of the same ledger got them. */
  const trades: (readonly NewTrade[])[][] = [];
  const changed: ReadonlySet<number>[][] = [];
  let frames: Frame[];

  beforeAll(async () => {
    const client = await open('/v1/ws/activity?min=7');
    expect(await client.next()).toEqual({ type: 'initial', min: 7, total: 0 });
    let tradesBefore = 0;
    engine.onLedger((event) => {
      const { views } = network;
      trades.push([views.history.newTrades(event), views.history.newTrades(event)]);
      changed.push([views.tokens.changed.of(event), views.tokens.changed.of(event)]);
    });
    for (const packed of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 60 })) {
      await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
      const { data } = await network.views.history.page({
        limit: 1000,
        offset: 0,
        type: 'all',
        xrpOnly: false,
        direction: 'desc',
      });
      const ofLedger = data.filter(({ ledger }) => ledger === packed.ledgerIndex).length;
      tradesBefore += ofLedger;
      expected.push({
        ledger: packed.ledgerIndex,
        transactions: packed.count,
        trades: ofLedger,
        tokens: network.views.tokens.total,
        senders: sendersOf(packed),
      });
    }
    expect(tradesBefore).toBeGreaterThan(20);
    await client.next((frame) => frame.ledger === expected.at(-1)!.ledger);
    frames = client.frames.slice(1);
  });

  afterAll(async () => {
    await stop();
    expect([...log.messages, ...faults.messages]).toEqual([]);
  });

  test('gets its parameters, the ledger, what it changed in each domain, and views', () => {
    expect(frames).toHaveLength(LEDGERS);
    for (const [at, { accounts, ...frame }] of frames.entries()) {
      const { senders, ...rest } = expected[at]!;
      expect(frame).toEqual(rest);
      // Each of them paid the fee.
      expect(accounts).toEqual(expect.arrayContaining(senders));
    }
  });

  test('is in the list of streams, is counted, and has limits and close codes like the others', async () => {
    const { streams: listed } = (await (await http('/ws/info')).json()) as Frame;
    expect(listed.map(({ path }: Frame) => path)).toEqual(
      [...streams, activityStream].map(({ path }) => path),
    );
    expect(hub.stats.byStream['/ws/activity']!.channels).toBe(1);
    const client = await open('/ws/activity');
    client.send('no JSON');
    expect(await client.next((frame) => 'errorCode' in frame)).toMatchObject({ errorCode: 4026 });
  });

  test('shares with the others what is made of one ledger', () => {
    expect(trades).toHaveLength(LEDGERS);
    for (const [one, another] of trades) {
      expect(another).toBe(one);
      for (const trade of one!) expect(trade.json()).toBeString();
    }
    for (const [one, another] of changed) expect(another).toBe(one);
    expect(new Set(changed.map(([one]) => one)).size).toBe(LEDGERS);
  });
});
