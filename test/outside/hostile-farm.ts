/**
 * A server that answers as attackers do, in a process of its own: what it costs is not what its reader costs. Run as a
 * program with an address and a port it prints its port.
 */
import { createServer, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { png } from '../workers/image-files.ts';
import { PRIVATE, PUBLIC } from './nft-media-rig.ts';

const LINE = '\r\n';
const CHUNK = Buffer.alloc(64 * 1024, 0x20);
const PNG_START = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Where redirects lead: to what must not be reached, or nowhere. */
export const REDIRECTS = (port: number) => [
  `http://${PRIVATE}:${port}/secret`,
  `http://localhost:${port}/secret`,
  `http://inner.example:${port}/secret`,
  `http://rebind.example:${port}/secret`,
  `http://2130706433:${port}/secret`,
  `http://[::1]:${port}/secret`,
  `http://[::ffff:127.0.0.1]:${port}/secret`,
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_SET',
  `//${PRIVATE}:${port}/secret`,
];

export const KINDS = [
  'endless',
  'endless.png',
  'declared',
  'declared.png',
  'slow',
  'slow-headers',
  'silent',
  'html.png',
  'script.svg',
  'bomb.png',
  'huge.png',
  'gzip',
  'nested',
  'reset',
  'garbage',
  'headers',
  'loop',
] as const;
type Kind = (typeof KINDS)[number];

function body(bytes: Uint8Array | string, headers: readonly string[] = []): Buffer {
  const content = Buffer.from(bytes as string);
  const head = [
    'HTTP/1.1 200 OK',
    `Content-Length: ${content.length}`,
    'Connection: close',
    ...headers,
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(head.join(LINE)), content]);
}

/** Sends the same again and again, as fast as it is read. */
function pour(socket: Socket, part: Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(part)) {}
  };
  socket.on('drain', more);
  more();
}

function trickle(socket: Socket, text: string): void {
  const timer = setInterval(() => !socket.destroyed && socket.write(text), 30);
  socket.on('close', () => clearInterval(timer));
}

const big = png(4096, 4096);
const huge = Buffer.from(png(1, 1));
huge.writeUInt32BE(65_535, 16);
huge.writeUInt32BE(32_767, 20);
const squeezed = Bun.gzipSync(new Uint8Array(64 * 1024 * 1024));

const ANSWERS: Readonly<Record<Kind, (socket: Socket, path: string) => void>> = {
  endless: (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}Connection: close${LINE}${LINE}{`);
    pour(socket, CHUNK);
  },
  'endless.png': (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}Connection: close${LINE}${LINE}`);
    socket.write(PNG_START);
    pour(socket, CHUNK);
  },
  declared: (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}Content-Length: 10737418240${LINE}${LINE}{`);
    pour(socket, CHUNK);
  },
  'declared.png': (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}Content-Length: 10737418240${LINE}${LINE}`);
    socket.write(PNG_START);
    pour(socket, CHUNK);
  },
  slow: (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}Content-Length: 100000${LINE}${LINE}`);
    trickle(socket, ' ');
  },
  'slow-headers': (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}`);
    trickle(socket, `X-More: 1${LINE}`);
  },
  silent: () => {},
  'html.png': (socket) =>
    socket.end(body('<html><script>alert(1)</script></html>', ['Content-Type: image/png'])),
  'script.svg': (socket) =>
    socket.end(
      body('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', [
        'Content-Type: image/svg+xml',
      ]),
    ),
  'bomb.png': (socket) => socket.end(body(big)),
  'huge.png': (socket) => socket.end(body(huge)),
  gzip: (socket) => socket.end(body(squeezed, ['Content-Encoding: gzip'])),
  nested: (socket) => socket.end(body('{"attributes":'.repeat(15_000))),
  reset: (socket) => socket.resetAndDestroy(),
  garbage: (socket) => socket.end(Buffer.from('0'.repeat(1000))),
  headers: (socket) => {
    socket.write(`HTTP/1.1 200 OK${LINE}`);
    pour(socket, Buffer.from(`X-${'a'.repeat(60_000)}: 1${LINE}`));
  },
  loop: (socket, path) =>
    socket.end(`HTTP/1.1 302 Found${LINE}Location: ${path}${LINE}Content-Length: 0${LINE}${LINE}`),
};

/** @returns the port */
function serve(address: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (request) =>
      answer(socket, (String(request).split(' ')[1] ?? '/').replace(/\?.*/, '')),
    );
  });
  const port = () => (server.address() as { port: number }).port;
  const answer = (socket: Socket, path: string) => {
    const [, kind = '', rest = ''] = path.split('/');
    const host = `http://farm.example:${port()}`;
    if (kind === 'redirect') {
      const to = REDIRECTS(port())[Number(rest)]!;
      socket.end(`HTTP/1.1 302 Found${LINE}Location: ${to}${LINE}Content-Length: 0${LINE}${LINE}`);
    } else if (kind === 'with')
      socket.end(body(JSON.stringify({ name: rest, image: `${host}/${path.slice(6)}` })));
    else if (kind === 'good') socket.end(body(JSON.stringify({ name: `good ${rest}` })));
    else ANSWERS[kind as Kind]?.(socket, path);
  };
  return new Promise((resolve) => server.listen(0, address, () => resolve(port())));
}

export interface Farm {
  readonly port: number;
  stop(): void;
}

/** The farm in a process of its own. */
export async function startFarm(): Promise<Farm> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdout: 'pipe', stderr: 'inherit' });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { port: Number(new TextDecoder().decode(value)), stop: () => child.kill('SIGKILL') };
}

if (import.meta.main) {
  // It stands for other machines: what it takes of this one is not to be measured.
  setPriority(19);
  console.log(await serve(PUBLIC));
}
