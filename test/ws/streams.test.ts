/** Frames of each stream, as section 6 writes them. */
import { afterEach, describe, expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { OhlcRow } from '../../views/charts.ts';
import type { NewTrade } from '../../views/history-views.ts';
import { pause, rig } from './rig.ts';

const NOW = 1_700_000_000_000;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function start<E extends FakeEngine>(engine: E, flushMs = 0) {
  const one = rig(engine.network, { now: () => NOW, limits: { flushMs } });
  stops.push(one.stop);
  return { engine, ...one };
}

describe('/ws/ledger', () => {
  test('the last closed ledger, then every close', async () => {
    const { open, engine, published } = start(new FakeEngine());
    const client = await open('/ws/ledger');
    const first = await client.next();
    expect(first).toEqual({
      type: 'initial',
      e: 'ledger',
      E: NOW,
      ledger_index: 1000,
      ledger_hash: engine.head!.hash,
      ledger_time: 800_000_000,
      close_time: (800_000_000 + 946_684_800) * 1000,
      txn_count: 3,
      validated: true,
      reserve_base: 1_000_000,
      reserve_inc: 200_000,
      fee_base: 10,
      fee_ref: 10,
    });
    for (let i = 0; i < 3; i++) engine.apply();
    await published();
    engine.apply();
    for (let index = 1001; index <= 1004; index++)
      expect(await client.next()).toMatchObject({ e: 'ledger', ledger_index: index });
    expect(client.frames[1]!.type).toBeUndefined();
  });

  test('a burst beyond the queue limit is sent as a gap frame', async () => {
    const { open, engine } = start(new FakeEngine());
    const client = await open('/ws/ledger');
    await client.next();
    for (let i = 0; i < 100; i++) engine.apply();
    expect(await client.next()).toEqual({ e: 'gap', E: NOW, from: 1001, to: 1036 });
    for (let index = 1037; index <= 1100; index++) expect((await client.next()).ledger_index).toBe(index);
  });

  test('before the first ledger there is nothing to show', async () => {
    const { open, engine } = start(new FakeEngine());
    const { head } = engine;
    engine.head = undefined;
    const client = await open('/ws/ledger');
    await pause(30);
    expect(client.frames).toEqual([]);
    engine.head = head;
    engine.apply();
    expect((await client.next()).ledger_index).toBe(1001);
  });
});

describe('/ws/token', () => {
  test('initial, then updates in sequence', async () => {
    const { open, engine } = start(new FakeEngine());
    const client = await open(`/ws/token/${engine.md5(3)}`);
    expect(await client.next()).toEqual({
      res: 'success',
      type: 'initial',
      seq: 0,
      session: expect.any(String),
      time: NOW,
      fieldPreset: 'full',
      fieldCount: 6,
      deltaMode: false,
      exch: { USD: 0.5 },
      H24: { _id: 'METRICS_24H' },
      global: { _id: 'METRICS_GLOBAL' },
      token: { md5: engine.md5(3), name: 'T3', exch: 3, usd: '1.5', pro24h: 1, holders: 7 },
    });
    for (let i = 1; i <= 3; i++) {
      engine.apply({ tokens: [3] });
      expect(await client.next()).toMatchObject({
        seq: i,
        prevSeq: i - 1,
        token: { exch: 3 + i / 2, name: 'T3' },
      });
    }
    engine.apply({ tokens: [4] });
    await pause(30);
    expect(client.frames).toHaveLength(4);
  });

  test('fields and delta: only what was asked for, only what changed', async () => {
    const { open, engine } = start(new FakeEngine());
    const md5 = engine.md5(3);
    const client = await open(`/ws/token/${md5}?fields=ticker&delta=true`);
    const initial = await client.next();
    expect(initial).toMatchObject({ fieldPreset: 'ticker', deltaMode: true });
    expect(Object.keys(initial.token).sort()).toEqual(['exch', 'md5', 'name', 'pro24h', 'usd']);
    engine.apply({ tokens: [3] });
    const update = await client.next();
    expect(update.token).toEqual({ md5, exch: 3.5, usd: '1.75' });
    expect(update.delta).toBe(true);
    expect(update.H24).toBeUndefined();
    client.send({ type: 'setFields', fields: 'holders,usd,__proto__' });
    expect(await client.next()).toEqual({ type: 'fieldsUpdated', fieldPreset: 'custom', fieldCount: 3 });
    expect((await client.next()).token).toEqual({ md5, holders: 7, usd: '1.75' });
    client.send({ type: 'setDelta', enabled: false });
    expect(await client.next()).toEqual({ type: 'deltaUpdated', deltaMode: false });
    await client.next((frame) => frame.type === 'initial');
    engine.apply({ tokens: [3] });
    expect((await client.next()).token).toEqual({ md5, holders: 7, usd: '2' });
    client.send({ type: 'resync' });
    expect(await client.next()).toMatchObject({ type: 'initial', seq: 1 });
    client.send({ type: 'auth', apiKey: 'xrpl_whatever' });
    expect(await client.next()).toMatchObject({ type: 'auth', authenticated: false, tier: 'anonymous' });
    client.send({ type: 'setFields', fields: 7 });
    expect((await client.next()).errorCode).toBe(4025);
  });

  test('a ledger that changes none of the chosen fields sends nothing', async () => {
    const { open, engine } = start(new FakeEngine());
    const client = await open(`/ws/token/${engine.md5(3)}?fields=holders`);
    await client.next();
    engine.apply({ tokens: [3] });
    await pause(30);
    expect(client.frames).toHaveLength(1);
  });

  test('a field that disappears is sent as null', async () => {
    const { open, engine } = start(new FakeEngine());
    const client = await open(`/ws/token/${engine.md5(3)}?delta=1`);
    await client.next();
    const whole = engine.texts.bind(engine);
    engine.texts = (token, names) => new Map([...whole(token, names)].filter(([name]) => name !== 'pro24h'));
    engine.apply({ tokens: [3] });
    expect((await client.next()).token).toMatchObject({ pro24h: null });
  });

  test('what resync showed before a flush is corrected where the flush finds it as it was', async () => {
    const { open, engine } = start(new FakeEngine(), 150);
    const client = await open(`/ws/token/${engine.md5(3)}?delta=1`);
    await client.next();
    engine.apply({ tokens: [3] });
    await client.next((frame) => frame.seq === 1);
    // Within the pause between flushes.
    engine.apply({ tokens: [3] });
    client.send({ type: 'resync' });
    expect((await client.next(({ type }) => type === 'initial')).token.exch).toBe(4);
    engine.prices[3] = 3;
    engine.apply({ tokens: [3] });
    expect((await client.next()).token.exch).toBe(3.5);
  });

  test('sockets that ask for the same share one topic and one rendering', async () => {
    const { open, engine, hub } = start(new FakeEngine());
    const path = `/ws/token/${engine.md5(3)}?fields=price`;
    const clients = await Promise.all(Array.from({ length: 20 }, () => open(path)));
    for (const client of clients) await client.next();
    const built = hub.stats.framesBuilt;
    engine.apply({ tokens: [3] });
    for (const client of clients) await client.next((frame) => frame.seq === 1);
    expect(hub.stats.framesBuilt).toBe(built + 1);
    expect(hub.stats.byStream['/ws/token/{md5}']).toEqual({ connections: 20, channels: 1 });
  });
});

describe('/ws/ohlc', () => {
  const t0 = (800_000_100 - (800_000_100 % 300) + 946_684_800) * 1000;
  const row = (t: number, close: number): OhlcRow => [t, 1, 2, 0.5, close, 10, 4, 1];

  class Candles extends FakeEngine {
    candleRows = [row(t0 - 600_000, 1), row(t0 - 300_000, 1.5)];
    usdKnown = true;

    constructor() {
      super();
      this.network.views.charts.ohlc = ({ currency, count }) => ({
        rows: currency === 'XRP' || this.usdKnown ? this.candleRows.slice(-count!) : [],
      });
    }
  }

  test('initial, the open candle, and the final one when its time is over', async () => {
    const { open, engine } = start(new Candles());
    const md5 = engine.md5(2);
    const client = await open(`/ws/ohlc/${md5}?vs_currency=XRP`);
    expect(await client.next()).toEqual({
      type: 'initial',
      md5,
      interval: '5m',
      vs_currency: 'XRP',
      count: 2,
      ohlc: engine.candleRows.map((one) => [...one]),
    });
    engine.candleRows.push(row(t0, 1.75));
    engine.apply({ candles: [2], seconds: (t0 - engine.head!.closeTimeMs) / 1000 + 10 });
    const k = { t: t0, T: t0 + 299_999, i: '5m', o: 1, h: 2, l: 0.5, c: 1.75, v: 10, x: false };
    const open1 = await client.next((frame) => frame.k.t === t0);
    expect(open1).toEqual({ e: 'kline', E: NOW, s: md5, k });
    engine.apply({ seconds: 100 });
    await pause(20);
    expect(client.frames.at(-1)).toEqual(open1);
    engine.apply({ seconds: 200 });
    expect(await client.next()).toEqual({ e: 'kline', E: NOW, s: md5, k: { ...k, x: true } });
    engine.apply({ seconds: 200 });
    engine.apply({ seconds: 200 });
    await pause(20);
    expect(client.frames.filter((frame) => frame.k?.t === t0)).toHaveLength(2);
  });

  test('default currency USD; without a rate no candles; snapshot=0 sends no first frame', async () => {
    const { open, engine } = start(new Candles());
    const quiet = await open(`/ws/ohlc/${engine.md5(2)}?snapshot=0`);
    quiet.send({ type: 'ping' });
    expect((await quiet.next()).type).toBe('pong');
    expect((await (await open(`/ws/ohlc/${engine.md5(2)}`)).next()).vs_currency).toBe('USD');
    engine.usdKnown = false;
    const rateless = await open(`/ws/ohlc/${engine.md5(2)}`);
    expect(await rateless.next()).toMatchObject({ type: 'initial', vs_currency: 'USD', count: 0, ohlc: [] });
  });

  test('ten subscriptions, the next closes with 4011', async () => {
    const { open, engine } = start(new FakeEngine(20));
    const client = await open(`/ws/ohlc/${engine.md5(1)}`);
    await client.next();
    for (let id = 2; id <= 10; id++) {
      client.send({ type: 'subscribe', md5: engine.md5(id), interval: '1h' });
      expect((await client.next((frame) => frame.type === 'subscribed')).count).toBe(id);
    }
    client.send({ type: 'unsubscribe', md5: engine.md5(10), interval: '1h' });
    expect((await client.next((frame) => frame.type === 'unsubscribed')).count).toBe(9);
    client.send({ type: 'subscribe', md5: 'nonsense' });
    expect((await client.next()).errorCode).toBe(4025);
    client.send({ type: 'subscribe', md5: engine.md5(10), interval: '1h' });
    client.send({ type: 'subscribe', md5: engine.md5(11) });
    expect((await client.closed).code).toBe(4011);
  });
});

describe('/ws/history', () => {
  const trade = (paid: number, got: number, isLiquidity: boolean, id: string) => ({
    paid,
    got,
    isLiquidity,
    json: () => `{"_id":"${id}"}`,
  });

  class Trades extends FakeEngine {
    #newest: readonly NewTrade[] = [];

    constructor() {
      super();
      const { history } = this.network.views;
      history.latest = () => ({ count: 1, rows: '{"_id":"1_1"}' });
      history.newTrades = () => this.#newest;
    }

    /** Applies a ledger with these trades. */
    trade(...trades: readonly NewTrade[]): void {
      this.#newest = trades;
      this.apply();
    }
  }

  test('rows of the token, by type and pair', async () => {
    const { open, engine } = start(new Trades());
    const md5 = engine.md5(2);
    const trades = await open(`/ws/history/${md5}`);
    const liquidity = await open(`/ws/history/${md5}?type=liquidity`);
    const all = await open(`/ws/history/${md5}?type=all`);
    const xrp = await open(`/ws/history/${md5}?pairType=xrp`);
    const token = await open(`/ws/history/${md5}?pair_type=token`);
    for (const client of [trades, liquidity, all, xrp, token])
      expect(await client.next()).toEqual({ type: 'initial', md5, count: 1, trades: [{ _id: '1_1' }] });
    engine.trade(
      trade(0, 2, false, 'a'),
      trade(2, 5, false, 'b'),
      trade(0, 2, true, 'c'),
      trade(0, 5, false, 'd'),
    );
    const ids = async (client: typeof trades) => {
      const frame = await client.next();
      expect(frame).toMatchObject({ e: 'trades', E: NOW, s: md5 });
      return frame.trades.map((row: { _id: string }) => row._id).join('');
    };
    expect(await ids(trades)).toBe('ab');
    expect(await ids(liquidity)).toBe('c');
    expect(await ids(all)).toBe('abc');
    expect(await ids(xrp)).toBe('a');
    expect(await ids(token)).toBe('b');
  });

  test('ledgers of one tick are sent in one frame; too many rows cause a gap frame', async () => {
    const { open, engine } = start(new Trades());
    const client = await open(`/ws/history/${engine.md5(2)}`);
    await client.next();
    for (let i = 0; i < 3; i++) engine.trade(trade(0, 2, false, `x${i}`));
    expect((await client.next()).trades).toHaveLength(3);
    for (let i = 0; i < 6; i++)
      engine.trade(...Array.from({ length: 1000 }, (_, n) => trade(0, 2, false, `${i}_${n}`)));
    expect(await client.next()).toMatchObject({ e: 'gap', missed: 1000 });
    const ids: string[] = [];
    while (ids.length < 5000) {
      const { trades } = await client.next();
      expect(trades.length).toBeLessThanOrEqual(500);
      ids.push(...trades.map((row: { _id: string }) => row._id));
    }
    expect(ids[0]).toBe('1_0');
    expect(ids.at(-1)).toBe('5_999');
  });

  test('all trades of a large ledger are sent, in several frames', async () => {
    const { open, engine } = start(new Trades());
    const client = await open(`/ws/history/${engine.md5(2)}`);
    await client.next();
    engine.trade(...Array.from({ length: 1200 }, (_, n) => trade(0, 2, false, `${n}`)));
    const sizes = [await client.next(), await client.next(), await client.next()].map(
      (frame) => frame.trades.length,
    );
    expect(sizes).toEqual([500, 500, 200]);
  });

  test('who joins before a flush does not get what its first frame held again', async () => {
    const { open, engine } = start(new Trades(), 150);
    const path = `/ws/history/${engine.md5(2)}`;
    const before = await open(path);
    await before.next();
    engine.trade(trade(0, 2, false, 'a'));
    expect((await before.next()).trades).toEqual([{ _id: 'a' }]);
    // Within the pause between flushes.
    engine.trade(trade(0, 2, false, 'b'));
    const after = await open(path);
    expect((await after.next()).type).toBe('initial');
    engine.trade(trade(0, 2, false, 'c'));
    expect((await after.next()).trades).toEqual([{ _id: 'c' }]);
    expect((await before.next()).trades).toEqual([{ _id: 'b' }]);
    expect((await before.next()).trades).toEqual([{ _id: 'c' }]);
  });
});

describe('/ws/orderbook', () => {
  const path =
    '/ws/orderbook?base_currency=XRP&quote_currency=003&quote_issuer=rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';

  class Books extends FakeEngine {
    depthRows = '[]';
    /** Whether every ledger changes offers of every book. */
    changesOffers = false;

    constructor() {
      super();
      const { books } = this.network.views;
      const { book } = books;
      books.book = (base, quote, limit) => ({
        ...book.call(books, 0, 0, limit),
        pair: `${base}/${quote}`,
        bids: JSON.parse(this.depthRows),
        asks: [],
      });
      books.isChanged = () => this.changesOffers;
      books.dependencies = () => {
        this.rendered++;
        return { accounts: new Set([7]), expires: (800_000_400 + 946_684_800) * 1000 };
      };
    }
  }

  test('snapshot with XRP as the quote side, depth when it differs', async () => {
    const { open, engine, published } = start(new Books());
    const client = await open(path);
    expect(await client.next()).toEqual({ type: 'snapshot', pair: '3/0', bids: [], asks: [], ledger: 1000 });
    engine.changesOffers = true;
    engine.apply();
    engine.changesOffers = false;
    await published();
    engine.depthRows = '[{"price":"1"}]';
    engine.apply({ accounts: [7] });
    expect(await client.next()).toEqual({
      e: 'depth',
      E: NOW,
      s: '3/0',
      b: [{ price: '1' }],
      a: [],
      l: 1002,
    });
    expect(client.frames).toHaveLength(2);
  });

  test('a book is rebuilt only when its offers, an owner or the time changed it', async () => {
    const { open, engine } = start(new Books());
    const client = await open(path);
    await client.next();
    const before = engine.rendered;
    engine.depthRows = '[{"price":"2"}]';
    for (let i = 0; i < 5; i++) engine.apply({ accounts: [8], tokens: [3] });
    await pause(20);
    expect(engine.rendered).toBe(before);
    engine.apply({ seconds: 400 });
    expect(await client.next()).toMatchObject({ e: 'depth', b: [{ price: '2' }] });
  });
});

describe('/ws/holders', () => {
  class Lists extends FakeEngine {
    /** When set, lists of holders are ready only after this promise. */
    holdersWait: Promise<void> | undefined;

    constructor() {
      super();
      const { holders } = this.network.views;
      const { list } = holders;
      const first = this.head!.index;
      holders.ready = () => this.holdersWait;
      holders.list = (_, query) => {
        this.rendered++;
        const shown = { summary: { top10Hold: 50 }, richList: [{ account: 'r1' }], accounts: [7] };
        return Object.assign(list.call(holders, 0, query), shown, { length: this.head!.index - first });
      };
    }
  }

  test('initial, update when what is shown differs', async () => {
    const { open, engine } = start(new Lists());
    const client = await open(`/ws/holders/${engine.md5(2)}`);
    const holders = [{ account: 'r1' }];
    const md5 = engine.md5(2);
    const summary = { top10Hold: 50 };
    expect(await client.next()).toEqual({ type: 'initial', md5, total: 0, summary, holders });
    engine.apply({ tokens: [2] });
    engine.apply({ accounts: [7] });
    expect(await client.next()).toEqual({ e: 'update', E: NOW, s: md5, total: 2, summary, holders });
    expect(client.frames).toHaveLength(2);
  });

  test('a list is rebuilt only when the token or a holder in it changed', async () => {
    const { open, engine } = start(new Lists());
    const client = await open(`/ws/holders/${engine.md5(2)}`);
    await client.next();
    const before = engine.rendered;
    for (let i = 0; i < 5; i++) engine.apply({ accounts: [8], tokens: [3] });
    await pause(20);
    expect(engine.rendered).toBe(before);
    engine.apply({ accounts: [7] });
    expect((await client.next()).total).toBe(6);
  });

  test('a list that takes long is waited for, and so are its updates', async () => {
    const { open, engine } = start(new Lists());
    const first = Promise.withResolvers<void>();
    engine.holdersWait = first.promise;
    const client = await open(`/ws/holders/${engine.md5(2)}`);
    await pause(20);
    expect(client.frames).toEqual([]);
    engine.holdersWait = undefined;
    first.resolve();
    expect((await client.next()).type).toBe('initial');
    const second = Promise.withResolvers<void>();
    engine.holdersWait = second.promise;
    engine.apply({ tokens: [2] });
    await pause(20);
    expect(client.frames).toHaveLength(1);
    second.resolve();
    expect((await client.next()).total).toBe(1);
  });

  test('a new reader gets its updates after a pending update of a reader that has left', async () => {
    const { open, engine, hub } = start(new Lists());
    const path = `/ws/holders/${engine.md5(2)}`;
    const left = await open(path);
    await left.next();
    const pending = Promise.withResolvers<void>();
    engine.holdersWait = pending.promise;
    engine.apply({ tokens: [2] });
    await pause(20);
    left.socket.close();
    await left.closed;
    while (hub.connections > 0) await pause(1);
    engine.holdersWait = undefined;
    const client = await open(path);
    expect((await client.next()).type).toBe('initial');
    pending.resolve();
    await pause(20);
    engine.apply({ tokens: [2] });
    expect((await client.next(undefined, 5_000)).total).toBe(2);
  });
});
