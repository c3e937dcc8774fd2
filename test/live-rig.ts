/** A network of fake nodes that closes ledgers at a pace, the real service on it, and clients that keep every frame. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import type { NodeSource } from '../engine/ledger/node-source.ts';
import type { Log } from '../engine/log.ts';
import { readOptions } from '../service/options.ts';
import { replayArchive } from '../service/replay.ts';
import { networksOf, type Service, startService } from '../service/service.ts';
import { relaidChain } from '../support/chain.ts';
import { FakeNode } from '../support/fake-node.ts';
import { tokenRow } from '../support/token-row.ts';
import { Views } from '../views/views.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of any shape
export type Frame = Record<string, any>;

/** What the same ledgers give without a network: replayed from an archive. */
export interface Undisturbed {
  readonly chain: readonly PackedLedger[];
  readonly digest: string;
  /** md5 of the most traded tokens in the opening ledgers, XRP first, and the issue of the second. */
  readonly tokens: readonly string[];
  readonly issue: { readonly currency: string; readonly issuer: string };
}

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** @param opening ledgers after which the tokens must be known. */
export async function undisturbed(ledgers: number, size: number, opening: number): Promise<Undisturbed> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-live-'));
  try {
    const chain = [...relaidChain({ ledgers, transactionsPerLedger: size })];
    const archive = join(dir, 'chain.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const ledger of chain) writer.append(ledger);
    writer.close();
    let tokens: string[] = [];
    let issue = { currency: '', issuer: '' };
    const { digest } = await replayArchive({
      archive,
      dir: join(dir, 'store'),
      workers: 0,
      log: quiet,
      onLedger: (engine) => {
        if (engine.head!.index !== chain[opening - 1]!.ledgerIndex) return;
        const views = new Views(engine);
        const query = { sort: 'vol24htx', ascending: false, offset: 0, limit: 20 } as const;
        const ids = views.tokens.list(query).ids.filter((id) => id !== 0);
        tokens = [0, ...ids].map((id) => views.tokens.md5(id));
        const { currency, issuer } = tokenRow(views, ids[0]!) as unknown as typeof issue;
        issue = { currency, issuer };
      },
    });
    return { chain, digest, tokens, issue };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Nodes that know the same chain and close its ledgers together. */
export class Network {
  readonly nodes: readonly FakeNode[];
  readonly #chain: readonly PackedLedger[];
  closed: number;

  constructor(chain: readonly PackedLedger[], nodes: number, closed: number) {
    this.#chain = chain;
    this.closed = closed;
    this.nodes = Array.from({ length: nodes }, () => new FakeNode({ ledgers: chain, closed }));
  }

  get newest(): number {
    return this.#chain[this.closed - 1]!.ledgerIndex;
  }

  get urls(): string {
    return this.nodes.map(({ url }) => url).join(',');
  }

  /** Closes ledgers in order. */
  async close(count: number, everyMs: number): Promise<void> {
    for (let i = 0; i < count && this.closed < this.#chain.length; i++) {
      this.closed++;
      for (const node of this.nodes) node.advance(this.closed - node.closed);
      await Bun.sleep(everyMs);
    }
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }
}

/** Log lines of warning and above, and faults that end the service. */
export class RecordingLog implements Log {
  readonly lines: string[] = [];
  readonly faults: unknown[] = [];
  debug(): void {}
  info(): void {}
  warn(fields: object, message: string): void {
    this.lines.push(`${message} ${JSON.stringify(fields)}`);
  }
  error(fields: object, message: string): void {
    this.lines.push(`ERROR ${message} ${JSON.stringify(fields)}`);
  }
}

export function serve(data: string, source: string, log: RecordingLog): Promise<Service> {
  const args = ['--port', '0', '--data', data, '--source', source, '--snapshot', 'no', '--history', '1000'];
  const onFault = (fault: unknown) => void log.faults.push(fault);
  const options = readOptions(args, {});
  return startService({ options, networks: networksOf(options), log, onFault });
}

/** Names of the endpoints that are connected and subscribed. */
export function endpointsUp({ network }: Service): string[] {
  const { endpoints } = network.source as NodeSource;
  return endpoints.filter(({ up }) => up).map(({ name }) => name);
}

/** A client of one stream: every frame with the time it came (performance.now). */
export class Listener {
  readonly frames: Frame[] = [];
  readonly at: number[] = [];
  code: number | undefined;
  readonly #socket: WebSocket;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.onmessage = ({ data }) => {
      this.frames.push(JSON.parse(String(data)));
      this.at.push(performance.now());
    };
    this.#socket.onclose = ({ code }) => {
      this.code = code;
    };
  }

  /** Resolves with its first frame there. */
  static async open(service: Service, path: string, say?: object): Promise<Listener> {
    const listener = new Listener(service.url.replace('http', 'ws') + path);
    await until(() => listener.frames.length > 0, `a first frame of ${path}`);
    if (say) listener.#socket.send(JSON.stringify(say));
    return listener;
  }

  close(): void {
    this.#socket.close();
  }
}

/** @throws Error that names what was waited for. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 120_000) {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await Bun.sleep(5);
  }
}

export async function ask(service: Service, path: string): Promise<Frame> {
  const response = await fetch(service.url + path, { headers: { 'user-agent': 'millrace-test' } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Frame;
}
