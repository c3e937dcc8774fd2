import type { TokenTrade } from './sandwiches.ts';

export interface Sniper {
  readonly account: string;
  /** Seconds from the first trade to its first purchase. */
  readonly delay: number;
  /** In the window: XRP spent, tokens bought. */
  readonly spent: number;
  readonly bought: number;
  /** Later, in the trades that are known: XRP received, tokens sold. */
  readonly received: number;
  readonly sold: number;
}

/**
 * Who bought in the first seconds of a token's trading, with what they did later.
 *
 *     first trade |---- window ----|  purchases here: spent, bought  |  sales, here and after: received, sold
 *
 * Largest spending first. An account that bought and sold before is counted with both.
 * @param trades of one token, oldest first, from its first one on @param windowMs length of the window, ms
 */
export function snipers(trades: readonly TokenTrade[], windowMs: number): Sniper[] {
  const start = trades[0]?.time ?? 0;
  const accounts = new Map<
    string,
    { delay: number; spent: number; bought: number; received: number; sold: number }
  >();
  for (const { account, side, time, tokens, xrp } of trades) {
    const known = accounts.get(account);
    if (side === 'buy' && time - start <= windowMs) {
      const sniper = known ?? { delay: (time - start) / 1000, spent: 0, bought: 0, received: 0, sold: 0 };
      sniper.spent += xrp;
      sniper.bought += tokens;
      accounts.set(account, sniper);
    } else if (side === 'sell' && known) {
      known.received += xrp;
      known.sold += tokens;
    }
  }
  return [...accounts].map(([account, one]) => ({ account, ...one })).sort((a, b) => b.spent - a.spent);
}
