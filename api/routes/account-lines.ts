/** Section 4.3: trust lines of accounts. */
import { badRequest } from '../../requests/errors.ts';
import { LINE_FORMATS } from '../../views/accounts/lines.ts';
import { resolveIssue } from '../../views/identity.ts';
import type { Views } from '../../views/views.ts';
import { account, flag, offset } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import {
  boolean,
  describe,
  integer,
  list,
  number,
  object,
  orNull,
  type Schema,
  type Static,
  string,
} from '../schema.ts';
import { tokenRow } from '../token-schema.ts';
import { checkAsset, issuedToken, namedId, ofAccount, shared } from './account-schemas.ts';
import { addressOf } from './trader-schemas.ts';

const LIMIT = 50;
const LIMIT_BY_VALUE = 2000;

export const line = object({
  currency: string,
  issuer: string,
  balance: string,
  'limit?': describe(string, 'Absent: an MPT has none'),
  value: describe(number, 'XRP; 0: the token has no price'),
  percentOwned: describe(number, 'Percent of the supply'),
  'freeze?': describe(boolean, 'Frozen by the issuer; absent: not'),
  'md5?': describe(string, 'Of the token; not with format=full'),
  'name?': describe(string, 'As md5'),
  'token?': describe(tokenRow('full'), 'With format=full'),
});

const rawAmount = object({ currency: string, issuer: string, value: string });
const rawMembers = { _id: describe(string, '<account>_<currency>_<issuer>'), Flags: integer };

const rawLine = object({
  ...rawMembers,
  LedgerEntryType: describe(string, 'RippleState'),
  Balance: rawAmount,
  LowLimit: rawAmount,
  HighLimit: rawAmount,
});

const rawHolding = object({
  ...rawMembers,
  LedgerEntryType: describe(string, 'MPToken'),
  Account: string,
  MPTokenIssuanceID: string,
  MPTAmount: string,
});

/** With format=raw the entry. */
const lineRow: Schema<Static<typeof line> | Static<typeof rawLine> | Static<typeof rawHolding>> = {
  anyOf: [line, describe(rawLine, 'With format=raw'), describe(rawHolding, 'With format=raw')],
};

const trustlines = route({
  ...shared,
  path: '/trustlines/{account}',
  cost: 1,
  bucket: '/trustlines',
  example: { account: samples.account, limit: 20 },
  summary: 'Tokens that an account holds, with their value',
  params: {
    account,
    offset,
    limit: {
      in: 'query',
      kind: 'int',
      default: 20,
      min: 1,
      max: LIMIT,
      maxWith: { flag: 'sort_by_value', max: LIMIT_BY_VALUE },
      about: `Most rows to answer; with sort_by_value up to ${LIMIT_BY_VALUE}`,
    },
    format: {
      in: 'query',
      kind: 'enum',
      values: LINE_FORMATS,
      default: 'default',
      about: 'raw: the entry as on the ledger; full: with the token',
    },
    sort_by_value: flag('The most valuable first'),
    search: {
      in: 'query',
      kind: 'text',
      maxLength: 64,
      default: '',
      about: 'Part of name, currency or issuer',
    },
    includeZero: flag('Lines without a balance, too'),
    lightweight: flag('With format=full: about 30 fields of a token'),
  },
  response: object({
    account: string,
    accountActive: describe(boolean, 'The account exists'),
    accountData: describe(
      orNull(object({ balance: number, total: number, reserve: number })),
      'XRP: what it can spend, all, what the reserve locks',
    ),
    xrp: object({
      value: describe(number, 'XRP that it can spend'),
      balance: describe(number, 'XRP'),
      'usd?': describe(number, 'Price of XRP in USD; absent: no rate is known'),
      'pro24h?': describe(number, 'Its change in 24 hours, percent'),
    }),
    total: describe(integer, 'Lines that match'),
    zeroCount: describe(integer, 'Its lines without a balance'),
    offset: integer,
    limit: integer,
    lines: list(lineRow),
    'issued?': describe(list(issuedToken), 'Tokens that it issued and that somebody holds: the first 100'),
    'tokenCount?': describe(integer, 'Its lines with a balance'),
    'totalValue?': describe(number, 'Of all of them, XRP'),
    'truncated?': describe(boolean, 'It has more lines than are read'),
    'subsetSize?': describe(integer, 'With truncated: lines that were read'),
    'partial?': describe(
      boolean,
      'With truncated: total, zeroCount and totalValue are of the lines that were read',
    ),
  }),
  cache: 'ledger',
  handler: async (input, { views, engine }) => {
    const address = addressOf(input.account);
    const { sort_by_value: byValue, format, search, includeZero, lightweight } = input;
    const { limit } = input;
    const query = { account: namedId(address, engine), format, byValue, search: search.trim() };
    const page = await views.accounts.lines.page({
      ...query,
      includeZero,
      lightweight,
      offset: input.offset,
      limit,
    });
    return {
      account: address,
      ...views.accounts.head(address),
      ...page,
      offset: input.offset,
      limit,
      ...(await issuedTokens(query.account, views)),
    };
  },
});

async function issuedTokens(account: number, views: Views) {
  const issued = views.accounts.issued(account);
  return issued.length > 0 ? { issued } : {};
}

const oneLine = route({
  ...ofAccount,
  path: '/account/trustline/{account}/{issuer}/{currency}',
  example: { account: samples.account, issuer: samples.account, currency: 'USD' },
  summary: 'Whether an account has a trust line for a token, and its balance and limit',
  params: {
    account,
    issuer: { ...account, about: 'r-address of the issuer' },
    currency: {
      in: 'path',
      kind: 'text',
      maxLength: 64,
      about: 'Three characters, 40 hex digits, or an MPT id',
    },
  },
  response: object({
    account: string,
    issuer: string,
    currency: string,
    hasTrustline: boolean,
    balance: string,
    'limit?': describe(orNull(string), 'null: an MPT has none'),
    'value?': describe(number, 'XRP'),
    'frozenByIssuer?': boolean,
    'frozenByHolder?': boolean,
  }),
  cache: 'ledger',
  handler: ({ account, issuer, currency }, { views, engine }) => {
    const address = addressOf(account);
    checkAsset(currency, addressOf(issuer));
    const token = resolveIssue(engine.state, currency, issuer);
    if (token === 0) throw badRequest('XRP has no trust lines');
    const found =
      token === undefined ? undefined : views.accounts.balances.line(namedId(address, engine), token);
    return { account: address, issuer, currency, hasTrustline: found !== undefined, balance: '0', ...found };
  },
});

export const accountLineRoutes: Route[] = [trustlines, oneLine];
