/**
 * What an account does, read from figures of its transactions by fixed rules: the same figures give the same words. It says what was
 * counted, and calls an account nothing that the counts do not show.
 */
import { plural } from './sentence.ts';

/** Figures of an account. Those of `newest` are of its newest transactions alone. */
export interface Conduct {
  readonly exists: boolean;
  /** Its AccountRoot is that of a pool. */
  readonly isPool: boolean;
  /** Tokens of it that somebody holds. */
  readonly issued: number;
  readonly transactions: number;
  /** Further ones are not counted. */
  readonly isAll: boolean;
  readonly sent: number;
  readonly received: number;
  /** Most frequent first. */
  readonly types: readonly { readonly name: string; readonly count: number }[];
  readonly newest: NewestConduct;
  /** The account that it has most to do with. */
  readonly partner?: { readonly account: string; readonly count: number } | undefined;
  /** What is known of it as a scam: categories, and whether a rule or a confirmed report says so. */
  readonly scams: readonly { readonly category: string; readonly isVerified: boolean }[];
}

export interface NewestConduct {
  readonly count: number;
  readonly sent: number;
  /** Of those sent, the ones without an effect but their fee. */
  readonly failed: number;
  /** In which it gave one asset and got another. */
  readonly trades: number;
  /** XRP, decimal text. */
  readonly fees: string;
  readonly xrpNet: string;
}

export interface ConductReading {
  readonly profile: string;
  readonly riskLevel: 'low' | 'medium' | 'high';
  readonly headline: string;
  readonly riskReason: string;
  readonly keyFindings: readonly string[];
}

/** A share of its transactions from which on they say what an account is: most of them. */
const MOST = 0.5;
/** Of pools' transactions, a quarter: who provides liquidity trades, too. */
const MANY = 0.25;
/** Failures count from so many transactions on. */
const FAILURES_FROM = 10;

export const CONDUCT_DISCLAIMER =
  'Read by fixed rules from the ledgers that are stored here. It does not say who is behind an account, and is no advice.';

export function readConduct(of: Conduct): ConductReading {
  const profile = profileOf(of);
  return {
    profile,
    headline: `${profile[0]!.toUpperCase()}${profile.slice(1)}: ${basis(of)}.`,
    ...risk(of),
    keyFindings: findings(of),
  };
}

function profileOf({ transactions, isPool, issued, types, newest, sent, received }: Conduct): string {
  const shareOf = (pattern: RegExp) =>
    types.reduce((sum, { name, count }) => sum + (pattern.test(name) ? count : 0), 0) / transactions;
  if (isPool) return 'liquidity pool';
  if (transactions === 0) return 'inactive account';
  if (issued > 0) return 'issuer of tokens';
  if (shareOf(/^NFToken/) >= MOST) return 'trader of NFTs';
  if (shareOf(/^AMM/) >= MANY) return 'liquidity provider';
  if (newest.trades >= newest.count * MOST) return 'trader';
  if (shareOf(/^Offer/) >= MOST) return 'maker of offers';
  if (shareOf(/^Payment$/) >= MOST) return sent >= received ? 'payer' : 'receiver of payments';
  return 'account of mixed use';
}

function basis({ transactions, isAll, sent, newest: { count, trades } }: Conduct): string {
  if (transactions === 0) return 'no stored ledger has a transaction of it';
  const all = `${isAll ? '' : 'at least '}${plural(transactions, 'transaction')}`;
  return `${all}, of which it sent ${sent}; ${trades} of the newest ${count} exchanged one asset for another`;
}

function risk({ scams, exists, newest }: Conduct): Pick<ConductReading, 'riskLevel' | 'riskReason'> {
  const named = (isVerified: boolean) => [
    ...new Set(scams.filter((one) => one.isVerified === isVerified).map(({ category }) => category)),
  ];
  const [sure, reported] = [named(true), named(false)];
  if (sure.length > 0)
    return { riskLevel: 'high', riskReason: `It is listed for scams: ${sure.join(', ')}.` };
  const reasons = [
    ...(reported.length > 0 ? [`It was reported for scams, unconfirmed: ${reported.join(', ')}.`] : []),
    ...(exists ? [] : ['The account does not exist now.']),
    ...(newest.sent >= FAILURES_FROM && newest.failed >= newest.sent * MOST
      ? [`${newest.failed} of the newest ${newest.sent} transactions that it sent failed.`]
      : []),
  ];
  return reasons.length > 0
    ? { riskLevel: 'medium', riskReason: reasons.join(' ') }
    : {
        riskLevel: 'low',
        riskReason: 'No rule and no report names it as a scam, and it exists.',
      };
}

function findings({ issued, types, newest, partner, received }: Conduct): string[] {
  const [most] = types;
  return [
    ...(most ? [`Most are ${most.name} (${most.count}).`] : []),
    ...(issued > 0 ? [`It issued ${plural(issued, 'token')} that somebody holds.`] : []),
    ...(received > 0 ? [`${plural(received, 'transaction')} had it as the destination.`] : []),
    ...(newest.sent > 0
      ? [
          `Of the newest ${newest.sent} that it sent, ${newest.failed} failed; they cost ${newest.fees} XRP in fees.`,
        ]
      : []),
    ...(newest.count > 0
      ? [`Over the newest ${newest.count}, its XRP changed by ${newest.xrpNet}, fees included.`]
      : []),
    ...(partner ? [`It has most to do with ${partner.account} (${partner.count}).`] : []),
  ];
}
