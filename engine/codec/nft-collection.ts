/** The collection of an NFT: issuer and taxon, which its id has at known places (XLS-20; rippled `nft.h`). */
import { accountText } from './base58.ts';
import { readU32 } from './bytes.ts';

const ISSUER_AT = 4;
const TAXON_AT = 24;
const SEQUENCE_AT = 28;

/** `<issuer>:<taxon>`. @param id 64 hex digits */
export function nftCollection(id: string): string {
  const bytes = Uint8Array.fromHex(id);
  const sequence = readU32(bytes, SEQUENCE_AT);
  // Taxons are scrambled by a linear congruential generator of the sequence.
  const taxon = (readU32(bytes, TAXON_AT) ^ (Math.imul(384_160_001, sequence) + 2459)) >>> 0;
  return `${accountText(bytes, ISSUER_AT)}:${taxon}`;
}
