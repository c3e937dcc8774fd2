/**
 * Public lists of scam accounts, from addresses or files that the operator chose: read at the start and every hour.
 *
 *     url or file -> at most 16 MB -> JSON, else CSV -> r-addresses whose checksum is right, with a category -> accounts
 *
 * JSON: a list, or an object with one under `addresses`, `accounts`, `data` or `list`; of texts, or of objects with `address` or
 * `account`, and perhaps `category` or `type`. CSV: each line has an address in some column, and perhaps a category in another.
 * A list is not trusted: what is no address is left out, lengths are bounded, and none of its texts is shown.
 *
 * A list that cannot be read, or has no address, keeps what it had, also over a restart (platform/scam-lists.ts). Where a server
 * redirects to must be public.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { accountBytes } from '../engine/codec/base58.ts';
import { HOUR_MS } from '../engine/ripple-time.ts';
import { SCAM_CATEGORIES, type ScamCategory } from '../engine/scams/rule.ts';
import {
  forgetLists,
  type KeptAccount,
  keepList,
  keptList,
  LISTED_MAX,
  type ListedAccount,
  type ScamLists,
} from '../platform/scam-lists.ts';
import type { PlatformStore } from '../platform/store.ts';
import { type FetchBounds, OutsideError } from './bounded-fetch.ts';
import { publicReader, type ReadPublic } from './public-fetch.ts';

const POLL_MS = HOUR_MS;
const BOUNDS: FetchBounds = { timeoutMs: 20_000, bytesMax: 16 * 1024 * 1024 };
const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;
const LISTS_UNDER = ['addresses', 'accounts', 'data', 'list'] as const;

interface ScamListsOptions {
  /** `https://...` or `file:PATH` */
  readonly lists: readonly string[];
  /** Unix ms. */
  readonly now: () => number;
  /** Called once each time that a list fails after it worked. */
  readonly onFault: (list: string, message: string) => void;
  readonly read?: ReadPublic;
}

export class PolledScamLists implements ScamLists {
  version = 0;
  readonly #options: ScamListsOptions;
  readonly #read: ReadPublic;
  readonly #lists = new Map<string, ReadonlyMap<string, ListedAccount>>();
  readonly #failing = new Set<string>();
  #store: PlatformStore | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: ScamListsOptions) {
    this.#options = options;
    this.#read = options.read ?? publicReader();
  }

  attach(store: PlatformStore): void {
    const { lists, onFault } = this.#options;
    for (const list of lists) {
      const kept = keptList(store, list);
      if (kept.length > 0) this.#set(list, kept);
    }
    this.#store = store;
    const failed = (fault: unknown) => onFault('lists', `not kept: ${(fault as Error).message}`);
    void forgetLists(store, lists).catch(failed);
    this.#timer = setInterval(() => void this.poll(), POLL_MS);
    this.#timer.unref();
    void this.poll();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async poll(): Promise<void> {
    for (const list of this.#options.lists) {
      try {
        await this.#take(list, accountsIn(await this.#textOf(list)));
        this.#failing.delete(list);
      } catch (fault) {
        if (!this.#failing.has(list)) this.#options.onFault(nameOf(list), (fault as Error).message);
        this.#failing.add(list);
      }
    }
  }

  *accounts(): Iterable<string> {
    for (const accounts of this.#lists.values()) yield* accounts.keys();
  }

  of(account: string): readonly ListedAccount[] {
    return [...this.#lists.values()].flatMap((accounts) => accounts.get(account) ?? []);
  }

  async #textOf(list: string): Promise<string> {
    if (list.startsWith('file:')) {
      const path = list.slice('file:'.length);
      const { size } = statSync(path);
      if (size > Number(BOUNDS.bytesMax)) throw new OutsideError(`a file of ${size} bytes`);
      return readFileSync(path, 'utf8');
    }
    return new TextDecoder().decode(await this.#read(new URL(list), BOUNDS, true));
  }

  async #take(list: string, found: ReadonlyMap<string, ScamCategory>): Promise<void> {
    if (found.size === 0) throw new OutsideError('a list without an address');
    const before = this.#lists.get(list);
    const now = this.#options.now();
    const accounts = [...found].map(
      ([account, category]): KeptAccount => [account, category, before?.get(account)?.since ?? now],
    );
    const isSame =
      before?.size === found.size &&
      accounts.every(([account, category]) => before.get(account)?.category === category);
    if (isSame) return;
    this.#set(list, accounts);
    if (this.#store) await keepList(this.#store, list, accounts);
  }

  #set(list: string, accounts: readonly KeptAccount[]): void {
    const name = nameOf(list);
    this.#lists.set(
      list,
      new Map(accounts.map(([account, category, since]) => [account, { list: name, category, since }])),
    );
    this.version++;
  }
}

/** Its host or file, without what else an address may have (keys). */
export function nameOf(list: string): string {
  return list.startsWith('file:') ? basename(list) : new URL(list).host;
}

/** The addresses of a list's text. @throws OutsideError when it has more than LISTED_MAX */
export function accountsIn(text: string): ReadonlyMap<string, ScamCategory> {
  const found = new Map<string, ScamCategory>();
  const add = (address: unknown, category: unknown): void => {
    if (typeof address !== 'string' || !ADDRESS.test(address) || !accountBytes(address)) return;
    if (found.size >= LISTED_MAX) throw new OutsideError(`more than ${LISTED_MAX} addresses`);
    found.set(address, categoryOf(category));
  };
  const rows = jsonRows(text);
  if (rows === undefined) addLines(text, add);
  else
    for (const row of rows) {
      if (typeof row !== 'object' || row === null) add(row, undefined);
      else {
        const { address, account, category, type } = row as Readonly<Record<string, unknown>>;
        add(address ?? account, category ?? type);
      }
    }
  return found;
}

/** undefined: it is not JSON. */
function jsonRows(text: string): readonly unknown[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(parsed)) return parsed;
  const of = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of LISTS_UNDER) {
    const rows = Object.hasOwn(of, name) ? of[name] : undefined;
    if (Array.isArray(rows)) return rows;
  }
  return [];
}

function addLines(text: string, add: (address: unknown, category: unknown) => void): void {
  for (const line of text.split(/\r?\n/)) {
    const cells = line
      .slice(0, 1000)
      .split(/[,;\t]/)
      .map((cell) => cell.trim().replace(/^"|"$/g, ''));
    add(
      cells.find((cell) => ADDRESS.test(cell)),
      cells.find((cell) => categoryOf(cell) !== 'other'),
    );
  }
}

function categoryOf(text: unknown): ScamCategory {
  const name = typeof text === 'string' ? text.trim().toLowerCase().replaceAll(/[ -]/g, '_') : '';
  return SCAM_CATEGORIES.find((one) => one === name) ?? 'other';
}
