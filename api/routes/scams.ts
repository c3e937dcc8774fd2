/** Section 4.6: what follows from the ledgers about scams, for wallets that warn. */
import { unixMs, WEEK } from '../../engine/ripple-time.ts';
import { SCAM_CATEGORIES } from '../../engine/scams/rule.ts';
import type { ScamEntry } from '../../views/scams.ts';
import { account, addressParam, flag, limit } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { issuedToken } from './account-schemas.ts';
import { addressOf } from './trader-schemas.ts';

/** Answers are not kept, so that a wallet never gets an older list. */
export const scamShared = {
  section: '4.6',
  auth: 'none',
  tier: 'anonymous',
  cost: 1,
  bucket: '/scams',
} as const;

export const scamPage = { in: 'query', kind: 'int', default: 1, min: 1, about: 'From 1' } as const;

/** An account is new for so long, seconds. */
const NEW_FOR = WEEK;
/** Addresses of one answer at most: about 400 KB. */
const ADDRESSES_MAX = 10_000;

export const scamEntryMembers = {
  account: string,
  category: oneOf(SCAM_CATEGORIES),
  rule: describe(
    string,
    'Name of the rule, see /scams; report: a report that the admin has confirmed; list: a public list',
  ),
  'list?': describe(string, 'Name of the public list'),
  verified: describe(boolean, 'On the blocklist; false: suspected only'),
  since: describe(integer, 'Unix ms'),
  'last?': describe(integer, 'Unix ms: the last act that was seen'),
  'transactions?': integer,
  'affected?': describe(integer, 'Different accounts that it acted on; of a token, those that hold it'),
  'xrp?': describe(number, 'That it took'),
  'sample?': describe(string, 'A memo or web address that it sent. Written by the scammer: do not follow it'),
  'token?': describe(
    object({ md5: string, name: string, imitates: describe(string, 'md5 of the token that it looks like') }),
    'Of impersonation',
  ),
  'copies?': describe(
    object({
      collection: describe(string, 'The known one: <issuer>:<taxon>'),
      name: describe(boolean, 'Its NFTs carry the name of that collection'),
      'picture?': describe(
        object({ nft: string, original: string }),
        'One of its NFTs, and the one of that collection that looks the same',
      ),
    }),
    'Of NFTs that copy a collection',
  ),
  evidence: describe(list(string), 'Hashes of transactions that show it, the first ones'),
};

const entry = object(scamEntryMembers);

const categoryParam = {
  in: 'query',
  kind: 'enum',
  values: SCAM_CATEGORIES,
  about: 'Absent: all',
} as const;

const addresses = route({
  ...scamShared,
  method: 'GET',
  path: '/scams/addresses',
  example: { category: 'phishing', limit: 100 },
  summary:
    'The blocklist: accounts that the ledgers show as scams, those of confirmed reports and of public lists; each once, the newest last',
  params: {
    category: categoryParam,
    page: scamPage,
    limit: limit(ADDRESSES_MAX, ADDRESSES_MAX),
    evidence: flag('Adds why each is on the list; at most 100 of a page'),
  },
  response: object({
    'category?': oneOf(SCAM_CATEGORIES),
    page: integer,
    limit: integer,
    count: integer,
    total: integer,
    updated_at: describe(orNull(integer), 'Unix ms: close of the newest ledger that was read'),
    addresses: list(string),
    'entries?': list(entry),
  }),
  handler: ({ category, page, limit, evidence }, { network }) => {
    const all = network.scams.addresses(category);
    const first = (page - 1) * limit;
    const addresses = all.slice(first, first + limit);
    const { head } = network.engine;
    return {
      ...(category && { category }),
      page,
      limit,
      count: addresses.length,
      total: all.length,
      updated_at: head ? unixMs(head.closeTime) : null,
      addresses,
      ...(evidence && {
        entries: addresses
          .slice(0, 100)
          .flatMap((address) => network.scams.of(address).filter(({ verified }) => verified)),
      }),
    };
  },
});

const check = route({
  ...scamShared,
  method: 'GET',
  path: '/scams/check/{account}',
  example: { account: samples.account },
  summary:
    'Whether an account is on the blocklist, why, and how old it is. Not being on it is no proof of honesty',
  params: { account },
  response: object({
    account: string,
    is_scam: describe(boolean, 'true only for accounts on the blocklist'),
    'category?': describe(oneOf(SCAM_CATEGORIES), 'Of the first reason'),
    reasons: list(entry),
    suspected: describe(list(entry), 'What the ledgers show of it and honest accounts may do, too'),
    exists: describe(boolean, 'Whether it is on the ledger now'),
    first_seen: describe(
      orNull(integer),
      'Unix ms: close of the ledger that created it; null: before the first ledger that was read, or never',
    ),
    age_seconds: orNull(integer),
    new_account: describe(boolean, 'Created less than 7 days ago'),
  }),
  handler: ({ account: sent }, { network, engine }) => {
    const account = addressOf(sent);
    const entries: readonly ScamEntry[] = network.scams.of(account);
    const reasons = entries.filter(({ verified }) => verified);
    const { accounts } = engine.state;
    const id = accounts.findText(account) ?? 0;
    const seen = accounts.firstSeen[id]!;
    const age = seen === 0 || !engine.head ? null : engine.head.closeTime - seen;
    return {
      account,
      is_scam: reasons.length > 0,
      ...(reasons[0] && { category: reasons[0].category }),
      reasons,
      suspected: entries.filter(({ verified }) => !verified),
      exists: id !== 0 && accounts.exists(id),
      first_seen: seen === 0 ? null : unixMs(seen),
      age_seconds: age,
      new_account: age !== null && age < NEW_FOR,
    };
  },
});

const memoSpam = route({
  ...scamShared,
  method: 'GET',
  path: '/scams/memo-spam',
  example: { page: 1, limit: 10 },
  summary: 'Accounts that send memos to many others that did not ask for them, the most transactions first',
  params: { page: scamPage, limit: limit(50, 100) },
  response: object({
    page: integer,
    limit: integer,
    count: integer,
    total: integer,
    accounts: list(
      object({
        account: string,
        tx_count: integer,
        unique_destinations: integer,
        memo_samples: describe(list(string), 'Written by the scammer: do not follow them'),
      }),
    ),
  }),
  handler: async ({ page, limit }, { network }) => {
    const all = await network.scams.spamSenders();
    const accounts = all.slice((page - 1) * limit, page * limit);
    return { page, limit, count: accounts.length, total: all.length, accounts };
  },
});

const tokens = route({
  ...scamShared,
  method: 'GET',
  path: '/scams/tokens',
  example: { issuer: samples.account, page: 1, limit: 10 },
  summary:
    'Tokens of an issuer that somebody holds, the newest first. It does not say whether they are scams',
  params: {
    issuer: { ...addressParam('r-address of the issuer'), required: true },
    page: scamPage,
    limit: limit(50, 100),
  },
  response: object({
    issuer: string,
    page: integer,
    limit: integer,
    count: integer,
    total: integer,
    tokens: list(issuedToken),
  }),
  handler: ({ issuer: sent, page, limit }, { views, engine }) => {
    const issuer = addressOf(sent);
    const id = engine.state.accounts.findText(issuer) ?? 0;
    const tokens = views.accounts.issued(id, limit, (page - 1) * limit);
    const total = id === 0 ? 0 : views.accounts.issuedCount(id);
    return { issuer, page, limit, count: tokens.length, total, tokens };
  },
});

export const scamRoutes: Route[] = [addresses, check, memoSpam, tokens];
