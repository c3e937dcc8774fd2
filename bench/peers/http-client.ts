/**
 * An HTTP client with minimal cost: raw keep-alive sockets with one request in flight on each; of the answer only status
 * and Content-Length are parsed, and the bytes of the body are counted. Lines in: `load <port> <ms> <connections> <path> ...`
 * (each connection requests the paths round robin; `path#base64` is a POST of that JSON), `key <secret>` (sent from then on;
 * none: `key -`), `session <id>` (the same, of the tool protocol). Lines out: `loaded <answers> <ms> <body bytes>`; any other
 * status than 200 ends the process.
 */
import { createInterface } from 'node:readline';
import type { Socket } from 'bun';

const HEAD_END = Buffer.from('\r\n\r\n');

class Connection {
  answers = 0;
  bytes = 0;
  readonly #requests: readonly Buffer[];
  #next: number;
  /** Missing body bytes; -1: waiting for a head. */
  #left = -1;
  #head: Buffer | undefined;
  stopping = false;

  constructor(requests: readonly Buffer[], first: number) {
    this.#requests = requests;
    this.#next = first;
  }

  request(socket: Socket): void {
    if (this.stopping) socket.end();
    else socket.write(this.#requests[this.#next++ % this.#requests.length]!);
  }

  receive(socket: Socket, chunk: Buffer): void {
    let at = 0;
    if (this.#left < 0) {
      const whole = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      const end = whole.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = Buffer.from(whole);
        return;
      }
      this.#left = lengthOf(whole.toString('latin1', 0, end));
      this.#head = undefined;
      at = end + 4 - (whole.length - chunk.length);
    }
    this.bytes += chunk.length - at;
    this.#left -= chunk.length - at;
    if (this.#left > 0) return;
    if (this.#left < 0) throw new Error('the body is longer than Content-Length');
    this.#left = -1;
    this.answers++;
    this.request(socket);
  }
}

function lengthOf(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined)
    throw new Error(`not an answer of known length: ${head.slice(0, 200)}`);
  return Number(length);
}

/** @param headers further ones, each with its line end */
function requestOf(place: string, port: number, headers: string): Buffer {
  const [path, base64] = place.split('#');
  const host = `Host: 127.0.0.1:${port}\r\n${headers}`;
  if (base64 === undefined) return Buffer.from(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
  const body = Buffer.from(base64, 'base64');
  const type = `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${host}${type}\r\n`), body]);
}

async function load(port: number, ms: number, count: number, paths: readonly string[]): Promise<string> {
  const requests = paths.map((path) => requestOf(path, port, [...headers.values()].join('')));
  const connections = Array.from(
    { length: count },
    (_, i) => new Connection(requests, Math.floor((i * paths.length) / count)),
  );
  const started = performance.now();
  for (const connection of connections)
    await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => connection.request(socket),
        data: (socket, chunk) => connection.receive(socket, chunk),
        error: (_socket, error) => {
          throw error;
        },
      },
    });
  await Bun.sleep(ms);
  const elapsed = performance.now() - started;
  const sum = (key: 'answers' | 'bytes') =>
    connections.reduce((total, connection) => total + connection[key], 0);
  const report = `loaded ${sum('answers')} ${elapsed} ${sum('bytes')}`;
  for (const connection of connections) connection.stopping = true;
  await Bun.sleep(50);
  return report;
}

process.on('uncaughtException', (error) => {
  console.error(error);
  process.exit(1);
});
/** Further headers, each with its line end, by the word that sets them. */
const headers = new Map<string, string>();
const HEADERS: Readonly<Record<string, string>> = { key: 'X-Api-Key', session: 'Mcp-Session-Id' };
for await (const line of createInterface({ input: process.stdin })) {
  const [word, port, ms, count, ...paths] = line.split(' ');
  const name = HEADERS[word!];
  if (name !== undefined) headers.set(name, port === '-' ? '' : `${name}: ${port}\r\n`);
  if (word === 'load') console.log(await load(Number(port), Number(ms), Number(count), paths));
}
