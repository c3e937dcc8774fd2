/** A hand-made engine for tests of the HTTP layer alone: a head, a version, ledgers in memory, and no market. */

import { type Api, type ApiOptions, createApi } from '../../api/app.ts';
import { ledgerRoutes } from '../../api/routes/ledger.ts';
import { serviceRoutes } from '../../api/routes/service.ts';
import { statsRoutes } from '../../api/routes/stats.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { readHeader } from '../../engine/codec/header.ts';
import { Reader } from '../../engine/codec/json.ts';
import { type PackedLedger, packLedger } from '../../engine/codec/packed.ts';
import { Counters } from '../../engine/counters.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { ledgerFiles, readLedger } from '../../support/corpus.ts';
import { Mount } from '../../views/mount.ts';
import type { Network } from '../../views/network.ts';

/** Of the market's rows those that need only what this engine has; test/api/rows.test.ts runs all rows on a real one. */
const STATS = ['/stats', '/stats/rates', '/stats/metrics', '/tags'];

/** The rows that need nothing but this engine. */
export const ownRoutes = [
  ...serviceRoutes,
  ...ledgerRoutes,
  ...statsRoutes.filter(({ path }) => STATS.includes(path)),
];

const bytes = (json: string) => new TextEncoder().encode(json);

/** Lines that were logged as errors. */
export class LoggedErrors {
  readonly lines: { fields: object; message: string }[] = [];
  debug() {}
  info() {}
  warn() {}
  error(fields: object, message: string) {
    this.lines.push({ fields, message });
  }
}

/** Packs a recorded ledger; undefined where the recording has no blobs. */
export function packRecorded(name: string): PackedLedger | undefined {
  const { header, transactions } = readLedger(name);
  if (header.total_coins === undefined || !transactions?.every((one) => one.tx_blob && one.meta_blob))
    return undefined;
  const raw = new Uint8Array(118);
  const view = new DataView(raw.buffer);
  view.setUint32(0, Number(header.ledger_index));
  view.setBigUint64(4, BigInt(header.total_coins!));
  raw.set(Uint8Array.fromHex(String(header.parent_hash)), 12);
  raw.set(Uint8Array.fromHex(String(header.transaction_hash)), 44);
  raw.set(Uint8Array.fromHex(String(header.account_hash)), 76);
  view.setUint32(108, Number(header.parent_close_time));
  view.setUint32(112, Number(header.close_time));
  raw[116] = Number(header.close_time_resolution);
  raw[117] = Number(header.close_flags ?? 0);
  return packLedger(
    raw,
    Uint8Array.fromHex(String(header.ledger_hash)),
    transactions.map((one) => ({
      tx: Uint8Array.fromHex(one.tx_blob!),
      meta: Uint8Array.fromHex(one.meta_blob!),
    })),
  );
}

/** Recorded mainnet ledgers that have blobs, oldest first. */
export function recordedLedgers(most: number): PackedLedger[] {
  const found: PackedLedger[] = [];
  for (const name of ledgerFiles().filter((file) => file.startsWith('mainnet'))) {
    if (found.length === most) break;
    const packed = packRecorded(name);
    if (packed && packed.count > 0) found.push(packed);
  }
  return found.sort((a, b) => a.ledgerIndex - b.ledgerIndex);
}

/** One ledger without transactions, for machines that have no recordings. */
export function emptyLedger(index: number, closeTime: number): PackedLedger {
  const header = new Uint8Array(118);
  const view = new DataView(header.buffer);
  view.setUint32(0, index);
  view.setBigUint64(4, 99_999_999_999_000_000n);
  view.setUint32(108, closeTime - 4);
  view.setUint32(112, closeTime);
  return packLedger(header, new Uint8Array(32).fill(index & 0xff), []);
}

export interface Fixture {
  readonly engine: Engine & { version: number };
  readonly network: Network;
  readonly api: Api;
  readonly log: LoggedErrors;
  /** GET below a prefix. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

const BASE = 'http://localhost';

export function fixture(ledgers: readonly PackedLedger[], options: Partial<ApiOptions> = {}): Fixture {
  const engine = engineOf(ledgers);
  const views = {
    reviews: { calibration: async () => null },
    tokens,
    market,
    get version() {
      return engine.version;
    },
  };
  const ledgerIndex = ledgers.at(-1)?.ledgerIndex ?? 0;
  const made = { engine, views, ledgerIndex, source: undefined, ready: true, sourceAlive: true, behind: 0 };
  const network = made as unknown as Network;
  const log = new LoggedErrors();
  const api = createApi({ mounts: [Mount.of(network)], log, routes: ownRoutes, ...options });
  return {
    engine,
    network,
    api,
    log,
    get: async (path, headers = {}) => api.fetch(new Request(BASE + path, { headers })),
    post: async (path, body, headers = {}) =>
      api.fetch(new Request(BASE + path, { method: 'POST', body, headers })),
  };
}

const tokens = {
  total: 3,
  namesReady: () => undefined,
  tags: () => ['Memes'],
  resolve: (id: string) => (id === 'XRP' ? 0 : id === 'usd' ? 1 : undefined),
};
const market = {
  exch: () => bytes('{"USD":0.5}'),
  h24: () => bytes('{"_id":"METRICS_24H"}'),
  global: () => bytes('{"_id":"METRICS_GLOBAL"}'),
};

function engineOf(ledgers: readonly PackedLedger[]): Engine & { version: number } {
  const byIndex = new Map(ledgers.map((packed) => [packed.ledgerIndex, packed]));
  const last = ledgers.at(-1);
  const header = last && readHeader(last.header);
  const store = {
    value: () => undefined,
    cursor: last && { index: last.ledgerIndex, hash: last.hash, closeTime: last.closeTime },
    firstLedger: () => ledgers[0] && { index: ledgers[0].ledgerIndex, closeTime: ledgers[0].closeTime },
    ledgerAt: (time: number) => {
      const at = ledgers.findLast((packed) => packed.closeTime <= time);
      return at && { index: at.ledgerIndex, closeTime: at.closeTime };
    },
  };
  const engine = {
    version: 1,
    counters: new Counters(),
    reader: new Reader(),
    networkId: 0,
    store,
    state: { fees: { reserveBaseDrops: 1_000_000, reserveIncrementDrops: 200_000, baseFeeDrops: 10 } },
    head: header && {
      index: header.index,
      hash: hexOf(last.hash),
      parentHash: hexOf(header.parentHash),
      closeTime: header.closeTime,
      closeTimeMs: unixMs(header.closeTime),
      closeResolution: header.closeResolution,
      txCount: last.count,
      totalDrops: header.totalDrops,
    },
    market: {
      prices: { price: (token: number) => (token === 0 ? 1 : undefined) },
      rates: { at: (fiat: number, time: number) => (fiat === 0 && time > 0 ? 0.5 : undefined) },
    },
    ledgerBytes: (index: number) => byIndex.get(index),
    ledgerRanges: () => ledgers.map((packed) => [packed.ledgerIndex, packed.ledgerIndex] as const),
    findTransaction: (hash: Uint8Array) => find(ledgers, hexOf(hash)),
    findEntry: (index: Uint8Array) => findEntry(ledgers, index),
  };
  return engine as unknown as Engine & { version: number };
}

function find(ledgers: readonly PackedLedger[], hash: string) {
  for (const packed of ledgers)
    for (let tx = 0; tx < packed.count; tx++)
      if (hexOf(transactionHash(packed.tx(tx))) === hash) return { ledger: packed.ledgerIndex, tx };
  return undefined;
}

/** By looking for the index in the metadata of every transaction, newest first. */
function findEntry(ledgers: readonly PackedLedger[], index: Uint8Array) {
  for (const packed of ledgers.toReversed())
    for (let tx = packed.count - 1; tx >= 0; tx--)
      if (Buffer.from(packed.meta(tx)).includes(Buffer.concat([Uint8Array.of(0x56), index])))
        return { ledger: packed.ledgerIndex, tx };
  return undefined;
}
