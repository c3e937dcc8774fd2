/** The quality that an offer is placed at, with the arithmetic of the enabled amendments. */

import { type Amount, MANTISSA_MAX, MANTISSA_MIN } from '../../engine/codec/arithmetic/amount.ts';
import { getRate } from '../../engine/codec/arithmetic/quality.ts';
import type { Rules } from '../protocol/amendments.ts';

const SHIFT = 10n ** 17n;
const SHIFT_DIGITS = 17;
/** Half of the digit that is truncated. */
const HALF = 5n;
const EXPONENT_BIAS = 100n;

/** TakerPays for TakerGets, as book directories store it (`getRate`). */
export function placementRate(rules: Rules, gets: Amount, pays: Amount): bigint {
  return rules.enabled('fixUniversalNumber') ? getRate(gets, pays) : truncatedRate(gets, pays);
}

/** Before fixUniversalNumber (2023) the quotient's last digits were truncated; since then they are rounded. */
function truncatedRate(gets: Amount, pays: Amount): bigint {
  const numerator = scaledUp(pays);
  const denominator = scaledUp(gets);
  let mantissa = (numerator.mantissa * SHIFT) / denominator.mantissa + HALF;
  let exponent = numerator.exponent - denominator.exponent - SHIFT_DIGITS;
  while (mantissa > MANTISSA_MAX) {
    mantissa /= 10n;
    exponent += 1;
  }
  return ((BigInt(exponent) + EXPONENT_BIAS) << 56n) | mantissa;
}

/** With 16 digits, as issued amounts have anyway. */
function scaledUp({ mantissa, exponent }: Amount): { mantissa: bigint; exponent: number } {
  let scaled = mantissa;
  let shifted = exponent;
  while (scaled < MANTISSA_MIN) {
    scaled *= 10n;
    shifted -= 1;
  }
  return { mantissa: scaled, exponent: shifted };
}
