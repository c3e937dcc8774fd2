/**
 * Rank of an NFT in its collection, 1 the rarest, by what its traits tell of it: OpenRarity
 * (https://github.com/ProjectOpenSea/open-rarity), the open standard that marketplaces agreed on.
 *
 *     score = sum over the types of -log2(NFTs with the same value / NFTs)
 *
 * To lack a type counts as a value of it, and the number of traits (`None` is none) as one more type. NFTs are ordered by how
 * many of their values no other NFT has, then by score; who is equal in both has the same rank, and the next rank leaves as
 * many out (1, 2, 2, 4). Types and values are the same whatever their letters' case. Only NFTs whose metadata is known count.
 * OpenRarity divides scores by the collection's entropy, which changes no rank.
 *
 * Chosen over sums of 1 / frequency, which one odd value dominates: information adds up over independent traits.
 */
import type { CooperativeTask } from '../event-loop.ts';
import { sortingDescending } from './sort-descending.ts';

/** A type of trait of a collection: what each of its NFTs has of it. */
export interface TraitColumn {
  /** Of each NFT the number of its value; 0: it has none. */
  readonly of: Uint16Array;
  /** How many NFTs have each value, by its number; of 0 those that have none. */
  readonly counts: readonly number[];
}

/** NFTs of one column before other work may run: well below a millisecond. */
const NFTS_A_SLICE = 65_536;
/** Above every score: 65 columns of 16 million NFTs have 65 x 24 bits. */
const SCORE_MAX = 4096;
/** Scores count as equal to about nine decimal digits, whatever the order in which they were summed. */
const STEPS_A_BIT = 2 ** 30;

/**
 * @param columns of equal length; one of them says how many traits each NFT has
 * @returns of each NFT its rank
 */
export function* rankingRarity(columns: readonly TraitColumn[]): CooperativeTask<Uint32Array> {
  const count = columns[0]?.of.length ?? 0;
  const scores = new Float64Array(count);
  const unique = new Uint8Array(count);
  for (const { of, counts } of columns) {
    const bits = Float64Array.from(counts, (some) => (some === 0 ? 0 : Math.log2(count / some)));
    for (let i = 0; i < count; i++) {
      if (i % NFTS_A_SLICE === 0) yield;
      const value = of[i]!;
      scores[i]! += bits[value]!;
      if (value !== 0 && counts[value] === 1) unique[i]!++;
    }
  }
  yield;
  for (let i = 0; i < count; i++)
    scores[i] = unique[i]! * SCORE_MAX + Math.round(scores[i]! * STEPS_A_BIT) / STEPS_A_BIT;
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  yield;
  yield* sortingDescending(order, scores);
  yield;
  const ranks = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const before = order[i - 1];
    const isEqual = before !== undefined && scores[before] === scores[order[i]!];
    ranks[order[i]!] = isEqual ? ranks[before]! : i + 1;
  }
  return ranks;
}
