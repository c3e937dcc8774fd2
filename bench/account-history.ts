/**
 * The 20 newest transactions of an account, as `/account/tx` shows them: with 10 million stored entries of the account index
 * against 100,000. Every account has the same share of them. `bun bench/account-history.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { Network } from '../views/network.ts';
import type { Figure } from './budgets.ts';
import { quantile } from './latency.ts';

const SMALL = 100_000;
const LARGE = 10_000_000;
const ACCOUNTS = 4_000;
/** Entries of a ledger: each of another account. */
const A_LEDGER = 400;
/** Ledgers of a batch while the store is filled. */
const A_BATCH = 250;
const PAGE = 20;
const ROUNDS = 5;
/** Pages of one store in a row. */
const PAGES = 400;

interface History extends AsyncDisposable {
  /** @returns ms */
  page(account: number): Promise<number>;
}

async function filled(entries: number): Promise<History> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-history-'));
  const log = { debug() {}, info() {}, warn: console.error, error: console.error };
  const writing = await openStore({ dir, network: 0 });
  let batch = writing.batch();
  let count = 0;
  for (const packed of relaidChain({ ledgers: entries / A_LEDGER, transactionsPerLedger: 1 })) {
    const { ledgerIndex, closeTime } = packed;
    batch.ledger(ledgerIndex, closeTime, packed.bytes);
    for (let i = 0; i < A_LEDGER; i++)
      batch.accountTransaction(1 + ((count++ * 7919) % ACCOUNTS), ledgerIndex, 0, 0);
    if (count % (A_LEDGER * A_BATCH) !== 0 && count !== entries) continue;
    batch.value('account index from', 1);
    await writing.commit(batch, { index: ledgerIndex, hash: packed.hash, closeTime });
    batch = writing.batch();
  }
  await writing.close();
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log });
  engine.restore();
  const { transactions } = new Network({ engine }).views.accounts;
  const all = { first: 0, last: 0xffffffff, forward: false };
  return {
    async page(account) {
      const started = performance.now();
      const { txs } = await transactions.page({ ...all, account, limit: PAGE });
      const ms = performance.now() - started;
      if (txs.length !== PAGE) throw new Error(`a page of ${txs.length} rows`);
      return ms;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Median of the pages of accounts that are spread over all. */
async function median(history: History, round: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < PAGES; i++) times.push(await history.page(1 + ((i * 104_729 + round) % ACCOUNTS)));
  return quantile(times, 0.5);
}

if (import.meta.main) {
  if (corpusDir) {
    await using small = await filled(SMALL);
    await using large = await filled(LARGE);
    console.log('filled');
    const rounds: { small: number; large: number }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ small: await median(small, round), large: await median(large, round) });
    const [ours, other] = [
      quantile(
        rounds.map((r) => r.large),
        0.5,
      ),
      quantile(
        rounds.map((r) => r.small),
        0.5,
      ),
    ];
    const figure: Figure = {
      name: 'accounts.history',
      value: ours / other,
      ours: `${ours.toFixed(2)} ms`,
      other: `${other.toFixed(2)} ms`,
    };
    console.log(`figures ${JSON.stringify([figure])}`);
  } else console.log('figures []');
}
