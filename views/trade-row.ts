/**
 * A trade record as clients read it: `paid` and `got` as amount objects (XRP in XRP, never drops), `pair` the pair
 * hash. For a book trade `paid` is what the taker paid; for a pool trade the pool is the taker and `paid` is what the
 * pool gave (see engine/market/trade-record.ts).
 */
import { DROPS_PER_XRP, rawText } from '../engine/codec/amount.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import { platformByNumber } from '../engine/market/platforms.ts';
import {
  TRADE_BYTES,
  TradeReader,
  type TradeType,
  TradeType as Types,
} from '../engine/market/trade-record.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import { tokenName } from './identity.ts';
import { numberText } from './number-format.ts';
import { pairHash } from './pair-hash.ts';

export const LIQUIDITY_TYPES = ['create', 'deposit', 'withdraw'] as const;

const TYPE_NAMES: Readonly<Record<TradeType, (typeof LIQUIDITY_TYPES)[number] | undefined>> = {
  [Types.trade]: undefined,
  [Types.deposit]: 'deposit',
  [Types.withdraw]: 'withdraw',
  [Types.create]: 'create',
};

export interface AmountObject {
  readonly issuer: string;
  readonly currency: string;
  readonly name: string;
  readonly value: string;
}

/** `{issuer, currency, name, value}` of an amount; MPT have no issuer in the amount, their id is the currency. */
export function amountObject(state: State, token: number, value: string): AmountObject {
  const { tokens } = state;
  return {
    issuer: tokens.issuerText(token),
    currency: tokens.currencyText(token),
    name: tokenName(state, token),
    value,
  };
}

/** Price of the trade in XRP per token; undefined where no leg or only a zero one is XRP. */
function priceOf({ tokens }: State, trade: TradeReader): number | undefined {
  if ((trade.paidToken === XRP) === (trade.gotToken === XRP)) return undefined;
  const paid = tokens.number(trade.paidToken, trade.paidHi, trade.paidLo);
  const got = tokens.number(trade.gotToken, trade.gotHi, trade.gotLo);
  const price = trade.paidToken === XRP ? paid / got : got / paid;
  return price > 0 && Number.isFinite(price) ? price : undefined;
}

/** The row of the record that the reader is at. Members that the record does not hold are absent. */
export function tradeObject(state: State, trade: TradeReader) {
  const { accounts, tokens } = state;
  const paid = amountObject(state, trade.paidToken, tokens.text(trade.paidToken, trade.paidHi, trade.paidLo));
  const got = amountObject(state, trade.gotToken, tokens.text(trade.gotToken, trade.gotHi, trade.gotLo));
  const price = trade.isLiquidity ? undefined : priceOf(state, trade);
  const platform = platformByNumber(trade.platform)?.name;
  const tag = trade.sourceTag;
  return {
    _id: `${trade.ledger}_${trade.number}`,
    hash: hexOf(trade.hash),
    ledger: trade.ledger,
    seq: trade.offerSequence,
    maker: accounts.text(trade.maker),
    taker: accounts.text(trade.taker),
    pair: pairHash(`${paid.issuer}_${paid.currency}`, `${got.issuer}_${got.currency}`),
    paid,
    got,
    time: unixMs(trade.closeTime),
    isAMM: trade.isAMM,
    isLiquidity: trade.isLiquidity,
    ...(trade.isLiquidity && {
      type: TYPE_NAMES[trade.type],
      account: accounts.text(trade.account),
      ...(trade.lpToken !== 0 && {
        lp: amountObject(state, trade.lpToken, rawText(1, trade.lpHi, trade.lpLo)),
      }),
    }),
    ...(tag !== undefined && { sourceTag: tag }),
    ...(platform !== undefined && { platform }),
    ...(price !== undefined && { price: numberText(price) }),
    ...(trade.valueDrops > 0 && { xrp: trade.valueDrops / DROPS_PER_XRP }),
  };
}

/** The rows of consecutive records. */
export function tradeObjects(state: State, records: Uint8Array, count = records.length / TRADE_BYTES) {
  const reader = new TradeReader(records);
  return Array.from({ length: count }, (_, i) => tradeObject(state, reader.at(i)));
}
