/** Prompts, followed as a model would: each step with what the prompt's argument and the answers before it gave. */
import { expect, test } from 'bun:test';
import type { Json } from '../routes/ask.ts';
import type { Asked } from './cut-lists.ts';

interface Prompts extends Asked {
  /** The result of a method. */
  request(method: string, params: object): Promise<Json>;
}

/** What a prompt's argument is to tools. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  token: ['query'],
  swap: ['query', 'destination_value'],
  account: ['account'],
  hash: ['hash'],
};

/** Parameters that members of answers give, by their names. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  md5: ['id', 'destination_token'],
  account: ['account', 'accounts'],
  address: ['account', 'accounts'],
  Account: ['account', 'accounts'],
  creator: ['account', 'accounts'],
  token: ['id'],
  hash: ['hash'],
  slug: ['slug'],
};

/** Text members of an answer, each name once: the first; and the first token, by issuer and currency. */
function textsOf(value: Json, found: Map<string, string> = new Map()): Map<string, string> {
  const { issuer, currency } = value ?? {};
  if (issuer && currency && !found.has('token')) found.set('token', `${issuer}-${currency}`);
  for (const [name, inner] of Object.entries(value ?? {}))
    if (typeof inner === 'object') textsOf(inner as Json, found);
    else if (typeof inner === 'string' && !found.has(name)) found.set(name, inner);
  return found;
}

export function promptTests({ tools, values, ask, request }: Prompts): void {
  test('the steps of each prompt can be called in their order, with what came before them', async () => {
    const { prompts } = await request('prompts/list', {});
    const schemas = new Map(tools().map(({ name, inputSchema }) => [name, inputSchema]));
    const wrong: string[] = [];
    for (const { name, arguments: takes } of prompts) {
      const argument: string | undefined = takes[0]?.name;
      const known: Record<string, unknown> = { source_token: 'XRP' };
      const own = ARGUMENTS[argument ?? ''] ?? [];
      for (const one of own) known[one] = values()[one];
      const sent = argument === undefined ? {} : { [argument]: String(values()[argument] ?? 'x') };
      const { messages } = await request('prompts/get', { name, arguments: sent });
      const steps = [...messages[0].content.text.matchAll(/^\d+\. (\w+):/gm)].map(([, tool]) => tool!);
      expect(steps.length, name).toBeGreaterThan(1);
      for (const tool of steps) {
        const { properties, required: needs = [] } = schemas.get(tool)!;
        const absent = needs.filter((one) => known[one] === undefined);
        if (absent.length > 0) {
          wrong.push(`${name}: ${tool} needs ${absent}, which no step before it gives`);
          continue;
        }
        const takes = own.filter((one) => one in properties);
        const call = Object.fromEntries([...needs, ...takes].map((one) => [one, known[one]]));
        const { isError, content, structuredContent } = await ask(tool, call);
        if (isError) wrong.push(`${name}: ${tool} ${JSON.stringify(call)}: ${content[0].text}`);
        for (const [member, text] of textsOf(structuredContent))
          for (const param of GIVEN[member] ?? []) known[param] ??= param === 'accounts' ? [text] : text;
      }
    }
    expect(wrong).toEqual([]);
  });
}
