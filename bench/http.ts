/**
 * Cached answers through the whole application against `Bun.serve` sending the same bytes.
 *
 *     server process, core 0:  Bun.serve -> kept answer -> envelope headers, request id, CORS, ETag
 *     load (autocannon), core 1: 32 connections on loopback, no compression asked
 *
 * What a figure means: requests per second of one core that does nothing else, and the CPU time of the server per
 * request. The load generator has one core of its own and may be the slower side; then both rates are its own
 * ceiling, and the CPU figure is the one to read. What it does not mean: anything about making the answers.
 *
 * Run alone: `bun bench/http.ts [seconds per round]`. Exits with 1 where both ratios miss the target.
 */
import autocannon from 'autocannon';
import { createApi } from '../api/app.ts';
import { Fragment, route } from '../api/route.ts';
import { serveOptions } from '../api/serve.ts';
import type { Engine } from '../engine/engine.ts';

const cases = [
  { name: 'list of 100 tokens', path: '/tokens', bytes: 184 * 1024, target: 0.8 },
  { name: 'token', path: '/token/abc', bytes: 2 * 1024, target: 0.7 },
  { name: 'order book', path: '/orderbook?limit=20', bytes: 5 * 1024, target: 0.6 },
] as const;

const rows = cases.map(({ path, bytes }) =>
  route({
    method: 'GET',
    path: path.replace('abc', '{id}').split('?')[0]!,
    section: '4.1',
    summary: 'Benchmark row',
    params: {
      ...(path.includes('abc') && { id: { in: 'path', kind: 'text', about: 'Id' } as const }),
      limit: { in: 'query', kind: 'int', default: 20, min: 1, max: 400, about: 'Rows' },
    },
    response: {},
    cost: 1,
    bucket: '/bench',
    cache: 'ledger',
    handler: () => new Fragment([`"rows":["${'x'.repeat(bytes - 90)}"]`]),
  }),
);

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const noSockets = {
  upgrade: () => new Response(null, { status: 426 }),
  websocket: { message() {} },
  close() {},
};

/** Three servers on one core: plain (the yardstick), ours, and ours with every request through the router. */
async function serve(): Promise<void> {
  const engine = { version: 1, counters: {} } as Engine;
  const api = createApi({ engine, log: quiet, routes: rows });
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { path } of cases) {
    const response = await api.fetch(new Request(`http://localhost/v1${path}`));
    bodies.set(`/v1${path.split('?')[0]}`, new Uint8Array(await response.arrayBuffer()));
  }
  const plain = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { url } = request;
      const path = url.slice(url.indexOf('/', 8)).split('?')[0]!;
      return new Response(bodies.get(path), { headers: { 'Content-Type': 'application/json' } });
    },
  });
  const at = { api, hub: noSockets, host: '127.0.0.1', port: 0 };
  const ours = Bun.serve(serveOptions(at));
  const routed = Bun.serve(serveOptions({ ...at, shortWay: false }));
  process.send!({ plain: plain.port, ours: ours.port, routed: routed.port });
  process.on('message', () => process.send!(process.cpuUsage()));
}

interface Figure {
  readonly perSecond: number;
  /** CPU time of the server, microseconds. */
  readonly cpu: number;
}

/** Sides take turns, and the best of each counts: whatever else runs on the machine only ever slows one down. */
const ROUNDS = 4;

const better = (one: Figure | undefined, other: Figure): Figure => ({
  perSecond: Math.max(one?.perSecond ?? 0, other.perSecond),
  cpu: Math.min(one?.cpu ?? Infinity, other.cpu),
});

async function load(seconds: number): Promise<void> {
  // The load side: taskset pins this process; the server is a child of its own on the other core.
  const waiting: ((message: never) => void)[] = [];
  const server = Bun.spawn(['taskset', '-c', '0', process.execPath, import.meta.path, '--serve'], {
    ipc: (message) => waiting.shift()?.(message as never),
    stdout: 'inherit',
    stderr: 'inherit',
  });
  const next = <T>() => new Promise<T>((resolve) => waiting.push(resolve));
  const ports = await next<Record<'plain' | 'ours' | 'routed', number>>();
  const cpuUsed = async () => {
    const answer = next<{ user: number; system: number }>();
    server.send('cpu');
    const { user, system } = await answer;
    return user + system;
  };
  const measure = async (port: number, path: string, duration: number): Promise<Figure> => {
    const before = await cpuUsed();
    const result = await autocannon({ url: `http://127.0.0.1:${port}/v1${path}`, connections: 32, duration });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${path}: ${result.non2xx} failed answers`);
    const requests = result.requests.total;
    return { perSecond: requests / result.duration, cpu: ((await cpuUsed()) - before) / requests };
  };
  const sides = Object.entries(ports);
  let missed = 0;
  try {
    for (const { name, path, target } of cases) {
      const best = new Map<string, Figure>();
      for (let round = 0; round < ROUNDS; round++)
        for (const [side, port] of sides)
          best.set(side, better(best.get(side), await measure(port, path, seconds)));
      const ratio = best.get('ours')!.perSecond / best.get('plain')!.perSecond;
      const cpuRatio = best.get('plain')!.cpu / best.get('ours')!.cpu;
      if (Math.max(ratio, cpuRatio) < target) missed++;
      console.log(
        `${name}: ratio ${ratio.toFixed(2)} by rate, ${cpuRatio.toFixed(2)} by CPU time (target ${target})`,
      );
      for (const [side, { perSecond, cpu }] of best)
        console.log(
          `  ${side.padEnd(7)} ${perSecond.toFixed(0).padStart(7)} requests/s ${cpu.toFixed(1).padStart(6)} us CPU`,
        );
    }
  } finally {
    server.kill();
  }
  process.exit(missed > 0 ? 1 : 0);
}

if (process.argv.includes('--serve')) await serve();
else if (process.env.MILLRACE_BENCH_PINNED) await load(Number(process.argv[2] ?? 2));
else {
  const pinned = Bun.spawnSync(
    ['taskset', '-c', '1', process.execPath, import.meta.path, ...process.argv.slice(2)],
    {
      env: { ...process.env, MILLRACE_BENCH_PINNED: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  process.exit(pinned.exitCode);
}
