import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DropsTotal } from './drops-total.ts';

export interface Bucket {
  /** XRP at least, and below `to`; the last one has no end. */
  readonly from: number;
  readonly to: number | undefined;
  readonly accounts: number;
  /** XRP that they hold together. */
  readonly total: number;
}

export interface Distribution {
  readonly accounts: number;
  /** XRP of all of them. */
  readonly total: number;
  readonly buckets: readonly Bucket[];
  /** XRP of the middle account, or the mean of the middle two; undefined where there is none. */
  readonly median: number | undefined;
}

/** Lower ends of the buckets, XRP: powers of ten around what accounts must keep in reserve. */
const ENDS = [0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
/** Parts of each power of two in which balances are counted, to find the one that holds the median. */
const PARTS = 256;
const POWERS = 58;
/** Rows between two steps: about a millisecond. */
const ROWS_A_STEP = 50_000;

/**
 * How XRP is spread among accounts: number and sum of each power of ten, and the middle account.
 *
 * The median is exact without a sort of all balances: the first pass counts them in 256 parts of each power of two, the
 * second gathers those of the one or two parts that hold the middle, and only these are sorted. In steps, so that ledgers
 * can be applied between them: figures may then be of a few ledgers, and the median is that of the nearest account.
 * @param count rows @param drops balance of a row in drops; below 0: it is no account
 */
export function* xrpDistribution(
  count: number,
  drops: (row: number) => number,
): Generator<undefined, Distribution> {
  const counts = new Float64Array(ENDS.length);
  const totals = ENDS.map(() => new DropsTotal());
  const parts = new Uint32Array(POWERS * PARTS);
  let accounts = 0;
  for (let row = 0; row < count; row++) {
    if (row % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const balance = drops(row);
    if (balance < 0) continue;
    const bucket = bucketOf(balance / DROPS_PER_XRP);
    counts[bucket]!++;
    totals[bucket]!.add(balance);
    parts[partOf(balance)]!++;
    accounts++;
  }
  const buckets = ENDS.map((from, at) => ({
    from,
    to: ENDS[at + 1],
    accounts: counts[at]!,
    total: totals[at]!.xrp,
  }));
  const all = new DropsTotal();
  for (const one of totals) all.addTotal(one);
  const median = accounts === 0 ? undefined : yield* medianOf(count, drops, parts, accounts);
  return { accounts, total: all.xrp, buckets, median };
}

function* medianOf(
  count: number,
  drops: (row: number) => number,
  parts: Uint32Array,
  accounts: number,
): Generator<undefined, number> {
  const [low, high] = [Math.floor((accounts - 1) / 2), Math.floor(accounts / 2)];
  const [first, below] = partAt(parts, low);
  const [last] = partAt(parts, high);
  const middle: number[] = [];
  for (let row = 0; row < count; row++) {
    if (row % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const balance = drops(row);
    if (balance < 0) continue;
    const part = partOf(balance);
    if (part === first || part === last) middle.push(balance);
  }
  middle.sort((a, b) => a - b);
  const at = (place: number) => middle[Math.min(Math.max(place - below, 0), middle.length - 1)] ?? 0;
  return (at(low) + at(high)) / 2 / DROPS_PER_XRP;
}

function bucketOf(xrp: number): number {
  let bucket = 0;
  while (bucket + 1 < ENDS.length && xrp >= ENDS[bucket + 1]!) bucket++;
  return bucket;
}

/** Grows with the balance. */
function partOf(drops: number): number {
  if (drops < 1) return 0;
  const power = Math.min(Math.floor(Math.log2(drops)), POWERS - 1);
  const within = Math.floor((drops / 2 ** power - 1) * PARTS);
  return power * PARTS + Math.min(Math.max(within, 0), PARTS - 1);
}

/** The part in which the account of a place is, and how many are in those before. */
function partAt(parts: Uint32Array, place: number): [part: number, below: number] {
  let below = 0;
  for (let part = 0; part < parts.length; part++) {
    if (below + parts[part]! > place) return [part, below];
    below += parts[part]!;
  }
  return [parts.length - 1, below];
}
