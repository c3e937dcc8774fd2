/** Market summary, rates and tags (section 4.1). */
import { decimalText } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { Fiat } from '../../engine/market/figures.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';
import { ORACLE_QUOTES } from '../../engine/state/oracles.ts';
import { badRequest } from '../../requests/errors.ts';
import { marketHistory } from '../../views/market-days.ts';
import type { Views } from '../../views/views.ts';
import { limit, tokenParam } from '../common.ts';
import { samples } from '../examples.ts';
import { marketSummaryParts } from '../market-summary.ts';
import { Fragment, type Route, route } from '../route.ts';
import { describe, integer, list, marketSummary, number, object, orNull, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const total = describe(integer, 'Indexed tokens');

const stats = route({
  method: 'GET',
  path: '/stats',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  summary: 'Market-wide figures',
  params: {},
  response: object({ total, ...marketSummary }),
  cost: 1,
  bucket: '/stats',
  cache: 'ledger',
  handler: (_, { views }) => new Fragment([`"total":${views.tokens.total},`, ...marketSummaryParts(views)]),
});

/** XRP per token; null if no token was sent, or if it has no trade. @throws ApiError 404. */
const rateOf = (views: Views, id: string | undefined): number | null =>
  (id === undefined ? undefined : views.tokens.price(tokenOf(views, id))) ?? null;

const side = (alias: string) =>
  ({ ...tokenParam('Token identifier; its rate is null without'), aliases: [alias] }) as const;

const rates = route({
  method: 'GET',
  path: '/stats/rates',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { token1: 'XRP', token2: samples.token },
  summary: 'Rates of two tokens, XRP per token',
  params: { token1: side('md51'), token2: side('md52') },
  response: object({
    total,
    ...marketSummary,
    rate1: describe(orNull(number), 'XRP per token; null without a trade'),
    rate2: describe(orNull(number), 'XRP per token; null without a trade'),
  }),
  cost: 1,
  bucket: '/stats',
  cache: 'ledger',
  handler: ({ token1, token2 }, { views }) => {
    const rate1 = rateOf(views, token1);
    const rate2 = rateOf(views, token2);
    const tail = `,"rate1":${JSON.stringify(rate1)},"rate2":${JSON.stringify(rate2)}`;
    return new Fragment([`"total":${views.tokens.total},`, ...marketSummaryParts(views), tail]);
  },
});

/** Most timestamps of one call. */
const TIMESTAMPS_MAX = 1000;

const metrics = route({
  method: 'POST',
  path: '/stats/metrics',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { timestamps: [samples.time] },
  summary: 'Exchange rates at past times',
  params: {
    timestamps: {
      in: 'body',
      kind: 'list',
      maxItems: TIMESTAMPS_MAX,
      items: integer,
      required: true,
      about: 'Array of Unix ms',
    },
  },
  response: object({
    length: integer,
    history: list(
      object({
        timestamp: describe(
          integer,
          'Unix ms; a time to come is answered as the close time of the newest ledger',
        ),
        XRP: describe(orNull(number), 'USD per XRP; null: not known of that time'),
        USD: describe(orNull(number), 'XRP per unit; null: not known of that time'),
        EUR: describe(orNull(number), 'XRP per unit; null: not known of that time'),
        JPY: describe(orNull(number), 'XRP per unit; null: not known of that time'),
        CNY: describe(orNull(number), 'XRP per unit; null: not known of that time'),
      }),
    ),
  }),
  cost: 1,
  bucket: '/stats',
  handler: ({ timestamps }, { engine }) => {
    const times = timestamps.map(Number);
    if (times.some((time) => !Number.isSafeInteger(time)))
      throw badRequest('timestamps are not Unix milliseconds');
    // Numbers out of range are clamped (2.2): a future time becomes the newest ledger's close time, which is echoed.
    const newest = engine.head?.closeTimeMs ?? Number.POSITIVE_INFINITY;
    return { length: times.length, history: times.map((time) => ratesAt(engine, Math.min(time, newest))) };
  },
});

/** Rates that are not known for that time are null. @param timestamp Unix ms. */
function ratesAt({ market }: Engine, timestamp: number) {
  const closeTime = rippleSeconds(timestamp);
  const at = (fiat: Fiat) => market.rates.at(fiat, closeTime) ?? null;
  const usd = at(Fiat.USD);
  return {
    timestamp,
    XRP: usd === null ? null : 1 / usd,
    USD: usd,
    EUR: at(Fiat.EUR),
    JPY: at(Fiat.JPY),
    CNY: at(Fiat.CNY),
  };
}

const tags = route({
  method: 'GET',
  path: '/tags',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  summary: 'Category tags that tokens carry',
  params: {},
  response: object({ ...marketSummary, tags: list(string) }),
  cost: 1,
  bucket: '/tags',
  cache: 'ledger',
  handler: async (_, { views }) => {
    await views.tokens.namesReady();
    return new Fragment([...marketSummaryParts(views), `,"tags":${JSON.stringify(views.tokens.tags())}`]);
  },
});

const marketcapHistory = route({
  method: 'GET',
  path: '/stats/marketcap-history',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { from: samples.time },
  summary: 'Market cap of all tokens, day by day',
  params: {
    from: {
      in: 'query',
      kind: 'time',
      required: true,
      about: 'First day, YYYY-MM-DD (UTC) or Unix ms; at the earliest 2021-09-26',
    },
    to: {
      in: 'query',
      kind: 'time',
      about: 'Last day; default and at the latest the day of the newest ledger',
    },
  },
  response: object({
    from: describe(string, 'First day, as it was used'),
    to: describe(string, 'Last day, as it was used'),
    length: integer,
    history: describe(
      list(
        object({
          date: describe(string, 'YYYY-MM-DD, UTC'),
          gMarketcap: describe(number, 'Market cap of the tokens that count (isOMCF), XRP'),
          unfilteredMarketcap: describe(number, 'Market cap of all listed tokens with a price, XRP'),
          tokenCount: describe(integer, 'Listed tokens'),
        }),
      ),
      'After the last ledger of each day, of today after the newest; days before the first ledger read are absent',
    ),
  }),
  cost: 1,
  bucket: '/stats',
  cache: 'ledger',
  handler: (input, { engine }) => {
    const { from, to, days } = marketHistory(engine, input.from, input.to);
    return { from, to, length: days.length, history: days };
  },
});

const ORACLES_MAX = 200;

const oracles = route({
  method: 'GET',
  path: '/stats/oracles',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { quote: 'USD' },
  summary:
    'What the price oracles on the ledger say that XRP is worth, the newest first. Beyond the contract',
  params: {
    quote: {
      in: 'query',
      kind: 'enum',
      values: ORACLE_QUOTES,
      default: 'USD',
      about: 'Currency of the prices',
    },
    limit: limit(50, ORACLES_MAX),
  },
  response: object({
    quote: string,
    count: integer,
    total: integer,
    limit: integer,
    oracles: list(
      object({
        account: describe(string, 'r-address of its owner, who alone vouches for the price'),
        document_id: integer,
        price: describe(string, 'Of 1 XRP, exactly as published'),
        last_update: describe(integer, 'Unix ms, as its owner set it'),
      }),
    ),
  }),
  cost: 1,
  bucket: '/stats',
  cache: 'ledger',
  handler: ({ quote, limit }, { engine }) => {
    const { oracles, accounts } = engine.state;
    const all = oracles
      .latest(quote)
      .sort((a, b) => b.lastUpdate - a.lastUpdate || a.owner - b.owner || a.documentId - b.documentId);
    const rows = all.slice(0, limit).map(({ owner, documentId, hi, lo, scale, lastUpdate }) => ({
      account: accounts.text(owner),
      document_id: documentId,
      price: decimalText({ m: (BigInt(hi) << 32n) | BigInt(lo), e: -scale }),
      last_update: lastUpdate * 1000,
    }));
    return { quote, count: rows.length, total: all.length, limit, oracles: rows };
  },
});

export const statsRoutes: Route[] = [stats, rates, metrics, marketcapHistory, tags, oracles];
