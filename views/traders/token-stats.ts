/** One account's position in one token, and what selling all of it now would bring. XRP, tokens, percent, Unix ms. */
import { DROPS_PER_XRP, decimalNumber } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { amountOf, numberOfAmount } from '../../engine/quotes/amounts.ts';
import type { Quote, QuoteRequest } from '../../engine/quotes/quote.ts';
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { totalRoiOf } from '../../engine/traders/figures.ts';
import { heldNumber } from '../held-number.ts';
import { percent, rounded } from '../number-format.ts';
import type { BestPayments } from '../quotes/best-payments.ts';
import { impactOf } from '../quotes/quote-answer.ts';
import { type PositionValue, type TraderRows, timeOf, xrpOf } from './trader-rows.ts';

/** XRP: what is worth less is dust. */
const DUST = 0.001;
const DIGITS = 6;

/** The payment that sells all of it now, as POST /dex/quote shows it. */
export interface Exit {
  readonly xrp: number;
  readonly impactPct: number;
  readonly poolChangePct: number | null;
  readonly pnl: number;
  readonly split: { readonly amm: number; readonly orderbook: number };
}

/** What a sale of everything brings: the best payment, where there is one. */
interface Sale {
  readonly of: QuoteRequest;
  readonly best: Quote | undefined;
}

/** Sales that a ledger overtook, after which the next one is searched without waiting. */
const TRIES_MAX = 3;

export class TokenStats {
  readonly #engine: Engine;
  readonly #rows: TraderRows;

  readonly #payments: BestPayments;

  constructor(engine: Engine, rows: TraderRows, payments: BestPayments) {
    this.#engine = engine;
    this.#payments = payments;
    this.#rows = rows;
  }

  /** @param address may be of an account that the ledgers do not show: all is zero then. The token is not XRP */
  async of(address: string, token: number) {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { version } = this.#engine;
      const sale = this.#saleOf(address, token);
      if (!sale) return this.#shown(address, token, undefined);
      const shown = await this.#payments.with(sale, ([best]) =>
        // Of what it holds now, not of what it held before a ledger came.
        this.#engine.version === version ? this.#shown(address, token, { of: sale, best }) : undefined,
      );
      if (shown) return shown;
    }
    const sale = this.#saleOf(address, token);
    return this.#shown(address, token, sale && { of: sale, best: this.#payments.bestNow(sale) });
  }

  /** @param sale of all that it holds, of this ledger */
  #shown(address: string, token: number, sale: Sale | undefined) {
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
      totalRoi: percent(totalRoiOf(value.total, positions.spent[row]!)) ?? 0,
      firstTradeTime: timeOf(positions.first[row]!) ?? 0,
      lastTradeTime: timeOf(positions.last[row]!) ?? 0,
      tradeCount: positions.trades[row]!,
      since: timeOf(traders.since),
      exit: this.#exit(sale, row, value),
    };
  }

  #untraded(account: number, token: number, price: number | undefined): PositionValue {
    const { state } = this.#engine;
    const line = account === 0 ? undefined : state.lines.find(account, token);
    const balance = line === undefined ? 0 : Math.max(0, heldNumber(state, line, token));
    const holding = price === undefined ? 0 : balance * price;
    return { balance, holding, realised: 0, unrealised: 0, total: 0 };
  }

  /** A sale of everything; undefined: there is nothing to sell. */
  #saleOf(address: string, token: number): QuoteRequest | undefined {
    const { accounts, lines } = this.#engine.state;
    const account = accounts.findText(address) ?? 0;
    const line = account === 0 ? undefined : lines.find(account, token);
    if (line === undefined || !(lines.balanceNumber(line, token) > 0)) return undefined;
    const amount = amountOf(token, ...lines.balanceRaw(line, token));
    return { source: token, destination: XRP, side: 'in', amount, sender: account, receiver: account };
  }

  #exit(sale: Sale | undefined, row: number, value: PositionValue): Exit | null {
    const { state, traders } = this.#engine;
    const { balance } = value;
    if (!sale?.best || !(balance > 0)) return null;
    const { of, best } = sale;
    const xrp = numberOfAmount(best.out) / DROPS_PER_XRP;
    if (xrp < DUST) return null;
    const held = traders.positions.held[row]!;
    const cost = traders.positions.cost[row]!;
    const left = Math.min(held, balance);
    // As the unrealised profit, with what the sale brings in place of the price.
    const gained = left > 0 ? xrp * (left / balance) - (cost / DROPS_PER_XRP) * (left / held) : 0;
    const { poolShare, poolChangePct } = firstExchange(state, best);
    const amm = rounded(poolShare * 100, 2);
    return {
      xrp: rounded(xrp, DIGITS),
      impactPct: Math.min(0, rounded(-impactOf(this.#payments.estimates, of, best) * 100, 4)),
      poolChangePct: amm === 0 ? null : poolChangePct,
      pnl: Math.min(value.total, rounded(value.realised + gained, DIGITS)),
      split: { amm, orderbook: rounded(100 - amm, 2) },
    };
  }
}

interface FirstExchange {
  /** Of what is sold, the part that pools take. */
  readonly poolShare: number;
  /** By which the price falls in the pool that takes most. */
  readonly poolChangePct: number;
}

function firstExchange(state: State, { strands, rounds }: Quote): FirstExchange {
  let [sold, toPools] = [0, 0];
  /** By the token that the pool gives. */
  const byOther = new Map<number, { in: number; out: number }>();
  for (const { strand, books } of rounds) {
    const other = strands[strand]![1]!;
    for (const part of books[0] ?? []) {
      const given = numberOfAmount(part.in);
      sold += given;
      if (part.offer !== undefined) continue;
      toPools += given;
      const before = byOther.get(other) ?? { in: 0, out: 0 };
      byOther.set(other, { in: before.in + given, out: before.out + numberOfAmount(part.out) });
    }
  }
  const most = [...byOther].sort(([, x], [, y]) => y.in - x.in)[0];
  const token = strands[0]![0]!;
  return {
    poolShare: sold > 0 ? toPools / sold : 0,
    poolChangePct: most ? poolChange(state, token, most[0], most[1]) : 0,
  };
}

/** Percent by which the pool's price of the token falls; `other` is what it gives. */
function poolChange(state: State, token: number, other: number, moved: { in: number; out: number }): number {
  const { pools, tokens } = state;
  const pool = pools.byAssets(token, other)!;
  const isFirst = pools.asset1(pool) === token;
  // Drops, where XRP is on the other side: as `moved`.
  const unit = (one: number) => (one === XRP ? DROPS_PER_XRP : 1);
  const held = tokens.number(token, ...pools.reserveRaw(pool, isFirst ? 1 : 2)) * unit(token);
  const given = tokens.number(other, ...pools.reserveRaw(pool, isFirst ? 2 : 1)) * unit(other);
  const ratio = (given - moved.out) / (held + moved.in) / (given / held);
  return Math.min(0, rounded((ratio - 1) * 100, 4));
}
