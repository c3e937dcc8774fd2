/**
 * From a ledger's last byte to its last frame: a complete 400-transaction ledger is proved, decoded, applied, passed to
 * the durable store (which writes on another thread) and sent to 1,000 sockets; the time ends when the last socket has
 * its last frame. So the figure includes the receiver. Ledgers come one at a time, as when following; p99 over the
 * rounds.
 *
 * The sockets are distributed over the streams like pages of a site: STREAM_SHARES has the share of each stream. Run alone:
 * `bun bench/latency.ts`. `measureLatency` takes any running engine behind a server.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { tokenRow } from '../support/token-row.ts';
import { Network } from '../views/network.ts';
import type { Views } from '../views/views.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import type { Connection } from '../ws/connection.ts';
import { Hub } from '../ws/hub.ts';
import { Child } from './child.ts';
import { againstReference } from './reference-load.ts';

const SOCKETS = 1000;
const TRANSACTIONS = 400;
/** Ledgers before the sockets connect, and measured ledgers. */
const WARM = 20;
const ROUNDS = 60;
/** Other load on the machine can only add time: the better of two batches counts. */
const BATCHES = 2;
/** After this time without a frame the ledger's last one has arrived. */
const QUIET_MS = 120;

export interface LatencyPlan {
  /** `ws://host:port` of the running server. */
  readonly origin: string;
  /** Paths of the streams; the sockets use them round robin. */
  readonly paths: readonly string[];
  readonly sockets: number;
  readonly rounds: number;
  /** Applies the next ledger; its bytes are complete when it is called. */
  readonly ledger: (round: number) => Promise<void>;
}

/** @returns ms from the ledger's last byte to the arrival of its last frame, one figure per round. */
export async function measureLatency(plan: LatencyPlan): Promise<number[]> {
  const client = new Child([process.execPath, join(import.meta.dir, 'peers', 'arrival-client.ts')], {
    core: 1,
  });
  const last = async () => {
    client.send('last');
    return Number((await client.receive('last')).split(' ')[0]);
  };
  try {
    client.send(`open ${plan.sockets} ${plan.paths.map((path) => plan.origin + path).join(' ')}`);
    await client.receive('opened', 120_000);
    await Bun.sleep(1000);
    const latencies: number[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const from = performance.timeOrigin + performance.now();
      await plan.ledger(round);
      let newest = await last();
      for (let before = -1; before !== newest; ) {
        before = newest;
        await Bun.sleep(QUIET_MS);
        newest = await last();
      }
      if (newest > from) latencies.push(newest - from);
    }
    return latencies;
  } finally {
    await client.end();
  }
}

/** @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** One path for each of ten sockets, round robin. */
function mix(views: Views): string[] {
  const query = { sort: 'vol24htx', ascending: false, offset: 0, limit: 10 } as const;
  const [first = 0, second = 0, third = 0] = views.tokens.list(query).ids;
  const md5 = (token: number) => views.tokens.md5(token);
  const { currency, issuer } = tokenRow(views, first);
  return [
    '/ws/ledger',
    '/ws/ledger',
    '/ws/sync',
    `/ws/token/${md5(first)}?fields=trading&delta=true`,
    `/ws/token/${md5(second)}?fields=trading&delta=true`,
    `/ws/token/${md5(third)}?fields=trading&delta=true`,
    `/ws/ohlc/${md5(first)}?interval=5m&vs_currency=XRP`,
    `/ws/history/${md5(first)}?limit=30`,
    `/ws/history/${md5(second)}?limit=30`,
    `/ws/orderbook?base_currency=XRP&quote_currency=${currency}&quote_issuer=${issuer}&limit=100`,
  ];
}

/** A running engine behind sockets, and ledgers for it that are made already. */
export interface LatencyRig {
  readonly network: Network;
  readonly hub: Hub;
  readonly origin: string;
  /** Applies the next ledger. */
  readonly ledger: () => Promise<void>;
}

/** @param ledgers that `measure` may apply, beside those with which the engine begins */
export async function withRig<T>(
  sockets: number,
  ledgers: number,
  measure: (rig: LatencyRig) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-latency-'));
  const log = { debug() {}, info() {}, warn: console.error, error: console.error };
  const store = await openStore({ dir, network: 0 });
  const preparer: Preparer = preparePool(1);
  const engine = new Engine({ store, log });
  const network = new Network({ engine });
  const hub = new Hub(network, { log, limits: { connectionsPerIp: sockets * 2 } });
  const server = Bun.serve<Connection>({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => hub.upgrade(request, self) as Response,
    websocket: hub.websocket,
  });
  try {
    // Made before the measurement: otherwise making them would block the loop while frames wait to be sent.
    const chain = [...relaidChain({ ledgers: WARM + ledgers, transactionsPerLedger: TRANSACTIONS })];
    const ledger = async () => engine.applyLedger(await preparer.prepare(chain.shift()!, true), false);
    for (let i = 0; i < WARM; i++) await ledger();
    return await measure({ network, hub, origin: `ws://127.0.0.1:${server.port}`, ledger });
  } finally {
    hub.close();
    await server.stop(true);
    await preparer.close();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Measures in batches. @returns ms: the p99 of the better batch */
export async function bestP99(
  { hub, origin, ledger }: LatencyRig,
  sockets: number,
  paths: () => readonly string[],
): Promise<number> {
  const p99s: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = hub.stats;
    const latencies = await measureLatency({ origin, sockets, rounds: ROUNDS, ledger, paths: paths() });
    const after = hub.stats;
    const perLedger = (key: 'framesSent' | 'bytesSent') => (after[key] - before[key]) / ROUNDS;
    p99s.push(quantile(latencies, 0.99));
    console.log(
      `${latencies.length} ledgers of ${TRANSACTIONS} transactions, ${perLedger('framesSent').toFixed(0)} frames and ` +
        `${(perLedger('bytesSent') / 1e6).toFixed(1)} MB each to ${sockets} sockets: p50 ${quantile(latencies, 0.5).toFixed(1)} ms, ` +
        `p90 ${quantile(latencies, 0.9).toFixed(1)} ms, p99 ${p99s.at(-1)!.toFixed(1)} ms`,
    );
  }
  return Math.min(...p99s);
}

export const LATENCY_LEDGERS = ROUNDS * BATCHES;

if (import.meta.main) {
  if (corpusDir) {
    const p99 = await withRig(SOCKETS, LATENCY_LEDGERS, (rig) =>
      bestP99(rig, SOCKETS, () => mix(rig.network.views)),
    );
    console.log(`figures ${JSON.stringify([againstReference('latency.ledger', p99)])}`);
  } else console.log('figures []');
}
