/**
 * Two networks in one process, started by the function the program uses: what clients get at one mount is of its network
 * alone, and one network that fails or is stopped leaves the other serving.
 *
 * The oracle for an answer is an API of one network alone, over the same views.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WS from 'ws';
import { createApi } from '../../api/app.ts';
import { samples } from '../../api/examples.ts';
import { isOfLedger } from '../../api/ledger-answers.ts';
import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';
import { readOptions } from '../../service/options.ts';
import { type Service, startService } from '../../service/service.ts';
import { XRP_MD5 } from '../../support/fake-engine.ts';
import { Mount } from '../../views/mount.ts';
import { DEFAULT_LIMITS, limitsOfEach } from '../../ws/limits.ts';
import { casesOf } from '../cases.ts';
import { quiet, until } from '../live-rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Answer = Record<string, any>;

const PREFIXES = ['', '/second'] as const;

/** Of the node's open ledger, which is another one at each question. Keys and payments (4.8) and the test network (4.10) are of the service. */
const BESIDE: ReadonlySet<string> = new Set(['/submit/fee']);
const TOKENS_MIN = 10;
/** Of so many routes one is asked, another one each time. */
const ROUTES_EVERY = casesOf(24, 1);
/** A comparison is made again when a ledger came in between, up to this often. */
const TRIES_MAX = 200;

const base = mkdtempSync(join(tmpdir(), 'millrace-two-'));
const faults: unknown[] = [];
let service: Service;
const sockets: Listener[] = [];

/** A client of a stream, which keeps what it receives. */
class Listener {
  readonly frames: Answer[] = [];
  code: number | undefined;
  readonly #socket: WS;

  constructor(path: string, message?: object) {
    this.#socket = new WS(service.url.replace('http', 'ws') + path);
    this.#socket.on('open', () => message && this.#socket.send(JSON.stringify(message)));
    this.#socket.on('message', (data) => this.frames.push(JSON.parse(data.toString())));
    this.#socket.on('close', (code) => {
      this.code = code;
    });
    this.#socket.on('error', () => {});
    sockets.push(this);
  }

  end(): void {
    this.#socket.terminate();
  }
}

function optionsOf(seed: string) {
  const args = [`--data=${join(base, seed)}`, `--sandbox-seed=${seed}`];
  const network = [
    '--source=sandbox',
    '--sandbox-size=small',
    '--sandbox-days=1',
    '--sandbox-interval=1',
    '--sandbox-port=0',
  ];
  return readOptions([...args, ...network, '--workers=1', '--port=0'], {});
}

const engine = (network: number) => service.networks[network]!.open.network.engine;

async function ask(path: string): Promise<{ status: number; headers: Headers; body: Answer }> {
  const response = await fetch(service.url + path);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

beforeAll(async () => {
  const [first, second] = [optionsOf('river'), optionsOf('ocean')];
  const networks = [
    { prefix: '', options: first },
    { prefix: '/second', options: second },
  ];
  service = await startService({
    options: first,
    networks,
    log: quiet,
    onFault: (fault) => faults.push(fault),
  });
  // Both make their history meanwhile, so that ledgers come often.
  await until(
    () => service.networks.every(({ open }) => open.network.engine.state.tokens.count > TOKENS_MIN),
    'two networks with tokens',
  );
});

afterAll(async () => {
  for (const socket of sockets) socket.end();
  await service.stop();
  rmSync(base, { recursive: true, force: true });
});

describe('two networks in one process', () => {
  test('are two: their ledgers and their tokens differ', () => {
    const [a, b] = [engine(0), engine(1)];
    expect(a.head!.hash).not.toBe(b.head!.hash);
    const issuersOf = ({ state: { tokens, accounts } }: typeof a) =>
      new Set(Array.from({ length: tokens.count - 1 }, (_, i) => accounts.text(tokens.issuer(i + 1))));
    const [ofA, ofB] = [issuersOf(a), issuersOf(b)];
    expect(ofA.size).toBeGreaterThan(3);
    expect([...ofA].filter((issuer) => ofB.has(issuer))).toEqual([]);
  });

  test('keep what is said of their tokens, each of its own', async () => {
    const [first, second] = service.networks.map(({ open }) => open.network);
    const { tokens } = second!.engine.state;
    const md5 = tokens.md5(tokens.count - 1);
    const writer = { now: 1_800_000_000_000, by: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp' };
    await second!.tokenData.write(md5, { user: 'Ann' }, writer);
    expect([first!.tokenData.of(md5), second!.tokenData.of(md5)?.user]).toEqual([undefined, 'Ann']);
    expect((await ask(`/v1/second/token/${md5}`)).body.token.user).toBe('Ann');
  });

  test('answer every route as a service with that network alone, from the cache too', async () => {
    const alone = service.networks.map(({ open }) =>
      createApi({ mounts: [Mount.of(open.network)], log: quiet }),
    );
    // What needs a key is refused by the service's admission, which an API alone has none of.
    const isCompared = ({ method, path, section, auth }: Route) =>
      method === 'GET' &&
      section !== '1' &&
      auth === 'none' &&
      !BESIDE.has(path) &&
      section !== '4.8' &&
      section !== '4.10';
    const first = Number(process.env.SEED ?? Math.floor(Math.random() * ROUTES_EVERY)) % ROUTES_EVERY;
    const gets = routes.filter(isCompared).filter((_, i) => i % ROUTES_EVERY === first);
    console.log(`of ${ROUTES_EVERY} routes one: SEED=${first}`);
    expect(gets.length).toBeGreaterThan(100 / ROUTES_EVERY);
    // In both networks, and in the first alone: each time the same path and query for both.
    const { body } = await ask('/v1/tokens?limit=1&sort=holders');
    const ids = [XRP_MD5, body.tokens[0].md5 as string];
    let differing = 0;
    for (const id of ids)
      for (const row of gets) {
        // Not again where the token has no part in it.
        const isOfToken =
          targetOf(row.path, row.example as Answer, ids[0]!) !==
          targetOf(row.path, row.example as Answer, ids[1]!);
        if (id !== ids[0] && !isOfToken) continue;
        const { path, example } = row;
        const keptForSeconds = typeof row.cache === 'number';
        const answers: string[] = [];
        for (const i of [0, 1, 0, 1]) {
          answers[i] = await stable(i, async () => {
            // What is kept for seconds is of the ledger at which each API was first asked for it, unless a newer is named.
            const newest = keptForSeconds && isOfLedger(row) ? { min_ledger: engine(i).head!.index } : {};
            const target = targetOf(path, { ...(example as Answer), ...newest }, id);
            const mounted = await fetch(`${service.url}/v1${PREFIXES[i]}${target}`);
            const expected = await alone[i]!.fetch(new Request(`${service.url}/v1${target}`));
            const [text, expectedText] = [await mounted.text(), await expected.text()];
            expect(mounted.status, target).toBe(expected.status);
            if (!keptForSeconds || isOfLedger(row))
              expect(comparable(text), target).toBe(comparable(mountedAt(PREFIXES[i]!, expectedText)));
            return comparable(expectedText);
          });
        }
        if (answers[0] !== answers[1]) differing++;
      }
    // The same are those that say nothing of the ledger, and refusals: half of all at most, of a share perhaps most.
    expect(differing).toBeGreaterThan(casesOf(0, gets.length / 2));
  });

  test('serve the same table below /api and /v1, and nothing at prefixes that only begin alike', async () => {
    for (const table of ['/v1', '/api']) {
      const { body } = await ask(`${table}/second/tokens?limit=3`);
      expect(body.tokens.length).toBe(3);
    }
    for (const path of [
      '/v1/seconds/tokens',
      '/second/tokens',
      '/v1/%73econd/tokens',
      '/v1/second/v1/tokens',
    ])
      expect((await ask(path)).status, path).toBe(404);
    const wrong = await fetch(`${service.url}/v1/second/tokens`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await ask('/v1/second/openapi.json')).body.servers[0].url).toBe(`${service.url}/v1/second`);
  });

  test('have a health of their own', async () => {
    for (const [i, prefix] of PREFIXES.entries()) {
      await until(async () => (await ask(`/v1${prefix}/health`)).body.ready, `the readiness of network ${i}`);
      const index = engine(i).head!.index;
      const { body } = await ask(`/v1${prefix}/health`);
      const isBetween = body.ledger.index >= index && body.ledger.index <= engine(i).head!.index;
      expect(isBetween, `ledger ${body.ledger.index} of network ${i}`).toBe(true);
    }
  });

  test('show in every frame of a stream their own ledgers and tokens', async () => {
    const hashes = service.networks.map(({ open }) => {
      const seen = new Set([open.network.engine.head!.hash]);
      open.network.engine.onLedger(({ head }) => void seen.add(head.hash));
      return seen;
    });
    const say = { type: 'subscribe', topN: 20 };
    const listeners = PREFIXES.map((prefix) => ({
      ledgers: [new Listener(`${prefix}/ws/ledger`), new Listener(`/v1${prefix}/ws/ledger`)],
      tokens: new Listener(`${prefix}/ws/sync`, say),
    }));
    await until(
      () =>
        listeners.every(
          ({ ledgers, tokens }) =>
            ledgers.every(({ frames }) => frames.length > 4) && tokens.frames.length > 2,
        ),
      'frames of both networks',
    );
    for (const [i, { ledgers, tokens }] of listeners.entries()) {
      for (const { frames } of ledgers)
        for (const frame of frames)
          expect(hashes[i]!.has(frame.ledger_hash), JSON.stringify(frame)).toBe(true);
      const { views } = service.networks[i]!.open.network;
      const named = [...JSON.stringify(tokens.frames).matchAll(/"md5":"([0-9a-f]{32})"/g)].map(
        ([, md5]) => md5!,
      );
      expect(named.length).toBeGreaterThan(5);
      for (const md5 of named) expect(views.tokens.resolve(md5), md5).toBeDefined();
    }
  });

  test('have their own figures in /metrics, each name once', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const names = ['ledger_index', 'ledgers_applied_total', 'store_file_bytes', 'cache_bytes', 'stream_jobs'];
    const lines = [
      ...names.flatMap((name) => [`${name} `, `${name}{network="second"} `]),
      'http_answers_total{method="GET",path="/health",status="200",network="second"} ',
      'stream_connections{stream="/ws/ledger"} 2',
      'stream_connections{stream="/ws/ledger",network="second"} 2',
    ];
    const missing = lines.filter((line) => !text.includes(`\nmillrace_${line}`));
    expect(missing).toEqual([]);
    const types = text.split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(new Set(types).size).toBe(types.length);
  });

  test('share one bound of memory and of time, and one count of sockets', () => {
    const each = limitsOfEach(DEFAULT_LIMITS, 2);
    for (const limit of ['queueBytesInAll', 'ringBytesInAll', 'timeSliceMs'] as const)
      expect(each[limit] * 2).toBe(DEFAULT_LIMITS[limit]);
    const api = createApi({
      mounts: PREFIXES.map((prefix) => new Mount(prefix)),
      log: quiet,
      cacheBytes: 1000,
    });
    expect(api.caches.map(({ maxBytes }) => maxBytes)).toEqual([500, 500]);
  });
});

describe('one of two networks', () => {
  test('that fails is not ready and shows what it has; the other goes on', async () => {
    let hasFailed = false;
    engine(0).onLedger(() => {
      hasFailed = true;
      throw new Error('a fault of the first network');
    });
    await until(() => hasFailed && !service.networks[0]!.open.network.ready, 'the failure');
    const failedAt = engine(0).head!.index;
    const otherAt = engine(1).head!.index;
    await until(() => engine(1).head!.index > otherAt + 1, 'further ledgers of the other network');
    expect(engine(0).head!.index).toBe(failedAt);
    expect((await ask('/health')).body).toMatchObject({ status: 'degraded', ready: false });
    await until(
      async () => (await ask('/v1/second/health')).body.ready,
      'the readiness of the other network',
    );
    expect((await ask('/v1/ledger')).body.ledger_index).toBe(failedAt);
    expect((await ask('/v1/second/tokens?limit=3')).body.tokens.length).toBe(3);
    expect(faults).toEqual([]);
  });

  test('that is stopped answers 503 and closes its sockets; the other goes on', async () => {
    const [first, second] = [new Listener('/ws/ledger'), new Listener('/second/ws/ledger')];
    await until(() => first.frames.length > 0 && second.frames.length > 0, 'first frames');
    await service.networks[0]!.stop();
    await until(() => first.code !== undefined, 'the close of the socket');
    expect(first.code).toBe(1001);
    const { status, headers, body } = await ask('/v1/tokens?limit=3');
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toMatchObject({ success: false, code: 'unavailable', error: 'The network was stopped' });
    expect(await ask('/health')).toMatchObject({ status: 200, body: { ready: false, ledger: null } });
    const refused = new Listener('/ws/ledger');
    await until(() => refused.code !== undefined, 'the refusal');
    const frames = second.frames.length;
    await until(() => second.frames.length > frames + 1, 'further frames of the other network');
    expect(second.code).toBeUndefined();
    expect((await ask('/v1/second/tokens?limit=3')).body.tokens.length).toBe(3);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('\nmillrace_ready 0\n');
  });

  test('that fails last is reported: the service cannot go on', async () => {
    engine(1).onLedger(() => {
      throw new Error('a fault of the second network');
    });
    await until(() => faults.length > 0, 'the report');
    expect(faults.map(String)).toEqual(['Error: a fault of the second network']);
  });
});

/** Path and query of a route's example, about another token. */
function targetOf(path: string, example: Answer, id: string): string {
  const left = new Map<string, string>();
  for (const [name, value] of Object.entries(example))
    left.set(name, value === samples.token ? id : String(value));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name)!;
    left.delete(name);
    return encodeURIComponent(value);
  });
  return left.size > 0 ? `${filled}?${new URLSearchParams([...left])}` : filled;
}

/** Runs the comparison again where a ledger came in between. */
async function stable(network: number, compare: () => Promise<string>): Promise<string> {
  const { views } = service.networks[network]!.open.network;
  for (let tries = 0; ; tries++) {
    const before = views.version;
    try {
      const text = await compare();
      if (views.version === before || tries > TRIES_MAX) return text;
    } catch (fault) {
      if (views.version === before || tries > TRIES_MAX) throw fault;
    }
  }
}

/** A document for frames names the prefix of its network, and climbs from below it to the assets of both. */
function mountedAt(prefix: string, text: string): string {
  const up = prefix.replaceAll(/\/[^/]+/g, '../');
  return text.replace('data-mount=""', `data-mount="${prefix}"`).replace('<base href="', `<base href="${up}`);
}

/** Without what differs between two requests for the same. */
function comparable(text: string): string {
  return text.replace(/"(took|requestId|timestamp|docs)":("[^"]*"|[\d.]+)/g, '"$1":0');
}
