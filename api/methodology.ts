/**
 * How the figures are computed, for readers of the service: the page "methodology" of /docs.
 *
 * A formula has one definition in words, the docstring of its kernel, with its source. This shows those docstrings, taken
 * from the files when they are asked for, so that the page cannot say something else than the code beside it. A
 * new figure is one entry of the table.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Method {
  readonly name: string;
  /** Members of answers that it is about. */
  readonly fields: readonly string[];
  /** Below the project's folder. */
  readonly file: string;
  /** Whose docstring it is; undefined: the one at the head of the file. */
  readonly symbol?: string;
}

export interface MethodText {
  readonly name: string;
  readonly fields: readonly string[];
  readonly text: string;
}

const METHODS: readonly Method[] = [
  { name: 'Price', fields: ['exch', 'usd', 'pro5m', 'pro1h', 'pro24h'], file: 'engine/market/prices.ts' },
  {
    name: 'Windows of time',
    fields: ['pro1h', 'pro24h', 'pro7d', 'pro30d', 'vol24hxrp', 'vol24htx', 'uniqueTraders24h'],
    file: 'engine/market/windows.ts',
  },
  { name: 'Value of a trade', fields: ['vol24hxrp', 'volume', 'xrp'], file: 'engine/market/valuation.ts' },
  { name: 'Reference assets', fields: ['exch', 'vol24hxrp'], file: 'engine/market/reference-assets.ts' },
  { name: 'Candles in fiat', fields: ['ohlc'], file: 'engine/market/fiat-candles.ts' },
  { name: 'Rates of fiat money', fields: ['USD', 'EUR', 'JPY', 'CNY'], file: 'engine/market/anchors.ts' },
  { name: 'Listed tokens', fields: ['total', 'isOMCF'], file: 'engine/state/listing.ts' },
  { name: 'Market cap and value locked', fields: ['marketcap', 'tvl'], file: 'engine/market/totals.ts' },
  {
    name: 'Change of the value locked',
    fields: ['tvlChange24h'],
    file: 'views/locked-change.ts',
  },
  { name: 'Value locked over time', fields: ['tvl', 'volume', 'fees'], file: 'engine/pools/pool-history.ts' },
  { name: 'Volume, fees and yield of pools', fields: ['apy', 'fees', 'liquidity'], file: 'views/pools.ts' },
  {
    name: 'Yearly yield',
    fields: ['apy', 'apr', 'apy7d'],
    file: 'views/pool-math.ts',
    symbol: 'yearlyYield',
  },
  {
    name: 'Depth of a pool',
    fields: ['depthPlus2', 'depthMinus2'],
    file: 'views/pool-math.ts',
    symbol: 'poolDepth',
  },
  {
    name: 'LP tokens that nobody can redeem',
    fields: ['lpBurnedPercent', 'lpBurnedAmount', 'lpBurnedHolders'],
    file: 'engine/state/burned-shares.ts',
  },
  {
    name: 'Figures of the whole market',
    fields: ['gMarketcapPro', 'gTVLPro', 'gDexVolumePro', 'gXRPdominance'],
    file: 'engine/market/globals.ts',
  },
  {
    name: 'Volumes of stablecoins and memes',
    fields: ['gStableVolume', 'gMemeVolume'],
    file: 'engine/market/segments.ts',
  },
  {
    name: 'Transactions and active accounts',
    fields: ['transactions24H', 'activeAddresses24H'],
    file: 'engine/market/activity.ts',
  },
  {
    name: 'Changes of holders',
    fields: ['holders24h', 'trustlines24h'],
    file: 'engine/market/holder-changes.ts',
  },
  { name: 'Holders', fields: ['top10', 'history'], file: 'engine/market/holders-history.ts' },
  { name: 'Gini coefficient', fields: ['gini'], file: 'engine/metrics/gini.ts', symbol: 'gini' },
  { name: 'Herfindahl-Hirschman index', fields: ['hhi'], file: 'engine/metrics/hhi.ts', symbol: 'hhi' },
  { name: 'Sentiment', fields: ['sentimentScore', 'avgRSI'], file: 'engine/market/sentiment.ts' },
  { name: 'Relative strength index', fields: ['rsi15m', 'rsi24h'], file: 'engine/metrics/rsi.ts' },
  {
    name: 'Closing prices of the relative strength index',
    fields: ['rsi15m', 'rsi1h', 'rsi4h', 'rsi24h', 'rsi7d', 'rsi30d', 'rsi90d'],
    file: 'engine/market/relative-strength.ts',
  },
  {
    name: 'Trend score',
    fields: ['trendingScore'],
    file: 'engine/metrics/trending-score.ts',
    symbol: 'trendingScore',
  },
  {
    name: 'Assessment score',
    fields: ['assessmentScore'],
    file: 'engine/metrics/assessment-score.ts',
    symbol: 'assessmentScore',
  },
  {
    name: 'Risk score',
    fields: ['score', 'riskLevel', 'riskCount', 'positiveCount'],
    file: 'engine/metrics/risk-score.ts',
    symbol: 'riskScore',
  },
  {
    name: 'Chance of a collapse',
    fields: ['collapseChance', 'calibration'],
    file: 'engine/risk/collapse-rates.ts',
    symbol: 'collapseChance',
  },
  { name: 'Winners, losers and defunct tokens', fields: ['riskMetrics'], file: 'views/risk-metrics.ts' },
  { name: 'Past tokens', fields: ['collapse', 'inactive'], file: 'engine/risk/risk.ts' },
  { name: 'Views', fields: ['views24h'], file: 'platform/view-counts.ts' },
  {
    name: 'What issuers publish',
    fields: ['sources', 'user', 'description'],
    file: 'platform/issuer-files.ts',
  },
  { name: 'Launch platform', fields: ['origin'], file: 'engine/market/launches.ts' },
  { name: 'Use of platforms', fields: ['txCount', 'uaw', 'pctVolume'], file: 'engine/usage/usage.ts' },
  {
    name: 'Quotes of swaps',
    fields: ['price_impact', 'amm_price_change', 'suggested_slippage'],
    file: 'views/quotes/quote-answer.ts',
    symbol: 'quoteAnswer',
  },
  { name: 'Report of a day', fields: ['tradedXRP24H', 'launchpads'], file: 'views/platform-report.ts' },
  { name: 'Tokens by day', fields: ['tokenCreation', 'dailyNewTokens'], file: 'views/token-creation.ts' },
  { name: 'Tokens at the end of a day', fields: ['topTokens'], file: 'engine/days/token-days.ts' },
  {
    name: 'Groups of tokens and pools at the end of a day',
    fields: ['ammOverview', 'successRate', 'avgMarketcap'],
    file: 'views/report/token-ends.ts',
  },
  { name: 'Themes of names', fields: ['tokenNameThemes'], file: 'views/report/name-themes.ts' },
  { name: 'What creators did', fields: ['creatorBehavior'], file: 'views/report/creators.ts' },
  { name: 'Cost and profit', fields: ['pnl', 'profit', 'avgBuyPrice'], file: 'engine/traders/positions.ts' },
  {
    name: 'Unrealised profit',
    fields: ['unrealizedPnl', 'unrealized'],
    file: 'engine/traders/figures.ts',
    symbol: 'unrealisedOf',
  },
  {
    name: 'Return on what was sold',
    fields: ['roi', 'avgROI'],
    file: 'engine/traders/figures.ts',
    symbol: 'roiOf',
  },
  {
    name: 'Return on what was spent',
    fields: ['totalRoi'],
    file: 'engine/traders/figures.ts',
    symbol: 'totalRoiOf',
  },
  { name: 'Win rate', fields: ['winRate'], file: 'engine/traders/figures.ts', symbol: 'winRateOf' },
  { name: 'Wash trading score', fields: ['washTradingScore'], file: 'engine/traders/trader-table.ts' },
  {
    name: 'Where tokens came from',
    fields: ['acquisition', 'source', 'tradedPct'],
    file: 'engine/traders/figures.ts',
    symbol: 'acquisitionOf',
  },
  { name: 'Rotations', fields: ['rotations'], file: 'engine/traders/rotations.ts' },
  { name: 'The market by day', fields: ['daily', 'aggregates'], file: 'engine/traders/market-days.ts' },
  { name: 'Changes of balances', fields: ['movers', 'pressure'], file: 'engine/flows/balance-changes.ts' },
  { name: 'Movers and pressure', fields: ['buyers', 'sellers', 'pressure'], file: 'views/holder-movers.ts' },
  { name: 'Creators', fields: ['creator', 'creatorHoldingPercent'], file: 'engine/flows/creators.ts' },
  { name: 'Activity of creators', fields: ['events', 'stats', 'signals'], file: 'views/creator-activity.ts' },
  { name: 'Whales', fields: ['events'], file: 'views/whales.ts' },
  { name: 'Flow of tokens', fields: ['graph', 'exchangeBreakdown'], file: 'views/token-flow.ts' },
  {
    name: 'Positions in pools',
    fields: ['ilPercent', 'holdValueXrp', 'feesEarnedXrp'],
    file: 'views/accounts/lp-positions.ts',
  },
  {
    name: 'Collections of NFTs',
    fields: ['floor', 'marketcap', 'listedCount', 'trendingScore'],
    file: 'views/nfts/collection-figures.ts',
  },
  { name: 'Traders of NFTs', fields: ['profit', 'flips', 'roi', 'winRate'], file: 'engine/nfts/market.ts' },
  { name: 'Rarity of NFTs', fields: ['rarity_rank', 'props'], file: 'engine/metrics/rarity.ts' },
  {
    name: 'Related tokens and collections',
    fields: ['related', 'score'],
    file: 'engine/metrics/related-tokens.ts',
  },
];

const ROOT = join(import.meta.dir, '..');

/** In the order of the table. @throws Error when a docstring is not where the table says */
export function methodology(): readonly MethodText[] {
  return METHODS.map(({ name, fields, file, symbol }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return { name, fields, text: withValues(docstring(source, symbol), source) };
  });
}

/** Names of constants, and other words in capitals. */
const CAPITALS = /\b[A-Z][A-Z0-9_]+\b/g;

/**
 * The text, with the values of the constants of the file that it names at the end, as the code has them.
 * @throws Error for a name that can only be that of a constant, and is none of the file
 */
export function withValues(text: string, source: string): string {
  const values = new Map<string, string>();
  const add = (words: string): void => {
    for (const [name] of words.matchAll(CAPITALS)) {
      if (values.has(name)) continue;
      const found = new RegExp(`^(?:export )?const ${name} = (.+);$`, 'm').exec(source)?.[1];
      if (found === undefined && words === text && name.includes('_')) throw new Error(`no value of ${name}`);
      if (found === undefined) continue;
      values.set(name, inWords(found));
      add(found);
    }
  };
  add(text);
  const list = [...values].map(([name, value]) => `${name} = ${value}`).join(', ');
  return list === '' ? text : `${text}\n\n${list}`;
}

/** A value as the code has it: `30 * DAY` is 30 days. */
const inWords = (value: string): string =>
  value
    .replaceAll(/(?<=\d)_(?=\d)/g, '')
    .replace(/^(?:(\S+) \* )?(DAY|HOUR|MINUTE)$/, (_, count = '1', unit: string) => {
      const name = unit.toLowerCase();
      return `${count} ${name}${count === '1' ? '' : 's'}`;
    });

/** The docstring of an exported symbol, or the first of the file, without the marks of a comment. */
export function docstring(source: string, symbol?: string): string {
  const end = symbol === undefined ? source.length : declarationOf(source, symbol);
  const start = symbol === undefined ? source.indexOf('/**') : source.lastIndexOf('/**', end);
  const close = source.indexOf('*/', start);
  const isBeside = symbol === undefined || source.slice(close + 2, end).trim() === '';
  if (start < 0 || close < 0 || close > end || !isBeside)
    throw new Error(`no docstring of ${symbol ?? 'the file'}`);
  const lines = source.slice(start + 3, close).split('\n');
  const text = lines.map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const parameters = text.findIndex((line) => /^@(param|returns|throws)\b/.test(line));
  return (parameters < 0 ? text : text.slice(0, parameters)).join('\n').trim();
}

function declarationOf(source: string, symbol: string): number {
  return Math.max(0, source.search(new RegExp(`^export (?:function|const|class) ${symbol}\\b`, 'm')));
}
