/** Index (key) of the AMM entry of two assets (rippled `Indexes.cpp`, `keylet::amm`). */
import { sha512Half } from './hash.ts';

/** `A`, the space of AMM entries. */
const SPACE = Uint8Array.of(0, 0x41);

/** Both of 20 bytes; XRP: zeros. */
export interface AssetBytes {
  readonly currency: Uint8Array;
  readonly issuer: Uint8Array;
}

/** 32 bytes; the assets in the order of currency, then issuer, whatever the order given. */
export function ammKey(one: AssetBytes, two: AssetBytes): Uint8Array {
  const order = Buffer.compare(one.currency, two.currency) || Buffer.compare(one.issuer, two.issuer);
  const [low, high] = order <= 0 ? [one, two] : [two, one];
  return sha512Half(SPACE, low.issuer, low.currency, high.issuer, high.currency);
}
