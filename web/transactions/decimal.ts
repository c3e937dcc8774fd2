/** Decimal texts of any length, subtracted to the last digit: what a number would lose. */

interface Decimal {
  readonly digits: bigint;
  /** Value = digits * 10^-scale. */
  readonly scale: number;
}

/** @throws SyntaxError when it is no decimal */
function parse(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function textOf({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const fraction = all.slice(all.length - scale).replace(/0+$/, '');
  return `${sign}${all.slice(0, all.length - scale)}${scale > 0 && fraction ? `.${fraction}` : ''}`;
}

/** a - b */
export function minus(a: string, b: string): string {
  const [x, y] = [parse(a), parse(b)];
  const scale = Math.max(x.scale, y.scale);
  const at = ({ digits, scale: from }: Decimal) => digits * 10n ** BigInt(scale - from);
  return textOf({ digits: at(x) - at(y), scale });
}

/** -a */
export const negated = (a: string): string => minus('0', a);

/** value * 10^-places */
export const shifted = (value: string, places: number): string => {
  const { digits, scale } = parse(value);
  return scale + places >= 0
    ? textOf({ digits, scale: scale + places })
    : textOf({ digits: digits * 10n ** BigInt(-scale - places), scale: 0 });
};

/** Drops as XRP, every digit. */
export const xrpOfDrops = (drops: string): string => shifted(drops, 6);
