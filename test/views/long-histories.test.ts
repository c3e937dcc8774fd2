/**
 * Accounts with very many transactions: pages have every one once in both directions, and the first page reads no more than that of
 * an account with few. `npm run test:long` has 200,000.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type LmdbStore, openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { relaidChain } from '../../support/chain.ts';
import { Network } from '../../views/network.ts';
import { casesOf } from '../cases.ts';
import { temporaryDir } from '../data/tools.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const TRANSACTIONS = casesOf(12_000, 200_000);
/** Of the large account in each ledger: more than a page has. */
const A_LEDGER = 400;
const LEDGERS = TRANSACTIONS / A_LEDGER;
const [LARGE, SMALL] = [3, 4];
const SMALL_TRANSACTIONS = 30;
/** TransactionType codes: one in RARE_EVERY is of the rare type. */
const [USUAL, RARE] = [0, 7];
const RARE_EVERY = 997;

const { dir, remove } = temporaryDir();
let store: LmdbStore;
let network: Network;
/** Entries of the index that were read. */
let visited = 0;

const isRare = (n: number): boolean => (n + seed) % RARE_EVERY === 0;

beforeAll(async () => {
  const filled = await openStore({ dir, network: 0 });
  for (const packed of relaidChain({ first: 1, ledgers: LEDGERS, transactionsPerLedger: 1 })) {
    const { ledgerIndex: ledger, closeTime } = packed;
    const batch = filled.batch();
    batch.ledger(ledger, closeTime, packed.bytes);
    for (let tx = 0; tx < A_LEDGER; tx++) {
      const type = isRare((ledger - 1) * A_LEDGER + tx) ? RARE : USUAL;
      batch.accountTransaction(LARGE, ledger, tx, type << 8);
    }
    if (ledger <= SMALL_TRANSACTIONS) batch.accountTransaction(SMALL, ledger, A_LEDGER, USUAL << 8);
    batch.value('account index from', 1);
    await filled.commit(batch, { index: ledger, hash: packed.hash, closeTime });
  }
  await filled.close();
  store = await openStore({ dir, network: 0 });
  const { records } = store;
  store.records = (family, prefix, walk, visit) =>
    records.call(store, family, prefix, walk, (...row) => {
      visited++;
      return visit(...row);
    });
  const engine = new Engine({ store, log });
  engine.restore();
  network = new Network({ engine });
});

afterAll(async () => {
  await store.close();
  remove();
});

const all = { first: 0, last: 0xffffffff };

async function pages(limit: number, forward: boolean, types?: ReadonlySet<number>): Promise<number[]> {
  const { transactions } = network.views.accounts;
  const seen: number[] = [];
  let marker: Awaited<ReturnType<typeof transactions.find>>['marker'];
  do {
    const page = await transactions.find({ ...all, account: LARGE, limit, forward, types, marker });
    expect(page.found.length).toBeLessThanOrEqual(limit);
    for (const { ledger, tx } of page.found) seen.push((ledger - 1) * A_LEDGER + tx);
    ({ marker } = page);
  } while (marker);
  return seen;
}

const numbers = Array.from({ length: TRANSACTIONS }, (_, n) => n);

test('pages have each transaction once, in both directions', async () => {
  expect(await pages(200, true)).toEqual(numbers);
  expect(await pages(97 + (seed % 100), false)).toEqual(numbers.toReversed());
});

test('those of a rare type are found over pages that end before they are full', async () => {
  expect(await pages(20, false, new Set([RARE]))).toEqual(numbers.filter(isRare).reverse());
});

test('the first page reads as much as that of an account with few', async () => {
  const { transactions } = network.views.accounts;
  const readBy = async (account: number, forward: boolean): Promise<number> => {
    visited = 0;
    const { found } = await transactions.find({ ...all, account, limit: 20, forward });
    expect(found.length).toBe(20);
    return visited;
  };
  for (const forward of [true, false]) {
    const few = await readBy(SMALL, forward);
    // Ledgers that end within a step are read again, as a whole.
    expect(await readBy(LARGE, forward)).toBeLessThanOrEqual(few + 64 + A_LEDGER);
  }
});
