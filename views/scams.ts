/**
 * What is known of scams: accounts that the rules of the engine found, and those that confirmed reports name.
 *
 *     engine/scams: listed rows, tokens that pretend -.
 *     platform/scam-reports: confirmed ones         -+
 *     public lists (outside/scam-lists)             -+-> entries -> blocklist (verified ones, each account once)
 *
 * The blocklist is made again when an account is added; an entry's figures are read when it is shown.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import { currencyName } from '../engine/codec/currency.ts';
import type { Engine } from '../engine/engine.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { ScamCategory, ScamRule } from '../engine/scams/rule.ts';
import { DUST_MEMOS, DUST_SPAM } from '../engine/scams/rules/dust-spam.ts';
import { IMPERSONATION } from '../engine/scams/rules/impersonation.ts';
import { NFT_COPIES } from '../engine/scams/rules/nft-copies.ts';
import { PHISHING_MEMOS } from '../engine/scams/rules/phishing-memos.ts';
import { scamRule } from '../engine/scams/rules.ts';
import { type ListedAccount, NO_SCAM_LISTS, type ScamLists } from '../platform/scam-lists.ts';
import { type ScamReport, ScamReports } from '../platform/scam-reports.ts';
import { DistinctOthers } from './distinct-others.ts';
import type { NftCopies, NftCopy } from './nfts/copies.ts';

/** Why an account is listed or suspected. */
export interface ScamEntry {
  readonly account: string;
  readonly category: ScamCategory;
  /** Name of the rule, `report` or `list`. */
  readonly rule: string;
  /** Name of a public list. */
  readonly list?: string;
  /** On the blocklist; else suspected. */
  readonly verified: boolean;
  /** Unix ms: when it was listed, and the last act that was seen. */
  readonly since: number;
  readonly last?: number;
  readonly transactions?: number;
  /** Different accounts that it acted on. */
  readonly affected?: number;
  /** That it took. */
  readonly xrp?: number;
  /** Memo or address that it sent. */
  readonly sample?: string;
  /** Token that looks like another one. */
  readonly token?: { readonly md5: string; readonly name: string; readonly imitates: string };
  /** Of NFTs that copy a collection: which one, and what of it. */
  readonly copies?: NftCopy;
  /** Hashes of transactions that show it. */
  readonly evidence: readonly string[];
}

export interface SpamSender {
  readonly account: string;
  readonly tx_count: number;
  readonly unique_destinations: number;
  readonly memo_samples: readonly string[];
}

/** Those of accounts that send memos in bulk. */
export const MEMO_RULES: readonly ScamRule[] = [DUST_SPAM, DUST_MEMOS, PHISHING_MEMOS];

type Reports = Pick<ScamReports, 'version' | 'list'>;
type Copies = Pick<NftCopies, 'of'>;

/** What the rules found that is on the blocklist. */
interface Found {
  /** Of both tables; they only grow. */
  readonly rows: number;
  readonly entries: readonly { time: number; account: string; category: ScamCategory }[];
  readonly accounts: ReadonlySet<string>;
}

interface Blocked {
  readonly versions: readonly number[];
  /** Oldest first, each once. */
  readonly accounts: ReadonlyMap<string, ReadonlySet<ScamCategory>>;
}

export class ScamViews {
  readonly #engine: Engine;
  readonly #reports: Reports;
  readonly #lists: ScamLists;
  readonly #copies: Copies;
  /** By the rules, or the account, that are counted together. */
  readonly #others = new Map<string, DistinctOthers>();
  #blocked: Blocked | undefined;
  #foundKept: Found | undefined;
  #named:
    | { readonly version: number; readonly reports: ReadonlyMap<string, readonly ScamReport[]> }
    | undefined;

  /** @param copies of NFTs, as far as their media show them */
  constructor(
    engine: Engine,
    reports: Reports = new ScamReports(),
    lists: ScamLists = NO_SCAM_LISTS,
    copies: Copies = { of: () => undefined },
  ) {
    this.#engine = engine;
    this.#reports = reports;
    this.#lists = lists;
    this.#copies = copies;
  }

  /** Of what no ledger shows: reports and public lists. Moves when either changes. */
  get version(): number {
    return this.#reports.version + this.#lists.version;
  }

  /**
   * Why an account is on the blocklist: the category of the first reason; undefined: it is not on it.
   * Cost: of an account that is not on it three look-ups.
   */
  categoryOf(account: string): ScamCategory | undefined {
    if (
      !this.#found().accounts.has(account) &&
      !this.#reportsOf().has(account) &&
      this.#lists.of(account).length === 0
    )
      return undefined;
    return this.of(account).find(({ verified }) => verified)?.category;
  }

  /** The blocklist, the newest account last. @param category undefined: all */
  addresses(category?: ScamCategory): readonly string[] {
    const { accounts } = this.#blocklist();
    if (category === undefined) return [...accounts.keys()];
    return [...accounts].filter(([, categories]) => categories.has(category)).map(([account]) => account);
  }

  /** Everything that is known of an account, verified or not. */
  of(account: string): readonly ScamEntry[] {
    const { scams, state } = this.#engine;
    const id = state.accounts.findText(account) ?? 0;
    const found = id === 0 ? [] : this.#shown(scams.actors.of(id)).map((row) => this.#entryOf(row));
    const tokens = id === 0 ? [] : scams.impersonation.of(id).map((row) => this.#tokenEntry(row));
    const listed = this.#lists.of(account).map((one) => listEntry(account, one));
    return [...found, ...tokens, ...(this.#reportsOf().get(account) ?? []).map(reportEntry), ...listed];
  }

  /** Of the engine's rules, the newest first. */
  found(rule: ScamRule): readonly ScamEntry[] {
    const { impersonation } = this.#engine.scams;
    if (rule === IMPERSONATION) return impersonation.listedRows.map((row) => this.#tokenEntry(row)).reverse();
    return this.#rowsOf(rule)
      .map((row) => this.#entryOf(row))
      .reverse();
  }

  /** How many different accounts those that these rules found acted on. */
  distinctOthers(rules: readonly ScamRule[]): Promise<number> {
    const key = rules.map(({ number }) => number).join();
    return this.#distinct(
      key,
      rules.flatMap((rule) => this.#rowsOf(rule)),
    );
  }

  #distinct(key: string, rows: readonly number[]): Promise<number> {
    const others = this.#others.get(key) ?? new DistinctOthers(this.#engine.scams.actors);
    this.#others.set(key, others);
    return others.of(rows);
  }

  /** Who sends memos in bulk: the most transactions first. */
  async spamSenders(): Promise<readonly SpamSender[]> {
    const { accounts } = this.#engine.state;
    const { actors } = this.#engine.scams;
    const rows = MEMO_RULES.flatMap((rule) => this.#rowsOf(rule));
    const senders: SpamSender[] = [];
    for (const [actor, own] of Map.groupBy(rows, (row) => actors.actor[row]!))
      senders.push({ account: accounts.text(actor), ...(await this.#spamOf(actor, own)) });
    return senders.sort((a, b) => b.tx_count - a.tx_count || (a.account < b.account ? -1 : 1));
  }

  /** @param rows of one account */
  async #spamOf(actor: number, rows: readonly number[]) {
    const { scams } = this.#engine;
    const { transactions, others, rule } = scams.actors;
    // Dust whose memo lures is a phishing memo, too; other dust is none.
    const { plain = [], luring = [] } = Object.groupBy(rows, (row) =>
      rule[row] === DUST_MEMOS.number ? 'plain' : 'luring',
    );
    const most = (of: readonly number[], column: Uint32Array) =>
      of.reduce((max, row) => Math.max(max, column[row]!), 0);
    const samples = rows.flatMap((row) => scams.sample(row) ?? []);
    return {
      tx_count: most(luring, transactions) + most(plain, transactions),
      unique_destinations:
        plain.length > 0 && luring.length > 0
          ? await this.#distinct(`of ${actor}`, rows)
          : most(rows, others),
      memo_samples: [...new Set(samples)],
    };
  }

  #rowsOf(rule: ScamRule): readonly number[] {
    const { actors } = this.#engine.scams;
    return this.#shown(actors.listedRows.filter((row) => actors.rule[row] === rule.number));
  }

  /** Without accounts that only give NFTs away. */
  #shown(rows: readonly number[]): readonly number[] {
    const { actors } = this.#engine.scams;
    const isCopy = (row: number) => this.#copies.of(actors.actor[row]!) !== undefined;
    return rows.filter((row) => actors.rule[row] !== NFT_COPIES.number || isCopy(row));
  }

  #blocklist(): Blocked {
    const { actors, impersonation } = this.#engine.scams;
    const versions = [
      actors.listedRows.length,
      impersonation.listedRows.length,
      this.#reports.version,
      this.#lists.version,
    ];
    if (this.#blocked?.versions.every((version, at) => version === versions[at])) return this.#blocked;
    const found = [...this.#found().entries];
    for (const [account, reports] of this.#reportsOf())
      for (const { category, decidedAt = 0 } of reports) found.push({ time: decidedAt, account, category });
    for (const account of this.#lists.accounts())
      for (const { category, since } of this.#lists.of(account))
        found.push({ time: since, account, category });
    const blocked = new Map<string, Set<ScamCategory>>();
    for (const { account, category } of found.sort((a, b) => a.time - b.time))
      blocked.set(account, (blocked.get(account) ?? new Set()).add(category));
    this.#blocked = { versions, accounts: blocked };
    return this.#blocked;
  }

  #found(): Found {
    const { actors, impersonation } = this.#engine.scams;
    const rows = actors.listedRows.length + impersonation.listedRows.length;
    if (this.#foundKept?.rows === rows) return this.#foundKept;
    const { accounts, tokens } = this.#engine.state;
    const entries: { time: number; account: string; category: ScamCategory }[] = [];
    for (const row of actors.listedRows) {
      const { isVerified, category } = scamRule(actors.rule[row]!);
      if (!isVerified) continue;
      entries.push({
        time: unixMs(actors.listed[row]!),
        account: accounts.text(actors.actor[row]!),
        category,
      });
    }
    for (const row of impersonation.listedRows) {
      const account = accounts.text(tokens.issuer(impersonation.token[row]!));
      entries.push({ time: unixMs(impersonation.listed[row]!), account, category: IMPERSONATION.category });
    }
    this.#foundKept = { rows, entries, accounts: new Set(entries.map(({ account }) => account)) };
    return this.#foundKept;
  }

  /** Confirmed reports by the account that they name. */
  #reportsOf(): ReadonlyMap<string, readonly ScamReport[]> {
    const { version } = this.#reports;
    if (this.#named?.version !== version) {
      const reports = new Map<string, ScamReport[]>();
      for (const report of this.#reports.list('confirmed'))
        if (report.account !== undefined)
          reports.set(report.account, [...(reports.get(report.account) ?? []), report]);
      this.#named = { version, reports };
    }
    return this.#named.reports;
  }

  #entryOf(row: number): ScamEntry {
    const { scams, state } = this.#engine;
    const { actors } = scams;
    const rule = scamRule(actors.rule[row]!);
    const { category, name, isVerified } = rule;
    const copies = rule === NFT_COPIES ? this.#copies.of(actors.actor[row]!) : undefined;
    const sample = scams.sample(row);
    return {
      account: state.accounts.text(actors.actor[row]!),
      category,
      rule: name,
      verified: isVerified,
      since: unixMs(actors.listed[row]!),
      last: unixMs(actors.last[row]!),
      transactions: actors.transactions[row]!,
      affected: actors.others[row]!,
      ...(actors.drops[row]! > 0 && { xrp: actors.drops[row]! / DROPS_PER_XRP }),
      ...(sample !== undefined && { sample }),
      ...(copies && { copies }),
      evidence: actors.evidence(row).map((hash) => hexOf(hash)),
    };
  }

  #tokenEntry(row: number): ScamEntry {
    const { scams, state } = this.#engine;
    const { impersonation } = scams;
    const token = impersonation.token[row]!;
    return {
      account: state.accounts.text(state.tokens.issuer(token)),
      category: IMPERSONATION.category,
      rule: IMPERSONATION.name,
      verified: IMPERSONATION.isVerified,
      since: unixMs(impersonation.listed[row]!),
      affected: state.lines.holdersCount(token),
      token: {
        md5: state.tokens.md5(token),
        name: currencyName(state.tokens.currencyText(token)),
        imitates: state.tokens.md5(impersonation.genuine[row]!),
      },
      evidence: impersonation.evidence(row).map((hash) => hexOf(hash)),
    };
  }
}

function reportEntry({ account = '', category, decidedAt = 0 }: ScamReport): ScamEntry {
  return { account, category, rule: 'report', verified: true, since: decidedAt, evidence: [] };
}

function listEntry(account: string, { list, category, since }: ListedAccount): ScamEntry {
  return { account, category, rule: 'list', list, verified: true, since, evidence: [] };
}
