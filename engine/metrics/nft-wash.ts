/** A sale of an NFT. */
export interface NftSale {
  readonly nft: number;
  readonly buyer: number;
  readonly seller: number;
  readonly xrp: number;
  /** Seconds, of any epoch. */
  readonly time: number;
}

export interface NftWash {
  readonly volume: number;
  readonly washedVolume: number;
  readonly washedSales: number;
  /** XRP of washed sales by what shows it; a sale may show both. */
  readonly byCycle: number;
  readonly byFunding: number;
  /** Those with washed sales, the largest washed volume first; each sale counts for both of its sides. */
  readonly accounts: readonly {
    readonly account: number;
    readonly trades: number;
    readonly volume: number;
    readonly washedVolume: number;
  }[];
}

/**
 * Sales of NFTs that look like trades of somebody with themselves.
 *
 *     cycle     A -> B -> C -> A   the NFT comes back by sales to who sold it, within `window`: all sales of the way are washed
 *               (closed cycles of von Wachter et al. 2022, "NFT Wash Trading")
 *     funding   buyer and seller were activated by one another, or by the same account that does not fund strangers
 *
 * A hint, no proof. Non-goals: what comes back by a transfer without a price, or over accounts that only share an owner
 * outside of the ledger. Cost: a pass over the sales, one step each.
 * @param sales oldest first @param funderOf 0: not known @param isHub funds accounts that have nothing to do with each other
 * @param window longest time of a cycle, seconds
 */
export function nftWash(
  sales: readonly NftSale[],
  funderOf: (account: number) => number,
  isHub: (account: number) => boolean,
  window: number,
): NftWash {
  const inCycle = cycles(sales, window);
  const sums = { volume: 0, washedVolume: 0, washedSales: 0, byCycle: 0, byFunding: 0 };
  const accounts = new Map<number, { trades: number; volume: number; washedVolume: number }>();
  for (const [at, { buyer, seller, xrp }] of sales.entries()) {
    const isFunded = fundedTogether(buyer, seller, funderOf, isHub);
    const washed = inCycle[at] === 1 || isFunded ? xrp : 0;
    sums.volume += xrp;
    if (inCycle[at] === 1) sums.byCycle += xrp;
    if (isFunded) sums.byFunding += xrp;
    if (inCycle[at] === 1 || isFunded) sums.washedSales++;
    sums.washedVolume += washed;
    for (const account of [buyer, seller]) {
      const known = accounts.get(account) ?? { trades: 0, volume: 0, washedVolume: 0 };
      known.trades++;
      known.volume += xrp;
      known.washedVolume += washed;
      accounts.set(account, known);
    }
  }
  const washers = [...accounts]
    .filter(([, { washedVolume }]) => washedVolume > 0)
    .map(([account, one]) => ({ account, ...one }))
    .sort((a, b) => b.washedVolume - a.washedVolume || a.account - b.account);
  return { ...sums, accounts: washers };
}

/** The sales of one NFT. */
interface Way {
  /** Places among all sales. */
  readonly places: number[];
  /** Where each account sold it last. */
  readonly soldAt: Map<number, number>;
  /** Cycles that begin at a sale, and less those that ended before it. */
  readonly steps: number[];
}

/** 1 for each sale that is part of a closed cycle. */
function cycles(sales: readonly NftSale[], window: number): Uint8Array {
  const ways = new Map<number, Way>();
  for (const [at, { nft, buyer, seller, time }] of sales.entries()) {
    let way = ways.get(nft);
    if (!way) {
      way = { places: [], soldAt: new Map(), steps: [0] };
      ways.set(nft, way);
    }
    const { places, soldAt, steps } = way;
    soldAt.set(seller, places.length);
    places.push(at);
    steps.push(0);
    const from = soldAt.get(buyer);
    if (from === undefined || time - sales[places[from]!]!.time > window) continue;
    steps[from]!++;
    steps[places.length]!--;
  }
  const marked = new Uint8Array(sales.length);
  for (const { places, steps } of ways.values()) {
    let open = 0;
    for (const [i, place] of places.entries()) {
      open += steps[i]!;
      marked[place] = open > 0 ? 1 : 0;
    }
  }
  return marked;
}

function fundedTogether(
  a: number,
  b: number,
  funderOf: (account: number) => number,
  isHub: (account: number) => boolean,
): boolean {
  const [ofA, ofB] = [funderOf(a), funderOf(b)];
  const isOf = (funder: number, account: number) => funder !== 0 && funder === account && !isHub(funder);
  return isOf(ofA, b) || isOf(ofB, a) || isOf(ofA, ofB);
}
