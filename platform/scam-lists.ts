/**
 * Accounts that public lists of scams have, and how they are kept over a restart. outside/scam-lists.ts reads them.
 *
 *     scam-lists   (digest of the list's address, part)   accounts with category and time: at most PART_ACCOUNTS
 *
 * A list is written whole, and only when it has changed. Its address may carry a key, so the digest stands for it.
 */
import { createHash } from 'node:crypto';
import type { ScamCategory } from '../engine/scams/rule.ts';
import type { Collection, PlatformStore } from './store.ts';

export interface ListedAccount {
  /** Name of the list: its host, or its file. */
  readonly list: string;
  readonly category: ScamCategory;
  /** Unix ms: when it was first read there. */
  readonly since: number;
}

export interface ScamLists {
  /** Grows when accounts change. */
  readonly version: number;
  /** Takes in what is kept there, keeps it there from now on, and reads the lists now and every hour. */
  attach(store: PlatformStore): void;
  /** r-addresses. */
  accounts(): Iterable<string>;
  of(account: string): readonly ListedAccount[];
}

/** None is configured. */
export const NO_SCAM_LISTS: ScamLists = { version: 0, attach: () => {}, accounts: () => [], of: () => [] };

/** Of one list: about 10 MB in memory. */
export const LISTED_MAX = 50_000;
/** Lists that can be configured. */
export const SCAM_LISTS_MAX = 20;
/** Of one row: an account takes up to 62 bytes. */
const PART_ACCOUNTS = 1000;

export type KeptAccount = readonly [account: string, category: ScamCategory, since: number];

const LISTS: Collection<readonly KeptAccount[]> = {
  name: 'scam-lists',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 64 * PART_ACCOUNTS + 16, rows: SCAM_LISTS_MAX * 2 * (LISTED_MAX / PART_ACCOUNTS) },
  indexes: {},
};

export const SCAM_LIST_COLLECTIONS = [LISTS] as unknown as readonly Collection<unknown>[];

const digestOf = (address: string): string => createHash('sha256').update(address).digest('hex').slice(0, 32);

/** What was kept of a list. */
export function keptList(store: PlatformStore, address: string): readonly KeptAccount[] {
  const accounts: KeptAccount[] = [];
  store.walk(LISTS, { prefix: [digestOf(address)] }, (part) => {
    accounts.push(...part);
    return true;
  });
  return accounts;
}

/** Resolves when it is durable. */
export function keepList(
  store: PlatformStore,
  address: string,
  accounts: readonly KeptAccount[],
): Promise<void> {
  const digest = digestOf(address);
  return store.transaction((transaction) => {
    const parts = Math.ceil(accounts.length / PART_ACCOUNTS);
    for (let part = 0; part < parts; part++)
      transaction.put(
        LISTS,
        [digest, part],
        accounts.slice(part * PART_ACCOUNTS, (part + 1) * PART_ACCOUNTS),
      );
    for (let part = parts; transaction.delete(LISTS, [digest, part]); part++);
  });
}

/** Forgets the lists that are no longer configured. Resolves when that is durable. */
export function forgetLists(store: PlatformStore, configured: readonly string[]): Promise<void> {
  const digests = new Set(configured.map(digestOf));
  return store.transaction((transaction) => {
    const gone: [string, number][] = [];
    transaction.walk(LISTS, {}, (_, [digest, part]) => {
      if (!digests.has(String(digest))) gone.push([String(digest), Number(part)]);
      return true;
    });
    for (const key of gone) transaction.delete(LISTS, key);
  });
}
