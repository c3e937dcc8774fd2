/**
 * Every stream, opened at any moment: between ledgers, and between a ledger and its frames. The first frame and those after it
 * give what a socket that opens at the end is shown; no frame repeats what the socket knew.
 */
import { beforeAll, expect, test } from 'bun:test';
import { DAY } from '../../engine/ripple-time.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { Network } from '../../views/network.ts';
import { casesOf } from '../cases.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';
import { type Client, type Frame, pause, rig } from './rig.ts';
import { SmallMarket } from './small-market.ts';

const seed = seedOf('joins');
const draw = drawsOf(seed);
const LEDGERS = 40;
const ROUNDS = casesOf(3, 24);
const market = new SmallMarket();
const [alice, bob] = market.holders.map(({ address }) => address) as [string, string];
let network: Network;
let token: string;

beforeAll(async () => {
  await market.begin();
  network = new Network({ engine: market.engine });
  token = network.views.tokens.md5(network.views.tokens.resolveIssue('USD', market.issuer.address)!);
});

/** What a client knows after some frames, and whether a frame repeats it. */
interface Reader {
  /** Path with its query. */
  readonly path: () => string;
  /** Sent once the socket is open. */
  readonly say?: () => object;
  readonly read: (frames: readonly Frame[]) => { readonly known: unknown; readonly repeated: unknown[] };
}

/** Streams whose frames are the whole of what is shown. @param content of a frame, undefined: it is none */
const whole = (content: (frame: Frame) => unknown): Reader['read'] => {
  return (frames) => {
    const contents = frames.map(content).filter((one) => one !== undefined);
    const texts = contents.map((one) => JSON.stringify(one));
    return { known: contents.at(-1), repeated: texts.filter((text, i) => i > 0 && text === texts[i - 1]) };
  };
};

/** Streams of events. @param ids of the events of a frame, oldest first. @param shown by a first frame */
const events = (ids: (frame: Frame) => readonly string[], shown: number): Reader['read'] => {
  return (frames) => {
    const all = frames.flatMap(ids);
    return { known: all.slice(-shown), repeated: all.filter((id, i) => all.indexOf(id) !== i) };
  };
};

/** Streams of rows, of which frames replace some. @param rows of a frame by key */
const merged = (rows: (frame: Frame) => Readonly<Record<string, unknown>>): Reader['read'] => {
  return (frames) => {
    const known: Record<string, string> = {};
    const repeated: unknown[] = [];
    for (const frame of frames) {
      const entries = Object.entries(rows(frame)).map(([key, row]) => [key, JSON.stringify(row)] as const);
      if (entries.length > 0 && entries.every(([key, text]) => known[key] === text)) repeated.push(frame);
      for (const [key, text] of entries) known[key] = text;
    }
    return { known, repeated };
  };
};

const without = (frame: Frame, ...names: readonly string[]): Frame =>
  Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)));
const page = whole((frame) => without(frame, 'type', 'e', 'E'));
const tokenRows = merged(({ token: row = {} }) => row);
const book = 'base_currency=USD&base_issuer=ISSUER&quote_currency=XRP';
const pair = 'curr1=USD&issuer1=ISSUER&curr2=XRP&issuer2=XRPL';
const at = (path: string) => () =>
  path
    .replace('TOKEN', token)
    .replace('ISSUER', market.issuer.address)
    .replace('ALICE', alice)
    .replace('BOB', bob);

/** A candle that has ended is sent once more, to say so. */
const candles: Reader['read'] = (frames) => {
  const rowOf = ({ t, o, h, l, c, v }: Frame) => [t, o, h, l, c, v];
  const { known } = merged(({ ohlc, k }) => byFirst(ohlc ?? [rowOf(k)]))(frames);
  const moving = frames.filter(({ k }) => !k?.x);
  const { repeated } = merged(({ ohlc, k }) => byFirst(ohlc ?? [rowOf(k)]))(moving);
  return { known, repeated };
};
const byFirst = (rows: readonly (readonly unknown[])[]) =>
  Object.fromEntries(rows.map((row) => [String(row[0]), row.slice(1, 6)]));

/** From the snapshot on. usd, dom and tvl are as of the last frame, and a row may come again (see the stream). */
const listed: Reader['read'] = (frames) => {
  const rows = frames.slice(frames.findIndex(({ snapshot }) => snapshot)).flatMap(({ tokens }) => tokens);
  const last = rows.findLast(({ md5 }) => md5 === token);
  return { known: without(last, 'usd', 'dom', 'tvl'), repeated: [] };
};

const READERS: readonly Reader[] = [
  {
    path: at('/ws/holders/TOKEN?limit=5'),
    read: whole(({ total, summary, holders }) => ({ total, summary, holders })),
  },
  {
    path: at('/ws/holders/XRP?limit=5'),
    read: whole(({ total, summary, holders }) => ({ total, summary, holders })),
  },
  {
    path: at(`/ws/orderbook?${book}`),
    read: whole((frame) => ({ bids: frame.bids ?? frame.b, asks: frame.asks ?? frame.a })),
  },
  { path: at('/ws/amm/info?asset=XRP&asset2=TOKEN'), read: whole(({ amm }) => amm) },
  {
    path: at('/ws/account/balance/ALICE'),
    read: whole(({ balance, sequence, ownerCount }) => ({ balance, sequence, ownerCount })),
  },
  { path: at(`/ws/account/balance/pair/BOB?${pair}`), read: page },
  { path: at('/ws/account/offers/ALICE?limit=3'), read: page },
  { path: at('/ws/trustlines/BOB'), read: page },
  {
    path: at('/ws/quote?destination_token=TOKEN&source_account=BOB&source_value=3'),
    read: whole((frame) => without(frame, 'type', 'e', 'E', 'ledger_index')),
  },
  {
    path: at('/ws/history/TOKEN?limit=20&type=all'),
    read: events(({ e, trades }) => {
      const ids = trades.map(({ _id }: Frame) => _id);
      return e === undefined ? ids.reverse() : ids;
    }, 20),
  },
  {
    path: at('/ws/creator/TOKEN'),
    read: events((frame) => {
      const hashes: readonly string[] | undefined = frame.events?.map(({ hash }: Frame) => hash);
      return hashes?.toReversed() ?? [frame.h];
    }, 50),
  },
  {
    path: at('/ws/account/watch/ALICE?history=10'),
    read: events(({ e, seq }) => (e ? [String(seq)] : []), 10),
  },
  {
    path: at('/ws/account/tx/BOB?history=10'),
    read: events((frame) => {
      if (frame.e === 'history') return frame.txs.map(({ seq }: Frame) => String(seq));
      return frame.e ? [String(frame.seq)] : [];
    }, 10),
  },
  { path: at('/ws/ledger'), read: events(({ ledger_index: index }) => [String(index)], 1) },
  { path: at('/ws/ohlc/TOKEN?interval=1m&vs_currency=XRP'), read: candles },
  {
    path: at('/ws/sync'),
    say: () => ({ type: 'subscribe', tokens: [token], lightweight: true }),
    read: listed,
  },
  { path: at('/ws/token/TOKEN'), read: tokenRows },
  { path: at('/ws/token/TOKEN?delta=1'), read: tokenRows },
];

/** A socket that was opened at some moment. */
interface Opened {
  readonly reader: Reader;
  readonly client: Client;
  /** Of the newest ledger when it was asked for. */
  readonly ledger: number;
}

const isFrame = ({ type, error }: Frame) => {
  expect(error).toBeUndefined();
  return !['pong', 'subscribed', 'checkSeq'].includes(type);
};

/** After all frames that are on their way. */
async function answered(client: Client): Promise<void> {
  client.send({ type: 'ping' });
  await client.next(({ type }) => type === 'pong');
}

async function opened(service: ReturnType<typeof rig>, reader: Reader): Promise<Opened> {
  const ledger = market.engine.head!.index;
  const client = await service.open(reader.path());
  if (reader.say) client.send(reader.say());
  return { reader, client, ledger };
}

const stateOf = ({ reader, client }: Opened) => reader.read(client.frames.filter(isFrame));

test('opened at any moment, each stream shows in the end what it shows who opens it then, and nothing twice', async () => {
  const stale: string[] = [];
  const twice: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const flushMs = [0, 20, 60][round % 3]!;
    const service = rig(network, { limits: { flushMs } });
    const all: Promise<Opened>[] = READERS.map((reader) => opened(service, reader));
    await Promise.all(all);
    for (let ledger = 0; ledger < LEDGERS; ledger++) {
      for (let count = draw(3); count > 0; count--) market.act(draw);
      await market.close();
      for (let count = draw(5); count > 0; count--) all.push(opened(service, READERS[draw(READERS.length)]!));
      // Often not long enough for what waits to be opened or published.
      for (let turns = draw(4); turns > 0; turns--) await pause(draw(3) * 4);
    }
    const clients = await Promise.all(all);
    await pause(flushMs + 100);
    for (const { client } of clients) await answered(client);
    for (const reader of READERS) {
      const fresh = await opened(service, reader);
      await answered(fresh.client);
      await pause(10);
      await answered(fresh.client);
      const shown = JSON.stringify(stateOf(fresh).known);
      for (const one of clients.filter((other) => other.reader === reader)) {
        const { known, repeated } = stateOf(one);
        const name = `${reader.path()} opened at ${one.ledger}, flushed every ${flushMs} ms`;
        if (JSON.stringify(known) !== shown) stale.push(`${name}: ${JSON.stringify(known)} but ${shown}`);
        if (repeated.length > 0) twice.push(`${name}: ${JSON.stringify(repeated[0])}`);
      }
    }
    await service.stop();
    expect(service.faults.messages).toEqual([]);
  }
  expect({ stale, twice }).toEqual({ stale: [], twice: [] });
});

test('a rate that is back where it was is corrected on /ws/token for who was shown another one', async () => {
  const engine = new FakeEngine();
  const { market: figures } = engine.network.views;
  const texts = figures.texts();
  const service = rig(engine.network);
  const path = `/ws/token/${engine.md5(1)}?delta=1`;
  await (await service.open(path)).next();
  figures.texts = () => ({ ...texts, exch: '{"USD":0.6}' });
  const client = await service.open(path);
  expect((await client.next()).exch).toEqual({ USD: 0.6 });
  figures.texts = () => texts;
  engine.apply({ tokens: [1] });
  expect((await client.next()).exch).toEqual({ USD: 0.5 });
  await service.stop();
});

test('pages that are read slowly: none comes after a newer one, and who joins gets what the others have', async () => {
  const slow = new Network({ engine: market.engine });
  const service = rig(slow);
  const { lines } = slow.views.accounts;
  const page = lines.page.bind(lines);
  /** Pages are answered when these are resolved; the others at once. */
  const waits: PromiseWithResolvers<void>[] = [];
  lines.page = async (query) => {
    const answer = await page(query);
    await waits.shift()?.promise;
    return answer;
  };
  const held = () => {
    const wait = Promise.withResolvers<void>();
    waits.push(wait);
    return wait.resolve;
  };
  const ledger = async () => {
    market.trade();
    await market.close();
    await service.published();
  };
  const balance = (frame: Frame): string =>
    frame.lines.find(({ currency }: Frame) => currency === 'USD').balance;
  const client = await service.open(`/ws/trustlines/${alice}`);
  const shown = [balance(await client.next())];
  const releaseUpdate = held();
  await ledger();
  await ledger();
  shown.push(balance(await client.next()));
  releaseUpdate();
  const releaseFirst = held();
  const opening = service.open(`/ws/trustlines/${alice}`);
  while (waits.length > 0) await pause(1);
  await ledger();
  shown.push(balance(await client.next()));
  releaseFirst();
  const late = await opening;
  expect(balance(await late.next())).toBe(shown.at(-1)!);
  await ledger();
  shown.push(balance(await client.next()));
  expect(balance(await late.next())).toBe(shown.at(-1)!);
  expect(client.frames.map(balance)).toEqual(shown);
  expect(late.frames.map(balance)).toEqual(shown.slice(-2));
  expect(new Set(shown).size).toBe(4);
  await service.stop();
  expect(service.faults.messages).toEqual([]);
});

test('settings of an issuer are shown again by the streams of what it issued', async () => {
  const service = rig(network);
  const list = await service.open('/ws/sync');
  await list.next();
  list.send({ type: 'subscribe', tokens: [token], snapshot: false });
  await list.next(({ type }) => type === 'subscribed');
  const one = await service.open(`/ws/token/${token}?fields=issuer_info&delta=1`);
  expect((await one.next()).token.issuer_info.globalFreeze).toBe(false);
  const pool = await service.open('/ws/amm/info?asset=XRP&asset2=TOKEN'.replace('TOKEN', token));
  const frozen = ({ amm }: Frame) => [amm.asset_frozen, amm.asset2_frozen];
  expect(frozen(await pool.next())).toEqual([false, false]);
  for (const isFrozen of [true, false]) {
    market.freeze(isFrozen);
    await market.close();
    expect(frozen(await pool.next(undefined, 5000))).toEqual([false, isFrozen]);
    const { tokens } = await list.next(({ prevSeq }) => prevSeq !== undefined, 5000);
    expect(tokens[0].issuer_info.globalFreeze).toBe(isFrozen);
    expect((await one.next(undefined, 5000)).token.issuer_info.globalFreeze).toBe(isFrozen);
  }
  // What an issuer pays is none of them. The list may have its token at any close, since windows of time move on.
  market.pay();
  await market.close();
  await service.published();
  await pause(20);
  expect([one, pool].map(({ frames }) => frames.length)).toEqual([3, 3]);
  await service.stop();
});

test('balances of a day ago are shown again when a change is a day old', async () => {
  const service = rig(network);
  const path = `/ws/holders/${token}?limit=5`;
  await market.close(DAY);
  const client = await service.open(path);
  await client.next();
  // A payment, which is in no other figure of a day.
  market.act((below) => (below === 8 ? 4 : 0));
  await market.close();
  const differs = ({ holders }: Frame) =>
    holders.some(({ balance, balance24h }: Frame) => balance !== balance24h);
  expect(differs(await client.next(undefined, 5000))).toBe(true);
  await market.close(DAY);
  const frame = await client.next(undefined, 5000);
  expect(differs(frame)).toBe(false);
  expect(frame.holders).toEqual((await (await service.open(path)).next()).holders);
  await service.stop();
});
