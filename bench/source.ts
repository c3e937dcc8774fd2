/**
 * Catching up from a node over a loopback socket, ledgers of 8 transactions: requested, proved, applied and made durable.
 * Against it, with as many requests on their way, two loops that only receive and parse the same answers:
 *
 *     fields    JSON -> bytes -> positions of the fields of transactions and metadata (extractChanges), as the loop that
 *               replay.bare is measured against; the budget is for this one
 *     JSON      JSON.parse only, which leaves transactions as hexadecimal text; its rate and ratio are printed beside
 *
 * The node is a process of its own, and the same one for all sides, which alternate; the best of each counts.
 * `bun bench/source.ts`.
 */
import { openStore } from '../data/store.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import { PACKED_HEADER_BYTES, packLedger } from '../engine/codec/packed.ts';
import { Engine } from '../engine/engine.ts';
import { follow } from '../engine/ledger/follow.ts';
import { makeSource, processClock } from '../service/sources.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';

import { BASE_INDEX } from './size/ledgers.ts';
import { madeStore, withCopy } from './size/rig.ts';
import { onCore } from './stall-meter.ts';

const LEDGERS = 3_000;
const TRANSACTIONS = 8;
/** Requests on their way: as many as the service has (service/following.ts). */
const WINDOW = 32;
const ROUNDS = 3;
/** Any state will do: the smallest that has everything. */
const SHARE = 0.005;
const log = { debug() {}, info() {}, warn: console.error, error: console.error };

interface Side {
  /** Ledgers a second. */
  readonly rate: number;
  /** CPU time per ledger, us: of the main thread, and of the process. */
  readonly onMain: number;
  readonly inAll: number;
}

/** Measures from now to the call of the returned function. */
function measure(): () => Side {
  const [time, main, all] = [performance.now(), onCore(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(all);
    const ms = performance.now() - time;
    const onMain = ((onCore() - main) * 1000) / LEDGERS;
    return { rate: (LEDGERS * 1000) / ms, onMain, inAll: (user + system) / LEDGERS };
  };
}

/** The engine. */
async function following(dir: string, url: string): Promise<Side> {
  const store = await openStore({ dir, network: 0 });
  await store.checked;
  const engine = new Engine({ store, log });
  engine.restore();
  const preparer = preparePool(1);
  const stop = new AbortController();
  const { counters } = engine;
  const source = makeSource({ kind: 'nodes', urls: [url] }, { dir, workers: 1, log, counters });
  try {
    await source.open();
    const measured = measure();
    await follow({
      source,
      preparer,
      from: engine.cursor,
      history: Number.POSITIVE_INFINITY,
      window: WINDOW,
      onLedger: async (prepared) => {
        const isLast = prepared.packed.ledgerIndex === BASE_INDEX + LEDGERS;
        await engine.applyLedger(prepared, !isLast);
        if (isLast) stop.abort();
      },
      log,
      counters: engine.counters,
      clock: processClock,
      random: Math.random,
      signal: stop.signal,
    });
    await engine.drain();
    if (engine.head?.index !== BASE_INDEX + LEDGERS) throw new Error(`stopped at ${engine.head?.index}`);
    return measured();
  } finally {
    await source.close();
    await preparer.close();
    await store.close();
  }
}

/** A ledger in an answer to `ledger` with `expand` and `binary`. */
interface BinaryLedger {
  readonly ledger_data: string;
  readonly transactions: readonly {
    readonly tx_blob: string;
    readonly meta_blob?: string;
    readonly meta: string;
  }[];
}

/** Finds the fields of a ledger's transactions and metadata. */
function walkFields({ ledger_hash, ledger }: { ledger_hash: string; ledger: BinaryLedger }): void {
  const blobs = ledger.transactions.map(({ tx_blob, meta_blob, meta }) => ({
    tx: Uint8Array.fromHex(tx_blob),
    meta: Uint8Array.fromHex(meta_blob ?? meta),
  }));
  const header = Uint8Array.fromHex(ledger.ledger_data).subarray(0, PACKED_HEADER_BYTES);
  const packed = packLedger(header, Uint8Array.fromHex(ledger_hash), blobs, false);
  if (extractChanges(packed, undefined, false)[0] !== TRANSACTIONS)
    throw new Error('fields of another ledger');
}

/** A loop that receives and parses. @param parse what it does with what JSON.parse gives */
async function bareLoop(url: string, parse: typeof walkFields | undefined): Promise<Side> {
  const socket = new WebSocket(url, { perMessageDeflate: false } as never);
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let next = BASE_INDEX + 1;
  let received = 0;
  const request = (): void => {
    if (next > BASE_INDEX + LEDGERS) return;
    const index = next++;
    const command = {
      command: 'ledger',
      ledger_index: index,
      transactions: true,
      expand: true,
      binary: true,
    };
    socket.send(JSON.stringify({ id: index, ...command }));
  };
  socket.onmessage = ({ data }) => {
    const { result } = JSON.parse(String(data));
    if (result.ledger.transactions.length !== TRANSACTIONS) throw new Error('not the ledger asked for');
    parse?.(result);
    received++;
    if (received === LEDGERS) resolve();
    request();
  };
  const measured = measure();
  for (let i = 0; i < WINDOW; i++) request();
  await done;
  const side = measured();
  socket.close();
  return side;
}

async function run(): Promise<Figure[]> {
  const { store, archive } = await madeStore(SHARE, { ledgers: LEDGERS, transactions: TRANSACTIONS });
  const node = new Child([process.execPath, `${import.meta.dir}/peers/sized-node.ts`, archive]);
  try {
    const url = await node.receive('node');
    node.send(`close ${LEDGERS}`);
    await node.receive('closed');
    const ours: Side[] = [];
    const fields: Side[] = [];
    const json: Side[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      fields.push(await bareLoop(url, walkFields));
      json.push(await bareLoop(url, undefined));
      ours.push(await withCopy(store, (dir) => following(dir, url)));
    }
    const bestOf = (sides: readonly Side[]): Side => sides.reduce((a, b) => (b.rate > a.rate ? b : a));
    const [best, walked, parsed] = [bestOf(ours), bestOf(fields), bestOf(json)];
    const cpu = ({ onMain, inAll }: Side): string => `${Math.round(onMain)} / ${Math.round(inAll)} us`;
    console.log(
      `CPU time per ledger, main thread / process: ${cpu(best)}, to the fields ${cpu(walked)}, JSON only ${cpu(parsed)}`,
    );
    const text = ({ rate }: Side): string => `${Math.round(rate)} ledgers/s`;
    console.log(`JSON only: ${text(parsed)}, of which ours is ${(best.rate / parsed.rate).toFixed(3)}`);
    return [{ name: 'source.small', value: best.rate / walked.rate, ours: text(best), other: text(walked) }];
  } finally {
    await node.end();
  }
}

if (import.meta.main) {
  console.log(`figures ${JSON.stringify(await run())}`);
  process.exit(0);
}
