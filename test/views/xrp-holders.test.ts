/** The list of holders of XRP where there are more accounts than it ranks, against all of them. */
import { beforeAll, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { accountText } from '../../engine/codec/base58.ts';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { statePage } from '../../support/state-page.ts';
import { asker } from '../api/routes/ask.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';

const ACCOUNTS = 3_000;
const NO_HASH = '0'.repeat(64);

/** Drops; every three accounts have the same. */
const balanceOf = (n: number): number => 1_000_000 + 500_000 * Math.floor(((n * 7_919) % ACCOUNTS) / 3);

const accountEntry = (n: number) => {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(0, n);
  return {
    LedgerEntryType: 'AccountRoot',
    Flags: 0,
    Account: accountText(bytes, 0),
    Balance: String(balanceOf(n)),
    OwnerCount: 0,
    Sequence: 1,
    PreviousTxnID: NO_HASH,
    PreviousTxnLgrSeq: 1,
  };
};

interface Row {
  readonly account: string;
  readonly balance: string;
  readonly rank: number;
}

let ask: ReturnType<typeof asker>;
/** All accounts, the largest first. */
let all: Row[];

beforeAll(() => {
  const entries = Array.from({ length: ACCOUNTS }, (_, n) => {
    const index = Buffer.from((n + 1).toString(16).padStart(64, '0'), 'hex');
    return [index, Buffer.from(encode(accountEntry(n + 1)), 'hex')] as const;
  });
  const engine = new Engine({ store: new MemoryStore(), log });
  engine.loadEntries(statePage(entries));
  engine.version++;
  const { accounts } = engine.state;
  all = Array.from({ length: accounts.count }, (_, id) => id)
    .filter((id) => accounts.exists(id))
    .sort((a, b) => Number(accounts.balanceDrops(b) - accounts.balanceDrops(a)) || a - b)
    .map((id, i) => ({
      account: accounts.text(id),
      balance: String(Number(accounts.balanceDrops(id)) / 1e6),
      rank: i + 1,
    }));
  ask = asker(engine);
});

test.each([
  { query: '', keep: () => true },
  { query: 'maxBalance=10.5', keep: (balance: number) => balance <= 10.5 },
  { query: 'minBalance=3.5', keep: (balance: number) => balance >= 3.5 },
  { query: 'minBalance=7&maxBalance=300', keep: (balance: number) => balance >= 7 && balance <= 300 },
  { query: 'minBalance=600', keep: () => false },
])('$query: as many as match, from the largest and from the smallest on', async ({ query, keep }) => {
  expect(all.length).toBe(ACCOUNTS);
  const wanted = all.filter(({ balance }) => keep(Number(balance)));
  for (const [order, rows] of [
    ['desc', wanted],
    ['asc', wanted.toReversed()],
  ] as const)
    for (const offset of [0, 150, 900]) {
      const path = `/holders/list/XRP?${query}&order=${order}&offset=${offset}&limit=100`;
      const { body } = await ask.get(path);
      const shown = body.richList.map(({ account, balance, rank }: Row) => ({ account, balance, rank }));
      expect(body.length).toBe(wanted.length);
      expect(shown).toEqual(rows.slice(offset, offset + 100));
    }
});

test('who is asked for by a part of an address has the rank that all others leave', async () => {
  const { account, rank } = all[40]!;
  const { body } = await ask.get(`/holders/list/XRP?search=${account.slice(4, 24)}&minBalance=2`);
  expect(body.richList.map((row: Row) => [row.account, row.rank])).toEqual([[account, rank]]);
});
