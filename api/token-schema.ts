/** The schema of token rows, from the table of their fields. */

import type { RowSize, TokenField } from '../views/token-fields/field.ts';
import { TOKEN_FIELDS } from '../views/token-fields.ts';
import type { Schema } from './schema.ts';

/** A token's row of a size. No member is required: what the ledger does not say of a token is absent. */
export function tokenRow(size: RowSize, fields = TOKEN_FIELDS.all): Schema<object> {
  return schemaOf(fields.filter(({ value, sizes }) => value !== undefined && sizes.includes(size)));
}

/** The full row and what stands beside it. */
export function wholeTokenRow(fields = TOKEN_FIELDS.all): Schema<object> {
  return schemaOf(
    fields.filter(
      ({ value, sizes }) => value !== undefined && (sizes.includes('full') || sizes.includes('beside')),
    ),
  );
}

/** A field that other rows show of a token, too. */
export function tokenField(name: string, fields = TOKEN_FIELDS.all): Schema {
  return described(fields.find((one) => one.name === name)!);
}

const described = ({ about, unit, schema }: TokenField): Schema => ({
  ...schema,
  description: unit === undefined ? about : `${about} (${unit})`,
});

function schemaOf(shown: readonly TokenField[]): Schema<object> {
  return { type: 'object', properties: Object.fromEntries(shown.map((one) => [one.name, described(one)])) };
}
