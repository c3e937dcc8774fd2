/** Section 4.3: what accounts have in XRP and tokens, their names, and what they traded. Amounts are XRP unless named otherwise. */

import { nodeSpelling } from '../../engine/codec/node-spelling.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { badRequest } from '../../requests/errors.ts';
import type { AccountBalances } from '../../views/accounts/balances.ts';
import { resolveIssue } from '../../views/identity.ts';
import { findEntryJson } from '../../views/ledger/entry-json.ts';
import { account, flag, limit, offset } from '../common.ts';
import { samples } from '../examples.ts';
import { entryIndexBy } from '../ledger/entry-index.ts';
import { askNodeObject } from '../ledger/node-reads.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import {
  anyObject,
  boolean,
  describe,
  integer,
  list,
  mapOf,
  number,
  object,
  orNull,
  string,
} from '../schema.ts';
import {
  addresses,
  amountSchema,
  balanceMembers,
  checkAsset,
  existing,
  namedId,
  ofAccount,
  offerRow,
  originMembers,
  pairSide,
  shared,
} from './account-schemas.ts';
import { asset, keptFrom, tradeRow } from './market-schemas.ts';
import { tokenOf } from './tokens.ts';
import { addressOf } from './trader-schemas.ts';

const BATCH_MAX = 100;
const NAMES_MAX = 50;

const balance = route({
  ...ofAccount,
  path: '/account/balance/{account}',
  example: { account: samples.account },
  summary: 'XRP of an account: what it has, what the reserve locks, who activated it',
  params: {
    account,
    simple: flag('Only balance and total'),
    rank: flag('With its place among all accounts by XRP; slow'),
  },
  response: object({
    account: string,
    balance: balanceMembers.balance,
    total: balanceMembers.total,
    'balanceDrops?': string,
    'spendableDrops?': string,
    'ownerCount?': integer,
    'sequence?': integer,
    'flags?': integer,
    'reserve?': number,
    'reserveDrops?': string,
    'name?': describe(orNull(string), 'Verified here, else of its own file (XLS-26), else its domain'),
    'domain?': describe(string, 'As its owner wrote it on the ledger'),
    'inception?': originMembers.inception,
    'parent?': originMembers.parent,
    'rank?': describe(integer, '1 = the most XRP; equal balances share a place'),
  }),
  cache: 'ledger',
  handler: async (input, { views, engine }) => {
    const { id, address } = existing(input.account, views);
    const { balances, names } = views.accounts;
    const now = balances.now(id);
    if (input.simple) return { account: address, balance: now.balance, total: now.total };
    const domain = engine.state.accounts.domain(id);
    return {
      ...now,
      name: names.of(address)?.name ?? null,
      ...(domain !== undefined && { domain }),
      ...balances.origin(id),
      ...(input.rank && { rank: await balances.rank(id) }),
    };
  },
});

const balancesOfMany = route({
  ...ofAccount,
  method: 'POST',
  path: '/account/balance',
  example: { accounts: [samples.account] },
  summary: `XRP of up to ${BATCH_MAX} accounts; those that do not exist are left out`,
  params: { accounts: addresses(BATCH_MAX) },
  response: object({
    count: integer,
    data: list(object({ account: string, balance: balanceMembers.balance, total: balanceMembers.total })),
  }),
  handler: ({ accounts }, { views }) => {
    const { balances } = views.accounts;
    const data = [...new Set(accounts)].flatMap((text) => {
      const id = balances.find(addressOf(text));
      if (id === undefined) return [];
      const { account, balance, total } = balances.now(id);
      return [{ account, balance, total }];
    });
    return { count: data.length, data };
  },
});

const currencyParam = (about: string) => ({ in: 'query', kind: 'text', maxLength: 64, about }) as const;

const pairBalance = route({
  ...ofAccount,
  path: '/account/balance/pair/{account}',
  example: {
    account: samples.account,
    curr1: 'XRP',
    issuer1: 'XRPL',
    curr2: 'USD',
    issuer2: samples.account,
  },
  summary: 'What an account has of two tokens: of XRP what it can spend',
  params: {
    account,
    curr1: currencyParam('Currency; default XRP'),
    issuer1: currencyParam('Its issuer, XRPL for XRP'),
    curr2: currencyParam('Currency; default XRP'),
    issuer2: currencyParam('Its issuer, XRPL for XRP'),
  },
  response: object({ account: string, pair: object({ curr1: pairSide, curr2: pairSide }) }),
  cache: 'ledger',
  handler: ({ account, curr1, issuer1, curr2, issuer2 }, { views, engine }) => {
    const address = addressOf(account);
    const id = views.accounts.balances.find(address);
    const side = (currency = 'XRP', issuer = 'XRPL') => {
      checkAsset(currency, issuer);
      return views.accounts.balances.side(id, resolveIssue(engine.state, currency, issuer), currency, issuer);
    };
    return { account: address, pair: { curr1: side(curr1, issuer1), curr2: side(curr2, issuer2) } };
  },
});

const accountInfoShape = {
  ...ofAccount,
  example: { account: samples.account },
  params: { account },
  response: object({
    ...balanceMembers,
    balance: describe(string, 'drops'),
    account_data: describe(anyObject, 'The AccountRoot'),
    name: orNull(string),
    'domain?': string,
    ...originMembers,
    lastActive: describe(
      orNull(integer),
      'Unix ms of the last transaction that it sent since its activation; null: none seen',
    ),
    isAMM: boolean,
    ledger_index: integer,
    validated: boolean,
  }),
  cache: 'ledger',
} as const;

const info = route({
  ...accountInfoShape,
  path: '/account/info/{account}',
  summary: 'The entry of an account as the ledger has it, with its name, its reserve and who activated it',
  handler: ({ account: text }, context) => accountInfo(text, context),
});

const liveInfo = route({
  ...accountInfoShape,
  path: '/account/info/live/{account}',
  summary: 'The same: /account/info is as of the newest ledger, too',
  handler: ({ account: text }, context) => accountInfo(text, context),
});

async function accountInfo(text: string, { views, engine, network }: RouteContext) {
  const { id, address } = existing(text, views);
  const { balances, names } = views.accounts;
  const { accounts, pools } = engine.state;
  const now = balances.now(id);
  const found = findEntryJson(engine, entryIndexBy.account_root!(address));
  const asked =
    typeof found === 'object'
      ? undefined
      : await askNodeObject(network, { command: 'account_info', account: address });
  const entry =
    typeof found === 'object'
      ? nodeSpelling(found.node, engine.reader.definitions)
      : ((asked?.account_data as object | undefined) ?? entryOfColumns(now, accounts.domain(id)));
  const active = accounts.lastSent(id);
  const domain = accounts.domain(id);
  return {
    ...now,
    balance: now.balanceDrops,
    account_data: entry,
    name: names.of(address)?.name ?? null,
    ...(domain !== undefined && { domain }),
    ...balances.origin(id),
    lastActive: active > 0 ? unixMs(active) : null,
    isAMM: pools.byAccount(id) !== undefined,
    ledger_index: engine.head?.index ?? 0,
    validated: true,
  };
}

/** What columns have of an entry that neither the stored ledgers nor a node show. */
function entryOfColumns(now: ReturnType<AccountBalances['now']>, domain: string | undefined) {
  return {
    LedgerEntryType: 'AccountRoot',
    Account: now.account,
    Balance: now.balanceDrops,
    Flags: now.flags,
    OwnerCount: now.ownerCount,
    Sequence: now.sequence,
    ...(domain !== undefined && { Domain: Buffer.from(domain).toString('hex').toUpperCase() }),
  };
}

const names = route({
  ...ofAccount,
  method: 'POST',
  path: '/account/names',
  example: { accounts: [samples.account] },
  summary: `Names of up to ${NAMES_MAX} accounts; those without are left out`,
  params: { accounts: addresses(NAMES_MAX) },
  response: object({ names: describe(mapOf(string), 'Name by r-address') }),
  handler: ({ accounts }, { views }) => {
    const named = accounts.flatMap((text) => {
      const found = views.accounts.names.of(addressOf(text));
      return found ? [[found.account, found.name] as const] : [];
    });
    return { names: Object.fromEntries(named) };
  },
});

const searchByName = route({
  ...ofAccount,
  path: '/account/search-by-name',
  example: { q: 'example' },
  summary: 'Accounts by a part of their name',
  params: {
    q: {
      in: 'query',
      kind: 'text',
      minLength: 2,
      maxLength: 64,
      default: '',
      about: 'At least 2 characters',
    },
  },
  response: object({
    resolvedName: describe(orNull(string), 'Name of the first result; null: none'),
    results: list(object({ account: string, name: string, source: string })),
  }),
  handler: async ({ q }, { views }) => {
    const text = q.trim();
    if (text.length < 2) throw badRequest('q has fewer than 2 characters');
    const results = await views.accounts.names.search(text);
    return { resolvedName: results[0]?.name ?? null, results };
  },
});

const resolve = route({
  ...ofAccount,
  method: 'POST',
  path: '/account/resolve',
  example: { addresses: [samples.account] },
  summary: `Identities that the admin of the service verified, of up to ${BATCH_MAX} accounts; absence means unknown`,
  params: { addresses: addresses(BATCH_MAX) },
  response: object({
    count: integer,
    accounts: list(
      object({
        address: string,
        name: string,
        logo: describe(orNull(string), 'Id of an image, or address of the logo here'),
        tagRequired: boolean,
      }),
    ),
  }),
  handler: ({ addresses: texts }, { network }) => {
    const accounts = [...new Set(texts)].flatMap((text) => {
      const address = addressOf(text);
      const identity = network.accountData.of(address);
      if (!identity?.adminVerified || identity.name === undefined) return [];
      const { name, verifiedLogo, logoAt, verifiedTagRequired } = identity;
      const logo = verifiedLogo ?? (logoAt === undefined ? null : `/v1/account-thumb/${address}`);
      return [{ address, name, logo, tagRequired: verifiedTagRequired === true }];
    });
    return { count: accounts.length, accounts };
  },
});

const offers = route({
  ...ofAccount,
  path: '/account/offers/{account}',
  example: { account: samples.account, limit: 10 },
  summary: 'Open offers of an account, the newest first',
  params: {
    account,
    pair: { in: 'query', kind: 'text', maxLength: 64, about: 'Hash of a pair: only its offers' },
    md5: { in: 'query', kind: 'text', maxLength: 128, about: 'Token: only offers of it' },
    offset: { ...offset, about: 'Rows to skip; snaps down to a multiple of limit' },
    limit: { ...limit(10, 50), outside: 'default' },
  },
  response: object({
    account: string,
    offset: integer,
    limit: integer,
    total: integer,
    offers: list(offerRow),
  }),
  cache: 'ledger',
  handler: async (input, { views, engine }) => {
    const snapped = input.offset - (input.offset % input.limit);
    const { pair, md5, limit } = input;
    const token = md5 === undefined ? undefined : tokenOf(views, md5);
    const query = { account: namedId(input.account, engine), pair, token, offset: snapped, limit };
    const { total, offers } = await views.accounts.offers.page(query);
    return { account: input.account, offset: snapped, limit, total, offers };
  },
});

const recentTrades = route({
  ...ofAccount,
  path: '/account/recent-trades/{account}',
  example: { account: samples.account, limit: 10 },
  summary: 'Trades of an account, the newest first',
  params: {
    account,
    limit: limit(30, 100),
    since: { in: 'query', kind: 'time', about: 'Only those from this time on' },
  },
  response: object({
    account: string,
    count: integer,
    limit: integer,
    'keptFrom?': keptFrom,
    trades: list(tradeRow),
  }),
  cache: 'ledger',
  handler: async ({ account, limit, since }, { views }) => {
    const { data, meta } = await views.history.page({
      account: addressOf(account),
      limit,
      offset: 0,
      startMs: since,
      type: 'trades',
      xrpOnly: false,
      direction: 'desc',
    });
    const reachesEnd = 'keptFrom' in meta && data.length < limit;
    return {
      account,
      count: data.length,
      limit,
      ...(reachesEnd && { keptFrom: meta.keptFrom }),
      trades: data,
    };
  },
});

const lpPosition = object({
  ammAccount: string,
  asset1: asset,
  asset2: asset,
  currentLpBalance: string,
  poolShare: describe(number, 'Percent'),
  currentAsset1: amountSchema,
  currentAsset2: amountSchema,
  depositedAsset1: describe(orNull(amountSchema), 'Of the LP tokens that it still has; null: not known'),
  depositedAsset2: orNull(amountSchema),
  poolValueXrp: describe(
    orNull(number),
    'Its share of both assets, at prices of now; null: an asset has no price',
  ),
  holdValueXrp: describe(orNull(number), 'What it put in, at prices of now; null: not known'),
  ilPercent: describe(orNull(number), 'Of the pool value against that; null: not known'),
  feesEarnedXrp: describe(
    orNull(number),
    'Since the hour of the first deposit (longer ago: perhaps its day), at the share of now; null: no deposit is known',
  ),
  since: describe(orNull(integer), 'Unix ms of the first deposit; null: not known'),
});

const lpPositions = route({
  ...shared,
  path: '/lp-positions/{account}',
  cost: 2,
  bucket: '/lp-positions',
  example: { account: samples.account },
  summary:
    'What an account has in pools, what it would have if it had kept the assets, and the fees it earned',
  params: { account },
  response: object({
    account: string,
    count: integer,
    positions: describe(mapOf(lpPosition), 'By the pool’s r-address'),
    'truncated?': boolean,
  }),
  successAs: 'result',
  cache: 'ledger',
  handler: ({ account }, { views, engine }) => {
    const id = namedId(account, engine);
    if (id === 0) return { account, count: 0, positions: {} };
    return views.accounts.positions.of(id);
  },
});

export const accountRoutes: Route[] = [
  balance,
  balancesOfMany,
  pairBalance,
  info,
  liveInfo,
  names,
  searchByName,
  resolve,
  offers,
  recentTrades,
  lpPositions,
];
