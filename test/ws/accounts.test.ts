/** The streams of accounts against the routes, and what clients get who reconnect, and who do after a restart of the service. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AccountRole, type AccountTransaction } from '../../engine/accounts/account-index.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { World } from '../sandbox/population/world.ts';
import { type Client, Faults, type Frame, rig } from './rig.ts';
import { SmallMarket } from './small-market.ts';

const STEP = 600;
const BEFORE = 30;
const PAGE = 100;
const log = new Faults();
const store = new MemoryStore();
const world = new World({ seed: 'account streams' });

/** A run of the service over the same store. */
function run() {
  const engine = new Engine({ store, log });
  engine.restore();
  const network = new Network({ engine });
  return { engine, network, ask: asker(network), ...rig(network) };
}
let service = run();

async function step(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) {
    const packed = new PackedLedger(world.step(STEP).packed().bytes);
    await service.engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
  }
}

beforeAll(() => step(BEFORE));
afterAll(async () => {
  await service.stop();
  expect([...log.messages, ...service.faults.messages]).toEqual([]);
});

const get = async (path: string): Promise<Json> => {
  const { status, body } = await service.ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  const { success, took, attribution, ...rest } = body;
  return rest;
};

const sentOf = (rows: readonly AccountTransaction[]) =>
  rows.filter(({ role }) => role === AccountRole.sender).length;

/** The account with the most to do just now. */
const busiestNow = () => busiest(0, service.engine.head!.index - 12);

/** The account that sent the most transactions in the stored ledgers, of those that one page of them shows. */
function busiest(skip = 0, from = 0): string {
  const { accounts } = service.engine.state;
  const walk = { from, to: 0xffffffff, newestFirst: true };
  const counts = Array.from({ length: accounts.count - 1 }, (_, i) => ({
    id: i + 1,
    rows: [...service.engine.accountIndex.of(i + 1, walk)],
  }));
  return accounts.text(
    counts
      .filter(({ id, rows }) => accounts.exists(id) && rows.length < PAGE)
      .sort((a, b) => sentOf(b.rows) - sentOf(a.rows))[skip]!.id,
  );
}

/** Makes ledgers until an answer is another one. */
async function untilChanged(path: string): Promise<Json> {
  const before = await get(path);
  for (let i = 0; i < 60; i++) {
    await step();
    const now = await get(path);
    if (!Bun.deepEquals(now, before)) return now;
  }
  throw new Error(`${path} stayed the same`);
}

/** Frames of a client until one says what the route says now. */
async function until(client: Client, wanted: Json, of: (frame: Frame) => Json): Promise<void> {
  await client.next((frame) => Bun.deepEquals(of(frame), wanted));
}

test('balance: the first frame, and each change', async () => {
  const account = busiestNow();
  const client = await service.open(`/ws/account/balance/${account}`);
  const { rank: _, domain, ...wanted } = await get(`/account/balance/${account}`);
  expect(await client.next()).toEqual({ type: 'initial', ...wanted, domain: domain ?? null });
  const { name, inception, parent, domain: __, ...now } = await untilChanged(`/account/balance/${account}`);
  await until(client, now, ({ e, E, ...frame }) => frame);
  expect(client.frames.slice(1).every((frame) => frame.e === 'balance' && frame.account === account)).toBe(
    true,
  );
  client.socket.close();
});

test('balance: frames are out before the market has the ledger, each once', async () => {
  const { state, market } = service.engine;
  const ids = Array.from({ length: state.accounts.count - 1 }, (_, i) => i + 1);
  const watched = ids.filter((id) => state.accounts.exists(id)).slice(0, 40);
  const clients = await Promise.all(
    watched.map((id) => service.open(`/ws/account/balance/${state.accounts.text(id)}`)),
  );
  for (const client of clients) await client.next();
  const built = () => service.hub.stats.framesBuilt;
  let before = 0;
  let early = 0;
  const { applyLedger } = market;
  market.applyLedger = (...ledger) => {
    early = built() - before;
    applyLedger.apply(market, ledger);
  };
  for (let i = 0; i < 20 && early === 0; i++) {
    before = built();
    await step();
  }
  market.applyLedger = applyLedger;
  expect(early).toBeGreaterThan(0);
  await step();
  for (const [i, id] of watched.entries()) {
    const { frames, next, socket } = clients[i]!;
    const { total } = await get(`/account/balance/${state.accounts.text(id)}?simple=true`);
    if (frames.at(-1)!.total !== total) await next((frame) => frame.total === total);
    const contents = frames.map(({ type, e, E, inception, parent, domain, name, ...members }) => members);
    for (let n = 1; n < contents.length; n++) expect(contents[n]).not.toEqual(contents[n - 1]!);
    socket.close();
  }
});

test('pair: both sides, and all parameters are needed', async () => {
  const account = busiestNow();
  const [line] = (await get(`/trustlines/${account}?limit=1`)).lines;
  const query = `curr1=XRP&issuer1=XRPL&curr2=${line?.currency ?? 'USD'}&issuer2=${line?.issuer ?? account}`;
  const client = await service.open(`/ws/account/balance/pair/${account}?${query}`);
  const wanted = await get(`/account/balance/pair/${account}?${query}`);
  expect(await client.next()).toEqual({ type: 'initial', ...wanted });
  await step(2);
  const now = await get(`/account/balance/pair/${account}?${query}`);
  if (!Bun.deepEquals(now, wanted)) await until(client, now, ({ e, E, ...frame }) => frame);
  client.socket.close();
  for (const missing of ['curr1', 'issuer1', 'curr2', 'issuer2']) {
    const params = new URLSearchParams(query);
    params.delete(missing);
    const refused = await service.open(`/ws/account/balance/pair/${account}?${params}`);
    expect((await refused.closed).code).toBe(4021);
  }
  // What the route refuses, too.
  for (const [name, value] of [
    ['curr1', 'EUR'],
    ['curr2', 'USDMM'],
    ['issuer2', `${account.slice(0, -1)}0`],
    ['issuer2', 'XRPL'],
  ] as const) {
    const params = new URLSearchParams(`curr1=XRP&issuer1=XRPL&curr2=USD&issuer2=${account}`);
    params.set(name, value);
    const refused = await service.open(`/ws/account/balance/pair/${account}?${params}`);
    const { status } = await service.ask.get(`/account/balance/pair/${account}?${params}`);
    expect([name, value, (await refused.closed).code, status]).toEqual([name, value, 4020, 400]);
  }
  expect((await (await service.open('/ws/account/balance/nonsense')).closed).code).toBe(4020);
});

test('offers and trust lines: a page, and again when it changed', async () => {
  const { books, accounts } = service.engine.state;
  const owner = accounts.text(books.accounts.find((one) => one !== 0 && accounts.exists(one))!);
  const offers = await service.open(`/ws/account/offers/${owner}?limit=5`);
  const page = async () => {
    const { offset, account, ...rest } = await get(`/account/offers/${owner}?limit=5`);
    return { account: owner, ...rest, page: 0 };
  };
  expect(await offers.next()).toEqual({ type: 'initial', ...(await page()) });
  const account = busiestNow();
  const lines = await service.open(`/ws/trustlines/${account}?limit=5&sort_by_value=true`);
  const first = await lines.next();
  const rest = await get(`/trustlines/${account}?limit=5&sort_by_value=true`);
  expect(first).toEqual({
    type: 'initial',
    account,
    accountActive: true,
    accountData: rest.accountData,
    total: rest.total,
    page: 0,
    limit: 5,
    lines: rest.lines,
  });
  lines.send({ type: 'setParams', page: 1, limit: 2, format: 'full' });
  expect(await lines.next()).toMatchObject({
    type: 'paramsUpdated',
    params: { page: 1, limit: 2, format: 'full' },
  });
  expect(await lines.next()).toMatchObject({ type: 'initial', page: 1, limit: 2 });
  lines.send({ type: 'resync' });
  expect(await lines.next()).toMatchObject({ type: 'initial', page: 1, limit: 2 });
  lines.send({ type: 'resync' });
  expect(await lines.next()).toMatchObject({ errorCode: 4025 });
  lines.send({ type: 'setParams', page: 0, limit: 50, format: 'default', sort_by_value: false });
  await lines.next(({ type, limit }) => type === 'initial' && limit === 50);
  const { total } = await untilChanged(`/account/balance/${account}?simple=true`);
  await until(lines, total, (frame) => frame.accountData?.total);
  offers.socket.close();
  lines.socket.close();
});

test('offers: the page again when one of them expires', async () => {
  const { state } = service.engine;
  const { accounts, expirations } = state.books;
  const now = () => service.engine.head!.closeTime;
  const expiring = Array.from(accounts.keys())
    .filter((row) => accounts[row] !== 0 && expirations[row]! > now())
    .sort((a, b) => expirations[a]! - expirations[b]!)
    .slice(0, 40);
  const last = expirations[expiring.at(-1)!]!;
  const owners = [...new Set(expiring.map((row) => state.accounts.text(accounts[row]!)))];
  const withoutPrices = (offers: Json[]) => offers.map(({ distPct, ...row }) => row);
  const clients = await Promise.all(
    owners.map(async (owner) => ({
      owner,
      client: await service.open(`/ws/account/offers/${owner}?limit=50`),
    })),
  );
  for (const { client } of clients) await client.next();
  for (let ledger = 0; ledger < 40 && now() < last; ledger++) {
    await step();
    for (const { owner, client } of clients) {
      const wanted = withoutPrices((await get(`/account/offers/${owner}?limit=50`)).offers);
      const isSent = () => Bun.deepEquals(withoutPrices(client.frames.at(-1)!.offers), wanted);
      if (!isSent()) await client.next(isSent, 5000);
    }
  }
  for (const { client } of clients) client.socket.close();
});

test('offers: the page again when an issuer freezes what they give, and when it ends that', async () => {
  const market = new SmallMarket();
  await market.begin();
  market.act(() => 0);
  await market.close();
  const network = new Network({ engine: market.engine });
  const streams = rig(network);
  const ask = asker(network);
  const [owner] = market.holders;
  const client = await streams.open(`/ws/account/offers/${owner!.address}`);
  const funded = () => client.frames.at(-1)!.offers.map((offer: Json) => offer.funded);
  await client.next();
  expect(funded()).toEqual([true]);
  for (const isFrozen of [true, false]) {
    market.freeze(isFrozen);
    await market.close();
    await client.next(undefined, 5000);
    expect(funded()).toEqual([!isFrozen]);
    const { body } = await ask.get(`/account/offers/${owner!.address}`);
    expect(client.frames.at(-1)!.offers).toEqual(body.offers);
    // Nothing else is sent again.
    await market.close();
    await Bun.sleep(50);
  }
  expect(client.frames.map(({ type, e }) => type ?? e)).toEqual(['initial', 'offers', 'offers']);
  client.socket.close();
  await streams.stop();
  expect(streams.faults.messages).toEqual([]);
});

const hashesOf = async (account: string, forward = true): Promise<string[]> => {
  const { txs } = await get(`/account/tx/${account}?limit=200&forward=${forward}`);
  return txs.map(({ hash }: Json) => hash);
};

test('watch: the newest, then each transaction once', async () => {
  const account = busiest();
  const before = await hashesOf(account);
  const client = await service.open(`/ws/account/watch/${account}?history=5`);
  expect(await client.next()).toMatchObject({ type: 'subscribed', account });
  await step(4);
  const all = await hashesOf(account, false);
  await client.next(({ hash }) => hash === all[0]);
  const frames = client.frames.slice(1);
  const expected = [...before.slice(-5), ...all.toReversed().filter((hash) => !before.includes(hash))];
  expect(frames.map(({ hash }) => hash)).toEqual(expected);
  expect(frames.map(({ historical }) => historical === true)).toEqual(expected.map((_, i) => i < 5));
  const seqs = frames.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  client.socket.close();
});

test('tx: whole transactions; who reconnects, also to a service that was restarted, misses none and gets none twice', async () => {
  const account = busiest(1);
  const got: Frame[] = [];
  const take = (frames: readonly Frame[]) => {
    for (const frame of frames)
      if (frame.e === 'history') got.push(...frame.txs);
      else if (frame.e === 'transaction') got.push({ ...frame.tx, seq: frame.seq });
  };
  const last = () => got.at(-1)!.seq;
  let client = await service.open(`/ws/account/tx/${account}?history=3`);
  await client.next(({ e }) => e === 'history');
  for (let round = 0; round < 4; round++) {
    await step(2);
    const [newest] = await hashesOf(account, false);
    if (!client.frames.some((frame) => (frame.tx ?? frame.txs?.at(-1))?.hash === newest))
      await client.next((frame) => frame.tx?.hash === newest);
    take(client.frames);
    client.socket.close();
    await client.closed;
    // Ledgers that nobody listens to; then every second time another process goes on with the store.
    await step(2);
    await service.engine.drain();
    if (round % 2 === 1) {
      await service.stop();
      expect(service.faults.messages).toEqual([]);
      service = run();
    }
    client = await service.open(`/ws/account/tx/${account}?from_seq=${last()}`);
    expect(await client.next()).toMatchObject({ type: 'subscribed', resumed: true });
    const missing = (await hashesOf(account, false))[0] !== got.at(-1)!.hash;
    if (missing) await client.next(({ e }) => e === 'history');
  }
  take(client.frames);
  const all = await hashesOf(account);
  const hashes = got.map(({ hash }) => hash);
  expect(hashes).toEqual(all.slice(-hashes.length));
  expect(hashes.length).toBeGreaterThan(5);
  const { txs } = await get(`/account/tx/${account}?limit=200&forward=true`);
  for (const { seq, ...row } of got) expect(txs).toContainEqual(row);
  client.socket.close();
});

test('watch: who reconnects, also to a service that was restarted, misses none and gets none twice', async () => {
  const account = busiestNow();
  const seqs: number[] = [];
  const hashes: string[] = [];
  let client = await service.open(`/ws/account/watch/${account}?history=1`);
  for (let round = 0; round < 3; round++) {
    await step(2);
    const [newest] = await hashesOf(account, false);
    const isThere = () => [...hashes, ...client.frames.map(({ hash }) => hash)].includes(newest!);
    if (!isThere()) await client.next(({ hash }) => hash === newest);
    client.socket.close();
    await client.closed;
    const [first, ...frames] = client.frames;
    expect(first).toMatchObject({ type: 'subscribed', account, ...(round > 0 && { resumed: true }) });
    for (const { seq, hash } of frames) {
      seqs.push(seq);
      hashes.push(hash);
    }
    await step(2);
    await service.engine.drain();
    if (round === 1) {
      await service.stop();
      expect(service.faults.messages).toEqual([]);
      service = run();
    }
    client = await service.open(`/ws/account/watch/${account}?from_seq=${seqs.at(-1)}`);
  }
  client.socket.close();
  const all = (await hashesOf(account, false)).reverse();
  const from = all.indexOf(hashes[0]!);
  expect(hashes).toEqual(all.slice(from, from + hashes.length));
  expect(hashes.length).toBeGreaterThan(3);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
});

test('a gap is said to be one, also where from_seq is of a ledger that is yet to come', async () => {
  const account = busiest();
  const first = await service.open(`/ws/account/tx/${account}`);
  const { seq } = await first.next();
  first.socket.close();
  for (const stream of ['tx', 'watch'])
    for (const [from, fits] of [
      [5, { gap: true }],
      [seq, { resumed: true }],
      [seq + 1, { gap: true }],
      [Number.MAX_SAFE_INTEGER, { gap: true }],
    ] as const) {
      const client = await service.open(`/ws/account/${stream}/${account}?from_seq=${from}&history=2`);
      const subscribed = await client.next();
      const { resumed, gap } = subscribed;
      expect([stream, from, { resumed, gap }]).toEqual([
        stream,
        from,
        { resumed: undefined, gap: undefined, ...fits },
      ]);
      expect(subscribed.seq).toBe(seq);
      // In place of what cannot be known: the newest.
      if (gap) await client.next(({ e }) => e === (stream === 'tx' ? 'history' : 'transaction'));
      client.socket.close();
    }
});

test('what is missing between ledgers is a gap to who resumes from before it', async () => {
  const account = busiestNow();
  const { index } = service.engine.head!;
  const seqAfter = (ledger: number) => (ledger + 1) * 2 ** 16 - 1;
  const { ledgerRanges } = service.engine;
  service.engine.ledgerRanges = () => [
    [1, index - 5],
    [index - 2, index],
  ];
  for (const [from, fits] of [
    [seqAfter(index - 6), { gap: true }],
    [seqAfter(index - 4), { gap: true }],
    // There may be more of the ledger before the first.
    [seqAfter(index - 3) - 1, { gap: true }],
    [seqAfter(index - 3), { resumed: true }],
    [seqAfter(index - 1), { resumed: true }],
  ] as const) {
    const client = await service.open(`/ws/account/watch/${account}?from_seq=${from}`);
    const { gap, resumed } = await client.next();
    expect([from, { gap, resumed }]).toEqual([from, { gap: undefined, resumed: undefined, ...fits }]);
    client.socket.close();
  }
  service.engine.ledgerRanges = ledgerRanges;
});

test('what is sent first is read in slices, and each transaction has its own seq where one is not stored any more', async () => {
  const account = busiest();
  const { transactions } = service.network.views.accounts;
  const { row } = transactions;
  let turn = 0;
  let counting = true;
  const count = () => {
    turn++;
    if (counting) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  let pruned: number | undefined;
  transactions.row = (one) => {
    turns.push(turn);
    pruned ??= one.ledger;
    return one.ledger === pruned ? undefined : row.call(transactions, one);
  };
  const client = await service.open(`/ws/account/tx/${account}?history=50`);
  const { txs } = await client.next(({ e }) => e === 'history');
  counting = false;
  transactions.row = row;
  client.socket.close();
  expect(txs.length).toBeGreaterThan(8);
  expect(txs.length).toBeLessThan(turns.length);
  for (const { seq, ledger_index: ledger } of txs)
    expect([ledger, Math.floor(seq / 2 ** 16)]).toEqual([ledger, ledger]);
  const inOneTurn = Math.max(...turns.map((one) => turns.filter((other) => other === one).length));
  expect(inOneTurn).toBeLessThanOrEqual(4);
});
