/**
 * Every row of the route table that reads, asked about the same tokens, accounts, NFTs and collections at one ledger, and a
 * register of the numbers in the answers: by what an object is about and the name of the member. A new row is asked by the
 * names of its parameters, and a new member is compared by its name, without a change here.
 */
import type { Route } from '../api/route.ts';
import { routes } from '../api/routes/index.ts';
import type { Frame } from './live-rig.ts';

/** What rows are asked about. */
export interface Subjects {
  readonly tokens: readonly string[];
  readonly accounts: readonly string[];
  readonly collections: readonly string[];
  readonly nfts: readonly string[];
  readonly platforms: readonly string[];
}

/** Parameters that say what a row is about. */
const KIND_OF: Readonly<Record<string, keyof Subjects>> = {
  id: 'tokens',
  md5: 'tokens',
  tokenId: 'tokens',
  symbol: 'tokens',
  md5s: 'tokens',
  account: 'accounts',
  address: 'accounts',
  issuer: 'accounts',
  slug: 'collections',
  cid: 'collections',
  nftId: 'nfts',
  sourceTag: 'platforms',
  base: 'tokens',
};

/** Rows about something else: a ledger, a transaction, a day that is over, another network, this service. */
const isElsewhere = ({ path, section, auth }: Route): boolean =>
  auth !== 'none' ||
  section === 'service' ||
  /^\/($|testnet|faucet|keys|docs|openapi|metrics|health|platform-report|embed|submit\/(fee|types)|nft\/pin)/.test(
    path,
  ) ||
  /\{(hash|index|date|checkId|domain|currency|wallet|invoiceId|txHash)\}/.test(path);

export interface Asked {
  readonly row: Route;
  readonly path: string;
  /** The parameters, by name. */
  readonly about: Readonly<Record<string, string>>;
}

/** What is asked of each row, and the rows that nothing here can be asked of. */
export function requestsAbout(subjects: Subjects): { asked: Asked[]; without: string[] } {
  const asked: Asked[] = [];
  const without: string[] = [];
  for (const row of routes) {
    if (row.method !== 'GET' || isElsewhere(row)) continue;
    const needed = Object.entries(row.params).filter(
      ([, param]) => param.in === 'path' || (param.in === 'query' && param.required),
    );
    const names = needed.map(([name]) => name);
    const combinations = combined(names, subjects);
    if (combinations === undefined) without.push(row.path);
    // A row that needs nothing is also asked about what it can be asked about.
    const chosen = Object.keys(row.params).filter((name) => KIND_OF[name] !== undefined);
    const further = names.length > 0 ? [] : chosen.flatMap((name) => combined([name], subjects)!);
    for (const about of [...(combinations ?? []), ...further]) asked.push(requestOf(row, about));
  }
  return { asked, without };
}

function requestOf(row: Route, about: Record<string, string>): Asked {
  const query = new URLSearchParams();
  const { limit } = row.params;
  if (limit?.kind === 'int' && limit.in === 'query') query.set('limit', String(limit.max ?? 100));
  for (const [name, value] of Object.entries(about))
    if (row.params[name]!.in === 'query') query.set(name, value);
  const path = row.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(about[name]!));
  return { row, path: query.size > 0 ? `${path}?${query}` : path, about };
}

/** @returns undefined: a name says nothing here */
function combined(names: readonly string[], subjects: Subjects): Record<string, string>[] | undefined {
  let found: Record<string, string>[] = [{}];
  for (const name of names) {
    const kind = KIND_OF[name];
    if (kind === undefined) return undefined;
    found = found.flatMap((one) => subjects[kind].map((value) => ({ ...one, [name]: value })));
  }
  return found;
}

/** Members that are about the request, or about something beside the object: no figures of it. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set([
  ...[
    'took',
    'count',
    'limit',
    'offset',
    'start',
    'page',
    'total',
    'totalPages',
    'length',
    'recordsReturned',
  ],
  ...['interval_seconds', 'since', 'from', 'resolution', 'max_points', 'maxPoints', 'maxLines', 'subsetSize'],
]);
/** Members with lists of what happened, of offers, or of others: their numbers are of single events. */
const OF_EVENTS =
  /^(data|trades|history|histories|events|offers|\w+Offers|bids|asks|txs|objects|pairs|feeChanges|topAddresses|lines|channels|transactions|posts|exit|collapse|xrp)$/;

/** What numbers are of: a token, an account, its dealings in NFTs, a token that it has, ... */
type Subject = 'token' | 'account' | 'collector' | 'position' | 'nft' | 'collection' | 'pool';

/** Members of one name that are two figures, and why. */
const TWO_FIGURES: Readonly<Record<Subject, Readonly<Record<string, string>>>> = {
  token: {
    id: 'of a row, or what was asked for',
    score: 'of a pair of tokens',
    sharedHolders: 'of a pair of tokens',
    sharedPct: 'of a pair of tokens',
  },
  position: {
    holding: 'two decimals, rounded down, in the position; six in lists',
    roi: 'of all that was spent in lists of holders, of what was sold in lists of traders',
    totalRoi: '0 in token stats, whose clients read numbers, where others have null',
  },
  account: {
    balance: 'drops as text, XRP as a number, or what can be spent, as clients read it',
    rank: 'among traders, or among holders of XRP',
  },
  collector: {},
  nft: {},
  collection: {},
  pool: {},
};
/** Members that are text in some answers and numbers in others, as clients read them: their values are compared. */
const TEXT_OR_NUMBER: ReadonlySet<string> = new Set(['token usd', 'position balance']);
/** Other names of a member. */
const SAME: Readonly<Partial<Record<Subject, Readonly<Record<string, string>>>>> = {
  token: { active24H: 'uniqueTraders24h' },
  account: { totalProfit: 'profit', avgROI: 'roi', totalTokensTraded: 'totalTokens' },
  position: {
    actualBalance: 'balance',
    bought: 'tokensBought',
    firstTradeTime: 'firstTradeDate',
    lastTrade: 'lastTradeDate',
    lastTradeTime: 'lastTradeDate',
    pnl: 'totalPnl',
    realizedPnl: 'profit',
    sold: 'tokensSold',
    totalBought: 'tokensBought',
    totalReceivedXRP: 'xrpSold',
    totalSold: 'tokensSold',
    totalSpentXRP: 'xrpBought',
    tradeCount: 'trades',
    tradesAll: 'trades',
    unrealized: 'unrealizedPnl',
    value: 'holdingValue',
  },
};

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): boolean =>
  value === null || typeof value === 'number' || (isText(value) && /^-?\d+(\.\d+)?$/.test(value));

interface About {
  readonly token?: string | undefined;
  readonly account?: string | undefined;
  readonly collection?: string | undefined;
  readonly nft?: string | undefined;
}

/** Numbers by `subject id member`, with where each value was seen. */
export class NumberRegister {
  readonly numbers = new Map<string, Map<string, string[]>>();

  add({ row, about }: Pick<Asked, 'row' | 'about'>, answer: unknown): void {
    const of = (kind: keyof Subjects) => Object.entries(about).find(([name]) => KIND_OF[name] === kind)?.[1];
    const asked = {
      token: of('tokens'),
      account: of('accounts'),
      collection: of('collections'),
      nft: of('nfts'),
    };
    this.#walk(row.path, asked, answer, 0);
  }

  /** Members with two values at one ledger: `subject id member: value (rows), value (rows)`. */
  disagreements(): string[] {
    const found: string[] = [];
    for (const [key, values] of this.numbers) {
      const [subject, , member] = key.split(' ') as [Subject, string, string];
      if (values.size === 1 || Object.hasOwn(TWO_FIGURES[subject], member)) continue;
      const shown = Array.from(
        values,
        ([value, where]) => `${value} (${[...new Set(where)].slice(0, 3).join(', ')})`,
      );
      found.push(`${key}: ${shown.join(', ')}`);
    }
    return found;
  }

  /** How many numbers were found in more than one place. */
  get shared(): number {
    return [...this.numbers.values()].filter((values) => [...values.values()].flat().length > 1).length;
  }

  #walk(source: string, asked: About, value: unknown, depth: number): void {
    if (Array.isArray(value)) for (const one of value) this.#walk(source, asked, one, depth + 1);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const own = subjectOf(value as Frame, asked, depth, source.startsWith('/nft'));
    for (const [name, member] of Object.entries(value)) {
      if (OF_EVENTS.test(name) && !isNumber(member)) continue;
      if (own && isNumber(member) && !OF_THE_REQUEST.has(name)) this.#put(own, name, source, member);
      this.#walk(source, asked, member, depth + 1);
    }
  }

  #put(own: string, name: string, source: string, value: unknown): void {
    const subject = own.slice(0, own.indexOf(' ')) as Subject;
    const member = SAME[subject]?.[name] ?? name;
    const key = `${own} ${member}`;
    let values = this.numbers.get(key);
    if (!values) {
      values = new Map();
      this.numbers.set(key, values);
    }
    const text = JSON.stringify(TEXT_OR_NUMBER.has(`${subject} ${member}`) ? Number(value) : value);
    const where = values.get(text);
    if (where) where.push(`${source} ${name}`);
    else values.set(text, [`${source} ${name}`]);
  }
}

/** What an object is about, by the ids in it, or, at the top of an answer, by the request. */
function subjectOf(value: Frame, asked: About, depth: number, isOfNfts: boolean): string | undefined {
  if (isText(value.NFTokenID)) return `nft ${value.NFTokenID}`;
  if (isText(value.ammAccount)) return `pool ${value.ammAccount}`;
  if (isText(value._id) && /^r\w+:\d+$/.test(value._id)) return `collection ${value._id}`;
  const token = [value.md5, value.tokenId].find(isText);
  const account = [value.account, value.address].find(isAddress);
  if (token !== undefined && asked.account === undefined && account === undefined) return `token ${token}`;
  const holder = account ?? asked.account;
  // A token's own row inside that of a line says nothing of the account.
  if (token !== undefined) return isText(value.slug) ? `token ${token}` : `position ${token}/${holder}`;
  if (asked.collection !== undefined || asked.nft !== undefined) return undefined;
  const person = isOfNfts ? 'collector' : 'account';
  if (account !== undefined)
    return asked.token === undefined ? `${person} ${account}` : `position ${asked.token}/${account}`;
  if (depth > 1) return undefined;
  if (asked.token !== undefined && asked.account !== undefined)
    return `position ${asked.token}/${asked.account}`;
  if (asked.token !== undefined) return `token ${asked.token}`;
  return depth === 0 && asked.account !== undefined ? `${person} ${asked.account}` : undefined;
}
