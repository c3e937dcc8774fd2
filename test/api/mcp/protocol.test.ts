/** The tool protocol as messages and HTTP: both eras, batches, errors, where requests come from. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { allTools, call, post, type Served, serveTools } from './served.ts';

let served: Served;
let url = '';
beforeAll(async () => {
  served = await serveTools();
  url = served.url;
});
afterAll(() => served.stop());

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the stateless era. */
const stateless = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
  call(
    url,
    method,
    { _meta: META, ...params },
    {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...headers,
    },
  );

describe('the era with a handshake', () => {
  test('initialize agrees on the version asked for, and on the newest where that is unknown', async () => {
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
      const { body } = await call(url, 'initialize', { protocolVersion: version, capabilities: {} });
      expect(body.result.protocolVersion).toBe(version);
    }
    const { body } = await call(url, 'initialize', { protocolVersion: '2031-01-01', capabilities: {} });
    expect(body.result.protocolVersion).toBe('2025-11-25');
    expect(body.result.capabilities).toEqual({ tools: {}, prompts: {}, resources: {} });
    expect(body.result.serverInfo.name).toBe('millrace');
  });

  test('ping is answered, notifications and answers are accepted without a body', async () => {
    expect((await call(url, 'ping')).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 9, result: {} },
    ]) {
      const { status, body } = await post(url, message);
      expect([status, body]).toEqual([202, undefined]);
    }
  });

  test('the first tools are listed the same whichever way a client writes the request', async () => {
    const text = async (body: string, version?: string) => {
      const headers = {
        'Content-Type': 'application/json',
        ...(version && { 'Mcp-Protocol-Version': version }),
      };
      const answer = await fetch(url, { method: 'POST', body, headers });
      return `${answer.status} ${answer.headers.get('content-type')} ${await answer.text()}`;
    };
    for (const id of [
      '0',
      '1',
      '7',
      '63',
      '64',
      '999999999999999',
      '1e3',
      '-1',
      '1.5',
      '"1"',
      '007',
      'null',
    ]) {
      const forms = [
        `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`,
        `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{}}`,
        `{"method":"tools/list","params":{},"jsonrpc":"2.0","id":${id}}`,
        `{"method":"tools/list","jsonrpc":"2.0","id":${id}}`,
      ];
      for (const version of [undefined, '2025-06-18', '2026-07-28', '1999-01-01'])
        for (const form of forms) {
          // Read as JSON: with a space before it.
          const read = await text(` ${form}`, version);
          expect(await text(form, version), `${form} ${version}`).toBe(read);
          expect(await text(form, version), `${form} ${version}, kept`).toBe(read);
        }
    }
  });

  test('a call is answered the same whichever way a client writes it, and whether its answer is kept', async () => {
    const text = async (body: string, version?: string) => {
      const headers = { ...(version && { 'Mcp-Protocol-Version': version }) };
      const answer = await fetch(url, { method: 'POST', body, headers });
      return `${answer.status} ${await answer.text()}`;
    };
    const params = (id: string) => `{"name":"get_token","arguments":{"id":${JSON.stringify(id)}}}`;
    const known = params(served.known.md5);
    const forms = (id: string, sent: string) => [
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${sent}}`,
      `{"method":"tools/call","params":${sent},"jsonrpc":"2.0","id":${id}}`,
    ];
    for (const form of forms('1', known)) expect(await text(form)).toContain(`"md5":"${served.known.md5}"`);
    for (const id of ['0', '2', '999999999999999', '1e3', '-1', '"1"', '007', 'null'])
      for (const version of [undefined, '2025-06-18', '2026-07-28', '1999-01-01'])
        for (const form of forms(id, known)) {
          // Read as JSON: with a space before it.
          const read = await text(` ${form}`, version);
          expect(await text(form, version), `${form} ${version}`).toBe(read);
        }
    const evil = `x","jsonrpc":"2.0","id":3,"y":"`;
    const others = [
      ...forms('5', params(evil)),
      ...forms('5', `${known},"id":6`),
      ...forms('5', `{"arguments":{"id":"${served.known.md5}"},"name":"get_token"}`),
      ...forms('5', `${known.slice(0, -1)},"_meta":{"progressToken":1}}`),
      ...forms('5', known).map((form) => form.slice(0, -1)),
      ...forms('5', known).map((form) => `${form} `),
      ...forms('5', known).map((form) => `${form}}`),
    ];
    for (const form of others) expect(await text(form), form).toBe(await text(` ${form}`));
  });

  test('ids come back as they were sent', async () => {
    for (const id of ['a', '', 0, -1, 12.5]) {
      const { body } = await post(url, { jsonrpc: '2.0', id, method: 'ping' });
      expect(body.id).toBe(id);
    }
  });

  test('a list is the same under every id, and pages differ', async () => {
    const first = (await call(url, 'tools/list')).body.result;
    for (let id = 1; id <= 40; id++) {
      const { body } = await post(url, { jsonrpc: '2.0', id: id % 25, method: 'tools/list' });
      expect(body).toEqual({ jsonrpc: '2.0', id: id % 25, result: first });
    }
    const next = (await call(url, 'tools/list', { cursor: first.nextCursor })).body.result;
    expect(next.tools[0].name).not.toBe(first.tools[0].name);
    const { body } = await stateless('tools/list');
    expect([body.result.resultType, body.result.tools]).toEqual(['complete', first.tools]);
  });

  test('tools that may ask a node say so, others do not', async () => {
    const open = new Map<string, boolean>();
    for (const { name, annotations } of await allTools(url)) {
      // Notes of the caller's own are all that is written.
      expect(annotations.readOnlyHint, name).toBe(name !== 'write_note');
      open.set(name, annotations.openWorldHint);
    }
    expect(['get_escrows', 'get_validators', 'api_get'].map((name) => open.get(name))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['get_token', 'get_holders', 'search_tools'].map((name) => open.get(name))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('what is no message, method or page is refused with the code for it', async () => {
    const code = async (body: unknown) => (await post(url, body)).body.error.code;
    expect(await code('{')).toBe(-32700);
    expect(await code(5)).toBe(-32600);
    expect(await code({ id: 1, method: 'ping' })).toBe(-32600);
    expect(await code({ jsonrpc: '2.0', id: null, method: 'ping' })).toBe(-32600);
    expect(await code({ jsonrpc: '2.0', id: 1, method: 'ping', params: [] })).toBe(-32602);
    expect(await code({ jsonrpc: '2.0', id: 1, method: 'no/such' })).toBe(-32601);
    expect(await code({ jsonrpc: '2.0', id: 1, method: 'server/discover' })).toBe(-32601);
    expect(await code({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } })).toBe(-32602);
    expect(await code({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'no_such' } })).toBe(
      -32602,
    );
  });

  test('what is no name, no page or nested without end is refused, and never a fault', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    for (const value of ['{"toString":1}', 'null', '7', nested])
      for (const [method, params] of [
        ['tools/call', `"name":${value}`],
        ['tools/call', `"name":"get_token","arguments":{"id":${value}}`],
        ['prompts/get', `"name":${value}`],
        ['resources/read', `"uri":${value}`],
        ['tools/list', `"cursor":${value}`],
        ['initialize', `"protocolVersion":${value}`],
      ]) {
        const sent = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`;
        const { status, body } = await post(url, sent);
        const what = `${method} ${params}`.slice(0, 60);
        expect(status, what).toBeLessThan(500);
        if (value === nested) expect([status, body.error.code], what).toEqual([400, -32600]);
      }
    for (const cursor of ['', '0', '0x1', ' 1', '1.0', null, true, [1], 1])
      expect((await call(url, 'tools/list', { cursor })).body.error.code, String(cursor)).toBe(-32602);
    const { body } = await post(url, '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}');
    expect([body.id, body.error.code]).toEqual([null, -32600]);
    expect(served.log.lines).toEqual([]);
  });

  test('batches are answered in their version alone, bounded, without initialize', async () => {
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const batch = [ping(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, ping(2)];
    expect((await post(url, batch)).body.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect((await post(url, batch, { 'MCP-Protocol-Version': '2025-03-26' })).status).toBe(200);
    const later = await post(url, batch, { 'MCP-Protocol-Version': '2025-06-18' });
    expect([later.status, later.body.error.code]).toEqual([400, -32600]);
    for (const wrong of [
      [],
      Array.from({ length: 21 }, (_, at) => ping(at)),
      [{ ...ping(1), method: 'initialize' }],
    ])
      expect((await post(url, wrong)).status).toBe(400);
    expect((await post(url, [batch[1]])).status).toBe(202);
  });

  test('an unknown version in the header is refused', async () => {
    const { status, body } = await call(url, 'ping', {}, { 'MCP-Protocol-Version': '1999-01-01' });
    expect([status, body.error.code]).toEqual([400, -32022]);
  });
});

describe('the stateless era', () => {
  test('server/discover describes the server, and every result says that it is complete', async () => {
    const { body } = await stateless('server/discover');
    expect(body.result.supportedVersions).toEqual(['2026-07-28']);
    expect(body.result.resultType).toBe('complete');
    expect(body.result._meta['io.modelcontextprotocol/serverInfo'].name).toBe('millrace');
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
    for (const method of lists) {
      const { result } = (await stateless(method)).body;
      expect(result).toMatchObject({ resultType: 'complete', cacheScope: 'public' });
      expect(result.ttlMs).toBeGreaterThan(0);
    }
  });

  test('methods of the other era are not there', async () => {
    for (const method of ['initialize', 'ping', 'logging/setLevel']) {
      const { status, body } = await stateless(method);
      expect([status, body.error.code]).toEqual([404, -32601]);
    }
  });

  test('headers that are missing or say something else are refused', async () => {
    const named = { name: 'search_tools', arguments: { query: 'price' } };
    const wrong = [
      await call(url, 'tools/list', { _meta: META }),
      await stateless('tools/list', {}, { 'Mcp-Method': 'prompts/list' }),
      await stateless('tools/call', named),
      await stateless('tools/call', named, { 'Mcp-Name': 'get_token' }),
    ];
    for (const { status, body } of wrong) expect([status, body.error.code]).toEqual([400, -32020]);
    const encoded = `=?base64?${Buffer.from('search_tools').toString('base64')}?=`;
    for (const name of ['search_tools', encoded])
      expect(
        (await stateless('tools/call', named, { 'Mcp-Name': name })).body.result.isError,
      ).toBeUndefined();
  });

  test('_meta without version or capabilities is refused', async () => {
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };
    for (const params of [
      {},
      { _meta: {} },
      { _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': 1 } },
    ]) {
      const { status, body } = await call(url, 'tools/list', params, headers);
      expect([status, body.error.code]).toEqual([400, -32602]);
    }
  });
});

describe('over HTTP', () => {
  test('GET, PUT and DELETE are not allowed, at any of its addresses', async () => {
    for (const address of [url, url.replace('/mcp', '/v1/mcp'), url.replace('/mcp', '/api/mcp')])
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await fetch(address, { method });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      }
  });

  test('pages of other sites, and names that are not of this machine, are refused', async () => {
    const status = async (headers: Record<string, string>) => (await call(url, 'ping', {}, headers)).status;
    expect(await status({ Origin: 'http://evil.example' })).toBe(403);
    expect(await status({ Origin: 'null' })).toBe(403);
    expect(await status({ Host: 'evil.example' })).toBe(403);
    expect(await status({ Host: 'evil.example', Origin: 'http://evil.example' })).toBe(403);
    expect(await status({ Origin: 'http://localhost:6274' })).toBe(200);
    expect(await status({ Host: 'localhost:3000' })).toBe(200);
  });

  test('pages may send every header that a message needs', async () => {
    const { headers } = await fetch(url, { method: 'OPTIONS' });
    const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    const needed = ['content-type', 'x-api-key', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
    expect(allowed).toEqual(expect.arrayContaining(needed));
  });

  test('a body that is too large is refused', async () => {
    const { status } = await post(
      url,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(300_000)}"}}`,
    );
    expect(status).toBe(413);
  });
});

describe('resources', () => {
  const read = async (uri: string) => (await call(url, 'resources/read', { uri })).body;

  test('the routes, the methods and the templates can be read', async () => {
    const endpoints = JSON.parse((await read('millrace://reference/api-endpoints')).result.contents[0].text);
    expect(endpoints.endpoints.map(({ path }: { path: string }) => path)).toContain('/token/{id}');
    const { methods } = JSON.parse((await read('millrace://reference/methodology')).result.contents[0].text);
    const one = await read(`millrace://methodology/${encodeURIComponent(methods[0].name)}`);
    expect(one.result.contents[0].text.length).toBeGreaterThan(40);
    const token = JSON.parse((await read(`millrace://token/${served.known.md5}`)).result.contents[0].text);
    expect(token.token.md5).toBe(served.known.md5);
  });

  test('what is not there is refused with its address', async () => {
    for (const uri of [
      'millrace://reference/none',
      'millrace://token/',
      'file:///etc/passwd',
      'millrace://token/%',
      `millrace://token/${'0'.repeat(32)}`,
      'millrace://token/none',
      'millrace://account/nobody',
      'millrace://account/rrrrrrrrrrrrrrrrrrrrBZbvji',
    ]) {
      const { status, body } = await call(url, 'resources/read', { uri });
      // Clients take an HTTP error of this version for one of the transport, and do not read its message.
      expect([status, body.error?.code, body.error?.data.uri], uri).toEqual([200, -32602, uri]);
    }
  });
});

describe('prompts', () => {
  test('at least ten are listed; each names listed tools only', async () => {
    const { prompts } = (await call(url, 'prompts/list')).body.result;
    expect(prompts.length).toBeGreaterThanOrEqual(10);
    const listed = new Set<string>();
    for (const cursor of [undefined, '1']) {
      const page = await call(url, 'tools/list', cursor === undefined ? {} : { cursor });
      for (const { name } of page.body.result?.tools ?? []) listed.add(name);
    }
    for (const { name, arguments: takes } of prompts) {
      const sent = Object.fromEntries(takes.map((one: { name: string }) => [one.name, 'rExample\u202e']));
      const { body } = await call(url, 'prompts/get', { name, arguments: sent });
      const { text } = body.result.messages[0].content;
      const tools = [...text.matchAll(/^\d+\. (\w+):/gm)].map((found) => found[1]);
      expect(tools.length).toBeGreaterThan(0);
      expect(tools.filter((one) => !listed.has(one))).toEqual([]);
      expect(text).not.toContain('\u202e');
    }
  });

  test('one that is not there, or without its argument, is refused', async () => {
    for (const params of [
      { name: 'none' },
      { name: 'wallet_review' },
      { name: 'wallet_review', arguments: { account: 1 } },
    ])
      expect((await call(url, 'prompts/get', params)).body.error.code).toBe(-32602);
  });
});
