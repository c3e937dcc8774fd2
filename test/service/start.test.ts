/** The service listens before its networks are open: what it answers meanwhile, and how it ends then. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApi } from '../../api/app.ts';
import { routes } from '../../api/routes/index.ts';
import { type SizedStore, sizedStore } from '../../bench/size/store.ts';
import { LEDGERS_MIN } from '../../data/pruning.ts';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ROWS_A_STEP } from '../../engine/event-loop.ts';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import { readOptions } from '../../service/options.ts';
import { networksOf, type Service, serve } from '../../service/service.ts';
import { relaidChain } from '../../support/chain.ts';
import { Mount } from '../../views/mount.ts';
import { Hubs } from '../../ws/hubs.ts';
import { quiet } from '../live-rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Answer = Record<string, any>;

/** A hundredth of the main network: restored in some dozens of steps. */
const SHARE = 0.01;
/** A stop of the program, ms: 2 s on a machine of its own; on any, it waits for nothing that is not bounded. */
const STOP_MAX_MS = 5_000;

const PROGRAM = resolve(import.meta.dir, '..', '..', 'service', 'main.ts');
const base = mkdtempSync(join(tmpdir(), 'millrace-listens-'));
const served: Service[] = [];
let sized: SizedStore;

beforeAll(async () => {
  sized = await sizedStore({ share: SHARE, ledgers: 2, transactions: 10 });
});

afterAll(async () => {
  for (const service of served) await service.stop();
  rmSync(base, { recursive: true, force: true });
});

/** A copy of the store, and the options of a service on it. */
function argumentsOf(name: string): string[] {
  const dir = join(base, name);
  cpSync(sized.store, dir, { recursive: true });
  return [`--data=${dir}`, `--source=file:${sized.archive}`, '--port=0', '--workers=0'];
}

function serveOn(args: readonly string[], onFault: (fault: unknown) => void = () => {}): Service {
  const options = readOptions(args, {});
  const service = serve({ options, networks: networksOf(options), log: quiet, onFault });
  served.push(service);
  return service;
}

async function ask(service: Service, path: string): Promise<{ status: number; body: Answer }> {
  const response = await fetch(service.url + path);
  return { status: response.status, body: (await response.json()) as Answer };
}

describe('a network that is not open yet', () => {
  const mount = new Mount('');
  const api = createApi({ mounts: [mount], log: quiet });
  const get = async (path: string) => api.fetch(new Request(`http://localhost${path}`));

  test('has every route of its own answered 503 with a reason and a time to come again', async () => {
    mount.progress = { stage: 'restoring', share: 0.425 };
    const about = routes.filter(({ whileNotOpen }) => !whileNotOpen);
    expect(about.length).toBeGreaterThan(25);
    for (const { method, path } of about) {
      const target = `/v1${path.replace(/\{\w+\}/g, 'x')}`;
      const response = await api.fetch(new Request(`http://localhost${target}`, { method }));
      expect(response.status, target).toBe(503);
      expect(Number(response.headers.get('retry-after')), target).toBeGreaterThan(0);
      expect(await response.json(), target).toMatchObject({
        success: false,
        code: 'unavailable',
        error: 'The service is starting (restoring, 42 % done)',
      });
    }
  });

  test('has health, metrics and documents answered', async () => {
    for (const prefix of ['', '/v1', '/api'])
      for (const path of ['/', '/health', '/metrics', '/docs', '/openapi.json'])
        expect((await get(prefix + path)).status, prefix + path).toBe(200);
    expect((await get('/reference')).status).toBe(200);
    expect(await (await get('/health')).json()).toMatchObject({
      status: 'degraded',
      ready: false,
      progress: { stage: 'restoring', share: 0.425 },
      services: { database: { status: 'down' } },
      ledger: null,
    });
    expect(await (await get('/metrics')).text()).toContain('\nmillrace_ready 0\n');
  });

  test('has its streams refused before the handshake', () => {
    const hubs = new Hubs([mount], { log: quiet });
    const refused = hubs.upgrade(new Request('http://localhost/ws/ledger'), undefined as never);
    expect(refused).toMatchObject({ code: 'unavailable', status: 503 });
  });
});

describe('a start', () => {
  test('listens at once; health shows how far it is until everything is served', async () => {
    const service = serveOn(argumentsOf('progress'));
    const shares: number[] = [];
    let before = 0;
    for (;;) {
      const wasOpen = service.networks.length > 0;
      const { status, body } = await ask(service, '/health');
      const tokens = await ask(service, '/v1/tokens?limit=1');
      expect(status).toBe(200);
      // It may open between the two requests.
      if (wasOpen) expect(tokens.status).toBe(200);
      if (service.networks.length > 0) break;
      expect(tokens.status).toBe(503);
      before++;
      expect(body).toMatchObject({ ready: false, status: 'degraded', ledger: null });
      if (body.progress.stage === 'restoring') shares.push(body.progress.share);
    }
    expect(before).toBeGreaterThan(0);
    expect(shares.length).toBeGreaterThan(0);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    await service.opened;
    expect((await ask(service, '/v1/tokens?limit=1')).body.tokens).toHaveLength(1);
    expect(service.engine.state.lines.existing).toBeGreaterThan(50_000);
  });

  test('restores in steps of a bounded number of rows, whose shares never fall, to the state of one piece', async () => {
    const [dir] = argumentsOf('steps');
    const store = await openStore({ dir: dir!.replace('--data=', ''), network: 0 });
    const [stepped, whole] = [new Engine({ store, log: quiet }), new Engine({ store, log: quiet })];
    const shares = [...stepped.restoring()];
    whole.restore();
    const rows = whole.state.tables.reduce((sum, { count }) => sum + count, 0);
    expect(shares.length).toBeGreaterThan(rows / ROWS_A_STEP);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    expect(stepped.digest()).toBe(whole.digest());
    expect(stepped.state.lines.existing).toBe(whole.state.lines.existing);
    await store.close();
  });

  test('that is stopped while it opens ends; the next one has everything', async () => {
    const args = argumentsOf('stopped');
    const service = serveOn(args);
    await ask(service, '/health');
    expect(service.networks).toHaveLength(0);
    await service.stop();
    await service.opened;
    await expect(fetch(`${service.url}/health`)).rejects.toThrow();
    const again = serveOn(args);
    await again.opened;
    expect((await ask(again, '/v1/tokens?limit=1')).status).toBe(200);
    await again.stop();
  });

  test.skipIf(process.platform !== 'linux')(
    'with too few addresses for its tables: one line that names the limit',
    async () => {
      const limited = [
        'sh',
        '-c',
        `ulimit -v ${20 * 1024 * 1024} && exec "$0" "$@"`,
        process.execPath,
        PROGRAM,
      ];
      const args = [
        '--port=0',
        `--data=${join(base, 'addresses')}`,
        '--source=ws://127.0.0.1:1',
        '--workers=0',
      ];
      const child = Bun.spawn([...limited, ...args], { stdout: 'ignore', stderr: 'pipe' });
      const stderr = (await new Response(child.stderr).text()).trim();
      expect([await child.exited, stderr.split('\n').length]).toEqual([1, 1]);
      expect(stderr).toContain('this process may use 20.0 GiB of address space, which is too small');
      expect(stderr).toContain('It is not memory: lift the limit (ulimit -v unlimited)');
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'with too few open files: one line that names the limit',
    async () => {
      const limited = ['sh', '-c', 'ulimit -n 60 && exec "$0" "$@"', process.execPath, PROGRAM];
      const child = Bun.spawn([...limited, ...argumentsOf('files')], { stdout: 'ignore', stderr: 'pipe' });
      const stderr = (await new Response(child.stderr).text()).trim();
      expect([await child.exited, stderr]).toEqual([
        1,
        expect.stringMatching(/^millrace: this process may have 60 files open, .* \(ulimit -n, .*\)$/),
      ]);
    },
  );

  test('of the program that gets SIGTERM while it opens ends with exit code 0 in time', async () => {
    const child = Bun.spawn([process.execPath, PROGRAM, ...argumentsOf('signal')], {
      stdout: 'pipe',
      stderr: 'pipe',
    });
    let log = '';
    let signalledAt = 0;
    const decoder = new TextDecoder();
    for await (const part of child.stdout) {
      log += decoder.decode(part, { stream: true });
      if (signalledAt > 0 || !log.includes('"reference"')) continue;
      signalledAt = performance.now();
      child.kill('SIGTERM');
    }
    expect(await child.exited).toBe(0);
    expect(performance.now() - signalledAt).toBeLessThan(STOP_MAX_MS);
    expect(await new Response(child.stderr).text()).toBe('');
    expect(log).not.toContain('every address is served');
  });

  test('on a store that cannot be opened ends with one clear line, and frees the port', async () => {
    const dir = join(base, 'unreadable');
    writeFileSync(dir, 'a file where a folder should be');
    const options = [`--data=${dir}`, `--source=file:${sized.archive}`, '--port=0'];
    const service = serveOn(options);
    await expect(service.opened).rejects.toThrow(dir);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow();
    const child = Bun.spawn([process.execPath, PROGRAM, ...options], { stdout: 'pipe', stderr: 'pipe' });
    const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(dir);
  });
});

test('--keep is heeded by a store whose source has nothing more to give', async () => {
  const archive = join(base, 'ended.mlr');
  const writer = ArchiveWriter.open(archive);
  const chain = [...relaidChain({ ledgers: LEDGERS_MIN + 40, transactionsPerLedger: 1 })];
  for (const packed of chain) writer.append(packed);
  writer.close();
  const args = [`--data=${join(base, 'ended')}`, `--source=file:${archive}`, '--port=0', '--workers=0'];
  const last = chain.at(-1)!.ledgerIndex;
  const heldBy = async (service: Service) => (await ask(service, '/health')).body.ledger.ranges;
  for (const [more, first] of [
    [[], chain[0]!.ledgerIndex],
    [[`--keep=${LEDGERS_MIN}ledgers`], last - LEDGERS_MIN + 1],
  ] as const) {
    const service = serveOn([...args, ...more]);
    await service.followed;
    for (let i = 0; i < 200 && (await heldBy(service))[0][0] < first; i++) await Bun.sleep(20);
    expect(await heldBy(service)).toEqual([[first, last]]);
    await service.stop();
  }
});
