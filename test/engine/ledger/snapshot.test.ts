import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { Counters } from '../../../engine/counters.ts';
import { packRecorded } from '../../../engine/ledger/corpus-import.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import { inlinePreparer } from '../../../engine/ledger/prepare.ts';
import {
  type PageProver,
  type Snapshot,
  type SnapshotPage,
  SourceError,
} from '../../../engine/ledger/source.ts';
import { ledgerFiles, readLedger } from '../../../support/corpus.ts';
import { FakeNode } from '../../../support/fake-node.ts';
import type { Connection, StateEntry, StatePage } from '../../../support/stand-in-node.ts';
import { NodeSocketThread } from '../../../workers/node-sockets.ts';
import { preparePool } from '../../../workers/prepare-pool.ts';
import { makeChain } from '../../ledgers.ts';
import { quietLog, SHORT, seeded, testClock } from './quiet.ts';

/** Ledger entries whose account hash was computed by the xrpl package. */
function madeUpState(count: number): { state: StateEntry[]; accountHash: string } {
  const random = seeded(11);
  const digits = () =>
    Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16))
      .join('')
      .toUpperCase();
  const entries = Array.from({ length: count }, (_, i) => ({
    LedgerEntryType: 'Amendments',
    Flags: i,
    index: digits(),
  })).sort((a, b) => (a.index < b.index ? -1 : 1));
  return {
    state: entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) })),
    accountHash: hashes.hashStateTree(entries as never),
  };
}

async function readAll(snapshot: Snapshot): Promise<{ pages: SnapshotPage[]; entries: StateEntry[] }> {
  const pages: SnapshotPage[] = [];
  for await (const page of snapshot.pages) pages.push(page);
  return { pages, entries: pages.flatMap(entriesOf) };
}

function entriesOf({ page }: SnapshotPage): StateEntry[] {
  const entries: StateEntry[] = [];
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  for (let at = 0; at < page.length; ) {
    const length = view.getUint32(at + 32, true);
    entries.push({ index: hexOf(page, at, 32), data: hexOf(page, at + 36, length) });
    at += 36 + length;
  }
  return entries;
}

/** Writes its answers with spaces and line breaks. */
class SpacedNode extends FakeNode {
  protected override receive(socket: Connection, text: string): void {
    const send = (answer: string | Uint8Array) =>
      socket.send(JSON.stringify(JSON.parse(String(answer)), null, 1));
    super.receive({ data: socket.data, send, close() {}, terminate() {} }, text);
  }
}

describe('state snapshot', () => {
  const { state, accountHash } = madeUpState(700);
  const ledgers = makeChain({ count: 5, accountHash });
  let node: FakeNode;
  let source: NodeSource;

  beforeAll(async () => {
    node = new FakeNode({ ledgers, state, pageEntries: 100 });
    source = new NodeSource({
      urls: [node.url],
      clock: testClock,
      random: seeded(2),
      log: quietLog,
      counters: new Counters(),
      limits: { ...SHORT, distrustPause: 10 },
    });
    await source.open();
  });
  afterAll(async () => {
    await source.close();
    await node.stop();
  });

  test('yields every entry once, in order, proved', async () => {
    const ref = { index: 1002, hash: ledgers[2]!.hash };
    const snapshot = await source.snapshot(ref);
    expect(hexOf(snapshot.hash)).toBe(hexOf(ref.hash));
    expect(hexOf(snapshot.header)).toBe(hexOf(ledgers[2]!.header));
    const { pages, entries } = await readAll(snapshot);
    expect(entries).toEqual(state);
    expect(pages.length).toBe(7);
    expect(pages.at(-1)!.marker).toBeUndefined();
  });

  test('continues at its marker, in another source and with another node', async () => {
    const second = new FakeNode({ ledgers, state, pageEntries: 33 });
    const elsewhere = new NodeSource({
      urls: [second.url],
      clock: testClock,
      random: seeded(2),
      log: quietLog,
      limits: SHORT,
    });
    await elsewhere.open();
    const read: StateEntry[] = [];
    let resume: SnapshotPage['resume'];
    for await (const page of (await source.snapshot({ index: 1003 })).pages) {
      read.push(...entriesOf(page));
      resume = page.resume;
      if (read.length >= 300) break;
    }
    const rest = await readAll(await elsewhere.snapshot(resume!.ref, resume));
    expect([...read, ...rest.entries]).toEqual(state);
    const wrong = await elsewhere.snapshot({ index: 1001 }, resume).catch((error) => error);
    expect(wrong).toBeInstanceOf(SourceError);
    await elsewhere.close();
    await second.stop();
  });

  test('has the next pages on their way while one is read, and not more than the limit', async () => {
    const before = node.requests.ledger_data ?? 0;
    const requested = (): number => (node.requests.ledger_data ?? 0) - before;
    const pages = (await source.snapshot({ index: 1002 })).pages[Symbol.asyncIterator]();
    for (let read = 1; read <= 3; read++) {
      expect((await pages.next()).done).toBe(false);
      while (requested() < read + SHORT.pagesAhead) await Bun.sleep(1);
      // More would arrive by now.
      await Bun.sleep(20);
      expect(requested()).toBe(read + SHORT.pagesAhead);
    }
    // Nothing more is requested once the reader has left.
    await pages.return?.();
    await Bun.sleep(20);
    expect(requested()).toBe(3 + SHORT.pagesAhead);
  });

  test('requests the next page before a page is proved, but does not yield it before', async () => {
    const before = node.requests.ledger_data ?? 0;
    const requested = (): number => (node.requests.ledger_data ?? 0) - before;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let isOpen = false;
    const prover: PageProver = {
      provePage: async (task) => {
        await released;
        return inlinePreparer.provePage(task);
      },
    };
    const open = source.snapshot({ index: 1002 }, undefined, prover);
    void open.then(() => {
      isOpen = true;
    });
    while (requested() < SHORT.pagesAhead) await Bun.sleep(1);
    await Bun.sleep(20);
    expect(requested()).toBe(SHORT.pagesAhead);
    expect(isOpen).toBe(false);
    release();
    expect((await readAll(await open)).entries).toEqual(state);
  });

  test('reads answers of any spelling', async () => {
    const spaced = new SpacedNode({ ledgers, state, pageEntries: 100 });
    const from = new NodeSource({
      urls: [spaced.url],
      clock: testClock,
      random: seeded(2),
      log: quietLog,
      limits: SHORT,
    });
    await from.open();
    expect((await readAll(await from.snapshot({ index: 1002 }))).entries).toEqual(state);
    await from.close();
    await spaced.stop();
  });

  test('survives dropped sockets', async () => {
    node.faults.dropAfterPages = 2;
    const { entries } = await readAll(await source.snapshot({ index: 1002 }));
    node.faults.dropAfterPages = 0;
    expect(entries).toEqual(state);
  });

  test('ends with an error, and without a last page, when any entry is false', async () => {
    for (const at of [0, 350, 699]) {
      node.faults.alterEntry = state[at]!.index;
      while (!source.endpoints[0]!.up) await Bun.sleep(5);
      const pages: SnapshotPage[] = [];
      const error = await (async () => {
        for await (const page of (await source.snapshot({ index: 1002 })).pages) pages.push(page);
      })().catch((reason) => reason);
      expect(error).toBeInstanceOf(SourceError);
      expect(error.code).toBe('false');
      expect(pages.every(({ marker }) => marker !== undefined)).toBe(true);
    }
    node.faults.alterEntry = undefined;
    while (!source.endpoints[0]!.up) await Bun.sleep(5);
  });

  test('does not start on a node that has the header but no longer the state; another node is used', async () => {
    const keeper = new FakeNode({ ledgers, state, pageEntries: 100 });
    const pruned = new FakeNode({ ledgers, state, pageEntries: 100 });
    const urls = [pruned.url, keeper.url];
    pruned.faults.stateFrom = 1003;
    const both = new NodeSource({ urls, clock: testClock, random: seeded(2), log: quietLog, limits: SHORT });
    await both.open();
    while (!both.endpoints.every(({ up }) => up)) await Bun.sleep(5);
    // Whichever node is tried first.
    for (let i = 0; i < 4; i++)
      expect((await readAll(await both.snapshot({ index: 1002 }))).entries).toEqual(state);
    keeper.faults.stateFrom = 1003;
    const missing = await both.snapshot({ index: 1002 }).catch((reason) => reason);
    expect(missing).toMatchObject({ name: 'SourceError', code: 'missing' });
    expect((await readAll(await both.snapshot({ index: 1003 }))).entries).toEqual(state);
    // A node that is down may have the state.
    await keeper.stop();
    while (both.endpoints[1]!.up) await Bun.sleep(5);
    const unknown = await both.snapshot({ index: 1002 }).catch((reason) => reason);
    expect(unknown).toMatchObject({ name: 'SourceError', code: 'unreachable' });
    await both.close();
    await pruned.stop();
  });

  test('is refused when the hash differs from the requested one', async () => {
    const error = await source.snapshot({ index: 1002, hash: ledgers[3]!.hash }).catch((reason) => reason);
    expect(error).toBeInstanceOf(SourceError);
    while (!source.endpoints[0]!.up) await Bun.sleep(5);
  });

  test.skipIf(ledgerFiles().length === 0)('proves a recorded state', async () => {
    const recorded = readLedger('mainnet-38129.json.gz');
    const ledger = packRecorded(recorded as never);
    if ('reason' in ledger) throw new Error(ledger.reason);
    const entries = recorded
      .accountState!.map(({ index, ...fields }) => ({ index: String(index), data: encode(fields as never) }))
      .sort((a, b) => (a.index < b.index ? -1 : 1));
    const real = new FakeNode({ ledgers: [ledger], state: entries, pageEntries: 50 });
    const from = new NodeSource({ urls: [real.url], clock: testClock, random: seeded(2), log: quietLog });
    await from.open();
    expect((await readAll(await from.snapshot({ index: 38129 }))).entries).toEqual(entries);
    await from.close();
    await real.stop();
  });
});

test('a state without end is refused before the tables are full', async () => {
  const { accountHash } = madeUpState(4);
  const index = (at: number) => at.toString(16).toUpperCase().padStart(64, '0');
  let from = 1;
  /** Entries that are all at the beginning of the key space, and markers that are not. */
  const pageOf = (_: string | undefined, entries: number): StatePage => {
    const state = Array.from({ length: entries }, () => ({ index: index(from++), data: '1100610000' }));
    return { state, marker: `F${index(from).slice(1)}` };
  };
  const node = new FakeNode({ ledgers: makeChain({ count: 3, accountHash }), pageOf, pageEntries: 100 });
  const source = new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(2),
    log: quietLog,
    limits: { ...SHORT, stateEntriesAhead: 1_000 },
  });
  await source.open();
  const { pages } = await source.snapshot({ index: 1001 });
  let entries = 0;
  const read = async () => {
    for await (const page of pages) entries += page.entries;
  };
  await expect(read()).rejects.toThrow('1100 state entries so far: more than there can be');
  expect(entries).toBe(1_000);
  expect(source.endpoints[0]!.up).toBe(false);
  await source.close();
  await node.stop();
});

describe('a node that sends false pages', () => {
  const { state, accountHash } = madeUpState(400);
  const ledgers = makeChain({ count: 3, accountHash });
  const PAGE = 100;
  const after = (marker: string | undefined): number =>
    marker === undefined ? 0 : state.findIndex(({ index }) => index === marker) + 1;
  const honest = (marker: string | undefined): StatePage => {
    const from = after(marker);
    const page = state.slice(from, from + PAGE);
    return { state: page, marker: from + PAGE < state.length ? page.at(-1)!.index : undefined };
  };
  /** What is made of the second page, and why it is refused. */
  const cases: Record<string, [change: (page: StatePage) => StatePage, reason: RegExp]> = {
    'entries in another order': [
      (page) => ({ ...page, state: [...page.state.slice(50), ...page.state.slice(0, 50)] }),
      /not in the order of their index/,
    ],
    'an entry twice': [
      (page) => ({ ...page, state: [page.state[0]!, ...page.state] }),
      /not in the order of their index/,
    ],
    'the page before once more': [() => honest(undefined), /not in the order of their index/],
    'the marker of the page before': [
      (page) => ({ ...page, marker: state[PAGE - 1]!.index }),
      /not in the order of their index/,
    ],
    'a marker that leaves entries out': [
      (page) => ({ ...page, marker: state[2 * PAGE]!.index }),
      /does not hash to its account hash/,
    ],
    'no marker before the end': [
      ({ state }) => ({ state, marker: undefined }),
      /does not hash to its account hash/,
    ],
    'one entry less': [
      (page) => ({ ...page, state: page.state.slice(1) }),
      /does not hash to its account hash/,
    ],
    'a forged entry': [
      (page) => ({ ...page, state: page.state.with(7, { ...page.state[7]!, data: state[0]!.data }) }),
      /does not hash to its account hash/,
    ],
    'an empty page with a marker': [(page) => ({ ...page, state: [] }), /empty state page/],
    'two markers': [
      (page) => ({
        ...page,
        state: page.state.with(0, { ...page.state[0]!, marker: state.at(-1)!.index } as StateEntry),
      }),
      /two markers/,
    ],
    'an oversized entry': [
      (page) => ({
        ...page,
        state: page.state.with(3, { ...page.state[3]!, data: 'AB'.repeat(SHORT.entryBytes + 1) }),
      }),
      // The message is larger than one may be, too.
      /characters|digits/,
    ],
    'an entry without data': [
      (page) => ({ ...page, state: page.state.with(3, { ...page.state[3]!, data: '' }) }),
      /entry data of 0 digits/,
    ],
    'half a byte': [
      (page) => ({ ...page, state: page.state.with(3, { ...page.state[3]!, data: 'ABC' }) }),
      /entry data of 3 digits/,
    ],
    'data that is not hex': [
      (page) => ({ ...page, state: page.state.with(3, { ...page.state[3]!, data: 'XY' }) }),
      /entry data is not hex/,
    ],
    'an index that is not hex': [
      (page) => ({ ...page, state: page.state.with(3, { ...page.state[3]!, index: 'Z'.repeat(64) }) }),
      /entry index is not hex/,
    ],
    'a marker that is no index': [(page) => ({ ...page, marker: 'ABCD' }), /marker/],
    'more entries than a page has': [
      (page) => ({ ...page, state: Array.from({ length: 2049 }, () => page.state[0]!) }),
      /bounded length/,
    ],
  };

  for (const [what, [change, reason]] of Object.entries(cases))
    for (const [where, prover] of [
      ['on this thread', preparePool(0)],
      ['in another thread, received in a third one', undefined],
    ] as const)
      test(`is refused: ${what}, proved ${where}`, async () => {
        const pool = prover ?? preparePool(1);
        const pageOf = (marker: string | undefined): StatePage =>
          marker === state[PAGE - 1]!.index ? change(honest(marker)) : honest(marker);
        const node = new FakeNode({ ledgers, pageOf });
        const source = new NodeSource({
          urls: [node.url],
          clock: testClock,
          random: seeded(2),
          log: quietLog,
          limits: SHORT,
          ...(prover ? {} : { sockets: new NodeSocketThread(SHORT) }),
        });
        await source.open();
        const { pages } = await source.snapshot({ index: 1001 }, undefined, pool);
        let last: SnapshotPage | undefined;
        const read = async (): Promise<void> => {
          for await (const page of pages) last = page;
        };
        const error = await read().catch((fault: unknown) => fault);
        expect(error).toBeInstanceOf(SourceError);
        expect(['malformed', 'false']).toContain((error as SourceError).code);
        expect(String(error)).toMatch(reason);
        // No last page was yielded: it would mean that the state is proved.
        expect(last?.marker).toBeDefined();
        expect(source.endpoints[0]!.up).toBe(false);
        await source.close();
        await node.stop();
        await pool.close();
      });
});
