/**
 * The gate (api/gate): what it costs, and what it holds under floods.
 *
 *     any core: two servers of one process (bench/peers/gate-server.ts), one with the gate
 *     core 1:  the load (peers/http-client.ts; peers/gate-load.ts)      core 2: the probe (peers/gate-load.ts)
 *
 * - Cost: kept answers of /token/{id}, 32 keep-alive connections, without a key and with one, against the same server
 *   without the gate. Sides alternate; figures are medians of the rounds, of CPU time of the process.
 * - Flood: 100,000 wrong signatures from as many addresses, while a probe asks for a token.
 * - Clients: 10,000 keys that all go one over their limit; how many are admitted, and what they paid, must be exact.
 * - Addresses: memory of the tables once a million addresses have asked.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveAddress, deriveKeypair, generateSeed, sign } from 'ripple-keypairs';
import { DEFAULT_ADMISSION } from '../requests/admission-settings.ts';
import { RateLimits } from '../requests/rate-limits.ts';
import { corpusDir } from '../support/corpus.ts';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';

const CONNECTIONS = 32;
const ROUNDS = 8;
const ROUND_MS = 700;
const FLOOD = 100_000;
const FLOOD_CONNECTIONS = 512;
const CLIENTS = 10_000;
/** What a developer may ask of the server in a minute (peers/gate-server.ts). */
const CLIENT_LIMIT = 9;
const CLIENT_CONNECTIONS = 64;
/** Tenths of a credit for a token. */
const TOKEN_TENTHS = 20;
const ADDRESSES = 1_000_000;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

interface Summary {
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

interface Rig {
  readonly server: Child;
  readonly client: Child;
  readonly load: Child;
  readonly probe: Child;
  readonly path: string;
  readonly ports: { readonly open: number; readonly gated: number };
  readonly key: string;
  readonly dir: string;
}

async function cpuOf(server: Child): Promise<number> {
  server.send('cpu');
  const [user, system] = (await server.receive('cpu')).split(' ').map(Number) as [number, number];
  return user + system;
}

/** Microseconds of CPU a request. */
async function costOf({ server, client, path }: Rig, port: number, key: string): Promise<number> {
  client.send(`key ${key}`);
  const before = await cpuOf(server);
  client.send(`load ${port} ${ROUND_MS} ${CONNECTIONS} ${path}`);
  const [answers = 0] = (await client.receive('loaded')).split(' ').map(Number);
  return ((await cpuOf(server)) - before) / answers;
}

interface Cost {
  /** Requests a second with the gate, of those without it. */
  readonly rate: number;
  /** Microseconds of CPU that it adds. */
  readonly added: number;
}

async function cost(rig: Rig, name: string, key: string): Promise<Cost> {
  const { open, gated } = rig.ports;
  for (const port of [open, gated]) await costOf(rig, port, key);
  const costs: { without: number; with: number }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    costs.push({ without: await costOf(rig, open, key), with: await costOf(rig, gated, key) });
  const [behind, before] = [median(costs.map((one) => one.with)), median(costs.map((one) => one.without))];
  const added = median(costs.map((one) => one.with - one.without));
  const rate = median(costs.map((one) => one.without / one.with));
  console.log(
    `${name}: ${behind.toFixed(1)} us of CPU a request against ${before.toFixed(1)} us, ${rate.toFixed(2)} x`,
  );
  return { rate, added };
}

async function costs(rig: Rig): Promise<Figure[]> {
  const both = [await cost(rig, 'without a key', '-'), await cost(rig, 'with a key', rig.key)];
  return [
    { name: 'gate.rate', value: Math.min(...both.map(({ rate }) => rate)) },
    { name: 'gate.added', value: Math.max(...both.map(({ added }) => added)) },
  ];
}

/** An address for each number. */
const address = (at: number) => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;

const requestOf = (path: string, headers: Readonly<Record<string, string>>) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n\0`;

async function sent(
  { load, dir, ports }: Rig,
  connections: number,
  requests: readonly string[],
): Promise<Summary> {
  const file = join(dir, 'requests');
  writeFileSync(file, requests.join(''));
  load.send(`send ${ports.gated} ${connections} ${file}`);
  return JSON.parse(await load.receive('sent', 100_000)) as Summary;
}

/** Signatures of other texts, by wallets of both curves. */
function wrongSignatures(): string[] {
  const signers = Array.from({ length: 64 }, (_, at) => {
    const algorithm = at % 2 === 0 ? 'ed25519' : 'ecdsa-secp256k1';
    const { publicKey, privateKey } = deriveKeypair(generateSeed({ algorithm }));
    return { wallet: deriveAddress(publicKey), publicKey, signature: sign('00', privateKey) };
  });
  const now = Date.now();
  return Array.from({ length: FLOOD }, (_, at) => {
    const { wallet, publicKey, signature } = signers[at % signers.length]!;
    return requestOf(`/v1/keys/${wallet}`, {
      'X-Wallet': wallet,
      'X-Timestamp': String(now - (at % 60_000)),
      'X-Public-Key': publicKey,
      'X-Signature': signature,
      'X-Forwarded-For': address(at),
    });
  });
}

async function flood(rig: Rig): Promise<Figure> {
  rig.probe.send(`probe ${rig.ports.gated} ${rig.path}`);
  const { statuses } = await sent(rig, FLOOD_CONNECTIONS, wrongSignatures());
  rig.probe.send('stop');
  const probed = JSON.parse(await rig.probe.receive('probed')) as Summary;
  console.log(`gate.flood: ${JSON.stringify(statuses)}; the probe ${JSON.stringify(probed)}`);
  if (statuses['200']) throw new Error('a wrong signature was accepted');
  return { name: 'gate.flood', value: probed.p99, ours: `p99 of ${probed.statuses['200']} answers` };
}

async function clients(rig: Rig): Promise<Figure> {
  const file = join(rig.dir, 'clients');
  rig.server.send(`clients ${CLIENTS} ${file}`);
  await rig.server.receive('clients', 100_000);
  const secrets = readFileSync(file, 'utf8').split('\n');
  const requests = Array.from({ length: CLIENT_LIMIT + 1 }, () =>
    secrets.map((secret, at) => requestOf(rig.path, { 'X-Api-Key': secret, 'X-Forwarded-For': address(at) })),
  ).flat();
  const { statuses, p99, longest } = await sent(rig, CLIENT_CONNECTIONS, requests);
  rig.server.send('used');
  const used = Number(await rig.server.receive('used'));
  const expected = { 200: CLIENTS * CLIENT_LIMIT, 429: CLIENTS };
  if (JSON.stringify(statuses) !== JSON.stringify(expected) || used !== CLIENTS * CLIENT_LIMIT * TOKEN_TENTHS)
    throw new Error(`counts are not exact: ${JSON.stringify(statuses)}, ${used} tenths of credits`);
  return { name: 'gate.clients', value: p99, ours: `longest ${longest.toFixed(1)} ms; all counts exact` };
}

function addresses(): Figure {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const rates = new RateLimits(DEFAULT_ADMISSION, ['/tokens', '/token']);
  const now = Date.now();
  for (let at = 0; at < ADDRESSES; at++) rates.take('/tokens', 'anonymous', address(at), undefined, now);
  Bun.gc(true);
  const megabytes = (process.memoryUsage.rss() - before) / 1e6;
  return { name: 'gate.addresses', value: megabytes, ours: `tables of ${rates.bytes / 1e6} MB` };
}

async function run(): Promise<Figure[]> {
  const peer = (name: string) => [process.execPath, join(import.meta.dir, 'peers', name)];
  // Not pinned: its threads, which write and verify, have cores of their own.
  const server = new Child(peer('gate-server.ts'));
  const client = new Child(peer('http-client.ts'), { core: 1 });
  const load = new Child(peer('gate-load.ts'), { core: 1 });
  const probe = new Child(peer('gate-load.ts'), { core: 2 });
  const dir = mkdtempSync(join(tmpdir(), 'millrace-gate-load-'));
  try {
    const ports = {
      open: Number(await server.receive('open')),
      gated: Number(await server.receive('gated')),
    };
    const key = await server.receive('key');
    const path = `/v1/token/${await server.receive('token')}`;
    const rig: Rig = { server, client, load, probe, path, ports, key, dir };
    return [addresses(), ...(await costs(rig)), await clients(rig), await flood(rig)];
  } finally {
    await Promise.all([server.end(), client.end(), load.end(), probe.end()]);
    rmSync(dir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('skipped: recorded ledgers not found next to the checkout');
}
