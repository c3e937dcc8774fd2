/** Tools about accounts, NFTs and warnings. */

import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import { yieldToLoop } from '../../../engine/event-loop.ts';
import { shifted } from '../../../explain/decimal.ts';
import { deliveredBy } from '../../../explain/effects.ts';
import type { Meta } from '../../../explain/json.ts';
import { ApiError, notFound } from '../../../requests/errors.ts';
import type { Values } from '../../../requests/param-reader.ts';
import type { Network } from '../../../views/network.ts';
import type { JsonObject } from '../json-rpc.ts';
import { flag, type ToolContext, tool } from '../tool.ts';
import { background, jobMembers } from './payments.ts';

const [string, number, list] = [{ type: 'string' }, { type: 'integer' }, { type: 'array' }];

const ACCOUNT = 'Address, r...';
const account = { of: 'account', about: ACCOUNT } as const;

export const accountTools = [
  tool({
    name: 'get_account_info',
    title: 'An account',
    about: 'Balance, reserve, flags, name, domain, creation and parent of an account. XRP.',
    routes: ['GET /account/info/{account}'],
    params: { account },
  }),
  tool({
    name: 'find_accounts',
    title: 'Find accounts by name',
    about: 'Addresses of people, exchanges and projects by their names. Other tools take the address.',
    routes: ['GET /account/search-by-name'],
    params: { query: { of: 'q', about: 'Name or part of it', required: true } },
  }),
  tool({
    name: 'get_account_names',
    title: 'Names of accounts',
    about: 'The names of many addresses at once, for reading transactions and lists.',
    routes: ['POST /account/names'],
    params: { accounts: 'accounts' },
  }),
  tool({
    name: 'get_account_trustlines',
    title: 'What an account holds',
    about: 'Trust lines of an account with balances; valued: the most valuable first, in XRP.',
    routes: ['GET /trustlines/{account}'],
    units: { value: 'XRP' },
    params: {
      account,
      limit: { of: 'limit', default: 100, max: 200, about: 'Lines; at most 50 where not valued' },
      valued: { of: 'sort_by_value', about: 'By value' },
      offset: 'offset',
    },
  }),
  tool({
    name: 'get_account_offers',
    title: 'Open offers of an account',
    about: 'Offers with amounts, whether funded, and distance from the price in %. For market makers.',
    routes: ['GET /account/offers/{account}'],
    params: { account, limit: { of: 'limit', default: 20 }, offset: 'offset' },
    fields: ['total', 'seq', 'gets', 'pays', 'expire', 'funded', 'distPct'],
  }),
  tool({
    name: 'get_account_objects',
    title: 'Ledger entries of an account',
    about:
      'What an account owns on the ledger: escrows, checks, channels, offers, NFT pages, by type; top_owners, without account: who owns most entries.',
    routes: ['GET /account/objects/{account}'],
    params: {
      account: { ...account, required: undefined },
      type: 'type',
      top_owners: flag('Accounts that own most'),
      limit: { of: 'limit', default: 20 },
    },
    excludes: { account: ['top_owners'], top_owners: ['type'] },
    answer: {
      properties: { account: string, account_objects: list, total: number, owners: list, marker: {} },
    },
    run: async ({ account: asked, type, top_owners, limit }, { call, network }) => {
      if (asked !== undefined) return call('GET /account/objects/{account}', { account: asked, type, limit });
      if (!top_owners) throw missing('account', 'Send account, or top_owners: true');
      return topOwners(network, limit as number);
    },
  }),
  tool({
    name: 'get_issued_balances',
    title: 'What an issuer owes',
    about: 'Obligations, hot wallets and frozen balances of an issuer. For compliance.',
    routes: ['GET /account/gateway/{account}'],
    params: { account },
  }),
  tool({
    name: 'get_account_transactions',
    title: 'Transactions of an account',
    about:
      'Transactions of an account by type, time and counterparty; summary counts up to 200 of them by type instead. min_xrp and fees in XRP.',
    routes: ['GET /account/tx/{account}', 'GET /ledger/at'],
    params: {
      account,
      limit: { of: 'limit', default: 50 },
      types: 'types',
      since: { kind: 'time', about: 'Not before this: Unix ms or ISO date' },
      until: {
        kind: 'time',
        endsSpan: true,
        about: 'Not after this: Unix ms or ISO date; a date: its whole day',
      },
      order: { kind: 'enum', about: 'Which come first', values: ['newest', 'oldest'], default: 'newest' },
      counterparty: { kind: 'text', about: 'Only those that name this account, too', maxLength: 50 },
      summary: flag('Counts by type and counterparty'),
      min_xrp: { kind: 'float', about: 'Only payments that delivered at least this much XRP', min: 0 },
      marker: { kind: 'json', about: '`marker` of the answer before' },
      background,
    },
    counts: { transactions: 'count' },
    answer: {
      properties: {
        account: string,
        count: number,
        hasMore: {},
        completeFrom: number,
        marker: {},
        transactions: list,
        types: list,
        ...jobMembers,
      },
    },
    run: async (input, { call, network }) => {
      const { account, limit, types, order, marker, summary } = input;
      const sent = {
        account,
        limit: isNarrow(input) || summary ? 200 : limit,
        types,
        forward: order === 'oldest',
        marker,
        ledgerMin: await ledgerOf(call, input.since),
        ledgerMax: await ledgerOf(call, input.until),
      };
      const page = await call('GET /account/tx/{account}', sent);
      const found = (page.txs as Row[])
        .map((one) => shortTransaction(one, account, network))
        .filter((one) => isAsked(one, input));
      const { hasMore, marker: next, completeFrom } = page;
      const isCut = completeFrom !== undefined && (sent.forward || hasMore === false);
      const rest = { account, count: found.length, hasMore, ...(isCut && { completeFrom }) };
      // Where rows of the page are left out, what follows it is not what follows them.
      const isWhole = summary === true || found.length <= (limit as number);
      const more = isWhole && next !== null && { marker: next };
      return summary
        ? { ...rest, ...more, types: countedBy(found, account) }
        : { ...rest, ...more, transactions: found.slice(0, limit as number) };
    },
  }),
  tool({
    name: 'get_account_ancestry',
    title: 'Who funded an account',
    about: 'The accounts that created this one, one after another, and those that it created.',
    routes: ['GET /account/ancestry/{account}'],
    params: { account, direction: 'direction', limit: { of: 'limit', default: 200 } },
  }),
  tool({
    name: 'get_account_nfts',
    title: 'NFTs of an account',
    about: 'NFTs that an account owns.',
    routes: ['GET /account/nfts/{account}'],
    params: { account },
    fixed: { limit: 100 },
  }),
  tool({
    name: 'get_nft_collection',
    title: 'A collection of NFTs',
    about: 'Floor, volume, items and owners of a collection. XRP.',
    routes: ['GET /nft/collections/{slug}'],
    params: { slug: 'slug' },
  }),
  tool({
    name: 'get_nft_offers',
    title: 'NFT offers of an account',
    about: 'Offers to buy and sell NFTs that an account made or may accept. XRP.',
    routes: ['GET /nft/account/{account}/offers'],
    params: { account },
  }),
  tool({
    name: 'get_nft',
    title: 'An NFT',
    about: 'An NFT with owner, collection, attributes and offers. For collectors.',
    routes: ['GET /nft/{nftId}'],
    params: { id: 'nftId' },
  }),
  tool({
    name: 'find_nft_collections',
    title: 'Collections of NFTs',
    about: 'Collections by volume, floor or owners. XRP. For collectors.',
    routes: ['GET /nft/collections'],
    params: { sort: 'sort', order: 'order', limit: { of: 'limit', default: 15 }, offset: 'offset' },
  }),
  tool({
    name: 'get_nft_traits',
    title: 'Traits of a collection',
    about: 'How often each attribute occurs in a collection. For collectors who look for what is rare.',
    routes: ['GET /nft/collections/{slug}/traits'],
    params: { slug: 'slug' },
    counts: { traits: 'count' },
  }),
  tool({
    name: 'get_nft_holders',
    title: 'Owners of a collection',
    about: 'Who owns most of a collection.',
    routes: ['GET /nft/holders/{slug}'],
    params: { slug: 'slug', limit: { of: 'limit', default: 20 }, offset: 'offset' },
  }),
  tool({
    name: 'check_domain',
    title: 'Whether a domain is known for scams',
    about:
      'Reports against a domain, or against that of an account, and where the ledgers show it among scams (found); without either the newest reports. None is no proof that it is honest.',
    routes: ['GET /scams/report/{domain}', 'GET /scams/report-scam', 'GET /account/info/{account}'],
    params: {
      domain: { of: 'domain', required: undefined },
      limit: { kind: 'int', about: 'Reports, without domain and account', default: 20, min: 1, max: 100 },
      account: { kind: 'text', about: 'Address, r...: the domain that it names', maxLength: 50 },
    },
    excludes: { domain: ['account'] },
    answer: {
      properties: {
        domain: {},
        reported: {},
        confirmations: number,
        report: {},
        found: {},
        total: number,
        reports: list,
      },
    },
    run: async ({ domain, limit, account }, { call }) => {
      if (domain === undefined && account === undefined)
        return call('GET /scams/report-scam', { limit }, ['total', 'reports']);
      const named = domain ?? (await call('GET /account/info/{account}', { account })).domain;
      if (typeof named !== 'string' || named === '') throw notFound('The account names no domain');
      return call('GET /scams/report/{domain}', { domain: named });
    },
  }),
  tool({
    name: 'check_scam',
    title: 'Whether an account is known for scams',
    about: 'Reports and reasons against an account; none is no proof that it is honest.',
    routes: ['GET /scams/check/{account}'],
    params: { account },
  }),
];

type Row = JsonObject;

const missing = (name: string, hint: string) =>
  new ApiError('missing_parameter', `Missing parameter: ${name}`, { hint });

/** Accounts between two slices. */
const ACCOUNTS_A_SLICE = 65_536;

/** By the count of entries for which they hold a reserve; the smaller id first where they are equal. */
async function topOwners({ engine }: Network, limit: number): Promise<Row> {
  const { accounts } = engine.state;
  const { ownerCount } = accounts;
  const largest: { account: number; entries: number }[] = [];
  let total = 0;
  for (let account = 1; account < accounts.table.count; account++) {
    if (account % ACCOUNTS_A_SLICE === 0) await yieldToLoop();
    const entries = ownerCount[account]!;
    if (entries === 0) continue;
    total++;
    if (largest.length === limit && entries <= largest.at(-1)!.entries) continue;
    if (largest.length === limit) largest.pop();
    let at = largest.length;
    while (at > 0 && largest[at - 1]!.entries < entries) at--;
    largest.splice(at, 0, { account, entries });
  }
  return {
    total,
    owners: largest.map(({ account, entries }) => ({ account: accounts.text(account), entries })),
  };
}

/** The last ledger that closed at a time or before; undefined: no time is asked for, or no ledger stored here is as old. */
async function ledgerOf(call: ToolContext['call'], time: unknown): Promise<number | undefined> {
  if (time === undefined) return undefined;
  const { ledger_index, clampedToGenesis } = await call('GET /ledger/at', { time });
  return clampedToGenesis === true ? undefined : (ledger_index as number);
}

/** A transaction as lists show it: get_transaction has the whole. */
function shortTransaction(
  { hash, tx_json, meta, close_time_iso, role }: Row,
  asked: unknown,
  network: Network,
): Row {
  const tx = (tx_json ?? {}) as Row;
  const { TransactionType, Account, Destination, Fee } = tx;
  const { TransactionResult } = (meta ?? {}) as Row;
  const delivered = deliveredBy(tx, (meta ?? {}) as unknown as Meta);
  return {
    time: close_time_iso,
    type: TransactionType,
    role,
    ...(Account !== asked && { account: Account }),
    ...(Destination !== undefined && { destination: Destination }),
    ...(delivered !== undefined && { delivered: deliveredText(delivered, network) }),
    ...(TransactionResult !== 'tesSUCCESS' && { result: TransactionResult }),
    fee: Number(Fee) / DROPS_PER_XRP,
    hash,
  };
}

/** XRP as a number; other amounts with their currency. */
function deliveredText(amount: unknown, network: Network): unknown {
  if (typeof amount === 'string') return Number(amount) / DROPS_PER_XRP;
  const { value, currency, mpt_issuance_id } = (amount ?? {}) as Row;
  if (mpt_issuance_id === undefined) return `${String(value)} ${String(currency ?? '')}`;
  const id = String(mpt_issuance_id);
  return `${shifted(String(value), network.engine.state.tokens.mptPlaces(id))} ${id}`;
}

/** Whether something is asked that the route does not narrow by itself. */
const isNarrow = ({ since, until, counterparty, min_xrp }: Values): boolean =>
  [since, until, counterparty, min_xrp].some((one) => one !== undefined);

function isAsked(row: Row, { since, until, counterparty, min_xrp }: Values): boolean {
  const time = Date.parse(String(row.time));
  if (since !== undefined && time < (since as number)) return false;
  if (until !== undefined && time > (until as number)) return false;
  if (counterparty !== undefined && row.account !== counterparty && row.destination !== counterparty)
    return false;
  return min_xrp === undefined || (typeof row.delivered === 'number' && row.delivered >= (min_xrp as number));
}

/** How many of each type, and with how many other accounts. */
function countedBy(rows: readonly Row[], asked: unknown): Row[] {
  const groups = Map.groupBy(rows, ({ type }) => String(type));
  const own = new Set([asked, undefined]);
  return [...groups]
    .map(([type, ones]) => ({
      type,
      count: ones.length,
      failed: ones.filter(({ result }) => result !== undefined).length,
      accounts: new Set(ones.flatMap(({ account, destination }) => [account, destination])).difference(own)
        .size,
    }))
    .sort((a, b) => b.count - a.count);
}
