/** The best prices of one market, in units of its quote token for 1 of the base. undefined: nobody offers. */
export interface BestPrices {
  readonly bid: number | undefined;
  readonly ask: number | undefined;
}

export interface ArbitragePair {
  /** The other token over which it goes. */
  readonly over: string;
  /** direct: buy for XRP, sell over the other token. over: the reverse. */
  readonly buy: 'direct' | 'over';
  /** XRP for 1 token that is bought, and got for 1 that is sold. */
  readonly cost: number;
  readonly proceeds: number;
  /** Percent of the cost, before transfer fees of issuers. */
  readonly gainPct: number;
}

/**
 * Price differences of a token T between its market against XRP and those over another token Q.
 *
 *     direct  buy T at ask(T/XRP),               sell at bid(T/Q) * bid(Q/XRP)
 *     over    buy T at ask(T/Q) * ask(Q/XRP),    sell at bid(T/XRP)
 *
 * The triangular arbitrage condition of best quotes (Aiba et al. 2002, "Triangular arbitrage as an interaction among foreign
 * exchange rates"): only what gains before fees, largest gain first. It holds for small amounts: sizes are in the books.
 */
export function arbitragePairs(
  direct: BestPrices,
  others: readonly { readonly over: string; readonly token: BestPrices; readonly other: BestPrices }[],
): ArbitragePair[] {
  const found: ArbitragePair[] = [];
  const add = (
    over: string,
    buy: ArbitragePair['buy'],
    cost: number | undefined,
    proceeds: number | undefined,
  ) => {
    if (cost === undefined || proceeds === undefined || !(cost > 0) || proceeds <= cost) return;
    found.push({ over, buy, cost, proceeds, gainPct: (proceeds / cost - 1) * 100 });
  };
  for (const { over, token, other } of others) {
    add(over, 'direct', direct.ask, product(token.bid, other.bid));
    add(over, 'over', product(token.ask, other.ask), direct.bid);
  }
  return found.sort((a, b) => b.gainPct - a.gainPct);
}

const product = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a * b;
