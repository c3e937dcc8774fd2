/** Endless, late or unexpected answers of an outside service cost little and cause a clear error. */
import { expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { boundedText, OutsideError } from '../../outside/bounded-fetch.ts';

const BOUNDS = { timeoutMs: 2_000, bytesMax: 64 * 1024 };
/** Data that sockets on both sides may buffer of an unread answer: far below what was measured before (gigabytes). */
const IN_FLIGHT_MAX = 32 * 1024 * 1024;

/** Answers each connection with raw bytes. */
async function served<T>(answer: (socket: Socket) => void, use: (url: string) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const faultOf = async (url: string): Promise<string> => {
  const fault = await boundedText(url, BOUNDS).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(OutsideError);
  return (fault as OutsideError).message;
};

test('an endless answer is cut off, and little more than the limit is ever sent', async () => {
  let sent = 0;
  let closed = false;
  const part = Buffer.alloc(64 * 1024, 0x78);
  const pour = (socket: Socket) => {
    socket.on('close', () => {
      closed = true;
    });
    const more = () => {
      while (!socket.destroyed) {
        sent += part.length;
        if (!socket.write(part)) break;
      }
    };
    socket.on('drain', more);
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
    more();
  };
  await served(pour, async (url) => {
    expect(await faultOf(url)).toBe('an answer of more than 65536 bytes');
    const until = performance.now() + 5_000;
    while (!closed && performance.now() < until) await Bun.sleep(5);
  });
  expect(closed).toBe(true);
  expect(sent).toBeLessThan(IN_FLIGHT_MAX);
});

test('an answer with a too large Content-Length is not read', async () => {
  const answer = (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5700000000\r\n\r\nx');
  await served(answer, async (url) => expect(await faultOf(url)).toContain('an answer of 5700000000 bytes'));
});

test('a small compressed answer with a large content is refused', async () => {
  const body = Bun.gzipSync(new Uint8Array(64 * 1024 * 1024));
  const answer = (socket: Socket) =>
    socket.write(
      Buffer.concat([
        Buffer.from(
          `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${Math.min(body.length, 60_000)}\r\n\r\n`,
        ),
        body.subarray(0, 60_000),
      ]),
    );
  await served(answer, async (url) => expect(await faultOf(url)).toContain('gzip'));
});

test('a very slow answer and a missing answer end at the time-out', async () => {
  const trickle = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };
  for (const answer of [trickle, () => {}])
    await served(answer, async (url) => expect(await faultOf(url)).toBe('no whole answer within 2000 ms'));
});

test('a redirect, an error status and a closed port each give an error of one line', async () => {
  const head = (text: string) => (socket: Socket) => socket.end(`HTTP/1.1 ${text}\r\n\r\n`);
  const moved = head('302 Found\r\nLocation: http://127.0.0.1:1/');
  const lines = [
    await served(moved, faultOf),
    await served(head('503 Busy\r\nContent-Length: 0'), faultOf),
    await faultOf('http://127.0.0.1:1/'),
  ];
  for (const line of lines) expect(line).toMatch(/^.+$/);
  expect(lines[1]).toBe('HTTP 503');
});

test('an answer within the limits is read completely, in any number of chunks', async () => {
  const answer = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n');
    for (let i = 0; i < 64; i++) setTimeout(() => socket.write('é'.repeat(512)), i);
  };
  await served(answer, async (url) => expect(await boundedText(url, BOUNDS)).toBe('é'.repeat(32_768)));
});

test('the fault of an answer that is no HTTP names no part of the address, which may have a key', async () => {
  const answers = [`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(512 * 1024)}`, 'hello\r\n\r\n'];
  for (const answer of answers)
    await served(
      (socket) => void socket.end(answer),
      async (url) => {
        const fault = await faultOf(`${url}list?key=secret`);
        expect(fault).toMatch(/\w/);
        expect(fault).not.toMatch(/secret|127\.0\.0\.1|verbose/);
      },
    );
});
