/** What tools answer to ids that are wrong, to wallets without anything, and where the service holds nothing. */
import { expect, test } from 'bun:test';
import type { Asked } from './cut-lists.ts';

/** By the names of parameters: what is no such thing, and what could be one that is not there. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  id: ['0'.repeat(32), 'nothing', 'USD.rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
  account: ['nobody', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
  source: ['nobody', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
  destination: ['nobody', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
  hash: ['nothing', '0'.repeat(64)],
  slug: ['no-such-collection'],
  a: ['0'.repeat(32)],
  source_token: ['0'.repeat(32), 'nothing'],
  path: ['/no/such/path'],
  job: ['00000000-0000-4000-8000-000000000000'],
  query: ['\u0000 no such thing \u202e'],
};

/** Nothing that a time could mean, and the first and last ones that can be written. */
const NO_TIMES = ['yesterday', ' ', '2026-13-45', '28.11.2026', true, {}, ['2026-11-28']];
const EXTREME_TIMES = [-8.64e15, 8.64e15, '-8640000000000000', 0, -1, 1e308, '2026-11-28', '1969-12-31'];

const isTime = ({ anyOf }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(anyOf) && anyOf.some(({ format }) => format === 'date-time');

/** What is wrong, and then what to do about it. */
const WITH_NEXT_STEP = /^[^.]+\..* \S/s;

export function wrongValueTests({ tools, values, ask }: Asked): void {
  test('wrong ids, empty wallets and absent data are answers, or errors that say what to do next', async () => {
    const lacking: string[] = [];
    let refused = 0;
    for (const { name, inputSchema } of tools()) {
      const { properties, required = [] } = inputSchema;
      const rest = Object.fromEntries(required.map((one) => [one, values()[one] ?? 'x']));
      for (const [param, wrong] of Object.entries(WRONG))
        for (const value of param in properties ? wrong : []) {
          const { isError, content, structuredContent } = await ask(name, { ...rest, [param]: value });
          const [{ text }] = content;
          expect(isError === true, `${name} ${param}`).toBe(structuredContent === undefined);
          if (isError !== true) continue;
          refused++;
          if (!WITH_NEXT_STEP.test(text)) lacking.push(`${name} ${param} ${value}: ${text}`);
        }
    }
    expect(lacking).toEqual([]);
    expect(refused).toBeGreaterThan(tools().length / 2);
  });

  test('times that cannot be read are errors that name them; the largest and smallest are answered', async () => {
    let times = 0;
    for (const { name, inputSchema } of tools()) {
      const { properties, required = [] } = inputSchema;
      const rest = Object.fromEntries(required.map((one) => [one, values()[one] ?? 'x']));
      for (const [param, schema] of Object.entries(properties).filter(([, one]) => isTime(one))) {
        times++;
        for (const value of NO_TIMES) {
          const { isError, content } = await ask(name, { ...rest, [param]: value });
          expect(isError, `${name} ${param} ${JSON.stringify(value)}`).toBe(true);
          expect(content[0].text).toStartWith(`Invalid parameter: ${param}. A time is Unix ms`);
        }
        for (const value of EXTREME_TIMES) {
          const { content } = await ask(name, { ...rest, [param]: value });
          const asked = `${name} ${param} ${value}`;
          expect(content[0].text, asked).not.toStartWith('Internal server error');
          expect(content[0].text, asked).not.toStartWith('Invalid parameter');
        }
        expect(schema.anyOf, 'days are times, too').toContainEqual({ type: 'string', format: 'date' });
      }
    }
    expect(times).toBeGreaterThan(15);
  });

  test('lists of which nothing can be read are errors, in place of answers about everything', async () => {
    const refused = async (name: string, sent: object) => (await ask(name, sent)).content[0].text;
    expect(await refused('get_nft_activity', { types: ['NO_SUCH'] })).toContain('It takes MINT, BURN');
    expect(await refused('get_nft_activity', { types: {} })).toContain('Invalid parameter: types');
    expect(await refused('get_oracle_prices', { oracles: [{}] })).toContain('Invalid parameter: oracles');
    expect((await ask('get_oracle_prices', { oracles: [] })).isError).toBeUndefined();
  });
}
