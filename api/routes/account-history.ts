/** Sections 4.3 and 8.1: the past of accounts: transactions, also one of them in words, what they held, who made them, what they do. */
import { isJsonObject, type Json } from '../../engine/codec/values.ts';
import { platformByNumber, platformNumber } from '../../engine/market/platforms.ts';
import { badRequest, notFound, unavailable } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import { SNAPSHOT_LINES_MAX } from '../../views/accounts/snapshot.ts';
import type { TransactionMarker } from '../../views/accounts/transactions.ts';
import { account, flag, limit } from '../common.ts';
import { samples } from '../examples.ts';
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
  oneOf,
  orNull,
  type Static,
  string,
} from '../schema.ts';
import { existing, issuedToken, namedId, ofAccount, originMembers, shared } from './account-schemas.ts';
import { findTransaction, noTransaction } from './ledger.ts';
import { addressOf } from './trader-schemas.ts';

const LEDGER_MAX = 0xffffffff;
/** Nobody has the ledgers of the main network before this one. */
const FIRST_OF_MAIN = 32_570;
const TX_MAX = 200;

const ledgerBound = (about: string) =>
  ({ in: 'query', kind: 'int', min: -1, max: LEDGER_MAX, about }) as const;

/** Those that a node was asked for have what it sent. */
const accountTransaction = object({
  hash: string,
  ledger_index: integer,
  'ledger_hash?': string,
  'close_time_iso?': string,
  'date?': describe(integer, 'Close time, Ripple epoch seconds'),
  'ctid?': describe(string, 'Ledger, position and network in one text (XLS-37)'),
  tx_json: anyObject,
  meta: anyObject,
  validated: boolean,
  'role?': describe(
    oneOf(['affected', 'sender', 'destination']),
    'Of the account in it; absent: a node was asked for it',
  ),
});

type TransactionRow = Static<typeof accountTransaction>;

const transactions = route({
  ...ofAccount,
  path: '/account/tx/{account}',
  bucket: '/account/tx',
  example: { account: samples.account, limit: 20 },
  summary: 'Transactions that affected an account, the newest first',
  params: {
    account,
    limit: { ...limit(TX_MAX, TX_MAX) },
    marker: { in: 'query', kind: 'json', about: '`marker` of the page before: {"ledger","seq","after"?}' },
    types: {
      in: 'query',
      kind: 'list',
      maxItems: 80,
      about: 'Only of these types: Payment, OfferCreate, ...',
    },
    forward: flag('The oldest first'),
    ledgerMin: ledgerBound('First ledger'),
    ledgerMax: ledgerBound('Last ledger'),
  },
  response: object({
    account: string,
    limit: integer,
    forward: boolean,
    'ledgerMin?': integer,
    'ledgerMax?': integer,
    count: integer,
    hasMore: boolean,
    marker: describe(
      orNull(object({ ledger: integer, seq: integer, 'after?': boolean })),
      'Of the next page; null: there is none. Send it as it came',
    ),
    txs: list(accountTransaction),
    'indexedFrom?': describe(integer, 'First ledger of the index here; what is older is asked of a node'),
    'completeFrom?': describe(
      integer,
      'Transactions of ledgers before this one may be missing: not all are stored here, or had by a node',
    ),
  }),
  unavailable: true,
  cache: 'ledger',
  handler: (input, context) => page(input, context),
});

interface PageInput {
  readonly account: string;
  readonly limit: number;
  readonly marker?: unknown;
  readonly types?: readonly string[] | undefined;
  readonly forward: boolean;
  readonly ledgerMin?: number | undefined;
  readonly ledgerMax?: number | undefined;
}

async function page(input: PageInput, context: RouteContext) {
  const { views, engine } = context;
  const address = addressOf(input.account);
  const marker = markerOf(input.marker);
  const types = typesOf(input.types, context);
  const { transactions } = views.accounts;
  const own = transactions.first ?? LEDGER_MAX;
  const { forward, limit, ledgerMin, ledgerMax } = input;
  const oldest = engine.networkId === 0 ? FIRST_OF_MAIN : 1;
  const first = Math.max(0, ledgerMin ?? 0);
  const unbroken = transactions.firstUnbroken ?? own;
  let completeFrom = unbroken > own ? unbroken : (olderFrom(context) ?? own);
  const last = ledgerMax === undefined || ledgerMax < 0 ? LEDGER_MAX : ledgerMax;
  const answer = (txs: readonly TransactionRow[], next: TransactionMarker | undefined) => ({
    account: address,
    limit,
    forward,
    ...(ledgerMin !== undefined && { ledgerMin }),
    ...(ledgerMax !== undefined && { ledgerMax }),
    count: txs.length,
    hasMore: next !== undefined,
    marker: next ?? null,
    txs,
    ...(own !== LEDGER_MAX && { indexedFrom: own }),
    ...(own !== LEDGER_MAX && Math.max(oldest, first) < completeFrom && { completeFrom }),
  });
  const older = { address, first, last: Math.min(last, own - 1), types, forward };
  const txs: TransactionRow[] = [];
  if (forward && first < own && (marker?.ledger ?? 0) < own) {
    const asked = await olderPage({ ...older, limit, marker }, context);
    if (!asked.isKnown) completeFrom = Math.max(completeFrom, own);
    if (asked.marker) return answer(asked.txs, asked.marker);
    txs.push(...asked.txs);
  }
  if (last >= own && (forward || marker === undefined || marker.ledger >= own)) {
    const query = { account: namedId(address, engine), limit: limit - txs.length, forward, types };
    const mine = marker && marker.ledger >= own ? { marker } : {};
    const found = await transactions.page({ ...query, first, last, ...mine });
    if (!found.isWhole && (transactions.first ?? 0) > own) return page(input, context);
    txs.push(...found.txs);
    if (found.marker) return answer(txs, found.marker);
  }
  if (!forward && first < own) {
    if (txs.length >= limit)
      return answer(
        txs,
        olderFrom(context) === undefined ? undefined : { ledger: own - 1, seq: NEWEST_OF_LEDGER },
      );
    const theirs = marker && marker.ledger < own ? { marker } : {};
    const asked = await olderPage({ ...older, limit: limit - txs.length, ...theirs }, context);
    if (!asked.isKnown) completeFrom = Math.max(completeFrom, own);
    return answer([...txs, ...asked.txs], asked.marker);
  }
  return answer(txs, undefined);
}

interface OlderQuery {
  readonly address: string;
  readonly first: number;
  readonly last: number;
  readonly types: ReadonlySet<number> | undefined;
  readonly forward: boolean;
  readonly limit: number;
  readonly marker?: TransactionMarker | undefined;
}

/** The first ledger of the node that ledgers come from, where it has some before those that are indexed here. */
function olderFrom({ network, views }: RouteContext): number | undefined {
  const oldest = network.source?.range()?.first;
  const own = views.accounts.transactions.first;
  if (network.source?.request === undefined || oldest === undefined || own === undefined) return undefined;
  return oldest < own ? oldest : undefined;
}

/** In place of the transaction that a page begins with: that page begins with the newest one of a ledger or before it. */
const NEWEST_OF_LEDGER = 0xffff;

interface OlderPage {
  readonly txs: readonly TransactionRow[];
  readonly marker: TransactionMarker | undefined;
  /** false: the node did not say. */
  readonly isKnown: boolean;
}

/** From ledgers before those that are indexed here, as the node has them: checked, and no more than was asked for. */
async function olderPage(query: OlderQuery, context: RouteContext): Promise<OlderPage> {
  const nothing = { txs: [], marker: undefined };
  const oldest = olderFrom(context);
  if (query.last < query.first || query.limit <= 0) return { ...nothing, isKnown: true };
  if (oldest === undefined) return { ...nothing, isKnown: false };
  const { first, marker: sent } = query;
  // rippled finds nothing after a marker that is no transaction of the account, and refuses ledgers that it does not have.
  const isNewest = sent?.seq === NEWEST_OF_LEDGER;
  const marker = isNewest || !sent ? undefined : { ledger: sent.ledger, seq: sent.seq };
  const shown = sent?.after === true ? sent : undefined;
  const last = isNewest ? Math.min(query.last, sent.ledger) : query.last;
  const answer = await askNodeObject(context.network, {
    command: 'account_tx',
    account: query.address,
    ledger_index: undefined,
    ledger_index_min: first > oldest ? first : -1,
    ledger_index_max: last,
    limit: query.limit + (shown ? 1 : 0),
    forward: query.forward,
    ...(marker && { marker }),
  });
  if (!answer || !Array.isArray(answer.transactions)) return { ...nothing, isKnown: false };
  const { transactionTypes } = context.engine.reader.definitions;
  const names = query.types && new Set(Array.from(query.types, (code) => transactionTypes.get(code)));
  const all = answer.transactions;
  const rest = shown && isAt(all[0], shown) ? all.slice(1) : all;
  const page = rest.slice(0, query.limit);
  const rows = page.filter((row) => {
    if (!isJsonObject(row) || !isJsonObject(row.tx_json) || !isJsonObject(row.meta)) return false;
    const ledger = Number(row.ledger_index);
    const isAsked = ledger >= first && ledger <= last;
    return isAsked && (names === undefined || names.has(row.tx_json.TransactionType as string));
  });
  const hasMore = rest.length > page.length || isJsonObject(answer.marker);
  const next = hasMore ? placeOf(page.at(-1)) : undefined;
  const txs = rows as unknown as TransactionRow[];
  return { txs, marker: next && { ...next, after: true }, isKnown: !hasMore || next !== undefined };
}

/**
 * Where a transaction of a node is. Pages of a node go on after one, whichever node is asked: the markers of rippled and Clio
 * look alike, but rippled's next page begins with the transaction that a marker names, and Clio's after it, or with it if it is
 * read forwards. So one more is asked for, and the one that was shown is left out.
 */
function placeOf(row: Json | undefined): TransactionMarker | undefined {
  if (!isJsonObject(row) || !isJsonObject(row.meta)) return undefined;
  const [ledger, seq] = [row.ledger_index, row.meta.TransactionIndex];
  return typeof ledger === 'number' && typeof seq === 'number' ? { ledger, seq } : undefined;
}

function isAt(row: Json | undefined, { ledger, seq }: TransactionMarker): boolean {
  const place = placeOf(row);
  return place?.ledger === ledger && place.seq === seq;
}

/** @throws ApiError 400 */
function markerOf(sent: unknown): TransactionMarker | undefined {
  if (sent === undefined || sent === null) return undefined;
  const { ledger, seq, after } = sent as { ledger?: unknown; seq?: unknown; after?: unknown };
  const isIndex = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LEDGER_MAX;
  if (!isIndex(ledger) || !isIndex(seq))
    throw badRequest('marker needs ledger and seq', 'Send it as it came');
  return { ledger, seq, ...(after === true && { after }) };
}

/** Codes of types; names that no type has match nothing. */
function typesOf(
  names: readonly string[] | undefined,
  { engine }: RouteContext,
): ReadonlySet<number> | undefined {
  if (!names || names.length === 0) return undefined;
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const codes = new Set<number>();
  for (const [code, name] of engine.reader.definitions.transactionTypes)
    if (wanted.has(name.toLowerCase())) codes.add(code);
  return codes;
}

const explain = route({
  ...shared,
  path: '/account-tx-explain/{account}',
  cost: 20,
  bucket: '/account-tx-explain',
  example: { account: samples.account },
  summary: 'What an account does, in words and figures: of its newest 5,000 transactions',
  params: { account },
  response: object({
    account: string,
    summary: string,
    analysis: describe(
      object({
        profile: string,
        riskLevel: describe(string, 'low, medium or high'),
        headline: string,
        riskReason: string,
        keyFindings: list(string),
      }),
      'What these figures say, by fixed rules',
    ),
    period: describe(orNull(string), 'Days of the oldest and newest of them; null: there is none'),
    stats: describe(
      object({
        analysed: describe(integer, 'Its newest transactions, 200 at most: `stats` is of these'),
        successRate: describe(orNull(number), 'Percent of those that it sent; null: it sent none'),
        tradeCount: describe(integer, 'In which it gave one asset and got another, pools aside'),
        swapCount: describe(integer, 'Those of them that were payments to itself'),
        totalFees: describe(number, 'XRP that it paid in fees'),
        xrpNet: describe(number, 'By how much its XRP changed, fees included'),
        tokens: describe(
          list(
            object({
              md5: orNull(string),
              currency: string,
              issuer: orNull(string),
              net: string,
              count: integer,
            }),
          ),
          'By how much each changed; those in the most transactions first, 20 at most',
        ),
      }),
      'Figures of the newest',
    ),
    transactions: integer,
    isAll: describe(boolean, 'There are no further ones in the stored ledgers'),
    sent: integer,
    received: integer,
    affected: integer,
    types: describe(mapOf(integer), 'How many, by type'),
    partners: list(object({ account: string, count: integer })),
    txCount: describe(integer, '`transactions`, under the name that other clients read'),
    topAddresses: describe(
      list(object({ address: string, label: orNull(string), interactions: integer })),
      '`partners`, with the names that they have',
    ),
    firstTime: orNull(integer),
    lastTime: orNull(integer),
    recent: list(object({ hash: {}, date: {}, type: string, text: string })),
    disclaimer: string,
  }),
  cache: 'ledger',
  handler: async ({ account }, { network, views, engine }) => {
    const id = namedId(account, engine);
    if (id === 0) throw notFound('Account not found');
    const { names, profiles } = views.accounts;
    const scams = network.scams.of(engine.state.accounts.text(id));
    const profile = await profiles.of(
      id,
      scams.map(({ category, verified: isVerified }) => ({ category, isVerified })),
    );
    const topAddresses = profile.partners.map(({ account: address, count: interactions }) => ({
      address,
      label: names.of(address)?.name ?? null,
      interactions,
    }));
    return { ...profile, txCount: profile.transactions, topAddresses };
  },
});

const explainOne = route({
  ...shared,
  path: '/tx-explain/{hash}',
  section: '4.4',
  cost: 1,
  bucket: '/tx-explain',
  example: { hash: samples.transaction },
  summary: 'A transaction in a sentence: what was asked for, and what came of it',
  params: {
    hash: { in: 'path', kind: 'text', maxLength: 80, pattern: patterns.txHash, about: '64 hex digits' },
  },
  response: object({
    hash: string,
    ledger_index: integer,
    type: string,
    result: string,
    account: string,
    text: string,
    summary: describe(string, '`text`, under the name that other clients read'),
    extracted: object({
      type: string,
      platform: describe(orNull(string), 'By the source tag; null: of no known one'),
    }),
    affected: describe(integer, 'Ledger entries that it changed'),
  }),
  unavailable: true,
  handler: async ({ hash }, context) => {
    const { tx_json: tx, meta, ledger_index: ledger } = await findTransaction(hash, context);
    if (!isJsonObject(tx) || !isJsonObject(meta) || typeof ledger !== 'number') throw noTransaction();
    const type = String(tx.TransactionType);
    const text = context.views.accounts.transactions.text(tx, meta);
    const tag = typeof tx.SourceTag === 'number' ? platformNumber(tx.SourceTag) : 0;
    return {
      hash: hash.toUpperCase(),
      ledger_index: ledger,
      type,
      result: String(meta.TransactionResult),
      account: String(tx.Account),
      text,
      summary: text,
      extracted: { type, platform: platformByNumber(tag)?.name ?? null },
      affected: Array.isArray(meta.AffectedNodes) ? meta.AffectedNodes.length : 0,
    };
  },
});

const relative = object({
  address: string,
  name: orNull(string),
  tokensCreated: describe(integer, 'That somebody holds'),
  inception: originMembers.inception,
  'tokens?': describe(list(issuedToken), 'With include_tokens'),
});

const ancestry = route({
  ...ofAccount,
  path: '/account/ancestry/{account}',
  auth: 'key',
  tier: 'developer',
  example: { account: samples.account },
  summary: 'Who activated an account, and whom it activated, as far as the ledgers read show it',
  params: {
    account,
    direction: {
      in: 'query',
      kind: 'enum',
      values: ['up', 'down', 'both'],
      default: 'both',
      about: 'Ancestors, children, or both',
    },
    limit: limit(50, 200),
    include_tokens: flag('With the tokens that each issued'),
    token_limit: { in: 'query', kind: 'int', min: 1, max: 500, default: 100, about: 'Most tokens of each' },
  },
  response: object({
    account: string,
    limit: integer,
    'token_limit?': describe(integer, 'With include_tokens'),
    stats: object({ ancestorDepth: integer, childrenCount: orNull(integer), tokensCreated: integer }),
    tokens: describe(list(issuedToken), 'With include_tokens: those that the account issued'),
    ancestors: describe(list(relative), 'The nearest first'),
    children: describe(list(relative), 'The oldest first'),
  }),
  handler: async (input, { views }) => {
    const { id, address } = existing(input.account, views);
    const { direction, limit, include_tokens: withTokens, token_limit: tokenLimit } = input;
    const found = await views.accounts.ancestry.of({ account: id, direction, limit, withTokens, tokenLimit });
    return { account: address, limit, ...(withTokens && { token_limit: tokenLimit }), ...found };
  },
});

const snapshot = route({
  ...ofAccount,
  path: '/account/snapshot/{account}',
  example: { account: samples.account, ledger: 1 },
  summary: 'What an account held after an earlier ledger, exactly; values at prices of now',
  params: {
    account,
    ledger: { in: 'query', kind: 'int', min: 1, max: LEDGER_MAX, required: true, about: 'Ledger index' },
    closeMs: { in: 'query', kind: 'time', about: 'Its close time where the caller knows it; not needed' },
  },
  response: object({
    account: string,
    ledger: integer,
    close_time: describe(integer, 'Unix ms'),
    exists: boolean,
    xrp: number,
    tokens: list(object({ currency: string, issuer: string, balance: string })),
    totalXrp: describe(number, 'XRP, and tokens at the prices of now'),
    'truncated?': boolean,
    'maxLines?': integer,
  }),
  unavailable: true,
  cache: 'ledger',
  handler: async ({ account, ledger }, { views, engine }) => {
    const address = addressOf(account);
    const found = await views.accounts.snapshots.of(namedId(address, engine), ledger);
    if (found === 'unknown ledger') throw notFound(`Ledger ${ledger} is not stored, or not indexed yet`);
    if (found === 'ledgers are missing')
      throw notFound(`Ledgers after ${ledger} are missing: what changed in them is not known`);
    if (found === 'too many transactions')
      throw unavailable('Too many transactions lie between that ledger and now');
    const { closeTime, exists, xrp, tokens } = found;
    const isCut = tokens.length > SNAPSHOT_LINES_MAX;
    return {
      account: address,
      ledger,
      close_time: closeTime,
      exists,
      xrp,
      tokens: tokens.slice(0, SNAPSHOT_LINES_MAX),
      totalXrp: xrp + (await views.accounts.worth(tokens)),
      ...(isCut && { truncated: true, maxLines: SNAPSHOT_LINES_MAX }),
    };
  },
});

export const accountHistoryRoutes: Route[] = [transactions, explain, explainOne, ancestry, snapshot];
