/**
 * What existing clients send and read of the routes of sections 4.1 and 4.2, transcribed from their contract: one entry a
 * call. A name that goes missing from every answer fails; names that depend on what the service is told beside the ledger
 * (images, verification, boosts) or that nothing can know are not here.
 */

/** Names separated by spaces, by the place where they are read: `tokens[]` each row, `aggregates{}` each member. */
export type Reads = Readonly<Record<string, string>>;

export interface ClientCall {
  /** `{md5}`, `{issuer}`, `{currency}`, `{account}` stand for those of a known token or trader. */
  readonly path: string;
  /** Of a POST. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly reads: Reads;
}

/** Of every row of a token. */
export const TOKEN_NAMES = `md5 issuer currency name slug tokenType tags date dateon exch usd pro5m pro1h pro24h pro7d
  pro30d marketcap amount supply vol24hxrp vol24htx tvl holders trustlines`;

/** Of rows of lists and of single tokens. */
const ROW_NAMES = `${TOKEN_NAMES} _id id origin domain isOMCF dom p5m p1h p24h p7d maxMin24h athDistance athMarketcap
  marketcap24h vol24h vol24hx vol24hxrpAMM holders24h trustlines24h offers lpHolderCount lpBurnedPercent lpBurnedAmount
  lpBurnedHolders creatorHoldingPercent uniqueTraders24h uniqueBuyers24h uniqueSellers24h buy24hxrp sell24hxrp buy24htx
  sell24htx buyTxns24h sellTxns24h txns24h deposit24hxrp deposit24htx withdraw24hxrp withdraw24htx buyerPressure
  trendingScore assessmentScore rsi15m rsi1h views24h creator creatorTokenCount AMM issuer_info`;
/** Of an MPT, from its metadata. */
const MPT_NAMES = 'mptIssuanceID metadata user icon';

const EXCH = 'USD EUR JPY CNY';
const H24 = `_id transactions24H tradedXRP24H tradedTokens24H activeAddresses24H totalAddresses totalOffers totalTrustLines
  totalTVL lastUpdated updateStatus uniqueTraders24H globalBuy24hxrp globalSell24hxrp`;
const GLOBAL = `_id total gMarketcap gDexVolume gStableVolume gMemeVolume gXRPdominance gTVL sentimentScore
  totalAddresses totalOffers totalTrustLines`;
const SUMMARY = { exch: EXCH, H24, global: GLOBAL };
const BALANCES = 'balance24h balance7d balance30d balanceAll traders24h traders7d traders30d tradersAll';
const PERFORMANCE = `volume trades xrpBought xrpSold avgBuyPrice avgSellPrice holdingValue profit totalPnl roi totalRoi
  firstTradeDate lastTradeDate`;
const AMOUNT = 'issuer currency name value';

export const CLIENT_CALLS: readonly ClientCall[] = [
  {
    path: '/tokens?start=0&limit=100&sortBy=vol24hxrp&sortType=desc&tags=yes',
    reads: {
      '': 'tokens count total exch H24 global tags tokenCreation',
      'tokens[]': ROW_NAMES,
      'tokens[].issuer_info': `blackholed domain globalFreeze requireAuth disableMaster depositAuth requireDestTag
        disallowXRP noFreeze defaultRipple`,
      'tokenCreation[]': 'date totalTokens',
      ...SUMMARY,
    },
  },
  {
    path: '/tokens?tokenType=mpt',
    reads: { 'tokens[]': MPT_NAMES, 'tokens[].metadata': 'name ticker' },
  },
  {
    path: '/token/{md5}?desc=yes',
    reads: { '': 'token exch H24 global', token: `${ROW_NAMES} creatorLastAction` },
  },
  {
    path: '/token/{md5}',
    reads: { 'token.creatorLastAction': 'side type result hash time xrp token amountType' },
  },
  {
    path: '/sparkline/{md5}?period=24h&lightweight=true&maxPoints=20&vs_currency=XRP',
    reads: { '': 'chartColor percentChange', data: 'prices timestamps max min' },
  },
  { path: '/ohlc/{md5}?resolution=5&cb=300&vs_currency=USD', reads: { '': 'ohlc' } },
  {
    path: '/holders/graph/{md5}?range=7D',
    reads: { 'history[]': 'time length holders top10 top20 top50 active24H' },
  },
  {
    path: '/holders/list/{md5}?start=0&limit=200&sortBy=value',
    reads: {
      '': 'length summary richList',
      summary: 'top10Hold top20Hold top50Hold top100Hold',
      'richList[]': `account balance holding rank freeze isAMM isCreator balance24h value lastActive xrpBalance
        acquisition source tradedPct tradeCount`,
      'richList[].acquisition': 'dexPct ammPct lpPct transferPct',
    },
  },
  {
    path: '/rsi?sortBy=rsi1h&start=0&limit=100',
    reads: { '': 'tokens total exch', 'tokens[]': 'md5 rsi15m rsi1h' },
  },
  {
    path: '/stats',
    reads: { H24: 'tradedXRP24H tradedTokens24H uniqueTraders24H', '': 'exch global' },
  },
  { path: '/stats/rates?md51={md5}&md52=XRP', reads: { '': 'rate1 rate2' } },
  { path: '/tags', reads: { '': 'tags' } },
  {
    path: '/stats/marketcap-history?from=2021-09-26',
    reads: { '': 'history', 'history[]': 'date gMarketcap' },
  },
  {
    path: '/search',
    body: { search: '{name}', limit: 5 },
    reads: { '': 'tokens collections nfts account exch', 'tokens[]': TOKEN_NAMES },
  },
  { path: '/search', body: { search: '{issuer}' }, reads: { account: 'address balance rank' } },
  {
    path: '/token/analytics/market?startDate=2021-09-26',
    reads: {
      '': 'daily aggregates percentChanges platformStatsAll traderBalances uniqueTraderCount lastUpdated',
      'daily[]': `date volume trades marketcap tokenCount avgTradeSize volumeAMM volumeNonAMM tradesAMM tradesNonAMM
        uniqueTradersAMM uniqueTradersNonAMM ammDeposit ammWithdraw ammCreate ammDepositVolume ammWithdrawVolume
        ammNetFlow volumeByPlatform`,
      aggregates: '24h 7d 30d all',
      'aggregates{}': `volume trades fees volumeAMM volumeNonAMM tradesAMM tradesNonAMM ammDeposits ammWithdraws`,
      traderBalances: BALANCES,
    },
  },
  {
    path: '/token/analytics/traders?sortBy=totalVolume&limit=20&page=1',
    reads: {
      'data[]': `address xrpBalance dexVolume ammVolume totalTrades buyVolume sellVolume totalProfit avgROI winRate
        volume24h washTradingScore sourceTagStats lastTradeDate`,
      pagination: 'page totalPages total',
    },
  },
  { path: '/token/analytics/traders/summary', reads: { traderBalances: BALANCES } },
  {
    path: '/history?md5={md5}&limit=100&type=all&direction=desc',
    reads: {
      '': 'success data',
      meta: 'nextCursor hasMore total recordsReturned',
      'data[]': '_id hash ledger seq maker taker pair paid got time isAMM isLiquidity type account price',
      'data[].paid': AMOUNT,
      'data[].got': AMOUNT,
    },
  },
  {
    path: '/orderbook?base_currency=XRP&quote_currency={currency}&quote_issuer={issuer}&limit=100',
    reads: {
      '': 'success',
      'bids[]': 'price amount total account funded',
      'asks[]': 'price amount total account funded',
    },
  },
  {
    path: '/pairs?md5={md5}',
    reads: {
      'pairs[]': 'pair curr1 curr2 count id',
      'pairs[].curr1': 'currency issuer value md5 name domain',
      'pairs[].curr2': 'currency issuer value md5 name domain',
    },
  },
  {
    path: '/amm?sortBy=fees&status=active&page=0&limit=50&includeAPY=true',
    reads: {
      '': 'pools page totalPages total',
      'pools[]': `_id ammAccount asset1 asset2 tradingFee lpTokenCurrency lpHolderCount tags lastTraded createdTimestamp
        apy24h apy7d currentLiquidity`,
      'pools[].asset1': 'currency issuer md5',
      'pools[].apy24h': 'apy volume fees liquidity',
      'pools[].apy7d': 'apy volume fees liquidity',
      'pools[].currentLiquidity': 'asset1Amount asset2Amount lpTokenBalance',
      summary: `totalLiquidity xrpTokenLiquidity tokenTokenLiquidity totalVolume24h totalVolume7d totalFees24h totalFees7d
        avgFee`,
    },
  },
  {
    path: '/amm/info?asset=XRP&asset2={md5}',
    reads: { amm: 'account amount amount2 lp_token trading_fee auction_slot vote_slots' },
  },
  {
    path: '/amm/liquidity-chart?md5={md5}&period=1w',
    reads: { '': 'success', 'data[]': 'date xrpLiquidity tokenLiquidity tvl volume fees apr poolCount' },
  },
  {
    path: '/traders/token-traders/{md5}?interval=24h&limit=50&sortBy=volume',
    reads: {
      '': 'count',
      'traders[]': `address ${PERFORMANCE} tradesAll tokensBought tokensSold actualBalance washTradingScore`,
    },
  },
  {
    path: '/traders/{account}?limit=20&sortTokensBy=volume',
    reads: {
      '': `rank winRate totalPnl profit totalProfit unrealizedPnl holdingValue winningTokens losingTokens winningTrades
        losingTrades totalTokensTraded totalTrades buyCount sellCount buyVolume sellVolume dexVolume ammVolume dexProfit
        ammProfit profit24h profit7d profit30d volume24h trades24h maxProfitTrade maxLossTrade roi totalRoi
        washTradingScore isAMM firstTradeDate lastTradeDate`,
      'tokenPerformance[]': `tokenId name ${PERFORMANCE} unrealizedPnl`,
      pagination: 'totalTokens hasMore',
    },
  },
  {
    path: '/creator-activity/{md5}?limit=50',
    reads: {
      '': 'events signals stats warning',
      'events[]': 'time side type tokenAmount xrpAmount hash ledger result currency name destination',
      'signals[]': 'level msg',
      stats: 'buy sell deposit withdraw transfer_out sellBuyRatio netXrp',
      'stats.sell': 'count xrp',
    },
  },
  {
    path: '/creator-activity/{md5}/receiver/{account}',
    reads: {
      '': 'address stats behavior',
      stats: 'received sell transfer_out deposit',
      'stats.sell': 'count xrp',
    },
  },
  {
    path: '/token/flow/{md5}',
    reads: {
      '': 'success linkedAddresses exchangeBreakdown',
      summary: `totalTransferred totalSoldXrp recipientCount holdingCount totalToExchanges creatorBoughtXrp
        creatorBoughtTokens creatorSoldXrp creatorSoldTokens creatorDepositXrp creatorDepositTokens creatorWithdrawXrp
        creatorWithdrawTokens`,
      'graph.nodes[]': `id type label received soldXrp boughtXrp sells buys relation from action transfersOut
        exchangeDeposits exchangeCount exchangeKeys`,
      'graph.edges[]': 'from to hashes',
    },
  },
];

/** Of the report of a day. */
export const REPORT_READS: Reads = {
  '': `generatedAt totalDurationMs errors market revenue ammOverview launchpads tokenNameThemes nameLengthSuccess topTokens
    creatorBehavior dailyNewTokens historicalDeltas`,
  market: `totalTokens activeTokens24h tradedXRP24H uniqueTraders24H totalMarketcap totalTVL transactions24H`,
  revenue: 'xrpUsdRate',
  ammOverview: 'activePools totalLiquidityXRP avgTradingFee topPoolsByApy7d',
  'ammOverview.topPoolsByApy7d[]': '_id apy7d liquidityXRP tradingFee',
  'launchpads[]': 'platform total active24h holdersAbove10 avgMarketcap totalVol24h successRate',
  tokenNameThemes: 'totalScanned rankings themes',
  'tokenNameThemes.rankings': 'byVolume',
  'tokenNameThemes.themes{}': 'count totalVol24hXRP avgMarketcap avgHolders',
  'nameLengthSuccess[]': `length count active24h activeRate holdersAbove10 successRate mcapAbove5k mcapAbove5kRate
    avgVol24hXRP avgHolders avgMarketcap`,
  topTokens: 'byVolume byMarketcap byHolders byPriceGrowth newWithTraction',
  'topTokens.byVolume[]': 'name currency vol24hxrp holders',
  'topTokens.byMarketcap[]': 'name currency vol24hxrp marketcap holders pro24h',
  'topTokens.newWithTraction[]': 'origin',
  creatorBehavior: 'last24h topExtractorsAllTime',
  'creatorBehavior.last24h[]': '_id count totalXrp',
  'creatorBehavior.topExtractorsAllTime[]': '_id actionCount totalXrpExtracted',
  riskMetrics: `totalTraders netProfitAllTraders totalDexVolume totalAmmVolume totalWinners totalLosers
    defunctTokenCount`,
  dailyNewTokens: 'avgDailyCreation last7Days',
  'dailyNewTokens.last7Days[]': 'date count platforms',
  historicalDeltas: 'available yesterdayStr deltas',
  'historicalDeltas.deltas{}': 'diff pctChange',
};

/** What clients send, and the documented request that means the same. */
export const CLIENT_REQUESTS: readonly (readonly [row: string, sent: string, documented: string])[] = [
  ['/tokens', 'start=20&limit=10', 'offset=20&limit=10'],
  ['/tokens', 'skip=20', 'offset=20'],
  ['/tokens', 'page=2&limit=10', 'offset=20&limit=10'],
  ['/tokens', 'sortBy=marketcap&sortType=asc', 'sort=marketcap&order=asc'],
  ['/tokens', 'sortBy=holders&sortOrder=asc', 'sort=holders&order=asc'],
  ['/tokens', 'skipMetrics=true&showNew=true', 'skip_metrics=true&show_new=true'],
  ['/tokens', 'showSlug=true&showDate=true&tokenType=mpt', 'show_slug=true&show_date=true&token_type=mpt'],
  ['/tokens', 'filter_ne=x', 'filterNe=x'],
  ...Object.entries({
    change24h: 'pro24h',
    change5m: 'pro5m',
    trending: 'trendingScore',
    assessment: 'assessmentScore',
  }).map(([sent, sort]) => ['/tokens', `sortBy=${sent}`, `sort=${sort}`] as const),
  ['/token/{id}', 'desc=yes&skipMetrics=1', 'desc=true&skip_metrics=true'],
  [
    '/sparkline/{id}',
    'lightweight=true&maxPoints=50&vsCurrency=USD',
    'lightweight=true&max_points=50&vs_currency=USD',
  ],
  ['/ohlc/{id}', 'vs_currency=CNY', 'vs_currency=CNH'],
  ['/holders/list/{id}', 'start=40&sortBy=change24h', 'offset=40&sort=change24h'],
  ['/rsi', 'sortBy=rsi1h&sortType=asc&start=5', 'sort=rsi1h&order=asc&offset=5'],
  ['/stats/rates', 'md51=XRP&md52=a', 'token1=XRP&token2=a'],
  ['/history', 'md5=a&startTime=5&endTime=9', 'md5=a&start_time=5&end_time=9'],
  ['/history', 'md5=a&pairType=xrp&liquidityType=deposit', 'md5=a&pair_type=xrp&liquidity_type=deposit'],
  ['/history', 'md5=a&xrpOnly=true&xrpAmount=7', 'md5=a&xrp_only=true&xrp_amount=7'],
  ['/amm', 'sortBy=apy&page=2&limit=10', 'sort=apy&offset=20&limit=10'],
  ['/amm', 'md5=a', 'token=a'],
  ['/amm/info', 'ammAccount=a', 'amm_account=a'],
  ['/amm/liquidity-chart', 'md5=a', 'token=a'],
  ['/traders/token-traders/{id}', 'sortBy=pnl', 'sort=pnl'],
  ['/traders/{account}', 'sortTokensBy=trades', 'sort=trades'],
  ['/token/analytics/traders', 'page=3&limit=20', 'offset=40&limit=20'],
  ['/token/analytics/traders', 'sortBy=pnl', 'sort=totalProfit'],
  ['/token/analytics/traders', 'sortBy=trades', 'sort=totalTrades'],
  ['/token/analytics/traders', 'sortBy=roi', 'sort=avgROI'],
];

/** Sorts of tokens that clients ask for beside those of the contract. */
export const CLIENT_TOKEN_SORTS = ['nginxScore', 'vol24htx', 'supply', 'pro30d', 'trustlines', 'name'];

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape are looked into
type Json = any;

/** The values at a place of an answer. */
function valuesAt(answer: Json, place: string): Json[] {
  let values: Json[] = [answer];
  for (const part of place === '' ? [] : place.split('.')) {
    const name = part.replace(/[[{][\]}]$/, '');
    values = values.flatMap((value) => {
      const inner = value?.[name];
      if (inner === undefined || inner === null) return [];
      return part === name ? [inner] : Object.values(inner);
    });
  }
  return values;
}

/** The names of a call that none of the answers has. */
export function missingNames(reads: Reads, answers: readonly Json[]): string[] {
  return Object.entries(reads).flatMap(([place, names]) => {
    const values = answers.flatMap((answer) => valuesAt(answer, place));
    const isThere = (name: string) => values.some((value) => Object.hasOwn(value, name));
    return names
      .split(/\s+/)
      .filter((name) => !isThere(name))
      .map((name) => `${place}: ${name}`);
  });
}

/** The call with what stands for its placeholders. */
export function filledIn(text: string, known: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole);
}
