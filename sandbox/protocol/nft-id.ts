/**
 * The id of an NFT (engine/codec/nft-id.ts) as hex text. Pages are ordered by the low 96 bits, which are the end of the
 * issuer, the scrambled taxon and the sequence (rippled `nft.h`).
 */
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { scrambleTaxon } from '../../engine/codec/nft-id.ts';

export interface NftId {
  /** As minted: burnable 1, only XRP 2, trust line 4, transferable 8, mutable 16. */
  readonly flags: number;
  /** In 1/100,000 of the price, 0 to 50,000. */
  readonly transferFee: number;
  readonly issuer: AccountId;
  readonly taxon: number;
  readonly sequence: number;
}

export const NftFlag = {
  burnable: 0x0001,
  onlyXrp: 0x0002,
  createTrustLines: 0x0004,
  transferable: 0x0008,
  mutable: 0x0010,
} as const;

const hex = (value: number, digits: number): string =>
  (value >>> 0).toString(16).toUpperCase().padStart(digits, '0');

export function nftId({ flags, transferFee, issuer, taxon, sequence }: NftId): Hex {
  return (
    hex(flags & 0xffff, 4) +
    hex(transferFee, 4) +
    issuer +
    hex(scrambleTaxon(taxon, sequence), 8) +
    hex(sequence, 8)
  );
}

export const nftFlags = (id: Hex): number => Number.parseInt(id.slice(0, 4), 16);
export const nftTransferFee = (id: Hex): number => Number.parseInt(id.slice(4, 8), 16);
export const nftIssuer = (id: Hex): AccountId => id.slice(8, 48);
export const nftSequence = (id: Hex): number => Number.parseInt(id.slice(56), 16);
export const nftTaxon = (id: Hex): number =>
  scrambleTaxon(Number.parseInt(id.slice(48, 56), 16), nftSequence(id));

export function parseNftId(id: Hex): NftId {
  return {
    flags: nftFlags(id),
    transferFee: nftTransferFee(id),
    issuer: nftIssuer(id),
    taxon: nftTaxon(id),
    sequence: nftSequence(id),
  };
}

/** The part of an id that decides its page: the low 96 bits, as 24 hex digits. */
export const nftPageOrder = (id: Hex): Hex => id.slice(40);

/** Order within pages: by the low 96 bits, then by the whole id (rippled `nft::compareTokens`). */
export function compareNftIds(a: Hex, b: Hex): -1 | 0 | 1 {
  if (a === b) return 0;
  const low = nftPageOrder(a);
  const other = nftPageOrder(b);
  if (low !== other) return low < other ? -1 : 1;
  return a < b ? -1 : 1;
}
