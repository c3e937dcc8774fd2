/**
 * Public lists of scam accounts, from addresses or files that the operator chose: read at the start and every hour.
 *
 *     url or file -> at most 16 MB -> JSON, else CSV -> r-addresses whose checksum is right, with a category -> accounts
 *
 * What the text may be: platform/scam-list-text.ts. A list is not trusted: what is no address is left out, lengths are bounded,
 * none of its texts is shown, and it is read in a thread of its own (workers/scam-list-reader.ts), for a bounded time.
 *
 * A list that cannot be read, or has no address, keeps what it had, also over a restart (platform/scam-lists.ts). Where a server
 * redirects to must be public.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { HOUR_MS } from '../engine/ripple-time.ts';
import { type AccountsOfText, accountsIn } from '../platform/scam-list-text.ts';
import {
  forgetLists,
  type KeptAccount,
  keepList,
  keptList,
  type ListedAccount,
  type ScamLists,
} from '../platform/scam-lists.ts';
import type { PlatformStore } from '../platform/store.ts';
import { type FetchBounds, OutsideError } from './bounded-fetch.ts';
import { publicReader, type ReadPublic } from './public-fetch.ts';

const POLL_MS = HOUR_MS;
const BOUNDS: FetchBounds = { timeoutMs: 20_000, bytesMax: 16 * 1024 * 1024 };

interface ScamListsOptions {
  /** `https://...` or `file:PATH` */
  readonly lists: readonly string[];
  /** Unix ms. */
  readonly now: () => number;
  /** Called once each time that a list fails after it worked. */
  readonly onFault: (list: string, message: string) => void;
  readonly read?: ReadPublic;
  /** Default: on this thread. */
  readonly accountsIn?: (text: string) => Promise<AccountsOfText>;
}

export class PolledScamLists implements ScamLists {
  version = 0;
  readonly #options: ScamListsOptions;
  readonly #read: ReadPublic;
  readonly #lists = new Map<string, ReadonlyMap<string, ListedAccount>>();
  readonly #failing = new Set<string>();
  /** Those that the store has not taken: it is given them again. */
  readonly #notKept = new Set<string>();
  #store: PlatformStore | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isStopped = false;

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
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async poll(): Promise<void> {
    const { lists, accountsIn: accountsOf = async (text: string) => accountsIn(text) } = this.#options;
    for (const list of lists) {
      try {
        const found = await accountsOf(await this.#textOf(list));
        if (this.#isStopped) return;
        await this.#take(list, found);
        this.#failing.delete(list);
      } catch (fault) {
        if (this.#isStopped) return;
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
      return new TextDecoder().decode(readFileSync(path));
    }
    return new TextDecoder().decode(await this.#read(new URL(list), BOUNDS, true));
  }

  async #take(list: string, found: AccountsOfText): Promise<void> {
    if (found.size === 0) throw new OutsideError('a list without an address');
    const before = this.#lists.get(list);
    const now = this.#options.now();
    const accounts = [...found].map(
      ([account, category]): KeptAccount => [account, category, before?.get(account)?.since ?? now],
    );
    const isSame =
      before?.size === found.size &&
      accounts.every(([account, category]) => before.get(account)?.category === category);
    if (!isSame) this.#set(list, accounts);
    if (!this.#store || (isSame && !this.#notKept.has(list))) return;
    this.#notKept.add(list);
    await keepList(this.#store, list, accounts);
    this.#notKept.delete(list);
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
