/** Numbers as text for the edge: plain decimals, never exponents, never more digits than a float carries. */

/** Shortest decimal text that reads back as the same float, without exponent. @param value finite. */
export function numberText(value: number): string {
  const text = String(value);
  const e = text.indexOf('e');
  if (e < 0) return text;
  const exponent = Number(text.slice(e + 1));
  const negative = text[0] === '-';
  const digits = text.slice(negative ? 1 : 0, e);
  const dot = digits.indexOf('.');
  const whole = dot < 0 ? digits : digits.slice(0, dot) + digits.slice(dot + 1);
  const point = (dot < 0 ? digits.length : dot) + exponent;
  let out: string;
  if (point <= 0) out = `0.${'0'.repeat(-point)}${whole}`;
  else if (point >= whole.length) out = whole + '0'.repeat(point - whole.length);
  else out = `${whole.slice(0, point)}.${whole.slice(point)}`;
  return negative ? `-${out}` : out;
}

/** Rounds to `digits` decimals; for percentages and ratios. */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

/** A finite number, else undefined: JSON has no NaN and no Infinity. */
export function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** A percentage of four decimals; undefined for what is not finite. */
export function percent(value: number | undefined): number | undefined {
  const known = finite(value);
  return known === undefined ? undefined : rounded(known, 4);
}

/** By how many percent of `base` a value is above it, to two decimals. @param base not 0 */
export function percentAbove(value: number, base: number): number {
  return Math.round(((value - base) / base) * 10_000) / 100;
}
