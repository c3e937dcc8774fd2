/** Section 4.6: what people report of domains. */
import { DAY } from '../../engine/ripple-time.ts';
import { SCAM_CATEGORIES } from '../../engine/scams/rule.ts';
import {
  REPORT_STATUSES,
  REPORT_TEXT_MAX,
  REPORTS_A_DAY,
  ReportsFullError,
  type ScamReport,
  TooManyReportsError,
} from '../../platform/scam-reports.ts';
import { linesWithoutHidden } from '../../platform/written-texts.ts';
import { DOMAIN_TEXT_MAX, domainName } from '../../requests/domain-name.ts';
import { badRequest, notFound, rateLimited, unavailable } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import type { Identity } from '../../requests/identity.ts';
import { limit } from '../common.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, list, object, oneOf, string } from '../schema.ts';
import { scamDomainRow } from './scam-lists.ts';
import { addressOf } from './trader-schemas.ts';

/** Answers are never kept: what was reported a moment ago is in them. */
const shared = { section: '4.6', tier: 'anonymous', cost: 1, bucket: '/scams' } as const;

const reportRow = object({
  domain: string,
  category: oneOf(SCAM_CATEGORIES),
  status: oneOf(REPORT_STATUSES),
  confirmations: describe(integer, 'Distinct reporters, the first included'),
  reported_at: describe(integer, 'Unix ms'),
  last_report_at: describe(integer, 'Unix ms'),
  'decided_at?': describe(integer, 'Unix ms: when the admin of the service set the status'),
  'account?': describe(
    string,
    'That the first reporter named; shown once the report is reviewed or confirmed',
  ),
  'description?': describe(string, 'As the account'),
});

const domainInPath = {
  in: 'path',
  kind: 'text',
  maxLength: DOMAIN_TEXT_MAX,
  about: 'Domain name, or an address with one',
} as const;

const page = { in: 'query', kind: 'int', default: 1, min: 1, about: 'From 1' } as const;

function rowOf(report: ScamReport) {
  const { domain, category, status, confirmations, reportedAt, lastReportAt, decidedAt } = report;
  // What strangers wrote is shown only after somebody has read it.
  const isRead = status === 'reviewed' || status === 'confirmed';
  const { account, description } = isRead ? report : {};
  return {
    domain,
    category,
    status,
    confirmations,
    reported_at: reportedAt,
    last_report_at: lastReportAt,
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
    ...(account !== undefined && { account }),
    ...(description !== undefined && { description }),
  };
}

/** @throws ApiError 400 */
function domainOf(text: string): string {
  const domain = domainName(text);
  if (domain === undefined) throw badRequest('domain is not a domain name');
  return domain;
}

/** @throws ApiError 503 */
function reportsOf({ network }: RouteContext) {
  if (!network.scamReports.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
  return network.scamReports;
}

const reporterOf = ({ ip, key }: Identity): string =>
  key && key.wallet !== '' ? `wallet ${key.wallet}` : `address ${ip}`;

const reports = route({
  ...shared,
  method: 'GET',
  path: '/scams/report-scam',
  auth: 'none',
  example: { page: 1, limit: 10, status: 'confirmed' },
  summary: 'Domains that were reported, newest report first. A report is a claim until its status says more',
  params: {
    page,
    limit: limit(50, 100),
    status: { in: 'query', kind: 'enum', values: REPORT_STATUSES, about: 'Absent: all' },
  },
  response: object({
    page: integer,
    limit: integer,
    count: integer,
    total: integer,
    reports: list(reportRow),
  }),
  handler: ({ page, limit, status }, { network }) => {
    const all = network.scamReports.list(status);
    const reports = all.slice((page - 1) * limit, page * limit).map(rowOf);
    return { page, limit, count: reports.length, total: all.length, reports };
  },
});

const ofDomain = route({
  ...shared,
  method: 'GET',
  path: '/scams/report/{domain}',
  auth: 'none',
  example: { domain: 'xrp-rewards.example' },
  summary:
    'Whether a domain was reported, by how many, and whether the ledgers show it as one of scams; none is no proof that it is honest',
  params: { domain: domainInPath },
  response: object({
    domain: string,
    reported: boolean,
    confirmations: integer,
    'report?': describe(reportRow, 'Absent: nobody reported it'),
    'found?': describe(scamDomainRow, 'As /scams/domains has it; absent: it does not'),
  }),
  handler: ({ domain: sent }, { network }) => {
    const domain = domainOf(sent);
    const found = network.scamReport.domain(domain);
    const report = network.scamReports.of(domain);
    return {
      domain,
      reported: report !== undefined,
      confirmations: report?.confirmations ?? 0,
      ...(report && { report: rowOf(report) }),
      ...(found && { found }),
    };
  },
});

const add = route({
  ...shared,
  method: 'POST',
  path: '/scams/report',
  auth: 'none',
  example: { domain: 'xrp-rewards.example', category: 'phishing' },
  summary: `Reports a domain, or confirms the report of another; each reporter counts once, and may send ${REPORTS_A_DAY} a day`,
  params: {
    domain: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: DOMAIN_TEXT_MAX,
      about: 'Domain name, or an address with one: of the address only the domain is kept',
    },
    category: {
      in: 'body',
      kind: 'enum',
      values: SCAM_CATEGORIES,
      default: 'other',
      about: 'Of a new report',
    },
    account: {
      in: 'body',
      kind: 'text',
      maxLength: 64,
      pattern: patterns.account,
      about: 'r-address that belongs to it, of a new report',
    },
    description: {
      in: 'body',
      kind: 'text',
      maxLength: REPORT_TEXT_MAX,
      about: 'What happened, of a new report; shown when the admin has read it',
    },
  },
  response: object({ recorded: describe(boolean, 'false: you have reported it already'), report: reportRow }),
  unavailable: true,
  handler: async ({ domain: sent, category, account, description }, context) => {
    const reports = reportsOf(context);
    const domain = domainOf(sent);
    const { identity, service } = context;
    const text = description && linesWithoutHidden(description).trim();
    try {
      const { report, counted } = await reports.report({
        domain,
        category,
        ...(account && { account: addressOf(account) }),
        ...(text && { description: text }),
        by: reporterOf(identity),
        now: service.now(),
      });
      return { recorded: counted, report: rowOf(report) };
    } catch (error) {
      if (error instanceof ReportsFullError) throw unavailable('No further domain can be reported now');
      if (!(error instanceof TooManyReportsError)) throw error;
      throw rateLimited({
        bucket: add.path,
        limit: REPORTS_A_DAY,
        remaining: 0,
        windowSeconds: DAY,
        resetSeconds: error.retryMs / 1000,
      });
    }
  },
});

const decide = route({
  ...shared,
  method: 'PATCH',
  path: '/scams/report/{domain}',
  auth: 'admin',
  example: { domain: 'xrp-rewards.example', status: 'confirmed' },
  summary: 'The admin of the service says what a report is worth',
  params: {
    domain: domainInPath,
    status: { in: 'body', kind: 'enum', values: REPORT_STATUSES, required: true, about: 'Its new status' },
  },
  response: object({ report: reportRow }),
  unavailable: true,
  handler: async ({ domain: sent, status }, context) => {
    const report = await reportsOf(context).decide(domainOf(sent), status, context.service.now());
    if (!report) throw notFound('Nobody reported this domain');
    return { report: rowOf(report) };
  },
});

export const scamReportRoutes: Route[] = [reports, ofDomain, add, decide];
