/** The bridge over stdin and stdout, as a local client starts it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Served, serveTools } from '../api/mcp/served.ts';

const program = join(import.meta.dir, '../../service/tool.ts');

let served: Served;
beforeAll(async () => {
  served = await serveTools();
});
afterAll(() => served.stop());

/** Sends lines, and gives the messages that come back, in the order of their ids. */
async function run(url: string, messages: readonly object[]) {
  const child = Bun.spawn([process.execPath, program, 'mcp', '--url', url], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  await child.stdin.end();
  const lines = (await new Response(child.stdout).text()).trimEnd().split('\n');
  expect(await child.exited).toBe(0);
  const answers = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return answers.sort((a, b) => a.id - b.id);
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('messages of both eras are answered, notifications are not', async () => {
  const answers = await run(served.url, [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {} },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'price' } },
    },
    {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'get_token', arguments: { id: served.known.md5 }, _meta: meta },
    },
    { jsonrpc: '2.0', id: 4, method: 'no/such' },
  ]);
  expect(answers.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(answers[0].result.protocolVersion).toBe('2025-06-18');
  expect(answers[1].result.content[0].text).toContain('tools');
  expect(answers[2].result.resultType).toBe('complete');
  expect(answers[3].error.code).toBe(-32601);
});

test('where no service answers, each request gets an error that says so', async () => {
  const [answer] = await run('http://127.0.0.1:1/mcp', [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 7, method: 'ping' },
  ]);
  expect([answer.id, answer.error.code]).toEqual([7, -32000]);
  expect(answer.error.message).toContain('--url');
});

test('where something else answers, or a proxy does, each request gets an error that says so', async () => {
  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('/html')
        ? new Response('<html>\n502 Bad Gateway</html>', { status: 502 })
        : url.endsWith('/none')
          ? new Response(null, { status: 504 })
          : Response.json({ success: false, error: 'Not found' }, { status: 404 }),
  });
  try {
    for (const path of ['html', 'none', 'json']) {
      const [answer] = await run(`http://127.0.0.1:${other.port}/${path}`, [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 7, method: 'ping' },
      ]);
      expect([answer.jsonrpc, answer.id, answer.error?.code], path).toEqual(['2.0', 7, -32000]);
      expect(answer.error.message).toMatch(/50\d|404/);
    }
  } finally {
    await other.stop(true);
  }
});

test('every request of a batch gets an error where no service answers', async () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'b', method: 'ping' },
  ];
  const [answers] = await run('http://127.0.0.1:1/mcp', [batch]);
  expect(answers.map(({ id }: { id: unknown }) => id)).toEqual([1, 'b']);
});

test('a request that its client cancels loses its connection and is not answered, and the others are', async () => {
  const lost = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { id } = (await request.json()) as { id: number };
      if (id === 1) {
        request.signal.addEventListener('abort', () => lost.resolve());
        await lost.promise;
      }
      return Response.json({ jsonrpc: '2.0', id, result: {} });
    },
  });
  const child = Bun.spawn(
    [process.execPath, program, 'mcp', '--url', `http://127.0.0.1:${server.port}/mcp`],
    {
      stdin: 'pipe',
      stdout: 'pipe',
    },
  );
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  for (const id of [1, 2]) say({ id, method: 'ping' });
  await child.stdin.flush();
  const answers = child.stdout.getReader();
  const { value } = await answers.read();
  expect(JSON.parse(new TextDecoder().decode(value)).id).toBe(2);
  say({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await child.stdin.end();
  await lost.promise;
  expect((await answers.read()).done).toBe(true);
  expect(await child.exited).toBe(0);
  await server.stop(true);
});
