/** A trade of one account with a token against XRP. */
export interface TokenTrade {
  readonly ledger: number;
  /** Unix ms. */
  readonly time: number;
  /** r-address. */
  readonly account: string;
  readonly side: 'buy' | 'sell';
  /** Token units, above zero. */
  readonly tokens: number;
  /** XRP, above zero. */
  readonly xrp: number;
}

export interface Sandwich {
  readonly attacker: string;
  readonly victims: readonly string[];
  readonly firstLedger: number;
  readonly lastLedger: number;
  /** Unix ms of the sale. */
  readonly time: number;
  /** XRP that the attacker paid and got, and what its victims paid. */
  readonly spent: number;
  readonly received: number;
  readonly victimXrp: number;
  /** Percent by which the first victim's price was above the attacker's. */
  readonly priceRise: number;
}

/** Ledgers from the purchase to the sale: transactions wait at most a few ledgers in the queue. */
const LEDGERS_MAX = 4;
/** The sale is of what was bought: within these shares of it. */
const SOLD_MIN = 0.9;
const SOLD_MAX = 1.01;

/**
 * Sandwich attacks on buyers: A buys, V buys at a higher price, A sells what it bought for more than it paid.
 *
 *     A buys t at p  ->  V buys at p' > p  ->  A sells 0.9 t .. 1.01 t for more XRP than it spent
 *     '------------- within 4 ledgers of each other, in the order of the ledgers --------------'
 *
 * The definition of frontrunning by insertion (Qin, Zhou, Gervais 2022, "Quantifying Blockchain Extractable Value", 4.2),
 * over ledgers in a row, since the XRP Ledger orders transactions of one ledger by a hash that nobody chooses. A purchase is
 * used once. Fees of pools and transactions are in what was spent and received.
 * @param trades of one token, oldest first, in the order in which they were applied
 */
export function sandwiches(trades: readonly TokenTrade[]): Sandwich[] {
  const found: Sandwich[] = [];
  const used = new Set<number>();
  for (const [end, sale] of trades.entries()) {
    if (sale.side !== 'sell') continue;
    for (let at = end - 1; at >= 0 && sale.ledger - trades[at]!.ledger < LEDGERS_MAX; at--) {
      const bought = trades[at]!;
      if (bought.account !== sale.account || bought.side !== 'buy' || used.has(at)) continue;
      const attack = attackOf(bought, sale, trades.slice(at + 1, end));
      if (!attack) continue;
      used.add(at);
      found.push(attack);
      break;
    }
  }
  return found;
}

function attackOf(
  bought: TokenTrade,
  sale: TokenTrade,
  between: readonly TokenTrade[],
): Sandwich | undefined {
  const share = sale.tokens / bought.tokens;
  if (share < SOLD_MIN || share > SOLD_MAX || sale.xrp <= bought.xrp) return undefined;
  const price = bought.xrp / bought.tokens;
  const victims = between.filter(
    (one) => one.side === 'buy' && one.account !== bought.account && one.xrp / one.tokens > price,
  );
  const [first] = victims;
  if (!first) return undefined;
  return {
    attacker: bought.account,
    victims: [...new Set(victims.map(({ account }) => account))],
    firstLedger: bought.ledger,
    lastLedger: sale.ledger,
    time: sale.time,
    spent: bought.xrp,
    received: sale.xrp,
    victimXrp: victims.reduce((sum, { xrp }) => sum + xrp, 0),
    priceRise: (first.xrp / first.tokens / price - 1) * 100,
  };
}
