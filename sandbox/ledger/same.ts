/** Equality of field values: by content, an absent field equal to one that is undefined. */
import type { Entry, Fields } from '../protocol/fields.ts';

/** Whether two field values are equal: numbers, texts, amounts, arrays, inner objects. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameValue(item, b[at]));
  }
  return sameFields(a as Fields, b as Fields);
}

/** Whether two objects have the same fields with equal values. */
export function sameFields(a: Readonly<Fields | Entry>, b: Readonly<Fields | Entry>): boolean {
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const name in left) if (!sameValue(left[name], right[name])) return false;
  for (const name in right) if (right[name] !== undefined && left[name] === undefined) return false;
  return true;
}
