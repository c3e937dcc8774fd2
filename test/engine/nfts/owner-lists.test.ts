/** The NFTs of each owner and the owners of each collection, as NFTs come and go, against maps; and after a restart. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { NFT_ID_BYTES, NftIdAt, scrambleTaxon } from '../../../engine/codec/nft-id.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { Nfts } from '../../../engine/nfts/nfts.ts';
import { State } from '../../../engine/state/state.ts';
import { seedOf } from '../../sandbox/seed.ts';

const SEED = seedOf('lists of owners', 20_261_127);
/** Lists of some accounts are long at times, and short at others. */
const NFTS = 110;
const COLLECTIONS = 5;
const ACCOUNTS = 3;

/** NFTs of some collections in turn; their rows and those of the parties are from 1. */
function filled(): Nfts {
  const domain = new Nfts(new State());
  const id = new Uint8Array(NFT_ID_BYTES);
  const view = new DataView(id.buffer);
  for (let i = 0; i < NFTS; i++) {
    view.setUint32(NftIdAt.issuer, 7);
    view.setUint32(NftIdAt.taxon, scrambleTaxon(i % COLLECTIONS, i));
    view.setUint32(NftIdAt.sequence, i);
    domain.nfts.intern(id, 0);
  }
  for (let i = 1; i <= ACCOUNTS; i++) domain.parties.intern(new Uint8Array(20).fill(i), 0);
  return domain;
}

/** NFTs of each owner, and owners of each collection. */
function shown({ nfts, parties, collections }: Nfts) {
  const held = Array.from({ length: ACCOUNTS + 1 }, (_, owner) => {
    const rows: number[] = [];
    nfts.ofOwner(owner, (row) => rows.push(row) > 0);
    return { rows: rows.sort((a, b) => a - b), count: parties.nfts[owner]! };
  });
  return { held, owners: Array.from(nfts.owners.subarray(0, collections.count)) };
}

/** The same from the owner of each NFT. */
function expected(
  { nfts, collections }: Nfts,
  ownerOf: ReadonlyMap<number, number>,
): ReturnType<typeof shown> {
  const held = Array.from({ length: ACCOUNTS + 1 }, (_, owner) => {
    const rows = owner === 0 ? [] : [...ownerOf].filter(([, by]) => by === owner).map(([row]) => row);
    return { rows: rows.sort((a, b) => a - b), count: rows.length };
  });
  const owners = Array.from({ length: collections.count }, (_, collection) => {
    const own = [...ownerOf].filter(([row, by]) => by !== 0 && nfts.collection[row] === collection);
    return new Set(own.map(([, by]) => by)).size;
  });
  return { held, owners };
}

/** Whether the NFTs of each collection stand together in each list. */
function isGrouped({ nfts }: Nfts): boolean {
  for (let owner = 1; owner <= ACCOUNTS; owner++) {
    const runs: number[] = [];
    nfts.ofOwner(owner, (row) => {
      if (nfts.collection[row] !== runs.at(-1)) runs.push(nfts.collection[row]!);
      return true;
    });
    if (new Set(runs).size < runs.length) return false;
  }
  return true;
}

describe(`lists of owners (SEED=${SEED})`, () => {
  const moves = fc.array(
    fc.record({
      nft: fc.integer({ min: 1, max: NFTS }),
      owner: fc.integer({ min: 0, max: ACCOUNTS }),
      restart: fc.integer({ min: 0, max: 30 }).map((n) => n === 0),
    }),
    { maxLength: 600 },
  );

  test('are those of a count, whenever they are derived again', () => {
    fc.assert(
      fc.property(moves, (script) => {
        const domain = filled();
        const ownerOf = new Map<number, number>();
        for (let nft = 1; nft <= NFTS; nft++) {
          domain.nfts.setOwner(nft, 1 + (nft % 2));
          ownerOf.set(nft, 1 + (nft % 2));
        }
        for (const { nft, owner, restart } of script) {
          if (restart) runToEnd(domain.rebuilding());
          domain.nfts.setOwner(nft, owner);
          ownerOf.set(nft, owner);
        }
        expect(shown(domain)).toEqual(expected(domain, ownerOf));
        expect(isGrouped(domain)).toBe(true);
        const before = shown(domain);
        runToEnd(domain.rebuilding());
        expect(shown(domain)).toEqual(before);
        expect(isGrouped(domain)).toBe(true);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});
