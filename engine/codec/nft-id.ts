/**
 * The id of an NFT: 32 bytes with its flags, fee, issuer, taxon and number (XLS-20).
 *
 *     flags 2 | transfer fee 2 | issuer 20 | taxon 4, scrambled | sequence 4
 *
 * The taxon is scrambled with the sequence, so that the NFTs of one taxon are spread over pages (rippled `nft.h`).
 */

export const NFT_ID_BYTES = 32;

/** Offsets in an id. */
export const NftIdAt = { flags: 0, transferFee: 2, issuer: 4, taxon: 24, sequence: 28 } as const;

/** Constants of a linear congruential generator: its value for the sequence is XORed with the taxon. */
const SCRAMBLE_FACTOR = 384_160_001;
const SCRAMBLE_ADDEND = 2_459;

/** Scrambles a taxon, and restores a scrambled one. */
export function scrambleTaxon(taxon: number, sequence: number): number {
  return (taxon ^ (Math.imul(SCRAMBLE_FACTOR, sequence) + SCRAMBLE_ADDEND)) >>> 0;
}
