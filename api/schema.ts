/** JSON Schemas in short form, for the `response` of route rows. */
import type { JsonSchema } from '../requests/param.ts';

export const string: JsonSchema = { type: 'string' };
export const number: JsonSchema = { type: 'number' };
export const integer: JsonSchema = { type: 'integer' };
export const boolean: JsonSchema = { type: 'boolean' };
/** An object whose members are not listed. */
export const anyObject: JsonSchema = { type: 'object' };

/** Adds a description. */
export const told = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** Members whose name ends in `?` may be absent. Further members are allowed: the contract grows by adding. */
export function object(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(members)) {
    const optional = name.endsWith('?');
    const bare = optional ? name.slice(0, -1) : name;
    properties[bare] = schema;
    if (!optional) required.push(bare);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** `exch`, `H24` and `global`, as every market answer carries them. */
export const marketWide: Readonly<Record<string, JsonSchema>> = {
  exch: told(anyObject, 'XRP per 1 unit of fiat: USD, EUR, JPY, CNY'),
  H24: told(anyObject, 'Figures of the last 24 hours, XRP'),
  global: told(anyObject, 'Market-wide figures, XRP'),
};
