/** On which side of a trade the account that signed it stood. */
import type { TradeReader } from '../market/trade-record.ts';
import { XRP } from '../state/tokens.ts';

/** Bought a token for XRP, sold one for XRP, or exchanged two tokens. */
export type Side = 'bought' | 'sold' | 'exchanged';

/** In a book the taker signed and `paid` is theirs; in a pool `paid` is what the pool gave. */
export function sideOf({ paidToken, gotToken, isAMM }: TradeReader): Side {
  const [given, received] = isAMM ? [gotToken, paidToken] : [paidToken, gotToken];
  if (given === XRP) return 'bought';
  return received === XRP ? 'sold' : 'exchanged';
}
