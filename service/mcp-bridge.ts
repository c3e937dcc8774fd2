/**
 * The tool protocol over stdin and stdout, for local clients that start their servers as programs: each line is a message,
 * and goes to a running service as one request.
 *
 *     client --line--> stdin --POST /mcp--> service --answer--> stdout --line--> client
 *
 * Lines are sent at once, without waiting for the answers of those before. What the specification mirrors in headers is
 * taken from the message; a key, where the service asks for one, from the environment. A request that the client cancels
 * loses its connection, which says of both eras which one is meant: ids alone do not, since every client counts from 0 on.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** What the bridge is called at the service. */
const AGENT = 'millrace-bridge/1.0';

export interface BridgeOptions {
  /** `http://127.0.0.1:3000/mcp` */
  readonly url: string;
  /** undefined: none is sent */
  readonly key?: string | undefined;
  readonly input: Readable;
  /** @param line without its end */
  readonly write: (line: string) => void;
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: unknown;
    readonly _meta?: Record<string, unknown>;
  };
}

/** Resolves when the input has ended and every message has its answer. */
export async function bridge({ url, key, input, write }: BridgeOptions): Promise<void> {
  const running = new Set<Promise<void>>();
  /** Of requests that have no answer yet, by id. */
  const connections = new Map<unknown, AbortController>();
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const message = parsed(line);
    if (message?.method === 'notifications/cancelled') {
      connections.get(message.params?.requestId)?.abort();
      continue;
    }
    const connection = new AbortController();
    const id = message?.id;
    if (id !== undefined) connections.set(id, connection);
    const sent = send(url, line, key, connection.signal).then((answer) => {
      if (connections.get(id) === connection) connections.delete(id);
      if (answer) write(answer);
    });
    const done = sent.then(() => void running.delete(done));
    running.add(done);
  }
  await Promise.all(running);
}

/** The answer as one line; '': there is none, or it was cancelled. */
async function send(
  url: string,
  line: string,
  key: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const message = parsed(line);
  const failed = (text: string) => failures(message, text);
  try {
    const headers = { ...headersOf(message), ...(key !== undefined && { 'X-Api-Key': key }) };
    const response = await fetch(url, { method: 'POST', headers, body: line, signal });
    const text = await response.text();
    if (text === '' && response.ok) return '';
    // Other services, and proxies in front of this one, answer what no client of the protocol reads.
    return isAnswer(parsed(text))
      ? text.replaceAll('\n', ' ')
      : failed(
          `${url} answers ${response.status}, and no message of the protocol: name the service with --url`,
        );
  } catch {
    if (signal.aborted) return '';
    return failed(`No service answers at ${url}: start it, or name it with --url`);
  }
}

const isAnswer = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isAnswer) : (value as Message | null)?.jsonrpc === '2.0';

/** An error for each request of a message or a batch; '': they are notifications. */
function failures(message: unknown, text: string): string {
  const ofOne = (one: unknown) => {
    const id = (one as Message | null)?.id;
    return id === undefined ? [] : [{ jsonrpc: '2.0', id, error: { code: -32000, message: text } }];
  };
  if (Array.isArray(message)) {
    const answers = message.flatMap(ofOne);
    return answers.length === 0 ? '' : JSON.stringify(answers);
  }
  const [answer] = ofOne(message);
  return answer ? JSON.stringify(answer) : '';
}

function parsed(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}

/** The headers that the later form of the protocol wants: they repeat what the message says. */
function headersOf(message: Message | undefined): Record<string, string> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json', 'User-Agent': AGENT };
  const { method, params } = message ?? {};
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof version !== 'string' || typeof method !== 'string') return headers;
  const name = params?.name ?? params?.uri;
  return {
    ...headers,
    'MCP-Protocol-Version': version,
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=` }),
  };
}
