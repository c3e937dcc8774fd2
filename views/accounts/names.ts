/**
 * Names of accounts. The first of: what the admin of the service verified, what the issuer's own file at its domain says
 * (XLS-26), the domain that the account names on the ledger. Nothing else is taken for a name.
 */
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import type { AccountData } from '../../platform/account-data.ts';
import type { IssuerFiles } from '../../platform/issuer-files.ts';

/** Accounts looked at before other work may run, and texts read: some milliseconds. */
const ACCOUNTS_A_SLICE = 500_000;
const TEXTS_A_SLICE = 512;
/** Names that are searched in at most, and how old the list of those on the ledger may be, seconds. */
const NAMES_MAX = 500_000;
const NAMES_MAX_AGE = 60;
const RESULTS_MAX = 20;

export interface NamedAccount {
  readonly account: string;
  readonly name: string;
  readonly source: 'verified' | 'xls-26' | 'domain';
}

export class AccountNames {
  readonly #engine: Engine;
  readonly #data: AccountData;
  readonly #files: IssuerFiles | undefined;
  /** Accounts with a domain, and the close time at which they were listed. */
  #domains: { readonly id: number; readonly domain: string }[] = [];
  #listedAt: number | undefined;
  #listing: Promise<void> | undefined;

  constructor(engine: Engine, data: AccountData, files: IssuerFiles | undefined) {
    this.#engine = engine;
    this.#data = data;
    this.#files = files;
  }

  /** undefined: it has none. */
  of(address: string): NamedAccount | undefined {
    const given = this.#data.of(address);
    if (given?.adminVerified && given.name !== undefined)
      return { account: address, name: given.name, source: 'verified' };
    const { accounts } = this.#engine.state;
    const id = accounts.findText(address);
    const domain = id === undefined ? undefined : accounts.domain(id);
    if (domain === undefined) return undefined;
    const published = this.#files?.of(domain.toLowerCase())?.names;
    if (published && Object.hasOwn(published, address))
      return { account: address, name: published[address]!, source: 'xls-26' };
    return { account: address, name: domain, source: 'domain' };
  }

  /** Accounts whose name contains a text; those that begin with it come first. */
  async search(text: string): Promise<readonly NamedAccount[]> {
    await this.#listDomains();
    const wanted = text.toLowerCase();
    const found: NamedAccount[] = [];
    const seen = new Set<string>();
    const add = (named: NamedAccount | undefined) => {
      if (!named || seen.has(named.account) || !named.name.toLowerCase().includes(wanted)) return;
      seen.add(named.account);
      found.push(named);
    };
    for (const [address] of this.#data.all()) add(this.of(address));
    for (const { id, domain } of this.#domains) {
      if (found.length >= RESULTS_MAX * 10) break;
      if (domain.toLowerCase().includes(wanted)) add(this.of(this.#engine.state.accounts.text(id)));
    }
    const order = ({ name, source }: NamedAccount) =>
      (source === 'verified' ? 0 : 2) + (name.toLowerCase().startsWith(wanted) ? 0 : 1);
    return found
      .toSorted((a, b) => order(a) - order(b) || a.name.length - b.name.length)
      .slice(0, RESULTS_MAX);
  }

  async #listDomains(): Promise<void> {
    const now = this.#engine.head?.closeTime ?? 0;
    if (this.#listedAt !== undefined && Math.abs(now - this.#listedAt) < NAMES_MAX_AGE) return;
    this.#listing ??= this.#list(now).finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
  }

  async #list(now: number): Promise<void> {
    const { accounts } = this.#engine.state;
    const listed: { id: number; domain: string }[] = [];
    for (let id = 1; id < accounts.count && listed.length < NAMES_MAX; id++) {
      if (id % ACCOUNTS_A_SLICE === 0) await yieldToLoop();
      const domain = accounts.domain(id);
      if (domain === undefined) continue;
      listed.push({ id, domain });
      if (listed.length % TEXTS_A_SLICE === 0) await yieldToLoop();
    }
    this.#domains = listed;
    this.#listedAt = now;
  }
}
