/**
 * The recorded data, for tests and benchmarks. It is in two places:
 *
 *     test/golden/            in the project, under 1 MB: every recorded mainnet ledger that passes the proof, as blobs
 *     ../shared/data/corpus/  beside the checkout, optional: those and many more, answers of nodes, vectors
 *
 * What needs ledgers only runs everywhere. What needs the rest is skipped where it is absent, and reported as skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decode } from 'ripple-binary-codec';

const candidate = resolve(import.meta.dir, '../../shared/data/corpus');

/** Path of the large set, undefined where it is not on this machine. */
export const corpusDir: string | undefined = existsSync(join(candidate, 'README.md')) ? candidate : undefined;

/** Path of the recorded ledgers: those of the large set, else the golden ones. */
const ledgersDir = corpusDir ? join(corpusDir, 'ledgers') : join(import.meta.dir, '../test/golden');

if (!corpusDir)
  console.warn(
    'the large set of recorded data is not beside the checkout: the tests that need it are skipped',
  );

/** A recorded transaction of a ledger file, in apply order. */
export interface RecordedTransaction {
  readonly hash: string;
  readonly tx_blob?: string;
  readonly meta_blob?: string;
  readonly tx: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
}

export interface RecordedLedger {
  readonly ledger_index: number;
  readonly network: string;
  readonly header: Record<string, string | number>;
  readonly verified: Record<string, boolean | number | null>;
  readonly transactions?: readonly RecordedTransaction[];
  readonly accountState?: readonly Record<string, unknown>[];
}

/** Names of the recorded ledger files, e.g. `mainnet-11119607.json.gz`. */
export function ledgerFiles(): string[] {
  return readdirSync(ledgersDir).sort();
}

export function readLedger(name: string): RecordedLedger {
  const ledger: RecordedLedger = parsed(join(ledgersDir, name));
  if (corpusDir) return ledger;
  return { ...ledger, transactions: ledger.transactions?.map(withJson) ?? [] };
}

/** The golden set contains blobs only; the reference codec makes their JSON. */
function withJson(transaction: RecordedTransaction): RecordedTransaction {
  const { tx_blob, meta_blob } = transaction;
  return { ...transaction, tx: decode(tx_blob!), meta: decode(meta_blob!) };
}

function parsed(path: string): RecordedLedger {
  return JSON.parse(gunzipSync(readFileSync(path)).toString('utf8'));
}

/** Lines of a `.jsonl.gz` file of the large set, parsed. */
export function readLines(name: string): Record<string, unknown>[] {
  const text = gunzipSync(readFileSync(join(corpusDir!, name))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.length > 0)
    .map((line) => JSON.parse(line));
}
