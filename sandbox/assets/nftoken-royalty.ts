/** The royalty of an NFT's issuer. Rules: rippled `NFTokenAcceptOffer.cpp`, `STAmount.cpp`; XLS-20. */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { multiplyRate, transferFeeAsRate } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { Rules } from '../protocol/amendments.ts';

/** A transfer fee is in hundred thousandths of the price. */
const FEE_SCALE = 100_000n;

/**
 * The issuer's share of a price.
 * @param transferFee in hundred thousandths, as in the NFT's id.
 */
export function royaltyOf(price: Amount, transferFee: number, rules: Rules): Amount {
  // Before fixUniversalNumber (mainnet: 2023-08) drops were truncated, not rounded.
  if (price.isNative && !rules.enabled('fixUniversalNumber')) {
    return Amount.drops((price.drops * BigInt(transferFee)) / FEE_SCALE);
  }
  return multiplyRate(price, transferFeeAsRate(transferFee), rules.numbers);
}
