/**
 * Sums of issued amounts as the ledger made them before amendment fixUniversalNumber (2023-08-21): the last
 * digits of the smaller one were cut off before adding, those of the sum afterwards; now both are rounded to nearest.
 *
 * The embedded network has only the present sums. To apply older transactions, these replace them for that time.
 */
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';

const MANTISSA_MAX = 10n ** 16n - 1n;
/** A sum as small as this is zero. */
const NOTHING = 10n;

function oldSum(a: Amount, mantissa: bigint, exponent: number): Amount {
  if (mantissa === 0n) return a;
  if (a.mantissa === 0n) return Amount.issued(a.asset, mantissa, exponent);
  let [x, xExponent, y, yExponent] = [a.mantissa, a.exponent, mantissa, exponent];
  for (; xExponent < yExponent; xExponent += 1) x /= 10n;
  for (; yExponent < xExponent; yExponent += 1) y /= 10n;
  let sum = x + y;
  if (sum >= -NOTHING && sum <= NOTHING) return Amount.zero(a.asset);
  for (; sum > MANTISSA_MAX || sum < -MANTISSA_MAX; xExponent += 1) sum /= 10n;
  return Amount.issued(a.asset, sum, xExponent);
}

/** Runs `work` with the sums as before the amendment. */
export function withOldSums<T>(work: () => T): T {
  const { add, sub } = Amount.prototype;
  Amount.prototype.add = function (this: Amount, b, scale) {
    return this.isIssued && b.isIssued ? oldSum(this, b.mantissa, b.exponent) : add.call(this, b, scale);
  };
  Amount.prototype.sub = function (this: Amount, b, scale) {
    return this.isIssued && b.isIssued ? oldSum(this, -b.mantissa, b.exponent) : sub.call(this, b, scale);
  };
  try {
    return work();
  } finally {
    Object.assign(Amount.prototype, { add, sub });
  }
}
