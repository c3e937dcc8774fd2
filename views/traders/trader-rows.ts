/** Rows of traders and of their tokens, with the figures as readers see them: XRP, tokens, percent, Unix ms. */
import { DROPS_PER_XRP, wholeDrops } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { roiOf, totalRoiOf, unrealisedOf, winRateOf } from '../../engine/traders/figures.ts';
import { traderRoi, type WindowSum, worthOf } from '../../engine/traders/rankings.ts';
import { heldNumber } from '../held-number.ts';
import { tokenName } from '../identity.ts';
import { percent, rounded } from '../number-format.ts';

/** XRP of drops. */
export function xrpOf(drops: number): number {
  return drops / DROPS_PER_XRP;
}

/** Unix ms; null: never. */
export function timeOf(seconds: number): number | null {
  return seconds > 0 ? unixMs(seconds) : null;
}

/** XRP for one token; null: there were none. */
function averageOf(drops: number, tokens: number): number | null {
  return tokens > 0 ? xrpOf(drops) / tokens : null;
}

const percentOrNull = (value: number | undefined): number | null => percent(value) ?? null;

/** The figures of a position that need more than its columns. XRP. */
export interface PositionValue {
  /** Tokens that the account has. */
  readonly balance: number;
  readonly holding: number;
  readonly realised: number;
  readonly unrealised: number;
  readonly total: number;
}

export class TraderRows {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** What a position is worth now: the one definition for every answer. @param price XRP per token */
  value(row: number, price: number | undefined): PositionValue {
    const { traders, state } = this.#engine;
    const { positions } = traders;
    const token = positions.tokens[row]!;
    const line = state.lines.find(positions.accounts[row]!, token);
    const balance = line === undefined ? 0 : Math.max(0, heldNumber(state, line, token));
    const realised = xrpOf(positions.realised[row]!);
    const unrealised = wholeDrops(unrealisedOf(worthOf(positions, row), balance, price));
    const holding = price === undefined ? 0 : balance * price;
    return { balance, holding, realised, unrealised, total: wholeDrops(realised + unrealised) };
  }

  /** XRP per token. */
  price(token: number): number | undefined {
    return this.#engine.market.totals.price(token);
  }

  /** Close time of an account's last trade of a token; 0: it never traded it. */
  lastTrade(account: number, token: number): number {
    const { positions } = this.#engine.traders;
    return positions.last[positions.find(account, token)]!;
  }

  /** Profit of an account with a token, and the market cap at which what it holds is worth its cost; XRP, percent. */
  profit(account: number, token: number, supply: number) {
    const { positions } = this.#engine.traders;
    const row = positions.find(account, token);
    if (row === 0 || positions.trades[row] === 0) return {};
    const { total } = this.value(row, this.price(token));
    const roi = percent(totalRoiOf(total, positions.spent[row]!));
    const breakeven = averageOf(positions.cost[row]!, positions.held[row]!);
    return {
      pnl: total,
      ...(roi !== undefined && { roi }),
      ...(breakeven !== null && { breakevenMcap: breakeven * supply }),
    };
  }

  /** A row of a list over all traders. @param compact without balances and sources */
  trader(row: number, volume24h: number, compact: boolean) {
    const { traders, sources } = this.#engine.traders;
    const { state } = this.#engine;
    const account = traders.accounts[row]!;
    const tags: { sourceTag: number; trades: number; volume: number }[] = [];
    for (let at = traders.newestSource[row]!; at !== 0; at = sources.next[at]!) {
      const tag = sources.tag(sources.sourceOf[at]!);
      if (tag !== undefined)
        tags.push({ sourceTag: tag, trades: sources.tradesOf[at]!, volume: xrpOf(sources.dropsOf[at]!) });
    }
    return {
      address: state.accounts.text(account),
      ...(traders.isPool[row] === 1 && { isAMM: true as const }),
      ...(!compact && {
        xrpBalance: state.accounts.exists(account) ? xrpOf(Number(state.accounts.balanceDrops(account))) : 0,
        dexVolume: xrpOf(traders.bookDrops[row]!),
        ammVolume: xrpOf(traders.poolDrops[row]!),
        buyVolume: xrpOf(traders.spent[row]!),
        sellVolume: xrpOf(traders.received[row]!),
        totalTokens: traders.tokens[row]!,
        sourceTagStats: tags.sort((a, b) => b.volume - a.volume || a.sourceTag - b.sourceTag),
      }),
      totalVolume: xrpOf(traders.volume(row)),
      volume24h: xrpOf(volume24h),
      totalTrades: traders.trades[row]!,
      totalProfit: xrpOf(traders.realised(row)),
      avgROI: percentOrNull(traderRoi(traders, row)),
      winRate: percentOrNull(winRateOf(traders.winningTrades[row]!, traders.losingTrades[row]!)),
      washTradingScore: rounded(traders.washScore(row), 2),
      firstTradeDate: timeOf(traders.first[row]!),
      lastTradeDate: timeOf(traders.last[row]!),
    };
  }

  /** A trader of one token. @param window what it did in the interval; undefined: all time */
  tokenTrader(row: number, window: WindowSum | undefined) {
    const { positions, traders } = this.#engine.traders;
    const { state } = this.#engine;
    const account = positions.accounts[row]!;
    const trader = traders.find(account);
    return {
      address: state.accounts.text(account),
      ...(traders.isPool[trader] === 1 && { isAMM: true as const }),
      ...this.#performance(row, window),
      washTradingScore: rounded(traders.washScore(trader), 2),
    };
  }

  /** A token of one trader. */
  token(row: number) {
    const { positions } = this.#engine.traders;
    const { state } = this.#engine;
    const token = positions.tokens[row]!;
    return {
      tokenId: state.tokens.md5(token),
      name: tokenName(state, token),
      ...this.#performance(row, undefined),
    };
  }

  #performance(row: number, window: WindowSum | undefined) {
    const { positions } = this.#engine.traders;
    const price = this.price(positions.tokens[row]!);
    const value = this.value(row, price);
    const spent = window?.spent ?? positions.spent[row]!;
    const received = window?.received ?? positions.received[row]!;
    const bought = window?.bought ?? positions.bought[row]!;
    const sold = window?.sold ?? positions.sold[row]!;
    const soldCost = positions.spent[row]! - positions.cost[row]!;
    return {
      volume: xrpOf(spent + received),
      trades: window?.trades ?? positions.trades[row]!,
      tradesAll: positions.trades[row]!,
      xrpBought: xrpOf(spent),
      xrpSold: xrpOf(received),
      tokensBought: bought,
      tokensSold: sold,
      avgBuyPrice: averageOf(spent, bought),
      avgSellPrice: averageOf(received, sold),
      actualBalance: value.balance,
      holdingValue: value.holding,
      ...(window && { profitInterval: xrpOf(window.realised) }),
      profit: value.realised,
      unrealizedPnl: value.unrealised,
      totalPnl: value.total,
      roi: percentOrNull(roiOf(positions.realised[row]!, soldCost)),
      totalRoi: percentOrNull(totalRoiOf(value.total, positions.spent[row]!)),
      firstTradeDate: timeOf(positions.first[row]!),
      lastTradeDate: timeOf(positions.last[row]!),
    };
  }
}
