/** Where the recorded ledgers lie, and how tests read them. Tests skip, and say so, where the folder is absent. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const candidate = resolve(import.meta.dir, '../../shared/data/corpus');

/** Path of the recorded data, undefined where it is not on this machine. */
export const corpusDir: string | undefined = existsSync(join(candidate, 'README.md')) ? candidate : undefined;

if (!corpusDir)
  console.warn('recorded ledgers not found beside the checkout: the tests that need them are skipped');

/** A recorded transaction of `ledgers/*.json.gz`, in apply order. */
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
  return corpusDir ? readdirSync(join(corpusDir, 'ledgers')).sort() : [];
}

export function readLedger(name: string): RecordedLedger {
  return JSON.parse(gunzipSync(readFileSync(join(corpusDir!, 'ledgers', name))).toString('utf8'));
}

/** Lines of a `.jsonl.gz` file of the corpus, parsed. */
export function readLines(name: string): Record<string, unknown>[] {
  const text = gunzipSync(readFileSync(join(corpusDir!, name))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.length > 0)
    .map((line) => JSON.parse(line));
}
