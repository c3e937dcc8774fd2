/**
 * From a node's announcement of a small ledger to the frame that a client of the service receives: the ledger is
 * requested, proved, applied and published. The main thread proves every second ledger, a thread of the
 * pool the others, in the same run on the same state; printed is the ratio of the medians, without a verdict. There are pauses between
 * ledgers, as when following: the pool's thread sleeps before each. `bun bench/live.ts`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Engine } from '../engine/engine.ts';
import { follow } from '../engine/ledger/follow.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import { processClock } from '../service/sources.ts';
import { Network } from '../views/network.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import type { Connection } from '../ws/connection.ts';
import { Hub } from '../ws/hub.ts';
import { Child } from './child.ts';
import { quantile } from './latency.ts';

const TRANSACTIONS = 50;
/** Ledgers closed before; each round has a pair of ledgers. */
const OPENING = 40;
const ROUNDS = 150;
/** Pause between two ledgers, in which the store's writer and the garbage collector finish. */
const PAUSE_MS = 40;

const dir = mkdtempSync(join(tmpdir(), 'millrace-live-'));
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const peer = join(import.meta.dir, 'peers', 'live-network.ts');
const network = new Child([
  process.execPath,
  peer,
  ...[OPENING + 2 * ROUNDS, TRANSACTIONS, OPENING].map(String),
]);
const store = await openStore({ dir, network: 0 });
const engine = new Engine({ store, log });
// Ledgers come faster than on a network: the hub's pause between two would hide everything else.
const hub = new Hub(new Network({ engine }), { log, limits: { flushMs: 0 } });
const server = Bun.serve<Connection>({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request, self) => hub.upgrade(request, self) as Response,
  websocket: hub.websocket,
});
// Both treat every ledger as the newest; only the first prepares it on this thread.
const sides = { inline: preparePool(1), pool: preparePool(1, { inlineTransactions: -1 }) };
let side: keyof typeof sides = 'pool';
const stop = new AbortController();
const { promise: caughtUp, resolve } = Promise.withResolvers<void>();
const source = new NodeSource({
  urls: [await network.receive('node')],
  clock: processClock,
  random: Math.random,
  log,
});
try {
  await source.open();
  const following = follow({
    source,
    preparer: { ...sides.pool, prepare: (packed, isNewest) => sides[side].prepare(packed, isNewest) },
    from: undefined,
    history: OPENING,
    window: 8,
    onLedger: async (prepared) => {
      const newest = source.latest()?.index ?? 0;
      await engine.applyLedger(prepared, prepared.packed.ledgerIndex < newest);
      if (prepared.packed.ledgerIndex === newest) resolve();
    },
    log,
    counters: engine.counters,
    clock: processClock,
    random: Math.random,
    signal: stop.signal,
  });
  await caughtUp;
  network.send(`open ws://127.0.0.1:${server.port}/ws/ledger`);
  await network.receive('opened');
  const times = { inline: [] as number[], pool: [] as number[] };
  for (let round = 0; round < ROUNDS; round++)
    for (side of ['inline', 'pool'] as const) {
      await Bun.sleep(PAUSE_MS);
      network.send('close');
      times[side].push(Number(await network.receive('frame')));
    }
  stop.abort();
  await following;
  const [ours, other] = [quantile(times.inline, 0.5), quantile(times.pool, 0.5)];
  const shown = (name: keyof typeof times) =>
    [0.1, 0.5, 0.9].map((share) => quantile(times[name], share).toFixed(1)).join(' / ');
  console.log(`p10 / p50 / p90 in ms: inline ${shown('inline')}, pool ${shown('pool')}`);
  // Not judged: the sender's and the network's share of both sides is the larger part.
  console.log(
    `medians: inline ${ours.toFixed(2)} ms, pool ${other.toFixed(2)} ms, ratio ${(ours / other).toFixed(2)}`,
  );
} finally {
  await source.close();
  hub.close();
  await server.stop(true);
  for (const pool of Object.values(sides)) await pool.close();
  await store.close();
  await network.end();
  rmSync(dir, { recursive: true, force: true });
}
