/** Exact arithmetic with decimal text of any length, for the few amounts that the pages compute themselves. */

/** Digits that an amount of a token has on the ledger. */
const TOKEN_DIGITS = 15;
const DROPS_PER_XRP = 1_000_000n;

interface Decimal {
  readonly digits: bigint;
  /** value = digits x 10^-places */
  readonly places: number;
}

/** Of what the ledger and the service write: with a sign, with an exponent. @throws SyntaxError where it is no decimal */
function parsed(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === '') throw new SyntaxError(`not a decimal: ${text.slice(0, 40)}`);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scaled({ digits, places: fraction.length - Number(exponent) });
}

/** Of what a person typed. @throws SyntaxError where it is no plain decimal */
function plain(text: string): Decimal {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new SyntaxError(`not a decimal: ${text.slice(0, 40)}`);
  return parsed(text);
}

/** With no fewer than 0 places. */
const scaled = ({ digits, places }: Decimal): Decimal =>
  places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };

function written({ digits, places }: Decimal): string {
  const padded = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const fraction = padded.slice(padded.length - places).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** a - b */
export function minus(a: string, b: string): string {
  const [x, y] = [parsed(a), parsed(b)];
  const places = Math.max(x.places, y.places);
  const at = (one: Decimal) => one.digits * 10n ** BigInt(places - one.places);
  return written({ digits: at(x) - at(y), places });
}

/** a + b */
export const plus = (a: string, b: string): string => minus(a, negated(b));

/** -a */
export const negated = (a: string): string => minus('0', a);

/** value * 10^-places */
export function shifted(value: string, places: number): string {
  const { digits, places: had } = parsed(value);
  return written(scaled({ digits, places: had + places }));
}

/** Drops as XRP, every digit. */
export const xrpOfDrops = (drops: string): string => shifted(drops, 6);

/** An amount with a share added, rounded up to the digits that a token has: what may be spent at most. @param share 0.02 is 2 % */
export function withShare(amount: string, share: string): string {
  const [a, b] = [plain(amount), plain(share)];
  const product = { digits: a.digits * (b.digits + 10n ** BigInt(b.places)), places: a.places + b.places };
  const excess = String(product.digits).length - TOKEN_DIGITS;
  if (excess <= 0) return written(product);
  const unit = 10n ** BigInt(excess);
  const rounded = ((product.digits + unit - 1n) / unit) * unit;
  return written({ digits: rounded, places: product.places });
}

/** XRP as drops, rounded up. */
export function dropsOf(xrp: string): string {
  const { digits, places } = plain(xrp);
  const unit = 10n ** BigInt(places);
  return String((digits * DROPS_PER_XRP + unit - 1n) / unit);
}
