/**
 * Sockets that only record arrival times: WebSocket connections as raw TCP whose bytes are not parsed, so that the
 * receiver adds as little as possible to the measured time. Lines in: `open <count> <url> [<url> ...]` (round robin),
 * `last`. Lines out: `opened <count>`, `last <time> <bytes>` (arrival of the newest bytes, ms since the epoch with
 * fractions; bytes since the start).
 */
import { createInterface } from 'node:readline';
import type { Socket } from 'bun';

/** Parallel handshakes: more would overflow the listen queue. */
const OPENING = 100;

let last = 0;
let bytes = 0;
const sockets: Socket[] = [];

/** Resolves when the server has answered the handshake. */
async function open(url: string): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const key = crypto.getRandomValues(new Uint8Array(16)).toBase64();
  const request =
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
  const opened = Promise.withResolvers<void>();
  let upgraded = false;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (self) => void self.write(request),
      data: (_self, chunk) => {
        if (!upgraded) {
          upgraded = chunk.toString('latin1', 0, 12) === 'HTTP/1.1 101';
          if (upgraded) opened.resolve();
          else opened.reject(new Error(`${url}: ${chunk.toString('latin1', 0, 200)}`));
        }
        bytes += chunk.length;
        last = performance.timeOrigin + performance.now();
      },
      close: () => opened.reject(new Error(`${url}: closed`)),
    },
  });
  sockets.push(socket);
  await opened.promise;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, count, ...urls] = line.split(' ');
  if (word === 'open') {
    for (let at = 0; at < Number(count); at += OPENING) {
      const batch = Math.min(OPENING, Number(count) - at);
      await Promise.all(Array.from({ length: batch }, (_, i) => open(urls[(at + i) % urls.length]!)));
    }
    console.log(`opened ${sockets.length}`);
  } else if (word === 'last') {
    console.log(`last ${last} ${bytes}`);
  }
}
