/**
 * Other servers of the tool protocol with the tools of a service, whose answers they have ready:
 *
 *     session   the official SDK, one server kept over all requests, which name its session: the least that it can cost
 *     request   the official SDK as it serves without sessions: a server a request
 *     plain     no protocol: a Bun.serve that reads the body, and sends the bytes that belong to it
 *
 * Lines in: `copy <address of the endpoint> <base64 of a call> ...` (copies the tools, and the answers to these calls of
 * get_token), `cpu`. Lines out: `copied <tools> <id of the session>`, `ports <session> <request> <plain>`,
 * `cpu <user us> <system us>`.
 */
import { createInterface } from 'node:readline';
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  type ToolAnnotations,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** Its one session. */
const SESSION = crypto.randomUUID();

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchemaType;
  readonly outputSchema: JsonSchemaType;
  readonly annotations: ToolAnnotations;
}

/** Answers to get_token by id, and bytes of answers by the text of their request. */
const results = new Map<string, CallToolResult>();
const bodies = new Map<string, Uint8Array<ArrayBuffer>>();
let tools: readonly ListedTool[] = [];

/** Schemas are compiled once, as a server would that lives longer than a request. */
const schemas = new Map<JsonSchemaType, ReturnType<typeof fromJsonSchema>>();
const schemaOf = (schema: JsonSchemaType) => {
  const known = schemas.get(schema) ?? fromJsonSchema(schema);
  schemas.set(schema, known);
  return known;
};

function sdkServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1' });
  for (const { name, inputSchema, outputSchema, ...described } of tools)
    server.registerTool(
      name,
      { ...described, inputSchema: schemaOf(inputSchema), outputSchema: schemaOf(outputSchema) },
      async (sent: unknown) => results.get((sent as { id: string }).id)!,
    );
  return server;
}

async function post(address: string, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' };
  const response = await fetch(address, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${body}: status ${response.status}`);
  return response.text();
}

async function copy(address: string, calls: readonly string[]): Promise<void> {
  const listed: ListedTool[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } });
    const { result } = JSON.parse(await post(address, body));
    listed.push(...result.tools);
    cursor = result.nextCursor;
  }
  tools = listed;
  for (const base64 of calls) {
    const body = Buffer.from(base64, 'base64').toString();
    const answer = await post(address, body);
    results.set(JSON.parse(body).params.arguments.id, JSON.parse(answer).result);
    bodies.set(body, new TextEncoder().encode(answer) as Uint8Array<ArrayBuffer>);
  }
}

const serve = (fetch: (request: Request) => Response | Promise<Response>): number =>
  Bun.serve({ hostname: '127.0.0.1', port: 0, fetch }).port!;

async function withoutSession(request: Request): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await sdkServer().connect(transport);
  return transport.handleRequest(request);
}

async function openSession(): Promise<number> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => SESSION,
    enableJsonResponse: true,
  });
  await sdkServer().connect(transport);
  const port = serve((request) => transport.handleRequest(request));
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const opened = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  if (!opened.ok) throw new Error(`the session is refused: ${await opened.text()}`);
  return port;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, address = '', ...calls] = line.split(' ');
  if (word === 'copy') {
    await copy(address, calls);
    console.log(`copied ${tools.length} ${SESSION}`);
    const headers = new Headers({ 'Content-Type': 'application/json' });
    const plain = serve((request) =>
      request.text().then((text) => new Response(bodies.get(text)!, { headers })),
    );
    console.log(`ports ${await openSession()} ${serve(withoutSession)} ${plain}`);
  }
  const { user, system } = process.cpuUsage();
  if (word === 'cpu') console.log(`cpu ${user} ${system}`);
}
