/**
 * The token object of the contract: every field the ledger can tell; what it
 * cannot tell is absent. Amounts and prices are text where the contract says so; the rest are numbers in XRP.
 *
 * `isOMCF` is `yes` for a token that counts in the market cap of all (engine/state/listing.ts). `athDistance` is percent below the highest price seen since the engine began.
 * `lpBurned...` counts LP tokens held by accounts that nobody can sign for.
 */
import { DROPS_PER_XRP, divToNumber, rawDecimal, rawNumber } from '../engine/codec/amount.ts';
import { Window } from '../engine/market/figures.ts';
import type { Market } from '../engine/market/market.ts';
import { AccountFlag } from '../engine/state/accounts.ts';
import { BLACK_HOLE_BYTES } from '../engine/state/black-holes.ts';
import { mptMetadata } from '../engine/state/mpt-metadata.ts';
import type { State } from '../engine/state/state.ts';
import type { Forms } from './forms.ts';
import type { HolderRankings } from './holder-ranking.ts';
import { tokenName, XRP } from './identity.ts';
import { finite, plainNumber, rounded } from './plain-number.ts';
import { feeFraction, poolDepth } from './pool-math.ts';
import type { TokenFigures } from './token-figures.ts';
import type { TokenTags } from './token-tags.ts';

export type TokenObject = Record<string, unknown>;

export interface RowContext {
  readonly state: State;
  readonly market: Market;
  readonly figures: TokenFigures;
  readonly rankings: HolderRankings;
  readonly tags: TokenTags;
  readonly forms: Forms;
  /** Index of the newest ledger. */
  readonly ledger: number;
  /** What the value locked in a token's pools changed by in the last 24 hours, XRP; undefined when that is not known. */
  lockedChange(token: number): number | undefined;
}

const DEPTH_MOVE = 0.02;

/** Fields of a row with `lightweight=true`. */
const LIGHT_FIELDS: ReadonlySet<string> = new Set([
  ...[
    'md5',
    'issuer',
    'currency',
    'name',
    'user',
    'slug',
    'tokenType',
    'mptIssuanceID',
    'metadata',
    'origin',
  ],
  ...['tags', 'date', 'dateon', 'isOMCF', 'verified', 'kyc', 'domain', 'icon', 'exch', 'usd', 'dom', 'pro5m'],
  ...['pro1h', 'pro24h', 'pro7d', 'pro30d', 'maxMin24h', 'athDistance', 'marketcap', 'vol24hxrp', 'vol24htx'],
  ...['vol24h', 'amount', 'supply', 'tvl', 'holders', 'trustlines', 'uniqueTraders24h', 'buy24hxrp'],
  ...['sell24hxrp', 'buyerPressure', 'liquidityRatio', 'tradingFee', 'AMM', 'creator', 'lpBurnedPercent'],
  ...['top10', 'trendingScore', 'assessmentScore', 'rsi24h', 'vol24hAMM', 'vol24hOrderbook'],
]);

/** Fields of a token inside an account's trust-line list. */
const LINE_FIELDS: ReadonlySet<string> = new Set([
  ...['md5', 'issuer', 'currency', 'name', 'user', 'slug', 'tokenType', 'mptIssuanceID', 'origin', 'tags'],
  ...['isOMCF', 'verified', 'kyc', 'domain', 'icon', 'exch', 'usd', 'pro5m', 'pro1h', 'pro24h', 'pro7d'],
  ...['marketcap', 'vol24hxrp', 'vol24htx', 'amount', 'supply', 'tvl', 'holders', 'trustlines', 'AMM'],
]);

export type RowSize = 'full' | 'light' | 'line';

/** The object of a token. Members that are not known are left out. */
export function tokenObject(context: RowContext, token: number, size: RowSize = 'full'): TokenObject {
  const all: TokenObject = {
    ...identity(context, token),
    ...prices(context, token),
    ...market(context, token),
    ...holding(context, token),
    ...(size === 'full' && movement(context, token)),
    ...flow(context, token),
    ...pool(context, token),
    ...(size === 'full' && { issuer_info: issuerInfo(context.state, token) }),
  };
  const kept = size === 'light' ? LIGHT_FIELDS : size === 'line' ? LINE_FIELDS : undefined;
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || kept?.has(name) === false) delete all[name];
  }
  return all;
}

/** The issuer's own words about the token; only where asked for. */
export function tokenDescription(state: State, token: number): string | undefined {
  return mptMetadata(state.tokens.metadata(token))?.description;
}

function identity({ state, market, figures, tags }: RowContext, token: number): TokenObject {
  const { tokens, accounts } = state;
  const type = tokens.tokenType(token);
  const meta = type === 'mpt' ? mptMetadata(tokens.metadata(token)) : undefined;
  const issuer = tokens.issuer(token);
  const dateon = figures.dateon(token);
  return {
    md5: tokens.md5(token),
    issuer: tokens.issuerText(token),
    currency: tokens.currencyText(token),
    name: tokenName(state, token),
    user: meta?.issuerName,
    slug: tokens.slug(token),
    tokenType: type,
    mptIssuanceID: type === 'mpt' ? tokens.mptId(token) : undefined,
    metadata: meta && { name: meta.name, ticker: meta.ticker },
    assetScale: type === 'mpt' ? tokens.assetScale[token] : undefined,
    icon: meta?.icon,
    origin: market.launches.platform(token)?.launchpad,
    tags: tags.of(token),
    dateon,
    date: dateon === undefined ? undefined : new Date(dateon).toISOString(),
    domain: token === XRP ? undefined : accounts.domain(issuer),
    creator: token === XRP ? undefined : tokens.issuerText(token),
    social: meta?.website && { website: meta.website },
  };
}

function prices(context: RowContext, token: number): TokenObject {
  const { figures } = context;
  const { windows, prices, totals } = context.market;
  const whole = totals.marketcap;
  const price = figures.price(token);
  const usd = figures.usd(token);
  const marketcap = figures.marketcap(token);
  const change = (window: Window) => percent(windows.change(token, window));
  const max = windows.max(token);
  const min = windows.min(token);
  const ath = prices.athPrice(token);
  // Who does not count in the whole has no share of it.
  const counted = marketcap !== undefined && whole > 0 && totals.ofMarket.has(token);
  const distance = ath !== undefined && price !== undefined && ath > 0 ? (1 - price / ath) * 100 : undefined;
  return {
    exch: price === undefined || context.forms.exchNumber ? price : plainNumber(price),
    usd: usd === undefined ? undefined : plainNumber(usd),
    marketcap,
    dom: counted ? percent((marketcap / whole) * 100) : undefined,
    pro5m: change(Window.m5),
    pro1h: change(Window.h1),
    pro24h: change(Window.h24),
    pro7d: change(Window.d7),
    pro30d: change(Window.d30),
    maxMin24h: max !== undefined && min !== undefined ? [max, min] : undefined,
    athDistance: distance === undefined ? undefined : percent(Math.max(0, distance)),
    athMarketcap: ath === undefined ? undefined : finite(ath * figures.amount(token)),
  };
}

function market({ market: { windows }, figures }: RowContext, token: number): TokenObject {
  const volume = figures.volume(token, Window.h24);
  const marketcap = figures.marketcap(token);
  const amount = figures.amountText(token);
  return {
    amount,
    supply: amount,
    vol24hxrp: volume,
    vol24htx: windows.trades(token, Window.h24),
    vol24h: windows.tokenVolume(token),
    vol6hxrp: figures.volume(token, Window.h6),
    vol7dxrp: figures.volume(token, Window.d7),
    vol24hAMM: windows.ammDrops(token) / DROPS_PER_XRP,
    vol24hOrderbook: windows.bookDrops(token) / DROPS_PER_XRP,
    liquidityRatio: marketcap !== undefined && marketcap > 0 ? finite(volume / marketcap) : undefined,
  };
}

/** Change of holders and lines in the last 24 hours. */
function movement({ market: { holderChanges } }: RowContext, token: number): TokenObject {
  const change = holderChanges.of(token);
  if (!change) return {};
  return { holders24h: change.holders, trustlines24h: token === XRP ? undefined : change.lines };
}

function flow({ market: { windows } }: RowContext, token: number): TokenObject {
  const buy = windows.buyDrops(token);
  const sell = windows.sellDrops(token);
  const buys = windows.buys(token);
  const sells = windows.sells(token);
  return {
    uniqueTraders24h: windows.uniqueTraders(token),
    uniqueBuyers24h: windows.uniqueBuyers(token),
    uniqueSellers24h: windows.uniqueSellers(token),
    buy24hxrp: buy / DROPS_PER_XRP,
    sell24hxrp: sell / DROPS_PER_XRP,
    buy24htx: buys,
    sell24htx: sells,
    buyTxns24h: buys,
    sellTxns24h: sells,
    txns24h: windows.trades(token, Window.h24),
    deposit24hxrp: windows.depositDrops(token) / DROPS_PER_XRP,
    deposit24htx: windows.deposits(token),
    withdraw24hxrp: windows.withdrawDrops(token) / DROPS_PER_XRP,
    withdraw24htx: windows.withdrawals(token),
    // A ratio needs both sides; nothing sold has no ratio.
    buyerPressure: sell > 0 ? rounded(buy / sell, 6) : undefined,
  };
}

function holding({ state: { lines, accounts }, rankings, ledger }: RowContext, token: number): TokenObject {
  if (token === XRP) return { holders: accounts.existing };
  const { gini, hhi, top10 } = rankings.concentration(token, ledger);
  return {
    holders: lines.holdersCount(token),
    trustlines: lines.lineCount(token),
    gini: gini === undefined ? undefined : rounded(gini, 6),
    hhi: hhi === undefined ? undefined : rounded(hhi, 4),
    top10: percent(top10),
  };
}

function pool(context: RowContext, token: number): TokenObject {
  const { state, figures, lockedChange, market } = context;
  const change = lockedChange(token);
  return {
    tvl: figures.tvl(token),
    tvlChange24h: change === undefined ? undefined : rounded(change, 6),
    isOMCF: market.totals.ofMarket.has(token) ? 'yes' : undefined,
    ...xrpPool(state, figures, token),
  };
}

/** Of the token's pool with XRP. */
function xrpPool(state: State, figures: TokenFigures, token: number): TokenObject {
  const id = figures.pool(token);
  const reserves = figures.reserves(token);
  if (id === undefined || !reserves) return {};
  const { pools, lines, accounts } = state;
  const fee = pools.fee(id);
  const depth = poolDepth(reserves.xrp, feeFraction(fee), DEPTH_MOVE);
  return {
    tradingFee: fee,
    AMM: accounts.text(pools.accounts[id]!),
    depthPlus2: rounded(depth.buy, 6),
    depthMinus2: rounded(depth.sell, 6),
    lpHolderCount: lines.holdersCount(pools.lpToken(id)),
    ...burned(state, pools.lpToken(id)),
  };
}

/** LP tokens that nobody can redeem. */
function burned(state: State, lpToken: number): TokenObject {
  const { lines, accounts } = state;
  const supply = lines.supply(lpToken);
  if (supply.m <= 0n) return {};
  let amount = 0;
  let share = 0;
  let holders = 0;
  for (const bytes of BLACK_HOLE_BYTES) {
    const account = accounts.find(bytes, 0);
    const line = account === undefined ? undefined : lines.find(account, lpToken);
    if (line === undefined) continue;
    const [hi, lo] = lines.balanceRaw(line, lpToken);
    if (rawNumber(1, hi, lo) <= 0) continue;
    amount += rawNumber(1, hi, lo);
    share += divToNumber(rawDecimal(1, hi, lo), supply);
    holders++;
  }
  return { lpBurnedPercent: percent(share * 100), lpBurnedAmount: amount, lpBurnedHolders: holders };
}

/** Settings of the issuer's account that concern holders. */
export function issuerInfo(state: State, token: number): TokenObject | undefined {
  const { accounts, tokens } = state;
  const issuer = tokens.issuer(token);
  if (token === XRP || !accounts.exists(issuer)) return undefined;
  const flags = accounts.flags[issuer]!;
  const rate = accounts.transferRate[issuer]!;
  const domain = accounts.domain(issuer);
  const tick = accounts.tickSize[issuer]!;
  const set = (flag: number) => (flags & flag) !== 0;
  const blackholed = accounts.isBlackholed(issuer);
  return {
    ...(blackholed !== undefined && { blackholed }),
    ...(domain !== undefined && { domain }),
    ...(tick > 0 && { tickSize: tick }),
    globalFreeze: set(AccountFlag.globalFreeze),
    requireAuth: set(AccountFlag.requireAuth),
    disableMaster: set(AccountFlag.disableMaster),
    depositAuth: set(AccountFlag.depositAuth),
    requireDestTag: set(AccountFlag.requireDestTag),
    disallowXRP: set(AccountFlag.disallowXrp),
    noFreeze: set(AccountFlag.noFreeze),
    defaultRipple: set(AccountFlag.defaultRipple),
    // Billionths, as the ledger holds it; absent = no fee.
    ...(rate > 0 && { transferRate: rate }),
  };
}

function percent(value: number | undefined): number | undefined {
  const known = finite(value);
  return known === undefined ? undefined : rounded(known, 4);
}
