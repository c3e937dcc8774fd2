/** Exact arithmetic with decimal text, for the few amounts that the pages compute themselves. */

/** Digits that an amount of a token has on the ledger. */
const TOKEN_DIGITS = 15;
const DROPS_PER_XRP = 1_000_000n;

interface Decimal {
  readonly digits: bigint;
  /** value = digits x 10^-places */
  readonly places: number;
}

/** @throws SyntaxError where the text is no plain decimal */
function parsed(text: string): Decimal {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new SyntaxError(`not a decimal: ${text.slice(0, 40)}`);
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), places: fraction.length };
}

function written({ digits, places }: Decimal): string {
  const padded = String(digits).padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const fraction = padded.slice(padded.length - places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** An amount with a share added, rounded up to the digits that a token has: what may be spent at most. @param share 0.02 is 2 % */
export function withShare(amount: string, share: string): string {
  const [a, b] = [parsed(amount), parsed(share)];
  const product = { digits: a.digits * (b.digits + 10n ** BigInt(b.places)), places: a.places + b.places };
  const excess = String(product.digits).length - TOKEN_DIGITS;
  if (excess <= 0) return written(product);
  const unit = 10n ** BigInt(excess);
  const rounded = ((product.digits + unit - 1n) / unit) * unit;
  return written({ digits: rounded, places: product.places });
}

/** XRP as drops, rounded up. */
export function dropsOf(xrp: string): string {
  const { digits, places } = parsed(xrp);
  const unit = 10n ** BigInt(places);
  return String((digits * DROPS_PER_XRP + unit - 1n) / unit);
}
