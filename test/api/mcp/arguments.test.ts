/** What tools say of arguments that their schemas do not allow: always an error that names the parameter. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { call, type Listed, useTools } from './served.ts';

/** Drawn calls of a parameter. */
const RUNS = process.env.THOROUGH ? 40 : 4;
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

const shared = useTools();

type Schema = Readonly<Record<string, unknown>>;

/** Also as a text of JSON, which can hold members that objects made here cannot. */
const ask = async (name: string, sent: object | string) => {
  const args = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const text = `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
  const response = await fetch(shared.served.url, { method: 'POST', body: text });
  const { result, error } = (await response.json()) as { result?: Json; error?: Json };
  if (!result) throw new Error(`${name} ${args}: ${JSON.stringify(error)}`);
  return result;
};

// biome-ignore lint/suspicious/noExplicitAny: what comes back is what the tests are about
type Json = any;

const requiredOf = ({ inputSchema: { required = [] } }: Listed): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, shared.values[name] ?? 'x']));

const typesOf = ({ type, anyOf }: Schema): unknown[] =>
  type === undefined ? ((anyOf as Schema[] | undefined) ?? []).flatMap(typesOf) : [type];

/** Values that no parameter of such a schema takes. */
function wrongFor(schema: Schema): fc.Arbitrary<unknown> {
  const types = typesOf(schema);
  const objects = fc.constantFrom<unknown>({}, { value: 5 }, { constructor: 'x' }, [[1]], [{}], {
    a: { b: {} },
  });
  const drawn: fc.Arbitrary<unknown>[] = [objects];
  const isText = types.includes('string');
  if (types.includes('boolean')) drawn.push(fc.constantFrom('maybe', 'ｔｒｕｅ', 'да', [true], 'null'));
  else drawn.push(fc.boolean());
  if (types.includes('integer') && !isText)
    drawn.push(fc.constantFrom('five', '５', '0x10', '1,000', '٣', 2.5, -0.5, '1.5', '5 rows', [5]));
  if (types.includes('number'))
    drawn.push(fc.constantFrom('five', '５', '0x10', '1,000', 'NaN', 'Infinity', [5]));
  if (Array.isArray(schema.enum))
    drawn.push(fc.constantFrom('no such choice', '__proto__', 'constructor', 'toString', 7, '\u0430ll'));
  if (isText && typeof schema.maxLength === 'number')
    drawn.push(fc.constant('r'.repeat(schema.maxLength + 1)), fc.constant('🦊'.repeat(schema.maxLength)));
  if (isText && !schema.enum && types.length === 1) drawn.push(fc.constantFrom('\ud800', 'x\udc00y'));
  if (types.includes('array') && typeof schema.maxItems === 'number')
    drawn.push(
      fc.constant(Array(schema.maxItems + 1).fill('1')),
      fc.constant([null]),
      fc.constant(['1', {}]),
    );
  return fc.oneof(...drawn);
}

describe('arguments', () => {
  test('that a parameter does not take are errors that name it', async () => {
    let asked = 0;
    for (const tool of shared.tools) {
      const rest = requiredOf(tool);
      for (const [name, schema] of Object.entries(tool.inputSchema.properties)) {
        if (typesOf(schema).length === 0) continue;
        await fc.assert(
          fc.asyncProperty(wrongFor(schema), async (wrong) => {
            const { isError, content } = await ask(tool.name, { ...rest, [name]: wrong });
            expect([isError, content[0].text], `${tool.name} ${name} ${JSON.stringify(wrong)}`).toEqual([
              true,
              expect.stringMatching(new RegExp(`^Invalid parameter: ${name}\\. `)),
            ]);
          }),
          { seed, numRuns: RUNS },
        );
        asked++;
      }
    }
    expect(asked).toBeGreaterThan(200);
  }, 120_000);

  test('that are missing, or of no parameter, are errors that name them', async () => {
    for (const tool of shared.tools) {
      const rest = requiredOf(tool);
      for (const name of Object.keys(rest))
        for (const none of [undefined, null, '']) {
          const { isError, content } = await ask(tool.name, { ...rest, [name]: none });
          expect([isError, content[0].text], tool.name).toEqual([
            true,
            expect.stringMatching(new RegExp(`^Missing parameter: ${name}\\. Send ${name}: `)),
          ]);
        }
      for (const name of [
        '__proto__',
        'constructor',
        'toString',
        'Limit',
        'lіmit',
        'page',
        'x'.repeat(500),
      ]) {
        const sent = `${JSON.stringify(rest).slice(0, -1)}${Object.keys(rest).length > 0 ? ',' : ''}"${name}":1}`;
        const { isError, content } = await ask(tool.name, sent);
        expect([isError, content[0].text], `${tool.name} ${name}`).toEqual([
          true,
          expect.stringContaining(`has no parameter ${name.slice(0, 20)}`),
        ]);
      }
    }
  }, 120_000);

  test('that are numbers below or above are answered with one that is allowed, which the answer names', async () => {
    let clamped = 0;
    for (const tool of shared.tools) {
      const rest = requiredOf(tool);
      for (const [name, { minimum, maximum, default: usual }] of Object.entries(
        tool.inputSchema.properties,
      )) {
        const cases: [number, unknown][] = [];
        if (typeof minimum === 'number') cases.push([minimum - 1, minimum], [-1e300, minimum]);
        if (typeof maximum === 'number') cases.push([maximum + 1, maximum], [1e300, maximum]);
        for (const [sent, taken] of cases) {
          const { isError, structuredContent, content } = await ask(tool.name, { ...rest, [name]: sent });
          if (isError) {
            expect(content[0].text).not.toStartWith('Internal');
            continue;
          }
          // Of some lists it is the default, as routes have it.
          const { [name]: used, ...others } = structuredContent.clamped;
          expect([taken, usual], `${tool.name} ${name} ${sent}`).toContain(used);
          expect(others).toEqual({});
          expect(content[0].text).toContain(`clamped.${name}`);
          clamped++;
        }
        if (typeof maximum !== 'number') continue;
        const { structuredContent } = await ask(tool.name, { ...rest, [name]: maximum });
        expect(structuredContent?.clamped, `${tool.name} ${name}`).toBeUndefined();
      }
    }
    expect(clamped).toBeGreaterThan(50);
  }, 120_000);

  test('that exclude one another, and sizes that are none, are errors that name them', async () => {
    const { md5: id } = shared.served.known;
    const cases: [string, string, object][] = [
      ['get_wash_trading', 'collection', { id, collection: 'x' }],
      ['get_holder_overlap', 'collection_a', { a: id, b: id, collection_a: 'x' }],
      ['get_holder_overlap', 'collection_b', { a: id, b: id, collection_b: 'x' }],
      ...[['many'], ['100', '-1'], ['0'], ['1e300'], ['', '5'], ['５']].map(
        (xrp_sizes): [string, string, object] => ['get_exit_liquidity', 'xrp_sizes', { id, xrp_sizes }],
      ),
    ];
    for (const [tool, name, sent] of cases) {
      const { isError, content } = await ask(tool, sent);
      expect([isError, content[0].text], JSON.stringify(sent)).toEqual([
        true,
        expect.stringMatching(new RegExp(`^Invalid parameter: ${name}\\. `)),
      ]);
    }
  });

  test('may be empty where they are left out', async () => {
    const { structuredContent } = await ask('get_holders', {
      id: shared.served.known.md5,
      limit: null,
      offset: '',
    });
    expect(structuredContent).toEqual(
      (
        await call(shared.served.url, 'tools/call', {
          name: 'get_holders',
          arguments: { id: shared.served.known.md5 },
        })
      ).body.result.structuredContent,
    );
  });
});
