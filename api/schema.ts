/**
 * JSON Schemas in short form, for the `response` of route rows. Each carries the type that it describes, so that the
 * compiler checks a handler's answer against its row. Answers that are joined from bytes are checked by the tests
 * (`test/api/openapi.test.ts`).
 */
import type { JsonSchema } from '../requests/param.ts';

declare const type: unique symbol;

/** A schema of `T`. At run time it is only the JSON Schema. */
export type Schema<T = unknown> = JsonSchema & { readonly [type]?: T };

/** The type that a schema describes. */
export type Static<S extends Schema> = S extends { readonly [type]?: infer T } ? T : never;

export const string: Schema<string> = { type: 'string' };
export const number: Schema<number> = { type: 'number' };
export const integer: Schema<number> = { type: 'integer' };
export const boolean: Schema<boolean> = { type: 'boolean' };
/** An object whose members are not listed. */
export const anyObject: Schema<object> = { type: 'object' };

/** Adds a description. */
export const describe = <T>(schema: Schema<T>, description: string): Schema<T> => ({
  ...schema,
  description,
});

export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, { type: 'null' }] });

export const list = <T>(items: Schema<T>): Schema<readonly T[]> => ({ type: 'array', items });

export const oneOf = <const T extends string>(values: readonly T[]): Schema<T> => ({ enum: values });

type Members = Readonly<Record<string, Schema>>;

/** Members whose name ends in `?` may be absent. */
type ObjectOf<M extends Members> = {
  readonly [K in keyof M as K extends `${string}?` ? never : K]: Static<M[K]>;
} & {
  readonly [K in keyof M as K extends `${infer Name}?` ? Name : never]?: Static<M[K]> | undefined;
};

/** Members whose name ends in `?` may be absent. Further members are allowed: the contract grows by adding. */
export function object<const M extends Members>(members: M): Schema<ObjectOf<M>> {
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
export const marketSummary = {
  exch: describe(anyObject, 'XRP per 1 unit of fiat: USD, EUR, JPY, CNY'),
  H24: describe(anyObject, 'Figures of the last 24 hours, XRP'),
  global: describe(anyObject, 'Market-wide figures, XRP'),
};
