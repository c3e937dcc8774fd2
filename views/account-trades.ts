/** What one account traded of one token with others: sums over its trade records, by transaction. */
import { addDecimal, type Decimal, DROPS_PER_XRP, subDecimal, ZERO } from '../engine/codec/amount.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Market } from '../engine/market/market.ts';
import { TradeReader, TradeType } from '../engine/market/trade-record.ts';
import type { State } from '../engine/state/state.ts';

/** Records that are read of an account; what is older, or was pruned, is left out, and said to be. */
const RECORDS_MAX = 1000;

export interface TradedQuery {
  readonly account: number;
  readonly token: number;
  /** Ripple epoch seconds, inclusive; 0: from the beginning. */
  readonly since: number;
}

export interface Traded {
  /** Transactions in which it gave, and got, more of the token than it got, gave. */
  readonly sells: number;
  readonly buys: number;
  /** XRP. */
  readonly sellXrp: number;
  readonly buyXrp: number;
  /** Tokens. */
  readonly sold: Decimal;
  readonly bought: Decimal;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly depositXrp: number;
  readonly withdrawXrp: number;
  readonly deposited: Decimal;
  readonly withdrawn: Decimal;
  readonly truncated: boolean;
}

export const NOTHING_TRADED: Traded = {
  sells: 0,
  buys: 0,
  sellXrp: 0,
  buyXrp: 0,
  sold: ZERO,
  bought: ZERO,
  deposits: 0,
  withdrawals: 0,
  depositXrp: 0,
  withdrawXrp: 0,
  deposited: ZERO,
  withdrawn: ZERO,
  truncated: false,
};

/**
 * Of a record's two parties the maker gets `paid` and gives `got`, the taker the other way round (trade-record.ts).
 */
export async function tradedBy(
  market: Pick<Market, 'history'>,
  { tokens }: Pick<State, 'tokens'>,
  { account, token, since }: TradedQuery,
): Promise<Traded> {
  // Without a start: it is a time, and none is before the first ledger.
  const start = since > 0 ? { start: since } : {};
  const query = { account, token, type: 'all', ...start, limit: RECORDS_MAX } as const;
  const { records, count, hasMore } = await market.history.pageInSlices(query, yieldToLoop);
  const truncated = hasMore || market.history.keptFrom(query) !== undefined;
  const sums: { -readonly [K in keyof Traded]: Traded[K] } = { ...NOTHING_TRADED, truncated };
  const reader = new TradeReader(records);
  // Whole drops, so that sums are exact.
  let [buyDrops, sellDrops, depositDrops, withdrawDrops] = [0, 0, 0, 0];
  // Fills of one transaction follow one another.
  for (let i = 0; i < count; ) {
    const { ledger, tx } = reader.at(i);
    let net = ZERO;
    let drops = 0;
    for (; i < count && reader.at(i).ledger === ledger && reader.tx === tx; i++) {
      const paid = reader.paidToken === token ? tokens.decimal(token, reader.paidHi, reader.paidLo) : ZERO;
      const got = reader.gotToken === token ? tokens.decimal(token, reader.gotHi, reader.gotLo) : ZERO;
      if (reader.isLiquidity) {
        const isOut = reader.type === TradeType.withdraw;
        const amount = addDecimal(paid, got);
        if (isOut) {
          sums.withdrawals++;
          withdrawDrops += reader.valueDrops;
          sums.withdrawn = addDecimal(sums.withdrawn, amount);
        } else {
          sums.deposits++;
          depositDrops += reader.valueDrops;
          sums.deposited = addDecimal(sums.deposited, amount);
        }
        continue;
      }
      if (reader.isWithItself) continue;
      const change = reader.maker === account ? subDecimal(paid, got) : subDecimal(got, paid);
      net = addDecimal(net, change);
      if (change.m !== 0n) drops += change.m > 0n ? reader.valueDrops : -reader.valueDrops;
    }
    if (net.m > 0n) {
      sums.buys++;
      buyDrops += drops;
      sums.bought = addDecimal(sums.bought, net);
    } else if (net.m < 0n) {
      sums.sells++;
      sellDrops -= drops;
      sums.sold = subDecimal(sums.sold, net);
    }
  }
  return {
    ...sums,
    buyXrp: buyDrops / DROPS_PER_XRP,
    sellXrp: sellDrops / DROPS_PER_XRP,
    depositXrp: depositDrops / DROPS_PER_XRP,
    withdrawXrp: withdrawDrops / DROPS_PER_XRP,
  };
}
