/**
 * Sends requests that differ, over raw keep-alive sockets with one request in flight on each, and measures how long each
 * answer takes. Lines in: `send <port> <connections> <file>` (requests as they go out, with a zero byte after each; out:
 * `sent <JSON>` when all are answered), `probe <port> <path>` (asks for it over and over, on one connection), `stop` (out:
 * `probed <JSON>`).
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Socket } from 'bun';

const HEAD_END = Buffer.from('\r\n\r\n');

class Sender {
  readonly statuses: Record<string, number> = {};
  readonly times: number[] = [];
  readonly #next: () => Buffer | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #buffered = Buffer.alloc(0);
  #sentAt = 0;

  /** @param next undefined: there are no more */
  constructor(next: () => Buffer | undefined) {
    this.#next = next;
  }

  async run(port: number): Promise<void> {
    await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => this.#send(socket),
        data: (socket, chunk) => this.#receive(socket, chunk),
        close: () => this.#ended.resolve(),
        error: (_socket, error) => this.#ended.reject(error),
      },
    });
    await this.#ended.promise;
  }

  #send(socket: Socket): void {
    const request = this.#next();
    if (!request) {
      socket.end();
      this.#ended.resolve();
      return;
    }
    this.#sentAt = performance.now();
    socket.write(request);
  }

  #receive(socket: Socket, chunk: Buffer): void {
    this.#buffered =
      this.#buffered.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#buffered, chunk]);
    const end = this.#buffered.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#buffered.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#buffered.length < end + 4 + length) return;
    this.times.push(performance.now() - this.#sentAt);
    const status = head.slice(9, 12);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.#buffered = Buffer.alloc(0);
    this.#send(socket);
  }
}

function summary(senders: readonly Sender[]): string {
  const times = Float64Array.from(senders.flatMap((sender) => sender.times)).sort();
  const statuses: Record<string, number> = {};
  for (const sender of senders)
    for (const [status, count] of Object.entries(sender.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return JSON.stringify({ statuses, p50: at(0.5), p99: at(0.99), longest: times.at(-1) });
}

async function send(port: number, connections: number, file: string): Promise<string> {
  const requests = readFileSync(file);
  let from = 0;
  const next = () => {
    const end = requests.indexOf(0, from);
    if (end < 0) return undefined;
    const request = requests.subarray(from, end);
    from = end + 1;
    return request;
  };
  const senders = Array.from({ length: connections }, () => new Sender(next));
  await Promise.all(senders.map((sender) => sender.run(port)));
  return `sent ${summary(senders)}`;
}

let isProbing = false;
let probed: Promise<string> | undefined;

async function probe(port: number, path: string): Promise<string> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const sender = new Sender(() => (isProbing ? request : undefined));
  await sender.run(port);
  return `probed ${summary([sender])}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, port, second, third] = line.split(' ');
  if (word === 'send') console.log(await send(Number(port), Number(second), third!));
  if (word === 'probe') {
    isProbing = true;
    probed = probe(Number(port), second!);
  }
  if (word === 'stop') {
    isProbing = false;
    console.log(await probed);
  }
}
