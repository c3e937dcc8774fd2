/**
 * Replay of 100-transaction ledgers from an archive with the account index, and without: what keeping it costs. The sides alternate
 * and the median of the rounds' ratios counts; the ratio of the CPU time is printed beside. `bun bench/account-index.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountIndex } from '../engine/accounts/account-index.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { replayArchive } from '../service/replay.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { Figure } from './budgets.ts';
import { quantile } from './latency.ts';

const TRANSACTIONS = 100;
const LEDGERS = 2_000;
const ROUNDS = 7;
const log = { debug() {}, info() {}, warn: console.error, error: console.error };

interface Side {
  /** Transactions a second. */
  readonly rate: number;
  /** Of the whole process, us a transaction. */
  readonly cpu: number;
}

async function replayed(archive: string, dir: string): Promise<Side> {
  const before = process.cpuUsage();
  const { transactions, seconds } = await replayArchive({ archive, dir, workers: 1, log });
  const { user, system } = process.cpuUsage(before);
  rmSync(dir, { recursive: true, force: true });
  return { rate: transactions / seconds, cpu: (user + system) / transactions };
}

/** The same with an index that keeps nothing. */
async function withoutIndex(archive: string, dir: string): Promise<Side> {
  const { applyLedger } = AccountIndex.prototype;
  AccountIndex.prototype.applyLedger = () => undefined;
  try {
    return await replayed(archive, dir);
  } finally {
    AccountIndex.prototype.applyLedger = applyLedger;
  }
}

async function run(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-index-'));
  try {
    const archive = join(base, 'chain.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const packed of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS }))
      writer.append(packed);
    writer.close();
    await withoutIndex(archive, join(base, 'warm'));
    await replayed(archive, join(base, 'warm'));
    const rounds: { readonly ours: Side; readonly other: Side }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const other = round % 2 === 0 ? await withoutIndex(archive, join(base, 'without')) : undefined;
      const ours = await replayed(archive, join(base, 'with'));
      rounds.push({ ours, other: other ?? (await withoutIndex(archive, join(base, 'without'))) });
    }
    const median = (of: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(of), 0.5);
    const cpu = median(({ ours, other }) => other.cpu / ours.cpu);
    console.log(
      `ratios ${rounds.map(({ ours, other }) => (ours.rate / other.rate).toFixed(2)).join(' ')}; CPU time without / with, median: ${cpu.toFixed(2)}`,
    );
    const text = (rate: number) => `${Math.round(rate)} tx/s`;
    return [
      {
        name: 'replay.account-index',
        value: median(({ ours, other }) => ours.rate / other.rate),
        ours: text(median(({ ours }) => ours.rate)),
        other: text(median(({ other }) => other.rate)),
      },
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('figures []');
}
