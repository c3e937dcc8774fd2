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
}
