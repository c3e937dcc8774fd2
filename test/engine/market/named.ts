/** Trade records in the words of the oracle: addresses and texts instead of ids. */
import { rawText } from '../../../engine/codec/amount.ts';
import type { Market } from '../../../engine/market/market.ts';
import { TradeReader } from '../../../engine/market/trade-record.ts';
import type { State } from '../../../engine/state/state.ts';
import { type BruteTrade, canonical, exact } from './brute.ts';

const TYPES = ['', 'deposit', 'withdraw', 'create'] as const;

export function tokenKey(state: State, token: number): string {
  if (token === 0) return 'XRP';
  if (state.tokens.kind(token) === 2) return `mpt/${state.tokens.mptId(token)}`;
  return `${state.tokens.issuerText(token)}_${state.tokens.currencyText(token)}`;
}

export function namedTrades(state: State, market: Market): (BruteTrade & { tx: number })[] {
  const reader = new TradeReader(market.trades);
  return Array.from({ length: market.tradeCount }, (_, i) => {
    const r = reader.at(i);
    return {
      tx: r.tx,
      maker: state.accounts.text(r.maker),
      taker: state.accounts.text(r.taker),
      account: state.accounts.text(r.account),
      paidKey: tokenKey(state, r.paidToken),
      paid: canonical(exact(rawText(r.paidKind, r.paidHi, r.paidLo))),
      gotKey: tokenKey(state, r.gotToken),
      got: canonical(exact(rawText(r.gotKind, r.gotHi, r.gotLo))),
      sequence: r.offerSequence,
      isAMM: r.isAMM,
      liquidity: r.isLiquidity ? TYPES[r.type]! : '',
    };
  });
}
