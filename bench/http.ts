/**
 * Answers of the real service against a `Bun.serve` that sends the same bytes with the same headers.
 *
 *     core 0:  the service (bench/peers/service.ts), following a loopback node;  the reference server (peers/static-server.ts)
 *     core 1:  the load (peers/http-client.ts), 32 keep-alive connections, no compression requested
 *
 * The chain is composed of recorded transactions. Each load requests many addresses (all sort orders, every token of the
 * list, the book of each with XRP, lists of holders, trades and pools), not one. The sides alternate; the idle one sleeps.
 *
 * The figure is requests per second of the server's CPU time (user + system of the process), that is requests/s on a core
 * of its own: other load on the machine, or a slow load generator, does not change it. Requests per second of wall-clock
 * time are printed too. Each figure is the median of the rounds' ratios. A second round of our side runs while a ledger
 * of 100 transactions is applied every second (no budget: the reference server has no equivalent).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { FakeNode } from '../support/fake-node.ts';
import { POOL_SORTS } from '../views/pools.ts';
import { TOKEN_FIELDS } from '../views/token-fields.ts';
import type { BudgetName, Figure } from './budgets.ts';
import { Child } from './child.ts';

/** Ledgers before the load, and ledgers during it. */
export const LEDGERS = 300;
const MOVING_LEDGERS = 60;
export const TRANSACTIONS = 100;
const CONNECTIONS = 32;
const ROUNDS = 6;
const WARM_MS = 700;
const ROUND_MS = 1_200;
const MOVING_MS = 4_000;
const LIST_ROWS = 100;
/** Requested books and lists: those with the longest answers. */
const LARGEST = 20;

const peer = (name: string): string => join(import.meta.dir, 'peers', name);

interface Rate {
  /** Requests per second of CPU time. */
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

interface Side {
  readonly process: Child;
  readonly port: number;
}

export async function measure(
  client: Child,
  side: Side,
  paths: readonly string[],
  ms: number,
): Promise<Rate> {
  const before = await cpuOf(side.process);
  client.send(`load ${side.port} ${ms} ${CONNECTIONS} ${paths.join(' ')}`);
  const [answers, elapsed] = (await client.receive('loaded')).split(' ').map(Number) as [number, number];
  const cpu = (await cpuOf(side.process)) - before;
  return { perCpuSecond: (answers * 1e6) / cpu, perSecond: (answers * 1000) / elapsed };
}

async function cpuOf(process: Child): Promise<number> {
  process.send('cpu');
  const [user, system] = (await process.receive('cpu')).split(' ').map(Number) as [number, number];
  return user + system;
}

/** A busy machine makes a request more expensive (cold caches) or cheaper (more requests are served in one batch). */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

async function ready(url: string): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    const { ready } = (await (await fetch(`${url}/health`)).json()) as { ready: boolean };
    if (ready) return;
    await Bun.sleep(50);
  }
  throw new Error('the service does not become ready');
}

/** The addresses of each budget, from the lists of the service. */
async function addresses(url: string): Promise<Map<BudgetName, string[]>> {
  const response = await fetch(`${url}/v1/tokens?limit=${LIST_ROWS}`);
  const { tokens } = (await response.json()) as { tokens: { md5: string }[] };
  if (tokens.length < LIST_ROWS) throw new Error(`the chain gives only ${tokens.length} tokens`);
  const ids = tokens.map(({ md5 }) => md5).filter((md5) => md5 !== 'xrp');
  return new Map<BudgetName, string[]>([
    ['http.tokens', TOKEN_FIELDS.sorts.map((sort) => `/v1/tokens?limit=${LIST_ROWS}&sort=${sort}`)],
    ['http.token', ids.map((md5) => `/v1/token/${md5}`)],
    ['http.thumb', ids.flatMap((md5) => [48, 128].map((width) => `/v1/thumb/${md5}?w=${width}`))],
    [
      'http.orderbook',
      await largest(
        url,
        ids.map((md5) => `/v1/orderbook?base=${md5}&quote=XRP&limit=20`),
      ),
    ],
    [
      'http.lists',
      await largest(url, [
        ...ids.flatMap((md5) => [
          `/v1/holders/list/${md5}?limit=${LIST_ROWS}`,
          `/v1/history?md5=${md5}&type=all&limit=${LIST_ROWS}`,
        ]),
        ...POOL_SORTS.map((sort) => `/v1/amm?limit=${LIST_ROWS}&status=all&sort=${sort}`),
      ]),
    ],
  ]);
}

/** The addresses with the longest answers: most tokens have few offers, holders and trades in so short a chain. */
export async function largest(url: string, paths: readonly string[], count = LARGEST): Promise<string[]> {
  const sized: { path: string; bytes: number }[] = [];
  for (const path of paths) {
    const response = await fetch(url + path);
    if (response.ok) sized.push({ path, bytes: (await response.text()).length });
  }
  return sized
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, count)
    .map(({ path }) => path);
}

/** A running service, the reference server, and the load. */
export interface HttpRig {
  readonly client: Child;
  readonly ours: Side;
  readonly plain: Side;
  readonly url: string;
}

/** Starts reference server and load beside a service that is ready. */
export async function besideStatic<T>(
  service: Child,
  url: string,
  use: (rig: HttpRig) => Promise<T>,
): Promise<T> {
  const reference = new Child([process.execPath, peer('static-server.ts')], { core: 0 });
  const client = new Child([process.execPath, peer('http-client.ts')], { core: 1 });
  try {
    const ours = { process: service, port: Number(new URL(url).port) };
    const plain = { process: reference, port: Number(await reference.receive('port')) };
    return await use({ client, ours, plain, url });
  } finally {
    await Promise.all([reference.end(), client.end()]);
  }
}

/** @param closed ledgers that the node has at first; the service has followed them when `use` is called */
export async function withService<T>(
  ledgers: readonly PackedLedger[],
  closed: number,
  use: (rig: HttpRig, node: FakeNode) => Promise<T>,
): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-http-'));
  const node = new FakeNode({ ledgers, closed });
  const options = ['--port=0', `--data=${base}`, `--source=${node.url}`, '--snapshot=no', '--workers=1'];
  const words = [process.execPath, peer('service.ts'), ...options, `--history=${closed}`];
  const service = new Child(words, { core: 0 });
  try {
    const url = await service.receive('url');
    await ready(url);
    return await besideStatic(service, url, (rig) => use(rig, node));
  } finally {
    await service.end();
    await node.stop();
    rmSync(base, { recursive: true, force: true });
  }
}

/** Requests/s of the service against those of the same bytes, static. */
export async function againstStatic(
  { client, ours, plain, url }: HttpRig,
  name: BudgetName,
  paths: readonly string[],
  rounds = ROUNDS,
): Promise<Figure> {
  plain.process.send(`copy ${url} ${paths.join(' ')}`);
  const [, bytes = 0] = (await plain.process.receive('copied')).split(' ').map(Number);
  const rates = { ours: [] as Rate[], plain: [] as Rate[] };
  for (const side of [ours, plain]) await measure(client, side, paths, WARM_MS);
  for (let round = 0; round < rounds; round++) {
    rates.plain.push(await measure(client, plain, paths, ROUND_MS));
    rates.ours.push(await measure(client, ours, paths, ROUND_MS));
  }
  const ratio = (key: keyof Rate) => median(rates.ours.map((our, i) => our[key] / rates.plain[i]![key]));
  const side = (key: keyof Rate, of: readonly Rate[]) => Math.round(median(of.map((rate) => rate[key])));
  console.log(
    `${name}: ${paths.length} addresses of ${Math.round(bytes / paths.length)} bytes; by the wall clock ` +
      `${side('perSecond', rates.ours)}/s against ${side('perSecond', rates.plain)}/s, ratio ${ratio('perSecond').toFixed(2)}`,
  );
  return {
    name,
    value: ratio('perCpuSecond'),
    ours: `${side('perCpuSecond', rates.ours)}/s of a core`,
    other: `${side('perCpuSecond', rates.plain)}/s of a core`,
  };
}

function run(): Promise<Figure[]> {
  const plan = { ledgers: LEDGERS + MOVING_LEDGERS, transactionsPerLedger: TRANSACTIONS };
  return withService([...relaidChain(plan)], LEDGERS, async (rig, node) => {
    const loads = await addresses(rig.url);
    const figures: Figure[] = [];
    for (const [name, paths] of loads) figures.push(await againstStatic(rig, name, paths));
    await moving(node, rig.client, rig.ours, loads);
    return figures;
  });
}

/** The same loads while a ledger is applied every second. */
async function moving(node: FakeNode, client: Child, ours: Side, loads: Map<BudgetName, string[]>) {
  const timer = setInterval(() => node.advance(), 1000);
  for (const [name, paths] of loads) {
    const rate = await measure(client, ours, paths, MOVING_MS);
    console.log(
      `${name}, a ledger every second: ${Math.round(rate.perCpuSecond)}/s of a core, ` +
        `${Math.round(rate.perSecond)}/s by the wall clock`,
    );
  }
  clearInterval(timer);
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('recorded ledgers not found next to the checkout: nothing to measure');
}
