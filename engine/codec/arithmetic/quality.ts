/**
 * The quality of an offer: what the taker pays for one unit of what it gets, as one sortable 64-bit number.
 *
 *     exponent + 100 (8 bits) | mantissa (56 bits)         rate = in / out; lower is better for the taker
 *
 * It is in the last 8 bytes of a book directory's key, so that the best offers come first. rippled
 * `Quality.cpp`, `getRate` of `STAmount.cpp`.
 */
import { Amount } from './amount.ts';
import { divide, divRound, divRoundStrict, mulRound, mulRoundStrict, NO_ISSUE } from './amount-arithmetic.ts';
import type { Asset } from './asset.ts';
import { tenTo } from './decimal.ts';

const MANTISSA_BITS = 56n;
const MANTISSA_MASK = (1n << MANTISSA_BITS) - 1n;
/** Added to the exponent. */
export const QUALITY_EXPONENT = 100;

/** In and out of an offer, or of a part of it. */
export interface InOut {
  readonly in: Amount;
  readonly out: Amount;
}

/**
 * The rate of an offer as stored in book directories: what it takes in divided by what it gives out.
 * 0 when the result is zero, too large or too small: such an offer is worthless.
 * @param offerOut TakerGets: what the taker gets.
 * @param offerIn TakerPays: what the taker pays.
 */
export function getRate(offerOut: Amount, offerIn: Amount): bigint {
  if (offerOut.isZero) return 0n;
  try {
    const rate = divide(offerIn, offerOut, NO_ISSUE);
    return rate.isZero ? 0n : stored(rate);
  } catch {
    return 0n; // overflow: a very bad offer
  }
}

function stored(rate: Amount): bigint {
  const mantissa = rate.mantissa < 0n ? -rate.mantissa : rate.mantissa;
  return (BigInt(rate.exponent + QUALITY_EXPONENT) << MANTISSA_BITS) | mantissa;
}

/** `getRate` with swapped parameters: in, then out. */
export const qualityOf = (amountIn: Amount, amountOut: Amount): bigint => getRate(amountOut, amountIn);

/** The rate as an amount of `NO_ISSUE`. */
export function amountFromQuality(quality: bigint): Amount {
  if (quality === 0n) return Amount.zero(NO_ISSUE);
  return Amount.issued(
    NO_ISSUE,
    quality & MANTISSA_MASK,
    Number(quality >> MANTISSA_BITS) - QUALITY_EXPONENT,
  );
}

/** The quality of the rate 1. */
export const QUALITY_ONE = getRate(Amount.drops(1n), Amount.drops(1n));

type RoundedBy = (a: Amount, b: Amount, asset: Asset, up: boolean) => Amount;

function limitIn(offer: InOut, limit: Amount, quality: bigint, up: boolean, divided: RoundedBy): InOut {
  if (offer.in.compare(limit) <= 0) return offer;
  const out = divided(limit, amountFromQuality(quality), offer.out.asset, up);
  return { in: limit, out: out.compare(offer.out) > 0 ? offer.out : out };
}

function limitOut(offer: InOut, limit: Amount, quality: bigint, up: boolean, multiplied: RoundedBy): InOut {
  if (offer.out.compare(limit) <= 0) return offer;
  const amountIn = multiplied(limit, amountFromQuality(quality), offer.in.asset, up);
  return { in: amountIn.compare(offer.in) > 0 ? offer.in : amountIn, out: limit };
}

/** The offer with its input limited; its output is reduced in proportion and never increased. */
export const ceilIn = (quality: bigint, offer: InOut, limit: Amount): InOut =>
  limitIn(offer, limit, quality, true, divRound);
export const ceilInStrict = (quality: bigint, offer: InOut, limit: Amount, up: boolean): InOut =>
  limitIn(offer, limit, quality, up, divRoundStrict);

/** The offer with its output limited; its input is reduced in proportion and never increased. */
export const ceilOut = (quality: bigint, offer: InOut, limit: Amount): InOut =>
  limitOut(offer, limit, quality, true, mulRound);
export const ceilOutStrict = (quality: bigint, offer: InOut, limit: Amount, up: boolean): InOut =>
  limitOut(offer, limit, quality, up, mulRoundStrict);

/** The quality of two consecutive exchanges. @throws AmountError on overflow. */
export function composed(a: bigint, b: bigint): bigint {
  return stored(mulRound(amountFromQuality(a), amountFromQuality(b), NO_ISSUE, true));
}

/**
 * The quality rounded up (worse for the taker) to an issuer's tick size.
 * @param digits significant digits, 3 to 15 (16 changes nothing).
 */
export function roundToTickSize(quality: bigint, digits: number): bigint {
  const exponent = quality >> MANTISSA_BITS;
  const unit = tenTo(16 - digits);
  const raised = (quality & MANTISSA_MASK) + unit - 1n;
  return (exponent << MANTISSA_BITS) | (raised - (raised % unit));
}
