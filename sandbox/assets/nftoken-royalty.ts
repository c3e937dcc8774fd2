/** The royalty of an NFT's issuer. Rules: rippled `NFTokenAcceptOffer.cpp`, `STAmount.cpp`; XLS-20. */
import type { Rules } from '../protocol/amendments.ts';
import { Amount } from '../protocol/amount.ts';
import { multiplyRate, transferFeeAsRate } from '../protocol/amount-arithmetic.ts';

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
