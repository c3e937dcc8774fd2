/** Trade records in the form of the oracle: addresses and texts instead of ids. */
import { rawText } from '../../../engine/codec/amount.ts';
import { KNOWN_ANCHORS } from '../../../engine/market/known-anchors.ts';
import type { Market } from '../../../engine/market/market.ts';
import { TradeReader } from '../../../engine/market/trade-record.ts';
import type { State } from '../../../engine/state/state.ts';
import { type BruteTrade, canonical, exact } from './brute.ts';
import type { Standing } from './brute-market.ts';

const TYPES = ['', 'deposit', 'withdraw', 'create'] as const;

/** What the applied ledger says of a token by its key. */
export function standingOf(state: State): (key: string, account?: string) => Standing {
  const anchors = new Map(
    KNOWN_ANCHORS.map((anchor) => [`${anchor.issuer}_${anchor.currency}`, anchor.until]),
  );
  return (key, account) => {
    const [issuer, code] = key.split('_');
    const token = key.startsWith('mpt/')
      ? state.tokens.byMptId(key.slice(4))
      : state.tokens.find(issuer!, code ?? '');
    if (account !== undefined && token !== undefined) {
      const owner = state.accounts.findText(account)!;
      const line = state.lines.find(owner, token);
      const poolXrp = Number(rawText(0, state.accounts.balanceHi[owner]!, state.accounts.balanceLo[owner]!));
      const raw = line === undefined ? undefined : state.lines.balanceRaw(line, token);
      const poolTokens = raw ? Number(rawText(state.tokens.kind(token), ...raw)) : 0;
      return { poolXrp, poolTokens, anchor: false };
    }
    const pool = token === undefined ? undefined : state.pools.byAssets(0, token);
    const until = anchors.get(key);
    const anchor = anchors.has(key) && (until === undefined || state.fees.closeTime < until);
    if (pool === undefined || token === undefined) return { poolXrp: 0, poolTokens: 0, anchor };
    const xrpSide = state.pools.asset1(pool) === 0 ? 1 : 2;
    const kind = state.tokens.kind(token);
    return {
      poolXrp: Number(rawText(0, ...state.pools.reserveRaw(pool, xrpSide))),
      poolTokens: Number(rawText(kind, ...state.pools.reserveRaw(pool, xrpSide === 1 ? 2 : 1))),
      anchor,
    };
  };
}

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
      isDomain: r.isDomain,
      liquidity: r.isLiquidity ? TYPES[r.type]! : '',
    };
  });
}
