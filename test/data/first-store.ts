/**
 * Stores as earlier programs wrote them, made with their own replay of the same 14 ledgers of recorded transactions: one
 * for each version of the schema up to this one (data/migrations.ts).
 *     store-0.2.0      version 1: blocks of columns by position, few checksums
 *     store-schema-2   version 2, that of 0.3.0: columns by name and checksums; changes in whole blocks, no log of rows
 *     store-0.4.0      version 3: a part of the rows in the log and a part of the history in sorted runs
 *     store-schema-4   version 4: the events of accounts
 *     store-schema-5   version 5: the account index
 *     store-schema-6   version 6: the events of NFTs
 *     store-schema-7   version 7: the events of NFTs by ledger
 *     store-schema-8   version 8: without a table of how many NFTs of a collection an account owns
 *     store-schema-9   version 9: the URIs of NFTs, several in a row
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainPlan } from '../../support/chain.ts';

/** The chain its ledgers are the beginning of. */
export const FIRST_STORE_CHAIN: ChainPlan = { ledgers: 14, transactionsPerLedger: 25, offset: 850 };
/** Index of its newest ledger. */
export const FIRST_STORE_LAST = 1_000_013;

/** The stores, by the version of their schema. */
const FILES: Readonly<Record<number, string>> = {
  1: 'store-0.2.0',
  2: 'store-schema-2',
  3: 'store-0.4.0',
  4: 'store-schema-4',
  5: 'store-schema-5',
  6: 'store-schema-6',
  7: 'store-schema-7',
  8: 'store-schema-8',
  9: 'store-schema-9',
};

/** Puts the store of version 0.2.0 into a folder. */
export function unpackFirstStore(dir: string): void {
  unpackStore(1, dir);
}

/** Puts the store of a version of the schema into a folder. @throws where none was kept of it */
export function unpackStore(schema: number, dir: string): void {
  const name = FILES[schema];
  if (!name) throw new Error(`no store of schema version ${schema} in test/fixtures`);
  const packed = readFileSync(join(import.meta.dir, `../fixtures/${name}.mdb.zst`));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'data.mdb'), Bun.zstdDecompressSync(packed));
}
