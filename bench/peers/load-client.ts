/**
 * Opens sockets and counts frames. Lines in: `open <count> <url> [<url> ...]` (round robin), `await <frames> <ms>`
 * (frames since the last `reset`), `reset`, `last`, `held`. Lines out: `opened <count>`, `got <frames>`, `last <time>`
 * (arrival of the newest frame, ms since the epoch with fractions), `held <count>` (sockets that are still open: a service
 * refuses one by opening and closing it).
 */
import { createInterface } from 'node:readline';

/** Parallel handshakes: more would overflow the listen queue. */
const OPENING = 100;

let frames = 0;
let last = 0;
const sockets: WebSocket[] = [];
const now = () => performance.timeOrigin + performance.now();

function open(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    sockets.push(socket);
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`cannot open ${url}`));
    socket.onmessage = () => {
      frames++;
      last = now();
    };
  });
}

async function waited(count: number, ms: number): Promise<void> {
  const deadline = now() + ms;
  while (frames < count && now() < deadline) await new Promise((resolve) => setTimeout(resolve, 1));
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split(' ');
  if (word === 'open') {
    const [count, ...urls] = rest;
    for (let at = 0; at < Number(count); at += OPENING) {
      const batch = Array.from(
        { length: Math.min(OPENING, Number(count) - at) },
        (_, i) => urls[(at + i) % urls.length]!,
      );
      await Promise.all(batch.map(open));
    }
    console.log(`opened ${sockets.length}`);
  } else if (word === 'await') {
    await waited(Number(rest[0]), Number(rest[1]));
    console.log(`got ${frames}`);
  } else if (word === 'reset') {
    frames = 0;
    console.log('reset');
  } else if (word === 'last') {
    console.log(`last ${last}`);
  } else if (word === 'held') {
    console.log(`held ${sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length}`);
  }
}
