/**
 * Streams over the true engine: recorded transactions go in as proved ledgers, and what clients gathered from
 * frames must be what the engine's views (REST reads the same) say at the end.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { tradeObjects } from '../../views/trade-row.ts';
import { type Client, Faults, type Frame, pause, rig, undeclared } from './rig.ts';

const XRP = 0;
const LEDGERS = 40;

describe('streams of recorded ledgers', () => {
  const log = new Faults();
  let engine: Engine;
  let network: Network;
  let house: ReturnType<typeof rig>;
  let token: number;
  const clients: Record<string, Client> = {};

  /** The most traded tokens, then every seventh: of all kinds and sizes. */
  function watchedTokens(): number[] {
    const { ids } = network.views.tokens.list({ sort: 'vol24htx', ascending: false, offset: 0, limit: 20 });
    const others = Array.from({ length: 20 }, (_, i) => 1 + i * 7).filter(
      (id) => id < engine.state.tokens.count,
    );
    return [...new Set([XRP, ...ids, ...others])];
  }

  /** Every fifth book that has offers. */
  function watchedBooks(): { name: string; base: number; quote: number }[] {
    const { books, tokens } = engine.state;
    const found = new Map<string, { name: string; base: number; quote: number }>();
    for (let book = 1; book < books.bookCount && found.size < 60; book += 5) {
      const [base, quote] = [books.bookPays(book), books.bookGets(book)];
      if (books.size(book) === 0 || tokens.kind(base) === 2 || tokens.kind(quote) === 2) continue;
      found.set(`book ${base} ${quote}`, { name: `book ${base} ${quote}`, base, quote });
    }
    return [...found.values()];
  }

  function bookPath(base: number, quote: number): string {
    const side = (name: string, id: number) => {
      const { currency, issuer } = object(id);
      return `${name}_currency=${currency}${id === XRP ? '' : `&${name}_issuer=${issuer}`}`;
    };
    return `/ws/orderbook?${side('base', base)}&${side('quote', quote)}&limit=100`;
  }

  const object = (id: number): Frame => JSON.parse(new TextDecoder().decode(network.views.tokens.row(id)));

  beforeAll(async () => {
    engine = new Engine({ store: new MemoryStore(), log });
    network = new Network({ engine });
    const chain = [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 60 })];
    const apply = (at: number) => {
      const packed = chain[at]!;
      return engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), at % 3 !== 0);
    };
    // The first half brings tokens; the clients come in the middle and see the rest.
    for (let at = 0; at < LEDGERS / 2; at++) await apply(at);
    house = rig(network);
    token = network.views.tokens.list({ sort: 'vol24htx', ascending: false, offset: 0, limit: 1 }).ids[0]!;
    const md5 = network.views.tokens.md5(token);
    const { currency, issuer } = object(token);
    const book = `base_currency=XRP&quote_currency=${currency}&quote_issuer=${issuer}`;
    const paths: Record<string, string> = {
      ledger: '/ws/ledger',
      sync: '/ws/sync',
      chosen: '/ws/sync',
      token: `/ws/token/${md5}`,
      delta: `/ws/token/${md5}?delta=1`,
      ohlc: `/ws/ohlc/${md5}?interval=1m&vs_currency=XRP`,
      history: `/ws/history/${md5}?type=all&limit=100`,
      orderbook: `/ws/orderbook?${book}&limit=100`,
      holders: `/ws/holders/${md5}?limit=20`,
    };
    // Many books and lists, so that a missed change of one that is rebuilt only on changes is found.
    for (const { name, base, quote } of watchedBooks()) paths[name] = bookPath(base, quote);
    for (const id of watchedTokens())
      paths[`holders ${id}`] = `/ws/holders/${network.views.tokens.md5(id)}?limit=100`;
    for (const [name, path] of Object.entries(paths)) clients[name] = await house.open(path);
    for (const client of Object.values(clients)) await client.next();
    const ids = Array.from({ length: engine.state.tokens.count - 1 }, (_, i) => i + 1).slice(0, 500);
    clients.chosen!.send({
      type: 'subscribe',
      tokens: ids.map((id) => network.views.tokens.md5(id)),
      snapshot: false,
    });
    await clients.chosen!.next((frame) => frame.type === 'subscribed');
    for (let at = LEDGERS / 2; at < LEDGERS; at++) {
      await apply(at);
      await pause(2);
    }
    await engine.drain();
    await quiet();
  });

  /** Resolves when no frame has come for a while. */
  async function quiet(): Promise<void> {
    const received = () => Object.values(clients).reduce((sum, { frames }) => sum + frames.length, 0);
    for (let before = -1; before !== received(); ) {
      before = received();
      await pause(300);
    }
  }

  afterAll(async () => {
    await house?.stop();
    expect(log.messages).toEqual([]);
    expect(house?.faults.messages ?? []).toEqual([]);
  });

  test('every frame has the members that /ws/info declares', () => {
    for (const [name, client] of Object.entries(clients))
      expect([name, undeclared(client)]).toEqual([name, []]);
  });

  test('ledger: every close, with the hash and count of the ledger', () => {
    const { frames } = clients.ledger!;
    const first = engine.head!.index - LEDGERS / 2;
    expect(frames.map((frame) => frame.ledger_index)).toEqual(
      Array.from({ length: LEDGERS / 2 + 1 }, (_, i) => first + i),
    );
    for (const frame of frames) {
      const packed = engine.ledgerBytes(frame.ledger_index)!;
      expect(frame.ledger_hash).toBe(packed.hash.toHex().toUpperCase());
      expect(frame.txn_count).toBe(packed.count);
      expect(frame.close_time).toBe((packed.closeTime + 946_684_800) * 1000);
      expect(frame.reserve_base).toBeNumber();
    }
  });

  test('sync: an unbroken sequence, and the last row sent of a token is its current row', () => {
    for (const name of ['sync', 'chosen']) {
      const updates = clients[name]!.frames.filter((frame) => frame.prevSeq !== undefined);
      // A busy machine sends one frame for several ledgers.
      expect(updates.length).toBeGreaterThan(1);
      let last = updates[0]!.prevSeq;
      const rows = new Map<string, Frame>();
      for (const update of updates) {
        expect(update.prevSeq).toBe(last);
        last = update.seq;
        expect(Object.keys(update.exch).every((fiat) => ['USD', 'EUR', 'JPY', 'CNY'].includes(fiat))).toBe(
          true,
        );
        for (const row of update.tokens) rows.set(row.md5, row);
      }
      expect(rows.size).toBeGreaterThan(10);
      for (const [md5, row] of rows) {
        const now = object(network.views.tokens.resolve(md5)!);
        for (const field of ['exch', 'holders', 'trustlines', 'vol24hxrp', 'vol24htx', 'marketcap', 'slug'])
          expect([md5, field, row[field]]).toEqual([md5, field, now[field]]);
      }
    }
  });

  test('token: the row at the end; deltas put together make the same row', () => {
    const now = object(token);
    const whole = clients.token!.frames;
    expect(whole.length).toBeGreaterThan(1);
    expect(whole.at(-1)!.token).toEqual(now);
    const merged: Frame = {};
    let size = 0;
    for (const frame of clients.delta!.frames) {
      for (const [field, value] of Object.entries(frame.token as Frame)) {
        if (value === null) delete merged[field];
        else merged[field] = value;
      }
      if (frame.type === 'update') size += JSON.stringify(frame).length;
    }
    expect(merged).toEqual(now);
    const full = whole.slice(1).reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
    expect(size).toBeLessThan(full);
    console.log(`delta frames ${size} bytes, whole frames ${full} bytes`);
  });

  test('history: initial and new rows are the history of the store', () => {
    const [initial, ...updates] = clients.history!.frames;
    const rows = [...initial!.trades.toReversed(), ...updates.flatMap((frame) => frame.trades)];
    const { records, count } = engine.market.history.page({ token, limit: 1000, type: 'all' });
    const stored = JSON.parse(JSON.stringify(tradeObjects(engine.state, records, count)));
    expect(updates.length).toBeGreaterThan(0);
    expect(rows).toEqual(stored.slice(0, rows.length).toReversed());
  });

  test('ohlc: candles put together are the chart', () => {
    const [initial, ...updates] = clients.ohlc!.frames;
    const candles = new Map<number, number[]>();
    for (const row of initial!.ohlc) candles.set(row[0], row.slice(0, 6));
    for (const { k } of updates) candles.set(k.t, [k.t, k.o, k.h, k.l, k.c, k.v]);
    const query = { token, interval: '1m', count: candles.size, currency: 'XRP', invert: false } as const;
    const { rows } = network.views.charts.ohlc(query);
    expect(updates.length).toBeGreaterThan(0);
    expect([...candles.values()].sort((a, b) => a[0]! - b[0]!)).toEqual(rows.map((row) => row.slice(0, 6)));
    const finals = updates.filter((frame) => frame.k.x).map((frame) => frame.k.t);
    expect(new Set(finals).size).toBe(finals.length);
  });

  test('orderbook: the last depth is the book', () => {
    const book = network.views.books.book(token, XRP, 100);
    const last = clients.orderbook!.frames.at(-1)!;
    expect(last.b ?? last.bids).toEqual(JSON.parse(JSON.stringify(book.bids)));
    expect(last.a ?? last.asks).toEqual(JSON.parse(JSON.stringify(book.asks)));
    expect(last.s ?? last.pair).toBe(book.pair);
  });

  test('holders: the last list is that of /holders/list, with the balances of a day ago', async () => {
    const query = { offset: 0, limit: 20, ascending: false, frozen: false };
    const { length, richList } = await network.views.holders.page(token, query, 'balance');
    const last = clients.holders!.frames.at(-1)!;
    expect(last.total).toBe(length);
    expect(last.holders).toEqual(JSON.parse(JSON.stringify(richList)));
    const changed = last.holders.filter(({ balance, balance24h }: Frame) => balance24h !== balance);
    expect(changed.length).toBeGreaterThan(0);
    for (const frame of clients.holders!.frames)
      for (const { balance24h } of frame.holders) expect(typeof balance24h).toBe('string');
  });

  test('filters by volume, tag and number agree with the rows', async () => {
    const client = await house.open('/ws/sync');
    await client.next();
    const snapshot = async (filter: Frame, lightweight = false) => {
      client.send({ type: 'subscribe', filter, lightweight });
      const ack = await client.next((frame) => frame.type === 'subscribed');
      const { tokens, count } = await client.next((frame) => frame.snapshot);
      expect(count).toBe(tokens.length);
      return { ack, tokens: tokens as Frame[] };
    };
    const all = await snapshot({ topN: 9999, tags: [] });
    expect(all.ack.filter).toEqual({ topN: 500 });
    expect(all.tokens).toHaveLength(100);
    const volumes = all.tokens.map((row) => row.vol24hxrp);
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
    const third = await snapshot({ minVolume: volumes[2], topN: 50 }, true);
    expect(third.tokens.map((row) => row.md5)).toEqual(
      all.tokens.filter((row) => row.vol24hxrp >= volumes[2]).map((row) => row.md5),
    );
    expect(Object.keys(third.tokens[0]!).length).toBeLessThan(Object.keys(all.tokens[0]!).length);
    const [tag = ''] = network.views.tokens.tags();
    const tagged = await snapshot({ tags: [tag.toUpperCase()], topN: 5 });
    expect(tagged.tokens.length).toBeGreaterThan(0);
    for (const row of tagged.tokens) expect(row.tags).toContain(tag);
    expect((await snapshot({ tags: ['no such tag'] })).tokens).toEqual([]);
    client.socket.close();
  });

  test('every watched book and list: the last frame equals the current state', async () => {
    let frames = 0;
    for (const [name, client] of Object.entries(clients)) {
      const [kind, first, second] = name.split(' ');
      if (first === undefined) continue;
      const last = client.frames.at(-1)!;
      frames += client.frames.length - 1;
      if (kind === 'book') {
        const { bids, asks } = network.views.books.book(Number(first), Number(second), 100);
        expect([name, last.b ?? last.bids]).toEqual([name, JSON.parse(JSON.stringify(bids))]);
        expect([name, last.a ?? last.asks]).toEqual([name, JSON.parse(JSON.stringify(asks))]);
      } else {
        const query = { offset: 0, limit: 100, ascending: false, frozen: false };
        const { length, richList } = await network.views.holders.page(Number(first), query, 'balance');
        expect([name, last.total]).toEqual([name, length]);
        expect([name, last.holders]).toEqual([name, JSON.parse(JSON.stringify(richList))]);
      }
    }
    expect(frames).toBeGreaterThan(20);
  });
});

test('an engine without a ledger: streams open with empty snapshots', async () => {
  const log = new Faults();
  const engine = new Engine({ store: new MemoryStore(), log });
  const { open, stop, faults } = rig(new Network({ engine }));
  const sync = await open('/ws/sync');
  expect(await sync.next()).toMatchObject({ initial: true, total: 0, tokens: [] });
  expect(await (await open('/ws/token/XRP')).next()).toMatchObject({
    type: 'initial',
    token: { name: 'XRP' },
  });
  expect(await (await open('/ws/ohlc/XRP?vs_currency=XRP')).next()).toMatchObject({
    type: 'initial',
    ohlc: [],
  });
  expect(await (await open('/ws/ohlc/XRP')).next()).toMatchObject({
    type: 'initial',
    vs_currency: 'USD',
    ohlc: [],
  });
  expect(await (await open('/ws/history/XRP')).next()).toMatchObject({
    type: 'initial',
    count: 0,
    trades: [],
  });
  expect(await (await open('/ws/holders/XRP')).next()).toMatchObject({ type: 'initial' });
  await stop();
  expect([...log.messages, ...faults.messages]).toEqual([]);
});
