/** Arguments of tools as their schemas allow them, and answers against the schemas of answers. */
import fc from 'fast-check';
import type { Listed } from './served.ts';

/** Required parameters, and any of the others. @param values that mean something to the engine, by name */
export const argumentsOf = (
  { inputSchema: { properties, required = [] } }: Listed,
  values: Readonly<Record<string, unknown>>,
): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, drawn(name, one, values)])),
    { requiredKeys: [...required] },
  );

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
};

/** Members of an answer that are not of the type that the tool's outputSchema says. */
export const misfitsOf = ({ outputSchema: { properties = {} } }: Listed, answer: object = {}): string[] =>
  Object.entries(answer)
    .filter(([name, value]) => {
      const type = properties[name]?.type;
      return typeof type === 'string' && !FITS[type]!(value);
    })
    .map(([name, value]) => `${name}: ${JSON.stringify(value)?.slice(0, 100)}`);

/** Values of a parameter: what the engine holds, what the schema allows, and texts of any kind. */
function drawn(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): fc.Arbitrary<unknown> {
  const known = values[name] === undefined ? [] : [fc.constant(values[name])];
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Number(schema.minimum ?? -5),
        max: Math.min(Number(schema.maximum ?? 1e6), 1e6),
      });
    case 'number':
      return fc.double({ noNaN: true, min: 0, max: 1e6 });
    case 'string':
      return fc.oneof(...known, ...known, fc.string({ maxLength: 40 }));
    default:
      return fc.oneof(...known, fc.constant('2022-03-07'), fc.integer({ min: 0, max: 2e12 }));
  }
}
