/** Every tool over a real engine: what it takes, what it answers, how long that is. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer';
import { cleanText } from '../../../api/mcp/clean-text.ts';
import { keyOf } from '../../../api/mcp/route-calls.ts';
import { toolRows } from '../../../api/mcp/tools/index.ts';
import { routes } from '../../../api/routes/index.ts';
import { namesOf } from '../../../requests/param-reader.ts';
import { ANSWER_MAX, answerSizeTests } from './answer-sizes.ts';
import { CONTRACT_TOOLS } from './contract.ts';
import { argumentsOf, misfitsOf } from './drawn.ts';
import { call, useTools } from './served.ts';

/** Tokens of all pages of the list. */
const LIST_MAX = 25_000;
/** Drawn calls of a tool. */
const RUNS = process.env.THOROUGH ? 30 : 3;
const seed = Number(process.env.SEED ?? 20_261_123);

const shared = useTools();

const ask = async (name: string, sent: object) => {
  const { body } = await call(shared.served.url, 'tools/call', { name, arguments: sent });
  if (!body.result) throw new Error(`${name} ${JSON.stringify(sent)}: ${JSON.stringify(body)}`);
  return body.result;
};

test('texts of strangers are cut between characters', () => {
  expect(cleanText(`${'x'.repeat(8)}🦊🦊`, 10)).toBe(`${'x'.repeat(8)}…`);
  expect(cleanText(`${'x'.repeat(7)}🦊🦊`, 10)).toBe(`${'x'.repeat(7)}🦊…`);
});

describe('the catalogue', () => {
  test('has the tools of the contract with their parameters', () => {
    const listed = new Map(shared.tools.map((tool) => [tool.name, tool]));
    const absent = Object.keys(CONTRACT_TOOLS).filter((name) => !listed.has(name));
    expect(absent).toEqual([]);
    for (const [name, text] of Object.entries(CONTRACT_TOOLS)) {
      const schema = listed.get(name)?.inputSchema;
      if (!schema) continue;
      const params = text.split(' ').filter((one) => one !== '');
      const names = params.map((one) => one.replace('*', ''));
      expect(Object.keys(schema.properties), name).toEqual(expect.arrayContaining(names));
      const required = params.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1));
      expect(schema.required ?? [], name).toEqual(expect.arrayContaining(required));
    }
  });

  test('lists each row whose routes are in the table, once, and no other', () => {
    const keys = new Set(routes.map(keyOf));
    const there = toolRows.filter((row) => row.routes.every((key) => keys.has(key))).map(({ name }) => name);
    expect(shared.tools.map(({ name }) => name)).toEqual(there);
    expect(new Set(there).size).toBe(there.length);
    // As many as the contract states, once all their routes are there.
    expect(toolRows).toHaveLength(88);
  });

  test(`is shorter than ${LIST_MAX} tokens`, async () => {
    const tokens = encode(JSON.stringify(shared.tools)).length;
    console.log(`${shared.tools.length} tools, ${tokens} tokens`);
    expect(tokens).toBeLessThan(LIST_MAX);
  });

  test('says of limits what the tools do, not what the routes behind them would', () => {
    for (const { name, inputSchema } of shared.tools) {
      const { default: otherwise, description = '' } = inputSchema.properties.limit ?? {};
      for (const [, number] of String(description).matchAll(/default (\d+)/g))
        expect(Number(number), name).toBe(otherwise as number);
    }
  });

  test('is found by words', async () => {
    for (const [query, tool] of [
      ['holders of a token', 'get_holders'],
      ['profit of a wallet', 'get_wallet_pnl'],
      ['order book', 'get_orderbook'],
      ['candles', 'get_ohlc'],
    ]) {
      const { structuredContent } = await ask('search_tools', { query });
      expect(structuredContent.tools.map((one: { tool: string }) => one.tool)).toContain(tool);
    }
  });
});

describe('answers', () => {
  answerSizeTests({ tools: () => shared.tools, values: () => shared.values, ask });

  test('of the same figures as REST', async () => {
    const rest = async (path: string) =>
      (await fetch(shared.served.url.replace('/mcp', `/v1${path}`))).json() as Promise<Record<string, never>>;
    const { md5, account } = shared.served.known;
    const { token } = await rest(`/token/${md5}`);
    expect((await ask('get_token', { id: md5, full: true })).structuredContent.token).toEqual(token);
    const { richList } = await rest(`/holders/list/${md5}?limit=5`);
    const { structuredContent } = await ask('get_holders', { id: md5, limit: 5 });
    expect(richList).toMatchObject(structuredContent.richList);
    const info = await rest(`/account/info/${account}`);
    expect(info).toMatchObject((await ask('get_account_info', { account })).structuredContent);
  });

  test('of api_get are those of the address, in all spellings of its parameters', async () => {
    const rest = async (path: string) =>
      (await fetch(shared.served.url.replace('/mcp', `/v1${path}`))).json() as Promise<
        Record<string, unknown>
      >;
    const { md5, account } = shared.served.known;
    let spelled = 0;
    for (const [path, name, value] of [
      ['/tokens?limit=2', 'offset', '3'],
      ['/tokens?limit=2', 'sort', 'holders'],
      ['/tokens?limit=2', 'order', 'asc'],
      ['/tokens?limit=2', 'token_type', 'lp'],
      ['/tokens?offset=1', 'limit', '2'],
      ['/rsi?limit=2', 'minHolders', '3'],
      [`/holders/list/${md5}?limit=2`, 'offset', '1'],
      [`/history?md5=${md5}&limit=2`, 'pair_type', 'xrp'],
      [`/account/tx/${account}?limit=2`, 'ledgerMax', '5'],
    ] as const) {
      const row = routes.find(
        (one) =>
          one.method === 'GET' && one.path.split('{')[0] === path.split('?')[0]!.replace(/[^/]{20,}$/, ''),
      )!;
      for (const spelling of namesOf(row, name)) {
        // Of one that is repeated the first counts.
        const asked = `${path}&${spelling}=${value}&${spelling}=7`;
        const [answer, found] = [await rest(asked), await ask('api_get', { path: asked })];
        const { structuredContent: shown } = found;
        expect(Object.keys(shown).length, asked).toBeGreaterThan(0);
        const { took: _, ...same } = answer;
        expect(same, asked).toMatchObject(shown);
        spelled++;
      }
    }
    console.log(`${spelled} addresses`);
    expect((await ask('api_get', { path: '/tokens?format=csv' })).isError).toBe(true);
    // No host that is not the client's.
    const { structuredContent: root } = await ask('api_get', { path: '/' });
    expect(root).toMatchObject({ baseUrl: '/v1', openapi: '/v1/openapi.json' });
  });

  test('to a quote for nobody say nothing of a balance, which only somebody has', async () => {
    const swap = { source_token: 'XRP', destination_token: shared.served.known.md5, source_value: '1' };
    const codes = async (sent: object) => {
      const { structuredContent, isError } = await ask('get_swap_quote', sent);
      expect(isError).toBeFalsy();
      return structuredContent.quote.warnings.map(({ code }: { code: string }) => code);
    };
    expect(await codes(swap)).not.toContain('insufficient_balance');
    const named = { ...swap, source_account: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp' };
    expect(await codes(named)).toContain('insufficient_balance');
  });

  test('say of lists that are cut how much is shown, and the call that gives the rest', async () => {
    const { content } = await ask('get_holders', { id: shared.served.known.md5, limit: 5 });
    expect(content[0].text).toMatch(/richList \(showing 5 of \d+\)/);
    expect(content[0].text).toContain(
      `more: get_holders {"id":"${shared.served.known.md5}","limit":5,"offset":5}`,
    );
    const next = await ask('get_holders', { id: shared.served.known.md5, limit: 5, offset: 5 });
    expect(next.structuredContent.richList[0].rank).toBe(6);
  });

  test('to wrong arguments are errors of the tool that say what to do', async () => {
    const text = async (name: string, sent: object) => {
      const { content, isError } = await ask(name, sent);
      expect(isError, name).toBe(true);
      return content[0].text as string;
    };
    expect(await text('get_token', {})).toContain('Missing parameter: id');
    expect(await text('get_token', { id: '0'.repeat(32) })).toContain('search_tokens finds ids');
    expect(await text('get_token', { id: shared.served.known.md5, depth: 3 })).toContain('It takes id, full');
    expect(await text('get_wallet_pnl', { account: shared.served.known.account })).toContain('no trades');
    expect(await text('get_account_info', { account: 'nobody' })).not.toContain('undefined');
    expect(await text('api_get', { path: '/keys' })).toContain('No public GET address');
    expect(await text('api_get', { path: 'http://example.com/x' })).toContain('No public GET address');
  });

  test('to any arguments that the schemas allow are answers or errors of the tool', async () => {
    for (const tool of shared.tools) {
      const args = argumentsOf(tool, shared.values);
      await fc.assert(
        fc.asyncProperty(args, async (sent) => {
          const { content, structuredContent, isError } = await ask(tool.name, sent);
          expect(isError === true).toBe(structuredContent === undefined);
          expect(misfitsOf(tool, structuredContent), JSON.stringify(sent)).toEqual([]);
          expect(encode(content[0].text).length).toBeLessThan(ANSWER_MAX);
        }),
        { numRuns: RUNS, seed },
      );
    }
    expect(shared.served.log.lines).toEqual([]);
  });
});
