/**
 * Amounts of XRP, issued currencies and MPTs, as immutable values.
 *
 * Goal: the values, texts, sums and comparisons of rippled's class `STAmount`. Multiplication and division are in
 * amount-arithmetic.ts, qualities in quality.ts.
 *
 *     asset           mantissa                       exponent
 *     XRP             drops, |.| <= 10^17            0
 *     MPT issuance    units, |.| <= 2^63 - 1         0
 *     issued          10^15 <= |.| < 10^16           -96 .. 80; zero is 0 * 10^-100
 *
 * Two amounts can be added and compared when they have the same currency: the issuer is ignored, because a trust
 * line's balance has account one as issuer. The result has the asset of the left operand.
 *
 * Sums of issued amounts are rounded half to even (fixUniversalNumber, 2023) in the 16-digit scale, or, where the rules
 * compute with 19 digits, to 19 digits and then to 16, which differs at ties: callers in a ledger pass `rules.numbers`.
 * Sums of amounts with equal exponents need no scaling and take a fast path; that is the common case.
 */
import { accountBytes, accountText } from '../base58.ts';
import { bytesOf, hexOf } from '../bytes.ts';
import { currencyBytes, currencyText } from '../currency.ts';
import { ACCOUNT_ZERO, type Asset, CURRENCY_XRP, type Hex, isMpt, issued, XRP } from './asset.ts';
import { INT64_MAX, NUM_ZERO, type Num, placed, type Rounding, toInt64 } from './decimal.ts';
import { type Scale, SMALL_SCALE } from './number-scale.ts';

/** The JSON of an amount. */
export type AmountJson =
  | string
  | { value: string; currency: string; issuer: string }
  | { value: string; mpt_issuance_id: string };

/** The JSON of an asset. */
export type AssetJson =
  | { currency: string }
  | { currency: string; issuer: string }
  | { mpt_issuance_id: string };

export const MANTISSA_MIN = 10n ** 15n;
export const MANTISSA_MAX = 10n ** 16n - 1n;
const MANTISSA_DIGITS = 16;
export const EXPONENT_MIN = -96;
export const EXPONENT_MAX = 80;
const ZERO_ISSUED_EXPONENT = -100;
/** Maximum number of drops of an amount (rippled `cMaxNativeN`), which is the total XRP. */
export const DROPS_MAX = 10n ** 17n;
/** Maximum units of an MPT issuance, and of a holding of it. */
export const MPT_MAX = INT64_MAX;

const CURRENCY_DIGITS = 40;

/** A value out of range, amounts of different currencies in one operation, text that is not an amount. */
export class AmountError extends RangeError {
  override readonly name = 'AmountError';
}

/** Whether amounts of the two can be added and compared. */
export function comparable(a: Asset, b: Asset): boolean {
  if (a === b) return true;
  return (
    a.length === 2 * CURRENCY_DIGITS &&
    b.length === 2 * CURRENCY_DIGITS &&
    a.slice(0, CURRENCY_DIGITS) === b.slice(0, CURRENCY_DIGITS)
  );
}

export class Amount {
  readonly asset: Asset;
  /** Signed. */
  readonly mantissa: bigint;
  readonly exponent: number;

  /** Stores the parts unchanged: use the static functions below, which check and normalise. */
  private constructor(asset: Asset, mantissa: bigint, exponent: number) {
    this.asset = asset;
    this.mantissa = mantissa;
    this.exponent = exponent;
  }

  /** XRP. Not limited to DROPS_MAX: old ledgers hold negative balances, sums are checked where rippled checks. */
  static drops(drops: bigint | number): Amount {
    return new Amount(XRP, BigInt(drops), 0);
  }

  /** Units of an MPT issuance, by its id. */
  static mpt(id: Hex, units: bigint | number): Amount {
    return new Amount(id, BigInt(units), 0);
  }

  static zero(asset: Asset): Amount {
    return new Amount(asset, 0n, asset.length === 2 * CURRENCY_DIGITS ? ZERO_ISSUED_EXPONENT : 0);
  }

  /**
   * An issued amount, normalised to 16 digits; too small a value becomes zero.
   * @throws AmountError when it is too large.
   */
  static issued(
    asset: Asset,
    mantissa: bigint | number,
    exponent: number,
    mode: Rounding = 'nearest',
  ): Amount {
    const m = BigInt(mantissa);
    const magnitude = m < 0n ? -m : m;
    if (magnitude >= MANTISSA_MIN && magnitude <= MANTISSA_MAX) {
      if (exponent > EXPONENT_MAX) throw new AmountError('amount overflow');
      return exponent < EXPONENT_MIN ? Amount.zero(asset) : new Amount(asset, m, exponent);
    }
    // Far above also the numbers that an amount is made of: these have no more than exponents up to 32768.
    if (m !== 0n && exponent >= EXPONENT_MAX + MANTISSA_DIGITS) throw new AmountError('amount overflow');
    const value = SMALL_SCALE.normal(m, exponent, mode);
    if (value.mantissa === 0n || value.exponent < EXPONENT_MIN) return Amount.zero(asset);
    if (value.exponent > EXPONENT_MAX) throw new AmountError('amount overflow');
    return new Amount(asset, value.mantissa, value.exponent);
  }

  /**
   * An amount of any asset from a mantissa and an exponent (rippled `STAmount::canonicalize`): whole drops or units
   * for XRP and MPTs, 16 digits for issued currencies.
   * @throws AmountError when it is too large.
   */
  static of(asset: Asset, mantissa: bigint, exponent: number, mode: Rounding = 'nearest'): Amount {
    if (asset.length === 2 * CURRENCY_DIGITS) return Amount.issued(asset, mantissa, exponent, mode);
    // Below 10^-19 rippled returns zero before it applies the rounding mode.
    if (mantissa === 0n || exponent <= -20) return Amount.zero(asset);
    const max = asset === XRP ? DROPS_MAX : MPT_MAX;
    if (exponent > 18) throw new AmountError('amount overflow');
    const whole = exponent === 0 ? mantissa : wholeOf(mantissa, exponent, mode);
    if (whole > max || whole < -max) throw new AmountError('amount overflow');
    return new Amount(asset, whole, 0);
  }

  /**
   * The amount that a number represents.
   * @throws AmountError when it is too large for the asset.
   */
  static fromNum(asset: Asset, value: Num, mode: Rounding = 'nearest'): Amount {
    if (asset.length === 2 * CURRENCY_DIGITS)
      return Amount.issued(asset, value.mantissa, value.exponent, mode);
    const max = asset === XRP ? DROPS_MAX : MPT_MAX;
    const whole = wholeOf(value.mantissa, value.exponent, mode);
    if (whole > max || whole < -max) throw new AmountError('amount overflow');
    return new Amount(asset, whole, 0);
  }

  /**
   * An amount from its JSON (rippled `amountFromJson`): drops as decimal text, or an object with value, currency and
   * issuer, or with value and mpt_issuance_id.
   * @throws AmountError when it is not an amount.
   */
  static parse(json: unknown): Amount {
    if (typeof json === 'string') return amountOfText(XRP, json);
    if (typeof json === 'number') {
      if (!Number.isSafeInteger(json)) throw new AmountError('drops are whole numbers');
      return Amount.of(XRP, BigInt(json), 0);
    }
    if (typeof json !== 'object' || json === null) throw new AmountError('not an amount');
    const { value } = json as { value?: unknown };
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') throw new AmountError('amount without value');
    const asset = assetFromJson(json, true);
    if (asset === XRP) throw new AmountError('XRP is not written as an object');
    return amountOfText(asset, text);
  }

  get isNative(): boolean {
    return this.asset === XRP;
  }

  get isIssued(): boolean {
    return this.asset.length === 2 * CURRENCY_DIGITS;
  }

  get isMpt(): boolean {
    return this.asset.length === 48;
  }

  get isZero(): boolean {
    return this.mantissa === 0n;
  }

  get signum(): -1 | 0 | 1 {
    return this.mantissa === 0n ? 0 : this.mantissa < 0n ? -1 : 1;
  }

  /** @throws AmountError when it is not XRP. */
  get drops(): bigint {
    if (this.asset !== XRP) throw new AmountError('not XRP');
    return this.mantissa;
  }

  /** The issuer of an issued amount or an MPT's issuance; account zero for XRP. */
  get issuer(): Hex {
    if (this.asset.length === 2 * CURRENCY_DIGITS) return this.asset.slice(CURRENCY_DIGITS);
    return this.asset.length === 48 ? this.asset.slice(8) : ACCOUNT_ZERO;
  }

  negate(): Amount {
    return this.mantissa === 0n ? this : new Amount(this.asset, -this.mantissa, this.exponent);
  }

  abs(): Amount {
    return this.mantissa < 0n ? new Amount(this.asset, -this.mantissa, this.exponent) : this;
  }

  /** The same numbers, with another issuer or another asset of the same kind. */
  withAsset(asset: Asset): Amount {
    return asset === this.asset ? this : new Amount(asset, this.mantissa, this.exponent);
  }

  /**
   * The sum, in this amount's asset.
   * @param scale the arithmetic in use (`rules.numbers`); ignored for XRP and MPTs.
   * @throws AmountError for another currency, and on overflow.
   */
  add(b: Amount, scale: Scale = SMALL_SCALE): Amount {
    if (!comparable(this.asset, b.asset)) throw new AmountError('amounts of different currencies');
    return this.#plus(b.mantissa, b.exponent, scale);
  }

  /** The difference; see `add`. */
  sub(b: Amount, scale: Scale = SMALL_SCALE): Amount {
    if (!comparable(this.asset, b.asset)) throw new AmountError('amounts of different currencies');
    return this.#plus(-b.mantissa, b.exponent, scale);
  }

  #plus(mantissa: bigint, exponent: number, scale: Scale): Amount {
    if (mantissa === 0n) return this;
    if (this.mantissa === 0n) return new Amount(this.asset, mantissa, exponent);
    const { asset } = this;
    if (asset.length !== 2 * CURRENCY_DIGITS) {
      const sum = this.mantissa + mantissa;
      if (sum > INT64_MAX || sum < -INT64_MAX) throw new AmountError('amount overflow');
      return new Amount(asset, sum, 0);
    }
    if (exponent === this.exponent) {
      const sum = this.mantissa + mantissa;
      const magnitude = sum < 0n ? -sum : sum;
      if (magnitude >= MANTISSA_MIN && magnitude <= MANTISSA_MAX) return new Amount(asset, sum, exponent);
      return Amount.issued(asset, sum, exponent);
    }
    const sum = scale.add(scale.normal(this.mantissa, this.exponent), scale.normal(mantissa, exponent));
    return Amount.issued(asset, sum.mantissa, sum.exponent);
  }

  /**
   * -1 when this is less than `b`, 0 when they are equal, 1 when it is more.
   * @throws AmountError for another currency.
   */
  compare(b: Amount): -1 | 0 | 1 {
    if (!comparable(this.asset, b.asset)) throw new AmountError('amounts of different currencies');
    const x = this.mantissa;
    const y = b.mantissa;
    if (this.exponent === b.exponent) return x === y ? 0 : x < y ? -1 : 1;
    if (x === 0n || y === 0n || x < 0n !== y < 0n) return x < y ? -1 : 1;
    return this.exponent < b.exponent === x > 0n ? -1 : 1;
  }

  lessThan(b: Amount): boolean {
    return this.compare(b) < 0;
  }

  /** Whether currency (not issuer) and value are equal. Never throws. */
  equals(b: Amount): boolean {
    return this.mantissa === b.mantissa && this.exponent === b.exponent && comparable(this.asset, b.asset);
  }

  /** The value as rippled prints it: whole drops and units, issued values plain or as `1000000000000000e5`. */
  text(): string {
    if (this.mantissa === 0n) return '0';
    const sign = this.mantissa < 0n ? '-' : '';
    const digits = (this.mantissa < 0n ? -this.mantissa : this.mantissa).toString();
    const { exponent } = this;
    if (exponent === 0) return sign + digits;
    if (exponent < -25 || exponent > -5) return `${sign}${digits}e${exponent}`;
    return sign + placed(digits, exponent);
  }

  /** rippled's JSON. */
  json(): AmountJson {
    const value = this.text();
    if (this.asset === XRP) return value;
    return { value, ...(assetJson(this.asset) as { currency: string; issuer: string }) };
  }

  /** This amount as a number of the 16-digit scale; `numbers.of(amount)` for another. */
  num(): Num {
    return this.mantissa === 0n ? NUM_ZERO : SMALL_SCALE.of(this);
  }
}

/** @throws AmountError on overflow. */
function wholeOf(mantissa: bigint, exponent: number, mode: Rounding): bigint {
  if (mantissa === 0n) return 0n;
  try {
    return toInt64({ mantissa, exponent }, mode);
  } catch {
    throw new AmountError('amount overflow');
  }
}

/** Sign, digits, fraction and exponent, as accepted by rippled `partsFromString`. */
const NUMBER_TEXT = /^([-+]?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,9}))?$/;
/** The longest plain text of an issued amount has 98 characters. */
const NUMBER_TEXT_LENGTH_MAX = 128;

/**
 * Mantissa (signed, digits as written) and exponent of a decimal text.
 * @throws AmountError when it is not a number.
 */
export function decimalOf(text: string): { mantissa: bigint; exponent: number } {
  const parts = text.length <= NUMBER_TEXT_LENGTH_MAX ? NUMBER_TEXT.exec(text) : null;
  if (!parts) throw new AmountError('not a number');
  const fraction = parts[3] ?? '';
  const digits = parts[2]! + fraction;
  const exponent = Number(parts[4] ?? 0) - fraction.length;
  // A long text may still be an amount: its trailing zeros go into the exponent.
  const kept = digits.length > 19 ? digits.replace(/(?<=[0-9])0+$/, '') : digits;
  const magnitude = BigInt(kept);
  return {
    mantissa: parts[1] === '-' ? -magnitude : magnitude,
    exponent: exponent + digits.length - kept.length,
  };
}

/** rippled's mantissa is an unsigned 64-bit integer before it is normalised. */
const TEXT_MANTISSA_MAX = 2n ** 64n - 1n;

/**
 * An amount of `asset` from its value as text (rippled `amountFromString`).
 * @throws AmountError when it is not an amount, is not whole (XRP, MPT) or too large.
 */
export function amountOfText(asset: Asset, text: string): Amount {
  const { mantissa, exponent } = decimalOf(text);
  if (mantissa > TEXT_MANTISSA_MAX || mantissa < -TEXT_MANTISSA_MAX) throw new AmountError('amount too long');
  if (exponent < 0 && asset.length !== 2 * CURRENCY_DIGITS)
    throw new AmountError('XRP and MPTs are whole numbers');
  return Amount.of(asset, mantissa, exponent);
}

/** The JSON of an asset: `{ currency, issuer }`, `{ currency: 'XRP' }` or `{ mpt_issuance_id }`. */
export function assetJson(asset: Asset): AssetJson {
  if (asset === XRP) return { currency: 'XRP' };
  if (asset.length === 48) return { mpt_issuance_id: asset };
  return { currency: currencyJson(asset.slice(0, 40)), issuer: addressOf(asset.slice(40)) };
}

/**
 * The asset of a JSON object.
 * @param value  whether a member `value` may be present.
 * @throws AmountError when it is not an asset.
 */
export function assetFromJson(json: unknown, value = false): Asset {
  if (typeof json !== 'object' || json === null) throw new AmountError('not an asset');
  const { mpt_issuance_id: mpt, currency, issuer } = json as Record<string, unknown>;
  const members = Object.keys(json).length - (value && 'value' in json ? 1 : 0);
  if (mpt !== undefined) {
    if (members !== 1 || typeof mpt !== 'string' || !/^[0-9A-Fa-f]{48}$/.test(mpt))
      throw new AmountError('not an MPT issuance');
    return mpt.toUpperCase();
  }
  const code = typeof currency === 'string' ? currencyOfJson(currency) : undefined;
  if (code === undefined || members > 2) throw new AmountError('not a currency');
  if (code === CURRENCY_XRP) {
    if (issuer !== undefined) throw new AmountError('XRP has no issuer');
    return XRP;
  }
  const account = typeof issuer === 'string' ? accountOf(issuer) : undefined;
  if (account === undefined || members !== 2) throw new AmountError('not an issuer');
  return issued(code, account);
}

/** The text of a currency: three characters, `XRP`, or 40 hex digits. */
export function currencyJson(currency: Hex): string {
  return currencyText(bytesOf(currency));
}

/** The largest amount of an asset (rippled `toMaxAmount`). */
export function largestAmount(asset: Asset): Amount {
  if (asset === XRP) return Amount.drops(DROPS_MAX);
  return isMpt(asset) ? Amount.mpt(asset, MPT_MAX) : Amount.issued(asset, MANTISSA_MAX, EXPONENT_MAX);
}

/** Whether it is at most the total XRP (rippled `isLegalNet`). */
export const isLegal = (amount: Amount): boolean =>
  !amount.isNative || (amount.mantissa <= DROPS_MAX && amount.mantissa >= -DROPS_MAX);

/** The currency of a text; undefined when it is not a currency. */
export function currencyOfJson(text: string): Hex | undefined {
  const bytes = currencyBytes(text);
  return bytes && hexOf(bytes);
}

/** The r-address of an account. */
export function addressOf(account: Hex): string {
  return accountText(bytesOf(account));
}

/** The account of an r-address; undefined when it is not an address. */
export function accountOf(address: string): Hex | undefined {
  const bytes = accountBytes(address);
  return bytes && hexOf(bytes);
}
