/** What the doctor finds, against what is so: free ports, nodes that answer and do not, clocks, certificates. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import {
  access,
  certificate,
  disk,
  type Finding,
  findings,
  memory,
  nodeFindings,
  openFiles,
  port,
  report,
} from '../../service/doctor.ts';
import { askNode } from '../../service/node-facts.ts';
import { readOptions } from '../../service/options.ts';
import { makeChain } from '../ledgers.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../outside/stand-in-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
const servers: { stop(now: boolean): unknown }[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop(true);
  rmSync(dir, { recursive: true, force: true });
});

const options = (...args: readonly string[]) => readOptions([`--data=${dir}`, ...args], {});
const MAIN = '--source=wss://node.example';
const GB = 1e9;

/** A node that answers with this text. */
function nodeOf(text: string | undefined): string {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, own) => (own.upgrade(request) ? undefined : new Response('', { status: 400 })),
    websocket: {
      message: (socket) => {
        if (text === undefined) socket.close();
        else socket.send(text);
      },
    },
  });
  servers.push(server);
  return `ws://127.0.0.1:${server.port}`;
}

const info = (fields: object) => JSON.stringify({ id: 1, result: { info: fields } });

describe('disk and memory', () => {
  test.each<[readonly string[], number, Finding['state']]>([
    [[], 1.9 * GB, 'bad'],
    [[], 2 * GB, 'ok'],
    [[MAIN], 39 * GB, 'bad'],
    [[MAIN], 40 * GB, 'warn'],
    [[MAIN, '--keep=14days'], 40 * GB, 'ok'],
    [[MAIN], 100 * GB, 'ok'],
  ])('%p with %p bytes free: %s', (args, free, state) => {
    const found = disk(options(...args), () => free);
    expect(found.state).toBe(state);
    expect(found.change === undefined).toBe(state === 'ok');
  });

  test('the folder need not be there yet, and must be one that can be written to', () => {
    expect(disk(readOptions([`--data=${dir}/a/b/c`], {}), () => GB * 3).state).toBe('ok');
    writeFileSync(join(dir, 'file'), '');
    expect(disk(readOptions([`--data=${dir}/file`], {}))).toMatchObject({
      state: 'bad',
      change: expect.stringContaining('--data'),
    });
    expect(disk(readOptions(['--data=/proc/millrace'], {})).state).toBe('bad');
  });

  test('memory', () => {
    expect(memory(options(MAIN), 4 * GB).state).toBe('warn');
    expect(memory(options(MAIN), 16 * GB).state).toBe('ok');
    expect(memory(options(), 4 * GB).state).toBe('ok');
  });
});

test('open files: as many as the sockets of the options need, and a change that fits', () => {
  for (const limit of [1024, 20_000]) {
    const found = openFiles(options(), limit);
    expect(found.state).toBe('warn');
    const [, sockets = ''] = /--sockets (\d+)/.exec(found.change!)!;
    expect(openFiles(options(`--sockets=${sockets}`), limit).state).toBe('ok');
    const [, raised = ''] = /ulimit -n (\d+)/.exec(found.change!)!;
    expect(openFiles(options(), Number(raised)).state).toBe('ok');
  }
  expect(openFiles(options(), 100).state).toBe('bad');
  expect(openFiles(options(), Number.POSITIVE_INFINITY).state).toBe('ok');
  expect(openFiles(options(), undefined).state).toBe('ok');
});

test('certificate: its names and its end', () => {
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, CERTIFICATE_KEY);
  const tls = options(`--tls-cert=${cert}`, `--tls-key=${key}`);
  const at = (date: string) => certificate(tls, Date.parse(date))[0]!;
  expect(certificate(options(), 0)).toEqual([]);
  expect(at('2026-12-01')).toMatchObject({ state: 'ok', text: expect.stringContaining('issuer.example') });
  const due = at('2126-10-20');
  // It is read again while the service runs.
  expect([due.state, due.change]).toEqual(['warn', expect.not.stringContaining('start the service')]);
  expect(at('2126-11-20')).toMatchObject({ state: 'bad', text: expect.stringContaining('it has ended') });
  expect(certificate(options(`--tls-cert=${key}`, `--tls-key=${key}`), 0)[0]).toMatchObject({
    state: 'bad',
    text: `${key} has no CERTIFICATE (PEM)`,
  });
});

test('access: plain keys over a network, or nobody asked for one', () => {
  expect(access(options()).state).toBe('ok');
  expect(access(options('--host=0.0.0.0')).change).toContain('--tls-cert');
  expect(access(options('--host=0.0.0.0', '--admission=open')).change).toContain('--admission keys');
  expect(access(options('--admission=keys')).change).toContain('--proxies 127.0.0.1');
  expect(access(options('--admission=keys', '--proxies=127.0.0.1')).state).toBe('ok');
  expect(access(options('--host=0.0.0.0', '--proxies=10.0.0.0/8')).state).toBe('ok');
});

test('port: free, taken by this service, taken by another program, not of this machine', async () => {
  const free = await port(options('--port=0'));
  expect(free.state).toBe('ok');
  const serving = (answer: () => Response) => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
    servers.push(server);
    return `--port=${server.port}`;
  };
  const own = serving(() => Response.json({ status: 'degraded', progress: { stage: 'restoring' } }));
  expect(await port(options(own))).toMatchObject({
    state: 'ok',
    text: expect.stringMatching(/is degraded: restoring$/),
  });
  const other = serving(() => new Response('hello'));
  expect(await port(options(other))).toMatchObject({
    state: 'bad',
    change: expect.stringContaining('--port'),
  });
  expect((await port(options('--host=192.0.2.1'))).state).toBe('bad');
});

describe('a node', () => {
  const now = Date.parse('2026-11-23T10:33:46Z');
  const facts = { networkId: 0, ledgers: '5-9', build: '2.6.1', time: now, tookMs: 20 };
  const of = (changed: object, network = 0) => nodeFindings('ws://n', network, { ...facts, ...changed }, now);

  test('that answers: its network, its ledgers, and the clock', () => {
    expect(of({}).map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(of({}, 1)[0]).toMatchObject({ state: 'bad', change: '--network 0' });
    expect(of({ ledgers: 'empty' })[0]!.state).toBe('warn');
    expect(of({ time: undefined })).toHaveLength(1);
    expect(of({ time: now - 2_500 })[1]).toMatchObject({ state: 'warn', text: "2.5 s ahead of the node's" });
    expect(of({ time: now + 60_000 })[1]).toMatchObject({ state: 'bad', text: "60.0 s behind the node's" });
  });

  test('is asked for what it says of itself', async () => {
    const answer = info({
      network_id: 21337,
      complete_ledgers: '5-9',
      build_version: '2.6.1',
      time: '2026-Nov-23 10:33:46.123456 UTC',
    });
    const found = await askNode(nodeOf(answer));
    expect(found).toMatchObject({ networkId: 21337, ledgers: '5-9', build: '2.6.1' });
    const read = Date.parse('2026-11-23T10:33:46.123Z');
    expect(found.time!).toBeGreaterThanOrEqual(read);
    expect(found.time!).toBeLessThanOrEqual(read + found.tookMs);
    expect(await askNode(nodeOf(info({ build_version: '\u001b[31m\n', time: 'soon' })))).toMatchObject({
      networkId: 0,
      ledgers: 'unknown',
      build: '?[31m?',
      time: undefined,
    });
  });

  test.each([
    ['not JSON', 'does not answer in JSON'],
    ['null', 'answers without server_info'],
    ['{"result":{"info":7}}', 'answers without server_info'],
    [info({ build_version: 'x'.repeat(300_000) }), 'answers at too great a length'],
    [undefined, 'refuses the connection'],
  ])('that answers %p', (text, message) => {
    expect(askNode(nodeOf(text))).rejects.toThrow(message);
  });

  test('that is not there', () =>
    expect(askNode('ws://127.0.0.1:1')).rejects.toThrow('refuses the connection'));
});

test('the port of the embedded network, and who reads the key of the certificate', async () => {
  const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const { port: takenPort } = taken;
  const [cert, key] = [join(dir, 'c.pem'), join(dir, 'k.pem')];
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, CERTIFICATE_KEY, { mode: 0o644 });
  const found = async () => {
    const all = await findings(
      options('--port=0', `--sandbox-port=${takenPort}`, `--tls-cert=${cert}`, `--tls-key=${key}`),
    );
    const of = (subject: string) => all.find((one) => one.subject === subject)?.state;
    return [of('port of the embedded network'), of('key of the certificate'), of('certificate')];
  };
  expect(await found()).toEqual(['warn', 'warn', 'ok']);
  chmodSync(key, 0o600);
  await taken.stop(true);
  expect(await found()).toEqual(['ok', 'ok', 'ok']);
});

test('variables of the environment that nothing reads', async () => {
  const all = await findings(options('--port=0'), { MILLRACE_PORT: '0', MILLRACE_PROT: '1' });
  expect(all.filter(({ subject }) => subject === 'environment')).toMatchObject([
    { state: 'warn', text: expect.stringContaining('MILLRACE_PORT') },
  ]);
});

test('the nodes and the port of a test network beside the main one', async () => {
  const of = async (...args: readonly string[]) => {
    const all = await findings(options('--port=0', ...args));
    return all
      .filter(({ subject }) => /^node|embedded/.test(subject))
      .map(({ state, change }) => [state, change]);
  };
  const testnet = `--testnet=${nodeOf(info({ network_id: 1, complete_ledgers: '5-9', build_version: '2.6.1' }))}`;
  expect(await of(testnet)).toEqual([['ok', undefined]]);
  expect(await of(testnet, '--testnet-network=2')).toEqual([['bad', '--testnet-network 1']]);
  const away = ['bad', expect.stringContaining('check the address')];
  expect(await of('--source=ws://127.0.0.1:1', '--testnet=ws://127.0.0.1:1')).toEqual([away, away]);
  const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  servers.push(taken);
  const sandbox = ['--testnet=sandbox', `--sandbox-port=${taken.port}`];
  expect(await of('--source=ws://127.0.0.1:1', ...sandbox)).toEqual([
    ['warn', expect.stringContaining('--sandbox-port auto')],
    away,
  ]);
});

test('the report: a line a finding, and what to change below it', async () => {
  mkdirSync(join(dir, 'store'), { recursive: true });
  const node = nodeOf(info({ network_id: 1, complete_ledgers: '5-9', build_version: '2.6.1' }));
  const found = await findings(options('--port=0', `--source=${node}`));
  expect(found.map(({ subject }) => subject)).toEqual([
    'disk',
    'memory',
    'open files',
    'access',
    'port',
    `node ${node}`,
  ]);
  const lines = report(found).split('\n');
  expect(lines).toContain(`bad  node ${node}: is of network 1`);
  expect(lines).toContain('     -> --network 1');
  expect(lines.filter((line) => !/^(ok {2}|warn|bad ) |^ {5}-> /.test(line))).toEqual([]);
});

describe('the archive that is followed', () => {
  const path = join(dir, 'ledgers.mlr');
  const ofArchive = async () =>
    (await findings(options(`--source=file:${path}`, '--port=0'))).find(
      ({ subject }) => subject === 'archive',
    );

  test('is not there, cannot be read, has no ledgers, is whole, is cut off', async () => {
    expect(await ofArchive()).toMatchObject({ state: 'bad', text: `there is no file ${path}` });
    writeFileSync(path, 'no archive');
    expect(await ofArchive()).toMatchObject({
      state: 'bad',
      text: `${path}: this is not an archive: it is shorter than the head of one`,
    });
    rmSync(path);
    ArchiveWriter.open(path).close();
    expect(await ofArchive()).toMatchObject({ state: 'bad', text: `${path} has no ledgers` });
    const writer = ArchiveWriter.open(path);
    for (const ledger of makeChain({ count: 5 })) writer.append(ledger);
    writer.close();
    expect(await ofArchive()).toMatchObject({ state: 'ok', text: `${path} has ledgers 1000 to 1004` });
    truncateSync(path, statSync(path).size - 5);
    expect(await ofArchive()).toMatchObject({ state: 'warn' });
  });

  test('is not looked for where nodes are followed', async () => {
    expect((await findings(options('--port=0'))).map(({ subject }) => subject)).not.toContain('archive');
  });
});
