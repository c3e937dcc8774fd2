/**
 * What the suites of this folder share: a copy of a generated store, and the unmodified service that follows a node
 * with the ledgers after it.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../child.ts';
import { BASE_INDEX, type LedgerPlan } from './ledgers.ts';
import type { SizedStore } from './store.ts';

/** Making a store of the full size takes minutes. */
const MAKING_MS = 1_200_000;
const STARTING_MS = 120_000;
const LEDGER_MS = 30_000;
const SOCKETS_MAX = 1000;

/** Share of the main network that suites measure with, unless `--share=` says otherwise. */
export const SHARE = Number(process.argv.find((word) => word.startsWith('--share='))?.slice(8) ?? 1);
/** Half a million lines. */
export const SMALL_SHARE = (SHARE * 0.5) / 8.5;

const peer = (name: string): string => join(import.meta.dir, '..', 'peers', name);

/** A store of the cache, made first where it is not there; in a process of its own. Do not write to it. */
export async function madeStore(share: number, { ledgers, transactions }: LedgerPlan): Promise<SizedStore> {
  const words = [`--share=${share}`, `--ledgers=${ledgers}`, `--transactions=${transactions}`];
  const child = new Child([process.execPath, peer('sized-store.ts'), ...words]);
  try {
    return JSON.parse(await child.receive('sized', MAKING_MS));
  } finally {
    await child.end();
  }
}

/** Runs something with a copy of a store. */
export async function withCopy<T>(store: string, run: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-sized-'));
  try {
    cpSync(store, join(dir, 'store'), { recursive: true });
    return await run(join(dir, 'store'));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A running service that follows a node of ours. */
export class FollowingService {
  readonly url: string;
  readonly service: Child;
  readonly #node: Child;
  readonly #socket: WebSocket;
  #applied = BASE_INDEX;
  #onApplied: () => void = () => {};

  private constructor(url: string, service: Child, node: Child, socket: WebSocket) {
    this.url = url;
    this.service = service;
    this.#node = node;
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      this.#applied = JSON.parse(String(data)).ledger_index ?? this.#applied;
      this.#onApplied();
    };
  }

  /** Resolves when the service is ready. The service has core 0, where the machine has several. */
  static async start(dir: string, archive: string): Promise<FollowingService> {
    const node = new Child([process.execPath, peer('sized-node.ts'), archive]);
    const source = await node.receive('node');
    // All sockets of a suite come from one address.
    const sockets = `--sockets-per-ip=${SOCKETS_MAX}`;
    const options = ['--port=0', `--data=${dir}`, `--source=${source}`, '--workers=1', sockets];
    const service = new Child([process.execPath, peer('service.ts'), ...options]);
    const url = await service.receive('url', STARTING_MS);
    await readyAt(url, STARTING_MS);
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/ledger`);
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    return new FollowingService(url, service, node, socket);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Closes the next ledger; resolves when it has been announced. @returns when the node announced it, ms since the epoch */
  async ledger(): Promise<number> {
    this.#node.send('close');
    const [index, time] = (await this.#node.receive('closed')).split(' ').map(Number) as [number, number];
    const late = setTimeout(() => this.#socket.close(), LEDGER_MS);
    while (this.#applied < index) {
      await new Promise<void>((resolve) => {
        this.#onApplied = resolve;
        this.#socket.onclose = () => resolve();
      });
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error(`ledger ${index} is not announced`);
    }
    clearTimeout(late);
    return time;
  }

  /** When the node had sent the newest ledger to the service, ms since the epoch. */
  async sentAt(): Promise<number> {
    this.#node.send('sent');
    return Number(await this.#node.receive('sent'));
  }

  /** Longest stalls of the service's event loop since the last call, ms: by the clock, and without waiting for a core. */
  async stalls(): Promise<[number, number]> {
    this.service.send('stall');
    return (await this.service.receive('stall')).split(' ').map(Number) as [number, number];
  }

  /**
   * Bytes that the service wrote to files, by its calls. A device of its own (ext4, its journal and the synchronisation of
   * each commit included) got 0.90 of that over 3,600 ledgers of 100 at the full size (405 kB of 449 kB a ledger) and 1.10
   * at a fifth of it, where the file grows (235 kB of 215 kB). `write_bytes` beside it counts the whole of a large folio
   * for each page: three times as much.
   */
  get bytesWritten(): number {
    const io = readFileSync(`/proc/${this.service.pid}/io`, 'utf8');
    return Number(/^wchar: (\d+)/m.exec(io)![1]);
  }

  /** ms for an answer with status 200. @param body of a POST */
  async time(path: string, body?: Record<string, unknown>): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    const started = performance.now();
    const response = await fetch(
      this.url + path,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : {},
    );
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return performance.now() - started;
  }

  async json<T>(path: string): Promise<T> {
    return (await fetch(this.url + path)).json() as Promise<T>;
  }

  async end(): Promise<void> {
    this.#socket.onclose = null;
    this.#socket.close();
    await Promise.all([this.service.end(), this.#node.end()]);
  }
}

/** ms until /health says ready. */
export async function readyAt(url: string, ms: number): Promise<number> {
  const started = performance.now();
  for (;;) {
    const { ready } = (await (await fetch(`${url}/health`)).json()) as { ready: boolean };
    if (ready) return performance.now() - started;
    if (performance.now() - started > ms) throw new Error('the service does not become ready');
    await Bun.sleep(5);
  }
}

/** md5 ids of tokens, largest number of holders first. */
export async function largestTokens(following: FollowingService, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const path = `/v1/tokens?sort=holders&limit=100&start=${ids.length}`;
    const { tokens } = await following.json<{ tokens: { md5: string }[] }>(path);
    if (tokens.length === 0) break;
    ids.push(...tokens.map(({ md5 }) => md5));
  }
  return ids.slice(0, count);
}
