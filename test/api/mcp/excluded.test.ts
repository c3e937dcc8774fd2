/** Parameters that leave others without a meaning: both together are refused, by name, and each alone is not. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { toolRows } from '../../../api/mcp/tools/index.ts';
import { call, type Served, serveTools, valuesOf } from './served.ts';

let served: Served;
beforeAll(async () => {
  served = await serveTools();
});
afterAll(() => served.stop());

const pairs = toolRows.flatMap(({ name, excludes = {} }) =>
  Object.entries(excludes).flatMap(([one, others]) => others.map((other) => [name, one, other] as const)),
);

/** A value that the parameter of a tool takes. */
function sampleOf(tool: string, name: string): unknown {
  const param = toolRows.find((row) => row.name === tool)!.params[name]!;
  const known = valuesOf(served.known);
  if (typeof param === 'string' || !('kind' in param)) return known[name] ?? '1';
  if (param.kind === 'bool') return true;
  if (param.kind === 'enum') return param.values[0];
  return param.kind === 'text' ? (known[name] ?? served.known.account) : 1;
}

const textOf = async (name: string, sent: object): Promise<string> =>
  (await call(served.url, 'tools/call', { name, arguments: sent })).body.result.content[0].text;

test('there are some', () => {
  expect(pairs).toContainEqual(['get_amm_pools', 'amm_account', 'id']);
});

test.each(pairs)('%s: %s with %s', async (name, one, other) => {
  const needed = { source_token: 'XRP', destination_token: served.known.md5, name: 'x' };
  const { params } = toolRows.find((row) => row.name === name)!;
  const base = Object.fromEntries(Object.entries(needed).filter(([key]) => key in params));
  const [first, second] = [sampleOf(name, one), sampleOf(name, other)];
  const refusal = `Invalid parameter: ${one}. ${other} has no meaning with it: send one of them.`;
  expect(await textOf(name, { ...base, [one]: first, [other]: second })).toBe(refusal);
  // What is left out, in the ways in which clients do, a flag that is off, and a default.
  const { default: usual } = (params[other] ?? {}) as { readonly default?: unknown };
  for (const none of [null, '', ...(second === true ? [false] : []), ...(usual === undefined ? [] : [usual])])
    expect(await textOf(name, { ...base, [one]: first, [other]: none })).not.toContain('no meaning');
});
