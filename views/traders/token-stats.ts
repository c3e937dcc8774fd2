/** One account's position in one token, and what selling all of it now would bring. XRP, tokens, percent, Unix ms. */
import { DROPS_PER_XRP, decimalNumber } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Bid, type ExitPool, exitValue } from '../../engine/metrics/exit-value.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { percentOf } from '../../engine/traders/figures.ts';
import { percent, rounded } from '../number-format.ts';
import { fundedBook, fundsOf } from '../orderbook.ts';
import { feeFraction } from '../pool-math.ts';
import { type PositionValue, type TraderRows, timeOf, xrpOf } from './trader-rows.ts';

/** XRP: what is worth less is dust. */
const DUST = 0.001;
/** Offers that a sale may take. */
const BIDS_MAX = 500;
const DIGITS = 6;

export interface Exit {
  readonly xrp: number;
  readonly impactPct: number;
  readonly poolChangePct: number | null;
  readonly pnl: number;
  readonly split: { readonly amm: number; readonly orderbook: number };
}

export class TokenStats {
  readonly #engine: Engine;
  readonly #rows: TraderRows;

  constructor(engine: Engine, rows: TraderRows) {
    this.#engine = engine;
    this.#rows = rows;
  }

  /** @param address may be of an account that the ledgers do not show: all is zero then. The token is not XRP */
  of(address: string, token: number) {
    const { state, market, traders } = this.#engine;
    const account = state.accounts.findText(address) ?? 0;
    const { positions } = traders;
    const row = account === 0 ? 0 : positions.find(account, token);
    const price = this.#rows.price(token);
    const value = row === 0 ? this.#untraded(account, token, price) : this.#rows.value(row, price);
    const bought = positions.bought[row]!;
    const spent = xrpOf(positions.spent[row]!);
    const avgBuyPrice = bought > 0 ? spent / bought : null;
    const supply = decimalNumber(state.lines.supply(token));
    return {
      account: address,
      md5: state.tokens.md5(token),
      balance: value.balance,
      avgBuyPrice,
      totalBought: bought,
      totalSold: positions.sold[row]!,
      totalSpentXRP: spent,
      totalReceivedXRP: xrpOf(positions.received[row]!),
      realizedPnl: value.realised,
      unrealizedPnl: value.unrealised,
      totalPnl: value.total,
      holdingValue: value.holding,
      avgBuyMcap: avgBuyPrice === null ? null : avgBuyPrice * supply,
      currentMcap: market.totals.marketcapOf(token) ?? null,
      totalRoi: percent(percentOf(value.total, spent)) ?? 0,
      firstTradeTime: timeOf(positions.first[row]!) ?? 0,
      lastTradeTime: timeOf(positions.last[row]!) ?? 0,
      tradeCount: positions.trades[row]!,
      since: timeOf(traders.since),
      exit: this.#exit(account, token, row, value),
    };
  }

  #untraded(account: number, token: number, price: number | undefined): PositionValue {
    const { lines } = this.#engine.state;
    const line = account === 0 ? undefined : lines.find(account, token);
    const balance = line === undefined ? 0 : Math.max(0, lines.balanceNumber(line, token));
    const holding = price === undefined ? 0 : balance * price;
    return { balance, holding, realised: 0, unrealised: 0, total: 0 };
  }

  #exit(account: number, token: number, row: number, value: PositionValue): Exit | null {
    const { state, traders } = this.#engine;
    const { balance } = value;
    if (!(balance > 0)) return null;
    const rate =
      account === state.tokens.issuer(token) ? 1 : decimalNumber(fundsOf(state, token).transferRate);
    const pool = this.#pool(token);
    const sale = exitValue(balance / rate, pool, this.#bids(token, account));
    if (!sale || sale.xrp < DUST) return null;
    const { xrp, sold, toPool, fromPool, bestPrice } = sale;
    const held = traders.positions.held[row]!;
    const cost = traders.positions.cost[row]!;
    const left = Math.min(held, balance);
    // As the unrealised profit, with what the sale brings in place of the price.
    const gained = left > 0 ? xrp * (left / balance) - (cost / DROPS_PER_XRP) * (left / held) : 0;
    const change = pool && toPool > 0 ? poolChange(pool, toPool, fromPool) : undefined;
    const amm = rounded((toPool / sold) * 100, 2);
    return {
      xrp: rounded(xrp, DIGITS),
      impactPct: Math.min(0, rounded((xrp / sold / bestPrice - 1) * 100, 4)),
      poolChangePct: change ?? null,
      pnl: Math.min(value.total, rounded(value.realised + gained, DIGITS)),
      split: { amm, orderbook: rounded(100 - amm, 2) },
    };
  }

  #pool(token: number): ExitPool | undefined {
    const { pools, tokens } = this.#engine.state;
    const pool = pools.byAssets(XRP, token);
    if (pool === undefined) return undefined;
    const isFirst = pools.asset1(pool) === XRP;
    const xrp = tokens.number(XRP, ...pools.reserveRaw(pool, isFirst ? 1 : 2));
    const held = tokens.number(token, ...pools.reserveRaw(pool, isFirst ? 2 : 1));
    return xrp > 0 && held > 0 ? { xrp, tokens: held, fee: feeFraction(pools.fees[pool]!) } : undefined;
  }

  /** Funded offers of others that pay XRP for the token, best first. */
  *#bids(token: number, account: number): Generator<Bid> {
    const now = this.#engine.head?.closeTime ?? 0;
    let read = 0;
    for (const offer of fundedBook(this.#engine.state, token, XRP, now)) {
      if (++read > BIDS_MAX) return;
      if (offer.account === account) continue;
      yield { tokens: decimalNumber(offer.fundedPays), xrp: decimalNumber(offer.fundedGets) };
    }
  }
}

/** Percent by which the pool's price falls. */
function poolChange(pool: ExitPool, tokens: number, xrp: number): number {
  const before = pool.xrp / pool.tokens;
  const after = (pool.xrp - xrp) / (pool.tokens + tokens);
  return Math.min(0, rounded((after / before - 1) * 100, 4));
}
