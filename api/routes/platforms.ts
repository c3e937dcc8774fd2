/** Section 4.2: what is done through each platform, by the SourceTag of transactions. */
import type { Platform } from '../../engine/market/platforms.ts';
import { DAY, rippleSeconds } from '../../engine/ripple-time.ts';
import { notFound } from '../../requests/errors.ts';
import type { Param } from '../../requests/param.ts';
import { PERIODS, type Period, platformOf } from '../../views/platform-stats.ts';
import { limit, offset } from '../common.ts';
import { samples } from '../examples.ts';
import { Fragment, type Route, route } from '../route.ts';
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

const volumes = {
  txCount: describe(integer, 'Transactions of any type and result'),
  trades: integer,
  volume: describe(number, 'XRP'),
  buyVolumeXrp: describe(number, 'Tokens bought for XRP'),
  sellVolumeXrp: describe(number, 'Tokens sold for XRP'),
};
const wallets = {
  uaw: describe(integer, 'Unique active wallets: accounts that signed a transaction'),
  uniqueTraders: describe(integer, 'Accounts that signed a trade'),
};
const identity = { sourceTag: integer, name: string, slug: string };
const known = {
  from: describe(integer, 'Unix ms: start of the period, a whole hour'),
  'since?': describe(integer, 'Unix ms: known from here on only; absent: all of the period is known'),
};
const platformRow = object({
  ...identity,
  ...volumes,
  ...wallets,
  pctVolume: describe(number, 'Percent of the total, as the next two'),
  pctUAW: number,
  pctTx: number,
});

const period = <const D extends Period>(byDefault: D) =>
  ({
    in: 'query',
    kind: 'enum',
    values: Object.keys(PERIODS) as Period[],
    default: byDefault,
    about: 'Whole hours, the present one included',
  }) as const satisfies Param;

const sourceTag = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  about: 'SourceTag of a platform, or its slug',
} as const satisfies Param;

/** @throws ApiError 404 */
function platformOr404(id: string): Platform {
  const platform = platformOf(id);
  if (!platform) throw notFound('Unknown platform');
  return platform;
}

const stats = route({
  method: 'GET',
  path: '/platform-stats',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { period: '24h' },
  summary: 'What is done through each platform, most volume first',
  params: { period: period('24h') },
  response: object({
    period: string,
    ...known,
    totals: describe(object({ ...volumes, ...wallets }), 'Of all transactions, also those of no platform'),
    platforms: list(platformRow),
  }),
  cost: 1,
  bucket: '/platform-stats',
  cache: 'ledger',
  handler: ({ period }, { views }) => ({ period, ...views.platforms.overview(period) }),
});

const detail = route({
  method: 'GET',
  path: '/platform-stats/detail/{sourceTag}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { sourceTag: samples.platform, limit: 10 },
  summary: 'The tokens most traded through a platform',
  params: { sourceTag, period: period('7d'), limit: limit(50, 200) },
  response: object({
    ...identity,
    period: string,
    ...known,
    limit: integer,
    count: integer,
    total: describe(integer, 'Tokens traded through it'),
    summary: describe(platformRow, 'Over all tokens; a trade of two tokens counts once'),
    tokens: list(
      object({
        md5: string,
        currency: string,
        issuer: string,
        name: string,
        trades: integer,
        volume: describe(number, 'XRP'),
        buyVolumeXrp: describe(number, 'Bought, for XRP or another token'),
        sellVolumeXrp: describe(number, 'Sold, for XRP or another token'),
      }),
    ),
  }),
  cost: 1,
  bucket: '/platform-stats',
  cache: 'ledger',
  handler: ({ sourceTag, period, limit }, { views }) => {
    const platform = platformOr404(sourceTag);
    const { tokens, ...rest } = views.platforms.tokens(platform, period, limit);
    return {
      ...identityOf(platform),
      period,
      ...rest,
      limit,
      count: tokens.length,
      summary: views.platforms.row(platform, period),
      tokens,
    };
  },
});

const hourly = route({
  method: 'GET',
  path: '/platform-stats/hourly/{sourceTag}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { sourceTag: samples.platform },
  summary: 'What is done through a platform, hour by hour',
  params: { sourceTag, period: period('24h') },
  response: object({
    ...identity,
    period: string,
    ...known,
    length: integer,
    hourly: list(object({ time: describe(integer, 'Unix ms: start of the hour'), ...volumes, ...wallets })),
  }),
  cost: 1,
  bucket: '/platform-stats',
  cache: 'ledger',
  handler: ({ sourceTag, period }, { views }) => {
    const platform = platformOr404(sourceTag);
    const { hourly, ...rest } = views.platforms.hourly(platform, period);
    return { ...identityOf(platform), period, ...rest, length: hourly.length, hourly };
  },
});

function identityOf({ sourceTag, name, slug }: Platform) {
  return { sourceTag, name, slug };
}

const tokenRow = object({
  md5: string,
  currency: string,
  issuer: string,
  name: string,
  vol24hxrp: number,
  vol24htx: integer,
  'holders?': describe(integer, 'At the end of the day, as the next two'),
  'marketcap?': describe(number, 'XRP; absent where the token did not count in the market cap of all'),
  'pro24h?': describe(number, 'Percent, against the end of the day before'),
  'origin?': describe(string, 'Launch platform'),
});
const ends = {
  'holdersAbove10?': describe(integer, 'Those with more than 10 holders at the end of the day'),
  'successRate?': describe(number, 'Their share, percent'),
  'avgMarketcap?': describe(number, 'XRP, of those that counted in the market cap of all; 0: none did'),
};

const report = route({
  method: 'GET',
  path: '/platform-report',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { date: samples.time },
  summary: 'The market of one day, from 00:05 UTC of the next one on',
  params: {
    date: {
      in: 'query',
      kind: 'time',
      about:
        'YYYY-MM-DD (UTC) or Unix ms: the day after the one reported; default: that of the newest ledger',
    },
  },
  response: object({
    date: string,
    from: describe(integer, 'Unix ms: start of the day reported'),
    to: describe(integer, 'Unix ms: its end, not included'),
    generatedAt: describe(integer, 'Unix ms: 00:05 UTC of the date'),
    totalDurationMs: describe(integer, 'How long it took to make'),
    errors: list(string),
    market: object({
      tradedXRP24H: number,
      trades24H: integer,
      uniqueTraders24H: describe(integer, 'Accounts that signed a trade'),
      activeTokens24h: describe(integer, 'Tokens traded'),
      'totalTokens?': describe(integer, 'Listed tokens after the last ledger; absent: not known'),
      'totalMarketcap?': describe(number, 'XRP, after the last ledger; absent: not known'),
      'totalTVL?': describe(number, 'XRP that all pools locked at the end of the day; absent: not known'),
      'transactions24H?': describe(integer, 'Known for 30 days'),
    }),
    revenue: object({ 'xrpUsdRate?': describe(number, 'USD per XRP at the end of the day') }),
    'ammOverview?': describe(
      object({
        activePools: describe(integer, 'Those that lock something'),
        totalLiquidityXRP: number,
        'avgTradingFee?': describe(number, '1/100000, of the trades of the day by their volume'),
        topPoolsByApy7d: describe(
          list(
            object({
              _id: describe(string, 'r-address of the pool'),
              assets: list(anyObject),
              apy7d: describe(number, 'Percent a year, of the fees of seven days'),
              liquidityXRP: number,
              'tradingFee?': describe(integer, '1/100000, of the trades of these days'),
            }),
          ),
          'Of pools that lock 100 XRP or more',
        ),
      }),
      'Pools at the end of the day; absent: not known of that day',
    ),
    platforms: list(object({ ...identity, trades: integer, volume: describe(number, 'XRP') })),
    launchpads: list(
      object({
        platform: string,
        total: describe(integer, 'Tokens launched through it'),
        active24h: describe(integer, 'Those traded'),
        totalVol24h: describe(number, 'XRP'),
        ...ends,
      }),
    ),
    tokenNameThemes: object({
      totalScanned: describe(integer, 'Tokens whose names were read'),
      rankings: object({ byVolume: describe(list(string), 'Themes, most traded first') }),
      themes: describe(
        anyObject,
        'By theme: {count, totalVol24hXRP, avgMarketcap?, avgHolders?} of the tokens whose names have a word of it',
      ),
    }),
    topTokens: object({
      byVolume: list(tokenRow),
      'byMarketcap?': list(tokenRow),
      'byHolders?': list(tokenRow),
      'byPriceGrowth?': describe(list(tokenRow), 'Of tokens that count in the market cap of all'),
      newWithTraction: describe(list(tokenRow), 'The most traded of those issued in the 7 days before'),
    }),
    nameLengthSuccess: list(
      object({
        length: describe(integer, 'Characters of the name; 20: 20 or more'),
        count: integer,
        active24h: integer,
        activeRate: describe(number, 'Percent'),
        avgVol24hXRP: number,
        ...ends,
        'avgHolders?': number,
        'mcapAbove5k?': describe(integer, 'Those whose market cap counts and is above 5000 XRP'),
        'mcapAbove5kRate?': describe(number, 'Percent'),
      }),
    ),
    creatorBehavior: object({
      last24h: describe(
        list(object({ _id: string, count: integer, totalXrp: number })),
        'By what creators did with tokens of their own: buy, sell, deposit, withdraw, amm_create',
      ),
      topExtractorsAllTime: describe(
        list(object({ _id: string, actionCount: integer, totalXrpExtracted: number })),
        'Creators by the XRP they got for tokens of their own less what they paid, up to now',
      ),
    }),
    riskMetrics: object({
      totalTraders: describe(integer, 'Accounts that traded before the end of the day; pools are none'),
      'netProfitAllTraders?': describe(number, 'XRP, realised; known for 30 days, as the next two'),
      'totalWinners?': describe(integer, 'Traders who gained'),
      'totalLosers?': describe(integer, 'Traders who lost'),
      totalDexVolume: describe(number, 'XRP, on books, of all days so far'),
      totalAmmVolume: describe(number, 'XRP, in pools'),
      'defunctTokenCount?': describe(
        integer,
        'Listed tokens that were inactive on the day: not traded for a week, or held by nobody',
      ),
      'collapsedTokenCount?': describe(
        integer,
        'Listed tokens that had lost 90 % of price or pool XRP since an observation of the 60 days before',
      ),
    }),
    dailyNewTokens: object({
      avgDailyCreation: number,
      last7Days: describe(
        list(object({ date: string, count: integer, platforms: mapOf(integer) })),
        'Newest first; platforms: those launched through each',
      ),
    }),
    historicalDeltas: object({
      available: boolean,
      yesterdayStr: string,
      deltas: describe(anyObject, 'By path: {diff, pctChange} against the report of the day before'),
    }),
  }),
  cost: 1,
  bucket: '/platform-report',
  handler: async ({ date }, { views, service }) => {
    const { reports } = views;
    const day = date === undefined ? reports.today : Math.floor(rippleSeconds(date) / DAY);
    const found = await reports.of(day, service.now);
    if (!found)
      throw notFound('No report of this date', 'GET /v1/platform-report/dates lists those there are');
    return found;
  },
});

const reportDates = route({
  method: 'GET',
  path: '/platform-report/dates',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { limit: 10 },
  summary: 'Dates that have a report, newest first',
  params: { offset, limit: limit(90, 365) },
  response: list(
    object({
      date: string,
      generatedAt: describe(integer, 'Unix ms: 00:05 UTC of the date'),
      durationMs: describe(orNull(integer), 'How long it took to make; null: not made since the start'),
      errorCount: integer,
    }),
  ),
  bare: true,
  cost: 1,
  bucket: '/platform-report',
  handler: ({ offset, limit }, { views }) =>
    new Fragment([JSON.stringify(views.reports.dates(offset, limit)).slice(1, -1)], '[]'),
});

export const platformRoutes: Route[] = [stats, detail, hourly, report, reportDates];
