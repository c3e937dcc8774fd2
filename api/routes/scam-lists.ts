/** Section 4.6: the report on scams, their domains and NFTs; and `/nft/scam` of section 4.5. */
import { SCAM_CATEGORIES } from '../../engine/scams/rule.ts';
import { NFT_COPIES } from '../../engine/scams/rules/nft-copies.ts';
import { NFT_TRAPS } from '../../engine/scams/rules/nft-traps.ts';
import { REPORT_STATUSES } from '../../platform/scam-reports.ts';
import type { Network } from '../../views/network.ts';
import { limit } from '../common.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, string } from '../schema.ts';
import { scamEntryMembers, scamPage, scamShared } from './scams.ts';

const count = describe(integer, 'Rows of this page');

export const scamDomainRow = object({
  domain: string,
  found_in: list(oneOf(['memo', 'nft', 'issuer', 'report'])),
  accounts: describe(list(string), 'That lure there or name it as theirs'),
  since: describe(integer, 'Unix ms'),
  'status?': describe(oneOf(REPORT_STATUSES), 'Of the report; absent: nobody reported it'),
  'confirmations?': integer,
});

const scammer = object({
  ...scamEntryMembers,
  sales: describe(integer, 'Sales of NFTs of which it was the seller'),
  xrp: describe(number, 'That it got for them'),
});

const sums = { xrp_stolen: number, victims: describe(integer, 'Different accounts that were acted on') };

const report = route({
  ...scamShared,
  method: 'GET',
  path: '/scams',
  example: {},
  summary:
    'Scams that the ledgers show, in sums, with the rules that find them. What no rule finds is absent',
  params: {},
  response: object({
    overview: object({
      'scan_window_days?': describe(integer, 'Days of ledgers that the service holds'),
      'last_scan?': describe(integer, 'Unix ms: close of the newest ledger read'),
      total_xrp_stolen: number,
      wallet_drainers: object({ ...sums, accounts_flagged: integer }),
      nft_scams: object({ ...sums, scam_accounts: integer, scam_sales: integer }),
      token_scams: object({ fake_tokens: integer, scam_issuers: integer, affected_holders: integer }),
      memo_spam: object({ flagged_accounts: integer, total_spam_txs: integer, unique_destinations: integer }),
      domain_monitoring: object({ scam_domains: integer }),
      blocklist: describe(integer, 'Accounts on it'),
    }),
    top_scammers: describe(
      list(object({ account: string, xrp_stolen: number, sales: integer })),
      'That took XRP, the most first',
    ),
    top_victims: list(object({ account: string, xrp_lost: number, purchases: integer })),
    domains: describe(list(scamDomainRow), 'The newest; all: /scams/domains'),
    how_to_report: object({ description: string, steps: list(string) }),
    rules: list(
      object({
        name: string,
        category: oneOf(SCAM_CATEGORIES),
        verified: describe(boolean, 'What it finds goes on the blocklist'),
        definition: string,
        source: describe(string, 'Where such scams, or the method, are described; thresholds are ours'),
      }),
    ),
  }),
  handler: (_, { network }) => network.scamReport.report(),
});

const domains = route({
  ...scamShared,
  method: 'GET',
  path: '/scams/domains',
  example: { page: 1, limit: 10 },
  summary:
    'Domains that accounts on the blocklist lure to or claim, and those of reviewed and confirmed reports, newest first',
  params: { page: scamPage, limit: limit(50, 100) },
  response: object({ page: integer, limit: integer, count, total: integer, domains: list(scamDomainRow) }),
  handler: ({ page, limit }, { network }) => {
    const all = network.scamReport.domains();
    const domains = all.slice((page - 1) * limit, page * limit);
    return { page, limit, count: domains.length, total: all.length, domains };
  },
});

/** Whom the ledgers show to do what honest accounts may do, too; the newest first. */
const suspectedOf = ({ scams }: Network) =>
  [...scams.found(NFT_TRAPS), ...scams.found(NFT_COPIES)].sort((a, b) => b.since - a.since);

const nft = route({
  ...scamShared,
  method: 'GET',
  path: '/scams/nft',
  example: { page: 1, limit: 10 },
  summary:
    'Accounts that send NFTs that lure; suspected only: those that took NFTs for nothing from many, or give away copies of a collection',
  params: { page: scamPage, limit: limit(50, 100) },
  response: object({
    page: integer,
    limit: integer,
    count,
    total: integer,
    accounts: list(scammer),
    suspected: describe(list(object(scamEntryMembers)), 'The newest 100'),
  }),
  handler: ({ page, limit }, { network }) => {
    const all = network.scamReport.nftScammers();
    const accounts = all.slice((page - 1) * limit, page * limit);
    const suspected = suspectedOf(network).slice(0, 100);
    return { page, limit, count: accounts.length, total: all.length, accounts, suspected };
  },
});

const nftScam = route({
  method: 'GET',
  path: '/nft/scam',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft/scam',
  example: {},
  summary: 'Scams with NFTs in sums, and the newest accounts that send them',
  params: {},
  response: object({
    scam_accounts: integer,
    offers: describe(integer, 'NFTs that they offered for nothing'),
    victims: describe(integer, 'Different accounts that they offered them to'),
    scam_sales: integer,
    xrp: describe(number, 'That they got for NFTs'),
    suspected: describe(
      integer,
      'Accounts that took NFTs for nothing from many, or give away copies of a collection',
    ),
    accounts: describe(list(scammer), 'The newest 50; all: /scams/nft'),
  }),
  handler: async (_, { network }) => {
    const { accounts: all, victims, sales, xrp } = await network.scamReport.nftSums();
    return {
      scam_accounts: all.length,
      offers: all.reduce((sum, { transactions = 0 }) => sum + transactions, 0),
      victims,
      scam_sales: sales,
      xrp,
      suspected: suspectedOf(network).length,
      accounts: all.slice(0, 50),
    };
  },
});

export const scamListRoutes: Route[] = [report, domains, nft, nftScam];
