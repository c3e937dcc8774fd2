/**
 * Accounts with very many lines and offers: pages have every row once, and a page after a ledger reads what the ledger changed.
 * `npm run test:long` has 50,000 lines and 10,000 offers.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { accountText } from '../../engine/codec/base58.ts';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { statePage } from '../../support/state-page.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { casesOf } from '../cases.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const LINES = casesOf(3_000, 50_000);
const OFFERS = casesOf(500, 10_000);
/** Every so many lines has no balance. */
const ZERO_EVERY = 10;
/** Entries that are handed over at once. */
const A_PAGE = 5_000;

const NO_HASH = '0'.repeat(64);
const NO_ACCOUNT = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

const address = (n: number): string => {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(0, n);
  bytes[19] = 7;
  return accountText(bytes, 0);
};
const holder = address(5);
const issuer = (n: number): string => address(1000 + n);

const thread = { PreviousTxnID: NO_HASH, PreviousTxnLgrSeq: 1 };

const lineEntry = (n: number, balance: string): Json => ({
  LedgerEntryType: 'RippleState',
  Flags: 0x10000,
  Balance: { currency: 'USD', issuer: NO_ACCOUNT, value: balance },
  LowLimit: { currency: 'USD', issuer: holder, value: '1000000' },
  HighLimit: { currency: 'USD', issuer: issuer(n), value: '0' },
  LowNode: '0',
  HighNode: '0',
  ...thread,
});

const offerEntry = (n: number): Json => ({
  LedgerEntryType: 'Offer',
  Account: holder,
  Flags: 0,
  Sequence: 10 + n,
  TakerPays: String(1_000_000 + n),
  TakerGets: { currency: 'USD', issuer: issuer(n % 300), value: '5' },
  BookDirectory: `${'0'.repeat(48)}5A${(1_000_000 + n).toString(16).padStart(14, '0').toUpperCase()}`,
  BookNode: '0',
  OwnerNode: '0',
  ...thread,
});

/** Entries as a page of a snapshot. */
const pageOf = (entries: readonly { readonly n: number; readonly entry: Json }[]): Uint8Array =>
  statePage(
    entries.map(({ n, entry }) => [
      indexOf(n, entry.LedgerEntryType.length),
      Uint8Array.fromHex(encode(entry)),
    ]),
  );

function indexOf(n: number, kind: number): Uint8Array {
  const index = new Uint8Array(32);
  const view = new DataView(index.buffer);
  view.setUint32(0, n);
  view.setUint32(4, kind);
  return index;
}

const engine = new Engine({ store: new MemoryStore(), log });
const network = new Network({ engine });
const { get } = asker(network);
const path = (query: string) => `/trustlines/${holder}?${query}`;
const lines = async (query: string): Promise<Json> => (await get(path(query))).body;

/** Balance of a line; every tenth has none. */
const balanceOf = (n: number): string => (n % ZERO_EVERY === 0 ? '0' : String(1 + (n % 977)));

/** What a ledger would do to lines. */
function change(entries: readonly { readonly n: number; readonly balance: string }[]): void {
  engine.loadEntries(pageOf(entries.map(({ n, balance }) => ({ n, entry: lineEntry(n, balance) }))));
  engine.version++;
}

beforeAll(() => {
  const root = {
    LedgerEntryType: 'AccountRoot',
    Account: holder,
    Balance: '50000000000',
    Flags: 0,
    OwnerCount: 3,
    Sequence: 5,
    ...thread,
  };
  const entries = [
    { n: 0, entry: root },
    ...Array.from({ length: LINES }, (_, n) => ({ n, entry: lineEntry(n, balanceOf(n)) })),
    ...Array.from({ length: OFFERS }, (_, n) => ({ n, entry: offerEntry(n) })),
  ];
  for (let i = 0; i < entries.length; i += A_PAGE) engine.loadEntries(pageOf(entries.slice(i, i + A_PAGE)));
});

/** How many lines are read while something runs. */
async function linesRead<T>(run: () => Promise<T>): Promise<{ answer: T; read: number }> {
  const table = engine.state.lines;
  const { tokensOf, heldToken } = table;
  let read = 0;
  table.tokensOf = (line) => {
    read++;
    return tokensOf.call(table, line);
  };
  table.heldToken = (line) => {
    read++;
    return heldToken.call(table, line);
  };
  try {
    return { answer: await run(), read };
  } finally {
    Object.assign(table, { tokensOf, heldToken });
  }
}

describe('lines', () => {
  test('positions in pools after a ledger read what it changed', async () => {
    const positions = () => get(`/lp-positions/${holder}`);
    expect((await positions()).body).toMatchObject({ count: 0 });
    change([{ n: 1, balance: '5' }]);
    const { answer, read } = await linesRead(positions);
    expect(answer.body).toMatchObject({ count: 0 });
    expect(read).toBeLessThan(20);
    change([{ n: 1, balance: balanceOf(1) }]);
  });

  test('pages have each once, with a balance first', async () => {
    const seen: string[] = [];
    for (let offset = 0; ; offset += 50) {
      const page = await lines(`includeZero=true&limit=50&offset=${offset}`);
      expect(page.total).toBe(LINES);
      for (const { issuer: of, balance } of page.lines) seen.push(`${of} ${balance}`);
      if (page.lines.length < 50) break;
    }
    const rows = Array.from({ length: LINES }, (_, n) => n).reverse();
    const expected = [
      ...rows.filter((n) => n % ZERO_EVERY !== 0),
      ...rows.filter((n) => n % ZERO_EVERY === 0),
    ].map((n) => `${issuer(n)} ${balanceOf(n)}`);
    expect(seen).toEqual(expected);
  });

  test('after a ledger only those that it changed are read', async () => {
    await lines('limit=20');
    const some = seed % (LINES / ZERO_EVERY - 1);
    const [emptied, filled] = [some * ZERO_EVERY + 3, some * ZERO_EVERY];
    const changed = [emptied, filled, LINES - 1];
    change(changed.map((n) => ({ n, balance: n === filled ? '12.5' : '0' })));
    const { answer, read } = await linesRead(() => lines('limit=20'));
    expect(answer).toMatchObject({
      total: LINES - LINES / ZERO_EVERY - 1,
      zeroCount: LINES / ZERO_EVERY + 1,
    });
    expect(answer.lines[0].issuer).toBe(issuer(LINES - 2));
    expect(read).toBeLessThanOrEqual(changed.length + 20);
    change([{ n: LINES, balance: '7' }]);
    const second = await linesRead(() => lines('limit=20'));
    expect(second.answer.lines[0]).toMatchObject({ issuer: issuer(LINES), balance: '7' });
    expect(second.read).toBeLessThanOrEqual(1 + 20);
  });
});

test('offers: pages have each once, the newest first', async () => {
  const seen: number[] = [];
  for (let offset = 0; ; offset += 50) {
    const { body } = await get(`/account/offers/${holder}?limit=50&offset=${offset}`);
    expect(body.total).toBe(OFFERS);
    for (const { seq } of body.offers) seen.push(seq);
    if (body.offers.length < 50) break;
  }
  expect(seen).toEqual(Array.from({ length: OFFERS }, (_, n) => 10 + OFFERS - 1 - n));
});
