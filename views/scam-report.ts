/**
 * The report on scams as a whole: sums, the accounts that took most, domains, and the rules.
 *
 *     entries of the rules, sales of listed accounts' NFTs, reports of people -> overview, top lists, domains
 *
 * What no rule finds is absent: thefts of liquidity, and what fake tokens were bought for. Of a drainer the account that lost
 * is read from the transaction that shows it, once.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import { accountText } from '../engine/codec/base58.ts';
import { bytesOf } from '../engine/codec/bytes.ts';
import { Changes, Tx } from '../engine/codec/changes.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import { HASH_BYTES } from '../engine/codec/hash.ts';
import type { Engine } from '../engine/engine.ts';
import { DAY, unixMs } from '../engine/ripple-time.ts';
import { hostIn } from '../engine/scams/lures.ts';
import { DUST_SPAM } from '../engine/scams/rules/dust-spam.ts';
import { FAKE_AIRDROPS } from '../engine/scams/rules/fake-airdrops.ts';
import { hostOf, IMPERSONATION } from '../engine/scams/rules/impersonation.ts';
import { PHISHING_MEMOS } from '../engine/scams/rules/phishing-memos.ts';
import { WALLET_DRAINERS } from '../engine/scams/rules/wallet-drainers.ts';
import { SCAM_RULES } from '../engine/scams/rules.ts';
import type { ReportStatus, ScamReports } from '../platform/scam-reports.ts';
import { MEMO_RULES, type ScamEntry, type ScamViews } from './scams.ts';

/** Rows of the top lists. */
const TOP = 10;
/** Losers that are remembered. */
const LOSERS_MAX = 1000;

/** How to report: of this service, and of those who can act. */
const HOW_TO_REPORT = {
  description: 'Report a domain here, and to those who can take it down',
  steps: [
    'Send the domain to POST /scams/report; the admin of this service decides on it',
    'Look up its registrar and host (RDAP or WHOIS), and write to their abuse addresses with a link to a transaction that shows it',
    'Report it to https://safebrowsing.google.com/safebrowsing/report_phish/, so that browsers warn',
    'Never send anything back to the account, and do not accept its NFTs or offers',
  ],
};

export type DomainSource = 'memo' | 'nft' | 'issuer' | 'report';

export interface ScamDomain {
  readonly domain: string;
  readonly found_in: readonly DomainSource[];
  /** Of accounts on the blocklist. */
  readonly accounts: readonly string[];
  readonly since: number;
  readonly status?: ReportStatus;
  readonly confirmations?: number;
}

interface FoundDomain {
  readonly sources: Set<DomainSource>;
  readonly accounts: Set<string>;
  since: number;
  report?: Pick<ScamDomain, 'status' | 'confirmations'>;
}

const sumOf = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

/** Of amounts of XRP, to the drop: numbers of XRP alone do not add up (0.1 + 0.2). */
const xrpSum = (amounts: readonly number[]): number =>
  sumOf(amounts, (xrp) => Math.round(xrp * DROPS_PER_XRP)) / DROPS_PER_XRP;

/** What an account on the blocklist got for NFTs. */
interface NftTakings {
  readonly sales: number;
  readonly xrp: number;
}

export class ScamReportView {
  readonly #engine: Engine;
  readonly #scams: ScamViews;
  readonly #reports: Pick<ScamReports, 'list' | 'version'>;
  #gathered: { readonly versions: string; readonly domains: ReadonlyMap<string, ScamDomain> } | undefined;
  readonly #losers = new Map<string, string>();

  constructor(engine: Engine, scams: ScamViews, reports: Pick<ScamReports, 'list' | 'version'>) {
    this.#engine = engine;
    this.#scams = scams;
    this.#reports = reports;
  }

  /** Domains that accounts on the blocklist lure to or pretend with, and those of confirmed and reviewed reports, the newest first. */
  domains(): readonly ScamDomain[] {
    return [...this.#domains().values()];
  }

  /** One of these. */
  domain(name: string): ScamDomain | undefined {
    return this.#domains().get(name);
  }

  /** They are gathered once for a ledger and its reports. */
  #domains(): ReadonlyMap<string, ScamDomain> {
    const versions = `${this.#engine.version}/${this.#reports.version}`;
    if (this.#gathered?.versions === versions) return this.#gathered.domains;
    const domains = this.#gather();
    this.#gathered = { versions, domains };
    return domains;
  }

  #gather(): ReadonlyMap<string, ScamDomain> {
    const found = new Map<string, FoundDomain>();
    const add = (domain: string | undefined, source: DomainSource, since: number, account?: string) => {
      if (domain === undefined) return undefined;
      const known = found.get(domain) ?? { sources: new Set(), accounts: new Set(), since };
      found.set(domain, known);
      known.sources.add(source);
      if (account !== undefined) known.accounts.add(account);
      known.since = Math.min(known.since, since);
      return known;
    };
    for (const rule of [DUST_SPAM, PHISHING_MEMOS, FAKE_AIRDROPS])
      for (const { account, sample, since } of this.#scams.found(rule))
        add(sample && hostIn(sample), rule === FAKE_AIRDROPS ? 'nft' : 'memo', since, account);
    const { accounts } = this.#engine.state;
    for (const { account, since } of this.#scams.found(IMPERSONATION))
      add(hostOf(accounts.domain(accounts.findText(account) ?? 0)) || undefined, 'issuer', since, account);
    for (const status of ['confirmed', 'reviewed'] as const)
      for (const { domain, account, reportedAt, confirmations } of this.#reports.list(status)) {
        const known = add(domain, 'report', reportedAt, status === 'confirmed' ? account : undefined)!;
        known.report = { status, confirmations };
      }
    const rows = [...found].map(([domain, { sources, accounts, since, report }]) => ({
      domain,
      found_in: [...sources],
      accounts: [...accounts],
      since,
      ...report,
    }));
    rows.sort((a, b) => b.since - a.since || (a.domain < b.domain ? -1 : 1));
    return new Map(rows.map((row) => [row.domain, row]));
  }

  /** Accounts that sent NFTs that lure, the newest first, with what they got for NFTs. */
  nftScammers(): readonly (ScamEntry & NftTakings)[] {
    return this.#scams.found(FAKE_AIRDROPS).map((entry) => {
      const { sales, xrp } = this.#takings(entry.account);
      return { ...entry, sales, xrp };
    });
  }

  /** What those of the rule for NFTs that lure did, in sums. */
  async nftSums() {
    const accounts = this.nftScammers();
    return {
      accounts,
      victims: await this.#scams.distinctOthers([FAKE_AIRDROPS]),
      sales: sumOf(accounts, ({ sales }) => sales),
      xrp: xrpSum(accounts.map(({ xrp }) => xrp)),
    };
  }

  async report() {
    const drained = await this.#scams.distinctOthers([WALLET_DRAINERS]);
    const spammed = await this.#scams.distinctOthers(MEMO_RULES);
    const nft = await this.nftSums();
    const drainers = this.#scams.found(WALLET_DRAINERS);
    const fakes = this.#scams.found(IMPERSONATION);
    const spammers = await this.#scams.spamSenders();
    const domains = this.domains();
    const taken = xrpSum(drainers.map(({ xrp = 0 }) => xrp));
    return {
      overview: {
        ...this.#window(),
        total_xrp_stolen: xrpSum([taken, nft.xrp]),
        wallet_drainers: {
          xrp_stolen: taken,
          accounts_flagged: drainers.length,
          victims: drained,
        },
        nft_scams: {
          xrp_stolen: nft.xrp,
          scam_accounts: nft.accounts.length,
          victims: nft.victims,
          scam_sales: nft.sales,
        },
        token_scams: {
          fake_tokens: fakes.length,
          scam_issuers: new Set(fakes.map(({ account }) => account)).size,
          affected_holders: sumOf(fakes, ({ affected = 0 }) => affected),
        },
        memo_spam: {
          flagged_accounts: spammers.length,
          total_spam_txs: sumOf(spammers, ({ tx_count }) => tx_count),
          unique_destinations: spammed,
        },
        domain_monitoring: { scam_domains: domains.length },
        blocklist: this.#scams.addresses().length,
      },
      top_scammers: this.#top(drainers, nft.accounts),
      top_victims: this.#victims(drainers),
      domains: domains.slice(0, TOP),
      how_to_report: HOW_TO_REPORT,
      rules: SCAM_RULES.map(({ name, category, isVerified, definition, source }) => {
        return { name, category, verified: isVerified, definition, source };
      }),
    };
  }

  /** Those that took XRP, the most first. */
  #top(drainers: readonly ScamEntry[], nft: readonly (ScamEntry & NftTakings)[]) {
    const sums = new Map<string, { account: string; xrp_stolen: number; sales: number }>();
    const add = (account: string, xrp: number, sales: number): void => {
      const sum = sums.get(account) ?? { account, xrp_stolen: 0, sales: 0 };
      const xrp_stolen = xrpSum([sum.xrp_stolen, xrp]);
      sums.set(account, { account, xrp_stolen, sales: sum.sales + sales });
    };
    for (const { account, xrp = 0 } of drainers) add(account, xrp, 0);
    for (const { account, xrp, sales } of nft) add(account, xrp, sales);
    return [...sums.values()]
      .filter(({ xrp_stolen }) => xrp_stolen > 0)
      .sort((a, b) => b.xrp_stolen - a.xrp_stolen || (a.account < b.account ? -1 : 1))
      .slice(0, TOP);
  }

  /** Of drainers with one victim, the most that was lost first: of several it is not kept how much each lost. */
  #victims(drainers: readonly ScamEntry[]) {
    return drainers
      .filter(({ affected }) => affected === 1)
      .sort((a, b) => (b.xrp ?? 0) - (a.xrp ?? 0))
      .slice(0, TOP)
      .flatMap(({ xrp = 0, evidence }) => {
        const account = evidence[0] === undefined ? undefined : this.#senderOf(evidence[0]);
        return account === undefined ? [] : [{ account, xrp_lost: xrp, purchases: 0 }];
      });
  }

  /** @param hash of the transaction that gave the key */
  #senderOf(hash: string): string | undefined {
    const known = this.#losers.get(hash);
    if (known !== undefined) return known;
    const place = this.#engine.findTransaction(bytesOf(hash));
    const packed = place && this.#engine.ledgerBytes(place.ledger);
    if (!packed || !place) return undefined;
    const changes = new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES)));
    const account = accountText(packed.bytes, changes.tx(place.tx, Tx.accountAt));
    if (this.#losers.size >= LOSERS_MAX) this.#losers.clear();
    this.#losers.set(hash, account);
    return account;
  }

  /** Days whose ledgers are in the store, and the newest of them. */
  #window() {
    const { head, store } = this.#engine;
    const [first] = store.ledgerRanges();
    if (!head || !first) return {};
    const [from, to] = first;
    // A network's first ledger closed at no time.
    const oldest = [from, from + 1]
      .map((index) => (index > to ? 0 : this.#closeTime(index)))
      .find((time) => time > 0);
    return {
      ...(oldest !== undefined && { scan_window_days: Math.ceil((head.closeTime - oldest) / DAY) }),
      last_scan: unixMs(head.closeTime),
    };
  }

  #closeTime(ledger: number): number {
    return this.#engine.ledgerBytes(ledger)?.closeTime ?? 0;
  }

  #takings(account: string): NftTakings {
    const { nfts, state } = this.#engine;
    const { parties } = nfts;
    const id = state.accounts.findText(account) ?? 0;
    const party = id === 0 ? 0 : parties.find(state.accounts.bytes(id), 0);
    return { sales: parties.sells[party]!, xrp: parties.sellVolume[party]! / DROPS_PER_XRP };
  }
}
