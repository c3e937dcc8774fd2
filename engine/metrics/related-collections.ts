/**
 * Collections of NFTs with the same audience: what given accounts own NFTs of. Measured as shared tokens are (related-tokens.ts):
 * shared owners by the root of the audience times all owners of the collection.
 *
 * Cost: some 50 ns for each NFT of the audience; of an account with more than NFTS_MAX NFTs so many count.
 */
import type { CooperativeTask } from '../event-loop.ts';
import { NAMED_MAX, RELATED_MAX, SHARED_MIN } from './related-tokens.ts';

const NFTS_MAX = 5000;
/** NFTs of a slice: below a millisecond. */
const SLICE = 10_000;

/** What it reads of the NFTs. */
interface RelatedReads {
  readonly nfts: {
    readonly collection: Uint32Array;
    readonly owners: Uint32Array;
    ofOwner(party: number, visit: (nft: number) => boolean): void;
  };
}

export interface RelatedCollection {
  readonly collection: number;
  readonly shared: number;
  readonly owners: number;
  readonly score: number;
  /** Parties: some of the shared owners. */
  readonly named: readonly number[];
}

/** Highest score first. @param audience parties. @param except not this collection */
export function* collectionsOfAudience(
  { nfts }: RelatedReads,
  audience: readonly number[],
  except: number,
): CooperativeTask<readonly RelatedCollection[]> {
  const counts = new Map<number, { shared: number; readonly named: number[] }>();
  let read = 0;
  for (const party of audience) {
    const held = new Set<number>();
    let own = 0;
    nfts.ofOwner(party, (nft) => {
      held.add(nfts.collection[nft]!);
      return ++own < NFTS_MAX;
    });
    held.delete(except);
    for (const collection of held) {
      const count = counts.get(collection) ?? { shared: 0, named: [] };
      count.shared++;
      if (count.named.length < NAMED_MAX) count.named.push(party);
      counts.set(collection, count);
    }
    read += own;
    if (read < SLICE) continue;
    read = 0;
    yield;
  }
  return Array.from(counts, ([collection, { shared, named }]) => {
    const owners = nfts.owners[collection]!;
    return { collection, shared, owners, score: shared / Math.sqrt(audience.length * owners), named };
  })
    .filter(({ shared }) => shared >= SHARED_MIN)
    .sort((a, b) => b.score - a.score || a.collection - b.collection)
    .slice(0, RELATED_MAX);
}
