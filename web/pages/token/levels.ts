/** The levels of an order book: what is funded at each price. */

/** As the route answers it: prices in XRP, the best first. */
interface Offer {
  readonly price: string;
  readonly amount: string;
  readonly funded: string;
}

/** Offers of one price. */
export interface Level {
  readonly price: string;
  /** Tokens. */
  readonly amount: number;
  /** Tokens at this price and the better ones. */
  readonly sum: number;
}

/** Only what is funded counts: the rest cannot trade. */
export function levelsOf(offers: readonly Offer[]): readonly Level[] {
  const levels: { price: string; amount: number; sum: number }[] = [];
  let sum = 0;
  for (const { price, funded } of offers) {
    const amount = Number(funded);
    if (amount <= 0) continue;
    sum += amount;
    const last = levels.at(-1);
    if (last?.price === price) {
      last.amount += amount;
      last.sum = sum;
    } else levels.push({ price, amount, sum });
  }
  return levels;
}
