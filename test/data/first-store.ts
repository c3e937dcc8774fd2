/** A store as version 0.2.0 wrote it: 14 ledgers of recorded transactions, made with that version's own replay. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainPlan } from '../../support/chain.ts';

/** The chain its ledgers are the beginning of. */
export const FIRST_STORE_CHAIN: ChainPlan = { ledgers: 14, transactionsPerLedger: 25, offset: 850 };
/** Index of its newest ledger. */
export const FIRST_STORE_LAST = 1_000_013;

const FILE = join(import.meta.dir, '../fixtures/store-0.2.0.mdb.zst');

/** Puts it into a folder. */
export function unpackFirstStore(dir: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'data.mdb'), Bun.zstdDecompressSync(readFileSync(FILE)));
}
