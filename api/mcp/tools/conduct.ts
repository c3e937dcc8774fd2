/** Tools about conduct on the market: wash trading (wash.ts), snipers, sandwiches, who is funded by whom, what a sale would give. */

import { arbitragePairs, type BestPrices } from '../../../engine/metrics/arbitrage-pairs.ts';
import { sandwiches } from '../../../engine/metrics/sandwiches.ts';
import { snipers } from '../../../engine/metrics/snipers.ts';
import { DAY, DAY_MS } from '../../../engine/ripple-time.ts';
import { ApiError } from '../../../requests/errors.ts';
import type { JsonObject } from '../json-rpc.ts';
import { atOneVersion, pagesWith } from '../pages.ts';
import { type TokenTrades, tradesOf } from '../token-trades.ts';
import { flag, type ToolContext, tool } from '../tool.ts';
import { inWholeDrops } from '../whole-drops.ts';
import { washTool } from './wash.ts';

const ID = 'Token: md5, issuer-currency or slug';
/** Snipers are looked at for so long after the window, to see what they sold. */
const SALES_MS = 30 * DAY_MS;
/** Tokens of an account that are searched, those that it traded last. */
const TOKENS_MAX = 5;
/** Sizes of a sale, XRP, where none are asked for. */
const SIZES = [100, 1_000, 10_000, 100_000];
const SIZES_MAX = 8;
/** All XRP that there are. */
const SIZE_MAX = 1e11;

const text = { type: 'string' };
const number = { type: 'number' };
const list = { type: 'array' };

export const conductTools = [
  washTool,
  tool({
    name: 'find_snipers',
    title: 'Who bought first',
    about:
      'Accounts that bought in the first seconds of a token’s trading, with what they spent and sold since (30 days). XRP. Known only as far back as the trades here.',
    routes: ['GET /history', 'GET /token/{id}'],
    params: {
      id: { kind: 'text', about: ID, required: true, maxLength: 128 },
      window_secs: { kind: 'int', about: 'Seconds from the first trade', default: 300, min: 1, max: DAY },
      limit: { kind: 'int', about: 'Accounts', default: 20, min: 1, max: 100 },
    },
    answer: {
      properties: { firstTrade: number, windowSecs: number, total: number, snipers: list, truncated: {} },
    },
    run: async ({ id, window_secs, limit }, { call }) => {
      const first = await tradesOf({ call }, id, {});
      const [start] = first.trades;
      if (!start) throw new ApiError('not_found', 'The token has no trades against XRP');
      const windowMs = (window_secs as number) * 1000;
      const seen = first.trades.filter(({ time }) => time <= start.time + windowMs + SALES_MS);
      const found = snipers(seen, windowMs);
      return {
        firstTrade: start.time,
        windowSecs: window_secs,
        total: found.length,
        snipers: found.slice(0, limit as number).map((one) => inWholeDrops(one, ['spent', 'received'])),
        ...(first.isCut && { truncated: true }),
      };
    },
  }),
  tool({
    name: 'find_sandwich_attacks',
    title: 'Sandwich attacks',
    about:
      'Purchases that were put around the purchase of a victim, within 4 ledgers: attacker, victims, XRP spent and received. By token, victim or account.',
    routes: ['GET /history', 'GET /token/{id}'],
    params: {
      id: { kind: 'text', about: ID, maxLength: 128 },
      victim: { kind: 'text', about: 'Only attacks on this account', maxLength: 50 },
      account: { kind: 'text', about: 'Only attacks by this account', maxLength: 50 },
      days: { kind: 'int', about: 'How far back', default: 60, min: 1, max: 365 },
      until: {
        kind: 'time',
        endsSpan: true,
        about: 'Not after this, a date: its whole day; default: the newest ledger',
      },
      limit: { kind: 'int', about: 'Attacks', default: 200, min: 1, max: 500 },
    },
    answer: { properties: { from: number, until: number, total: number, attacks: list, truncated: {} } },
    run: async ({ id, victim, account, days, until, limit }, { call, closeTime }) => {
      const end = (until as number | undefined) ?? closeTime;
      const from = end - (days as number) * DAY_MS;
      const ids = id === undefined ? await tokensOf(call, victim ?? account, from, end) : [id];
      const attacks: JsonObject[] = [];
      let isCut = false;
      for (const one of ids) {
        const read: TokenTrades = await tradesOf({ call }, one, { from, until: end });
        isCut ||= read.isCut;
        attacks.push(
          ...sandwiches(read.trades).map((attack) => ({
            ...(id === undefined && { token: one }),
            ...inWholeDrops(attack, ['spent', 'received', 'victimXrp']),
          })),
        );
      }
      const asked = attacks.filter(
        ({ attacker, victims }) =>
          (account === undefined || attacker === account) &&
          (victim === undefined || (victims as readonly unknown[]).includes(victim)),
      );
      asked.sort((a, b) => Number(b.time) - Number(a.time));
      return {
        from,
        until: end,
        total: asked.length,
        attacks: asked.slice(0, limit as number),
        ...(isCut && { truncated: true }),
      };
    },
  }),
  tool({
    name: 'get_exit_liquidity',
    title: 'What a sale would give',
    about:
      'For sales of a token that bring so many XRP: how many tokens they take now, at what price, and how far below the price of a small sale (100 XRP or less). Over books and pools. Costs a quote for each size.',
    routes: ['POST /dex/quote'],
    params: {
      id: { kind: 'text', about: ID, required: true, maxLength: 128 },
      xrp_sizes: { kind: 'list', about: 'Sizes in XRP, at most 8', maxItems: SIZES_MAX },
    },
    ifNone: 'Nobody buys it now, or search_tokens finds another id',
    times: ({ xrp_sizes }) => quotedSizes(sizesOf(xrp_sizes)).length,
    answer: { properties: { token: text, sizes: list } },
    run: async ({ id, xrp_sizes }, { call }) => {
      const wanted = sizesOf(xrp_sizes);
      const all = [];
      for (const size of quotedSizes(wanted)) all.push({ size, ...(await saleOf(call, id, size)) });
      const quotes = all.slice(0, wanted.length);
      const best = Math.max(...all.map(({ price }) => price ?? 0));
      if (quotes.every(({ price }) => price === undefined))
        throw new ApiError('not_found', 'No sale of that size is possible');
      const sizes = quotes.map(({ size, tokens, price }) =>
        price === undefined
          ? { xrp: size, possible: false }
          : { xrp: size, possible: true, tokens, price, belowBestPct: (1 - price / best) * 100 },
      );
      return { token: id, sizes };
    },
  }),
  tool({
    name: 'find_arb_pairs',
    title: 'Price differences between pairs',
    about:
      'Where a token can be bought for less than it is sold for, directly against XRP and over another token, by the best offers of the books. XRP for 1 token; gain in % before fees, for small amounts.',
    routes: ['GET /orderbook', 'GET /pairs/{id}', 'GET /token/{id}'],
    params: { id: { kind: 'text', about: ID, required: true, maxLength: 128 } },
    answer: { properties: { direct: {}, compared: number, pairs: list } },
    run: async ({ id }, { call, sharing }) => {
      const { token } = await call('GET /token/{id}', { id }, ['md5']);
      const { md5 } = token as JsonObject;
      const { pairs } = await call('GET /pairs/{id}', { id });
      const others = new Map<string, string>();
      for (const { curr1, curr2 } of pairs as readonly { curr1: JsonObject; curr2: JsonObject }[])
        for (const one of [curr1, curr2])
          if (one.md5 !== md5 && one.currency !== 'XRP')
            others.set(String(one.md5), String(one.name ?? one.currency));
      return atOneVersion(sharing, async (pause) => {
        const direct = await bestOf(call, id, 'XRP');
        const legs = [];
        for (const [other, over] of [...others].slice(0, PAIRS_MAX)) {
          await pause();
          legs.push({
            over: `${over} ${other}`,
            token: await bestOf(call, id, other),
            other: await bestOf(call, other, 'XRP'),
          });
        }
        return { token: md5, direct, compared: legs.length, pairs: arbitragePairs(direct, legs) };
      });
    },
  }),
  tool({
    name: 'get_holder_overlap',
    title: 'Holders that two tokens or collections share',
    about:
      'How many of the largest 1,000 holders of two tokens or collections of NFTs hold both, and who; shares in % of each supply.',
    routes: ['GET /holders/list/{id}', 'GET /nft/holders/{slug}'],
    params: {
      a: { kind: 'text', about: `First ${ID}`, maxLength: 128 },
      b: { kind: 'text', about: 'Second token', maxLength: 128 },
      collection_a: { kind: 'text', about: 'Collection of NFTs in place of a: slug', maxLength: 64 },
      collection_b: { kind: 'text', about: 'Collection in place of b', maxLength: 64 },
      limit: { kind: 'int', about: 'Shared holders that are shown', default: 20, min: 1, max: 100 },
    },
    excludes: { collection_a: ['a'], collection_b: ['b'] },
    counts: { accounts: 'shared' },
    answer: {
      properties: { holdersA: number, holdersB: number, compared: number, shared: number, accounts: list },
    },
    run: async ({ a, b, collection_a, collection_b, limit }, { call, sharing }) => {
      const [first, second] = await atOneVersion(
        sharing,
        async (pause) =>
          [
            await ownersOf(call, pause, { token: a, slug: collection_a, name: 'a' }),
            await ownersOf(call, pause, { token: b, slug: collection_b, name: 'b' }),
          ] as const,
      );
      const inSecond = new Map(second.rows.map(({ account, holding }) => [account, Number(holding)]));
      const both = first.rows
        .filter(({ account }) => inSecond.has(account))
        .map(({ account, holding }) => ({ account, shareA: Number(holding), shareB: inSecond.get(account)! }))
        .sort((x, y) => y.shareA + y.shareB - (x.shareA + x.shareB));
      const sum = (of: (row: { shareA: number; shareB: number }) => number) =>
        both.reduce((all, row) => all + of(row), 0);
      return {
        holdersA: first.total,
        holdersB: second.total,
        compared: Math.min(first.rows.length, second.rows.length),
        shared: both.length,
        sharedOfA: sum(({ shareA }) => shareA),
        sharedOfB: sum(({ shareB }) => shareB),
        accounts: both.slice(0, limit as number),
      };
    },
  }),
  tool({
    name: 'get_holder_clusters',
    title: 'Holders that were funded together',
    about:
      'Groups of the largest holders that one account activated, over several hops. Exchanges, and who activated over 100 accounts of which most do not hold it, join nobody. Shares in % of the supply. Funders are known as far back as the ledgers here.',
    routes: ['GET /holders/list/{id}', 'GET /token/{id}'],
    params: {
      id: { of: 'id', about: ID },
      top: { kind: 'int', about: 'Largest holders that are looked at', default: 100, min: 2, max: 1000 },
      hops: { kind: 'int', about: 'Funders above each', default: 4, min: 1, max: 10 },
      all_holders: flag('All holders in place of the largest'),
    },
    answer: { properties: { holders: number, clustered: number, clusteredPct: number, clusters: list } },
    run: async ({ id, top, hops, all_holders }, { call, sharing, network }) => {
      const { engine, views } = network;
      const { accounts, tokens } = engine.state;
      const { token } = await call('GET /token/{id}', { id }, ['md5']);
      const { clusters, ...sums } = await views.clusters.of({
        token: tokens.byMd5(String((token as JsonObject).md5)) ?? 0,
        hops: hops as number,
        among: all_holders === true ? undefined : await topHolders({ call, sharing, network }, id, top),
      });
      const rows = clusters.map(({ top: funder, accounts: members, ...rest }) => ({
        funder: accounts.text(funder),
        ...rest,
        accounts: members.map((account) => accounts.text(account)),
      }));
      return { ...sums, clusters: rows };
    },
  }),
];

/** @throws ApiError for one that is no size: others would be quoted in its place */
function sizesOf(sent: unknown): readonly number[] {
  const asked = ((sent as readonly string[] | undefined) ?? []).map(Number);
  if (!asked.every((size) => size > 0 && size <= SIZE_MAX))
    throw new ApiError('invalid_parameter', 'Invalid parameter: xrp_sizes', {
      hint: `It takes numbers above 0, at most ${SIZE_MAX} XRP`,
    });
  return asked.length > 0 ? asked : SIZES;
}

/** And a small one, with which the others are compared: of large sales alone, the best would be one of them. */
const quotedSizes = (wanted: readonly number[]): readonly number[] =>
  Math.min(...wanted) > SIZES[0]! ? [...wanted, SIZES[0]!] : wanted;

/** Largest holders that are compared, and other tokens of a token's pairs. */
const HOLDERS_MAX = 1000;
const PAIRS_MAX = 12;
const HOLDERS_PAGE = 200;

type Pause = () => Promise<void>;

/** A token or a collection, and the parameter that names it. */
interface Owned {
  readonly token: unknown;
  readonly slug: unknown;
  readonly name: string;
}

interface Holders {
  /** The largest. */
  readonly rows: readonly JsonObject[];
  /** How many there are. */
  readonly total: number;
}

/** Those of a token, or of a collection. @throws ApiError where neither is named */
async function ownersOf(call: Call, pause: Pause, { token, slug, name }: Owned): Promise<Holders> {
  if (token !== undefined) return holdersOf(call, pause, token, HOLDERS_MAX);
  if (slug === undefined)
    throw new ApiError('missing_parameter', `Missing parameter: ${name}`, {
      hint: `Send ${name}, or collection_${name}`,
    });
  let total = 0;
  const page = async (offset: number, limit: number) => {
    const { topHolders, pagination } = await call('GET /nft/holders/{slug}', { slug, offset, limit });
    total = Number((pagination as JsonObject).total);
    const owners = topHolders as JsonObject[];
    return owners.map(({ address, percentage }) => ({ account: address, holding: percentage }));
  };
  const { rows } = await pagesWith(pause, page, { most: HOLDERS_MAX });
  return { rows, total };
}

/** The largest holders, pools left in, and how many there are. */
async function holdersOf(call: Call, pause: Pause, id: unknown, most: number): Promise<Holders> {
  const members = ['length', 'account', 'holding', 'isAMM'];
  let total = 0;
  const page = async (offset: number, limit: number) => {
    const { richList, length } = await call('GET /holders/list/{id}', { id, offset, limit }, members);
    total = Number(length);
    return richList as JsonObject[];
  };
  const { rows } = await pagesWith(pause, page, { size: HOLDERS_PAGE, most });
  return { rows, total };
}

/** A holder by id, with its share of the supply in %. */
interface ClusterHolder {
  readonly account: number;
  readonly holdingPct: number;
}

/** The largest without pools. */
async function topHolders(
  { call, sharing, network: { engine } }: Pick<ToolContext, 'call' | 'sharing' | 'network'>,
  id: unknown,
  top: unknown,
): Promise<ClusterHolder[]> {
  const { rows } = await atOneVersion(sharing, (pause) => holdersOf(call, pause, id, top as number));
  return rows
    .filter(({ isAMM }) => isAMM !== true)
    .map(({ account, holding }) => ({
      account: engine.state.accounts.findText(String(account)) ?? 0,
      holdingPct: Number(holding),
    }))
    .filter(({ account }) => account !== 0);
}

/** The best offers of a book. */
async function bestOf(call: Call, base: unknown, quote: unknown): Promise<BestPrices> {
  const { bids, asks } = await call('GET /orderbook', { base, quote, limit: 1 });
  const [bid, ask] = [bids, asks].map((side) => (side as readonly JsonObject[])[0]?.price);
  return {
    bid: bid === undefined ? undefined : Number(bid),
    ask: ask === undefined ? undefined : Number(ask),
  };
}

type Call = (key: string, values: JsonObject, fields?: readonly string[]) => Promise<JsonObject>;

/** Tokens that an account traded in a time, the last first. @throws ApiError where no account is named either */
async function tokensOf(call: Call, account: unknown, from: number, until: number): Promise<unknown[]> {
  if (account === undefined)
    throw new ApiError('missing_parameter', 'Missing parameter: id', { hint: 'Send id, victim or account' });
  const { data } = await call('GET /history', {
    account,
    start_time: from,
    end_time: until,
    limit: 1000,
    pair_type: 'xrp',
  });
  const ids = (data as JsonObject[]).flatMap(({ paid, got }) =>
    [paid as JsonObject, got as JsonObject]
      .filter(({ currency }) => currency !== 'XRP')
      .map(({ issuer, currency }) => `${issuer}-${currency}`),
  );
  return [...new Set(ids)].slice(0, TOKENS_MAX);
}

/** A sale that brings so many XRP; nothing: it is not possible. */
async function saleOf(call: Call, id: unknown, xrp: number): Promise<{ tokens?: number; price?: number }> {
  try {
    const { quote } = await call('POST /dex/quote', {
      source_account: NOBODY,
      source_token: id,
      destination_token: 'XRP',
      destination_value: String(xrp),
    });
    const { source_amount, destination_amount } = quote as JsonObject;
    const [tokens, got] = [source_amount, destination_amount].map((amount) =>
      Number((amount as JsonObject).value ?? amount),
    );
    // A quote may be of less than what was asked for.
    return tokens! > 0 && got! >= xrp * 0.999 ? { tokens: tokens!, price: got! / tokens! } : {};
  } catch (error) {
    if (error instanceof ApiError && error.message === 'No quote') return {};
    throw error;
  }
}

/** An account without balances or trust lines, which limits nothing. */
const NOBODY = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
