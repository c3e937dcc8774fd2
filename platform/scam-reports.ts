/**
 * Domains that people report as scams: who reports one that is there already confirms it. Only the admin of the service says
 * what a report is worth; until then it is a claim, and what was written with it is not shown.
 *
 *     scam-reports     (domain)             what is said of it, how many said so, and its status
 *     scam-reporters   (domain, reporter)   each counts once for a domain
 *
 * A reporter is a digest of a key's wallet or of a network address, with a secret of this store: no address is kept.
 *
 * Everything has a limit: reports of one reporter a day, rows, reporters of a domain. When all rows are taken, a new report
 * replaces the oldest one that nobody confirmed, so that a flood of made-up domains does not close the list.
 * Cost: all reports are in memory, 20,000 of about 1 KB at most.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { DAY_MS } from '../engine/ripple-time.ts';
import type { ScamCategory } from '../engine/scams/rule.ts';
import { type Collection, PlatformError, type PlatformStore, type PlatformTransaction } from './store.ts';

/** The contract's. A new report is pending; the admin sets the others, in any order. */
export const REPORT_STATUSES = ['pending', 'reviewed', 'confirmed', 'dismissed'] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

/** New reports and confirmations of one reporter in 24 hours. */
export const REPORTS_A_DAY = 20;
/** Longest description, characters. */
export const REPORT_TEXT_MAX = 500;
const REPORTS_MAX = 20_000;
/** Reporters of one domain that count. */
const REPORTERS_MAX = 1000;
const SECRET_BYTES = 32;

export interface ScamReport {
  readonly domain: string;
  readonly category: ScamCategory;
  readonly status: ReportStatus;
  /** Distinct reporters. */
  readonly confirmations: number;
  /** Unix ms. */
  readonly reportedAt: number;
  readonly lastReportAt: number;
  /** When the admin set the status. */
  readonly decidedAt?: number;
  /** r-address that the first reporter named. */
  readonly account?: string;
  readonly description?: string;
}

interface Reporter {
  readonly reporter: string;
  /** Unix ms. */
  readonly at: number;
}

const REPORTS: Collection<ScamReport> = {
  name: 'scam-reports',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 8 * 1024, rows: REPORTS_MAX },
  indexes: {},
};

const REPORTERS: Collection<Reporter> = {
  name: 'scam-reporters',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 256, rows: 2_000_000 },
  indexes: { reporter: { unique: false, keys: ({ reporter, at }) => [[reporter, at]] } },
};

const SECRET: Collection<string> = {
  name: 'scam-secret',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 128, rows: 1 },
  indexes: {},
};

export const SCAM_COLLECTIONS = [REPORTS, REPORTERS, SECRET] as unknown as readonly Collection<unknown>[];

/** The reporter has reported as much as one may in a day. */
export class TooManyReportsError extends Error {
  override readonly name = 'TooManyReportsError';
  readonly retryMs: number;

  constructor(retryMs: number) {
    super(`at most ${REPORTS_A_DAY} reports a day`);
    this.retryMs = retryMs;
  }
}

/** Every row is taken by reports that somebody confirmed. */
export class ReportsFullError extends Error {
  override readonly name = 'ReportsFullError';
}

export interface NewScamReport {
  readonly domain: string;
  readonly category: ScamCategory;
  readonly account?: string | undefined;
  readonly description?: string | undefined;
  /** What is known of who reports: the wallet of a key, or a network address. */
  readonly by: string;
  /** Unix ms. */
  readonly now: number;
}

export class ScamReports {
  /** Grows with each change. */
  version = 0;
  #store: PlatformStore | undefined;
  #secret = '';
  readonly #reports = new Map<string, ScamReport>();
  #newestFirst: readonly ScamReport[] | undefined;

  /** Takes in what is kept there, and keeps it there from now on. */
  async attach(store: PlatformStore): Promise<void> {
    this.#secret = await store.transaction((transaction) => {
      const kept = transaction.get(SECRET, ['secret']);
      if (kept !== undefined) return kept;
      const secret = randomBytes(SECRET_BYTES).toString('hex');
      transaction.put(SECRET, ['secret'], secret);
      return secret;
    });
    store.walk(REPORTS, {}, (report) => {
      this.#reports.set(report.domain, report);
      return true;
    });
    this.#store = store;
    this.#changed();
  }

  /** false: there is no store, so nothing can be reported. */
  get isAttached(): boolean {
    return this.#store !== undefined;
  }

  of(domain: string): ScamReport | undefined {
    return this.#reports.get(domain);
  }

  /** Newest reported first. @param status undefined: all */
  list(status: ReportStatus | undefined): readonly ScamReport[] {
    this.#newestFirst ??= [...this.#reports.values()].sort(
      (a, b) => b.lastReportAt - a.lastReportAt || (a.domain < b.domain ? -1 : 1),
    );
    return status === undefined
      ? this.#newestFirst
      : this.#newestFirst.filter((report) => report.status === status);
  }

  /**
   * Resolves when it is durable. @returns whether it counted: who has reported a domain already changes nothing
   * @throws TooManyReportsError, ReportsFullError, PlatformError
   */
  async report(sent: NewScamReport): Promise<{ readonly report: ScamReport; readonly counted: boolean }> {
    const { domain, now } = sent;
    const reporter = createHmac('sha256', this.#secret).update(sent.by).digest('hex');
    const done = await this.#store!.transaction((transaction) => {
      const before = transaction.get(REPORTS, [domain]);
      const isKnown = transaction.get(REPORTERS, [domain, reporter]) !== undefined;
      if (before && (isKnown || before.confirmations >= REPORTERS_MAX))
        return { report: before, counted: false };
      checkDay(transaction, reporter, now);
      const report = before
        ? { ...before, confirmations: before.confirmations + 1, lastReportAt: now }
        : newReport(sent);
      const replaced = this.#put(transaction, report);
      transaction.put(REPORTERS, [domain, reporter], { reporter, at: now });
      return { report, counted: true, replaced };
    });
    if (done.replaced !== undefined) this.#reports.delete(done.replaced);
    this.#reports.set(domain, done.report);
    this.#changed();
    return done;
  }

  /** The admin says what a report is worth. Resolves when it is durable. @returns undefined: nobody reported it */
  async decide(domain: string, status: ReportStatus, now: number): Promise<ScamReport | undefined> {
    const report = await this.#store!.transaction((transaction) => {
      const before = transaction.get(REPORTS, [domain]);
      if (!before) return undefined;
      const after = { ...before, status, decidedAt: now };
      transaction.put(REPORTS, [domain], after);
      return after;
    });
    if (report) this.#reports.set(domain, report);
    this.#changed();
    return report;
  }

  #changed(): void {
    this.#newestFirst = undefined;
    this.version++;
  }

  /** @returns the domain whose report made room for it */
  #put(transaction: PlatformTransaction, report: ScamReport): string | undefined {
    try {
      transaction.put(REPORTS, [report.domain], report);
      return undefined;
    } catch (fault) {
      if (!(fault instanceof PlatformError) || fault.code !== 'collection-full') throw fault;
    }
    const replaced = this.#makeRoom(transaction);
    transaction.put(REPORTS, [report.domain], report);
    return replaced;
  }

  /** Deletes the oldest report that nobody has confirmed. @returns its domain */
  #makeRoom(transaction: PlatformTransaction): string {
    // What is in memory is behind the transactions before this one, which may have deleted or confirmed it.
    const oldest = this.list('pending').findLast(
      ({ domain, confirmations }) =>
        confirmations === 1 && transaction.get(REPORTS, [domain])?.confirmations === 1,
    );
    if (!oldest) throw new ReportsFullError('every report was confirmed');
    transaction.delete(REPORTS, [oldest.domain]);
    const reporters: string[] = [];
    transaction.walk(REPORTERS, { prefix: [oldest.domain] }, ({ reporter }) => {
      reporters.push(reporter);
      return true;
    });
    for (const reporter of reporters) transaction.delete(REPORTERS, [oldest.domain, reporter]);
    return oldest.domain;
  }
}

function newReport({ domain, category, account, description, now }: NewScamReport): ScamReport {
  return {
    domain,
    category,
    status: 'pending',
    confirmations: 1,
    reportedAt: now,
    lastReportAt: now,
    ...(account !== undefined && { account }),
    ...(description !== undefined && { description }),
  };
}

/** Reports that are later were made while the clock was ahead, and do not count. @throws TooManyReportsError */
function checkDay(transaction: PlatformTransaction, reporter: string, now: number): void {
  let [count, oldest] = [0, now];
  transaction.walkIndex(REPORTERS, 'reporter', { prefix: [reporter], reverse: true }, ({ at }) => {
    if (at > now) return true;
    if (at <= now - DAY_MS) return false;
    count++;
    oldest = at;
    return count < REPORTS_A_DAY;
  });
  if (count >= REPORTS_A_DAY) throw new TooManyReportsError(oldest + DAY_MS - now);
}
