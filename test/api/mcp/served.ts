/** The tool protocol on a port of its own, over a real engine that has applied recorded transactions. */
import { afterAll, beforeAll } from 'bun:test';
import { RowRequests } from '../row-requests.ts';

export interface Served {
  readonly url: string;
  /** What the engine holds. */
  readonly known: RowRequests['known'];
  readonly log: RowRequests['log'];
  stop(): Promise<void>;
}

export async function serveTools(): Promise<Served> {
  const requests = new RowRequests();
  await requests.open();
  const { api, known, log } = requests;
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => api.fetch(request) });
  return { url: `http://127.0.0.1:${server.port}/mcp`, known, log, stop: () => server.stop(true) };
}

/** What the tests of a file share; there before the first one. */
interface ServedTools {
  served: Served;
  tools: Listed[];
  values: ReturnType<typeof valuesOf>;
}

/** Serves the tools for the tests of the file that calls it. */
export function useTools(): ServedTools {
  const shared = {} as ServedTools;
  beforeAll(async () => {
    shared.served = await serveTools();
    shared.tools = await allTools(shared.served.url);
    shared.values = valuesOf(shared.served.known);
  });
  afterAll(() => shared.served.stop());
  return shared;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the tests are about
  readonly body: any;
}

/** Sends a body as it is. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** A request of the handshake era. */
export const call = (
  url: string,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
) => post(url, { jsonrpc: '2.0', id: 1, method, params }, headers);

/** Every page of `tools/list`. */
export const allTools = (url: string): Promise<Listed[]> =>
  everyPage(async (params) => (await call(url, 'tools/list', params)).body.result);

/** @param page what `tools/list` answers */
export async function everyPage(page: (params: object) => Promise<ToolPage>): Promise<Listed[]> {
  const tools: Listed[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const result = await page(cursor === undefined ? {} : { cursor });
    tools.push(...result.tools);
    cursor = result.nextCursor;
  }
  return tools;
}

interface ToolPage {
  readonly tools: readonly Listed[];
  readonly nextCursor?: string;
}

export interface Listed {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean; readonly openWorldHint: boolean };
  readonly outputSchema: {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  };
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  };
}

/** Values that mean something to the engine, by the names of parameters. */
export const valuesOf = (
  known: Served['known'] & { readonly slug?: string },
): Readonly<Record<string, unknown>> => ({
  slug: known.slug,
  id: known.md5,
  account: known.account,
  accounts: [known.account],
  hash: known.hash,
  a: known.md5,
  b: 'XRP',
  query: 'usd',
  source_token: 'XRP',
  destination_token: known.md5,
  destination_value: '1',
  source: known.account,
  destination: known.account,
  source_tag: '74920348',
  time: 1_700_000_000_000,
  path: '/tokens?limit=3&fields=md5,name',
  index: undefined,
});
