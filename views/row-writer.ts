/** Writes a token's row as JSON text, field by field in the order of the table. */
import type { TokenFacts } from './token-facts.ts';
import type { TokenField } from './token-fields/field.ts';

export class RowWriter {
  readonly #fields: readonly { readonly key: string; readonly value: (token: TokenFacts) => unknown }[];

  constructor(fields: readonly TokenField[]) {
    this.#fields = fields.flatMap(({ name, value }) =>
      value ? [{ key: `${JSON.stringify(name)}:`, value }] : [],
    );
  }

  /** Fields without a value are left out. */
  write(token: TokenFacts): string {
    let row = '';
    for (const { key, value } of this.#fields) {
      const made = value(token);
      if (made !== undefined) row += (row === '' ? '{' : ',') + key + jsonText(made);
    }
    return row === '' ? '{}' : `${row}}`;
  }
}

export function jsonText(value: unknown): string {
  // As JSON.stringify writes a number, without the call.
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
