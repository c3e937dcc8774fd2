/**
 * A running service at one ledger of the embedded network, and a register of the values in its answers: every object
 * that names a token by its md5 is counted as data of that token, in any position.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { DAY } from '../engine/ripple-time.ts';
import { replayArchive } from '../service/replay.ts';
import type { Service } from '../service/service.ts';
import { FakeNode } from '../support/fake-node.ts';
import { tokenRow } from '../support/token-row.ts';
import { Views } from '../views/views.ts';
import { type Frame, Listener, quiet, RecordingLog, serve, until } from './live-rig.ts';
import { World } from './sandbox/population/world.ts';

/** Ledgers that close while sockets listen, unless another number is asked for. */
const LIVE = 5;
/** Ledgers that the node has before them. */
const KNOWN = 10;
/** In which the agents settle in, a minute a ledger, s. */
const SETTLING = 3600;

/** Two days of the embedded network, and a service that has read them. */
export class Agreement {
  readonly service: Service;
  /** Rows of all tokens, listed or not, by md5, as they were a day before the last ledger. */
  readonly dayBefore: ReadonlyMap<string, Frame>;
  readonly node: FakeNode;
  readonly #dir: string;
  readonly #last: PackedLedger;
  readonly #live: number;

  private constructor(
    service: Service,
    node: FakeNode,
    dir: string,
    last: PackedLedger,
    dayBefore: ReadonlyMap<string, Frame>,
    live: number,
  ) {
    this.service = service;
    this.node = node;
    this.#dir = dir;
    this.#last = last;
    this.dayBefore = dayBefore;
    this.#live = live;
  }

  /**
   * @param step seconds between two ledgers, once the agents have settled in
   * @param live ledgers that `close` and `closeAll` have
   */
  static async start(seed: string, seconds: number, step: number, live = LIVE): Promise<Agreement> {
    const dir = mkdtempSync(join(tmpdir(), 'millrace-agreement-'));
    const world = new World({ seed });
    const { closeTime: start } = world.network.closed;
    const chain: PackedLedger[] = [];
    while (world.network.closed.closeTime < start + SETTLING) chain.push(world.step().packed());
    while (world.network.closed.closeTime < start + seconds) chain.push(world.step(step).packed());
    const last = chain.at(-1)!;
    const archive = join(dir, 'chain.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const ledger of chain.slice(0, -live)) writer.append(ledger);
    writer.close();
    const dayBefore = new Map<string, Frame>();
    const data = join(dir, 'data');
    await replayArchive({
      archive,
      dir: data,
      workers: 0,
      log: quiet,
      onLedger: (engine) => {
        if (engine.head!.closeTime !== last.closeTime - DAY) return;
        const views = new Views(engine);
        for (let token = 0; token < engine.state.tokens.count; token++)
          dayBefore.set(views.tokens.md5(token), tokenRow(views, token));
      },
    });
    const node = new FakeNode({ ledgers: chain.slice(-live - KNOWN), closed: KNOWN });
    const log = new RecordingLog();
    const service = await serve(data, node.url, log);
    await until(() => service.network.ready, 'a service that is ready');
    return new Agreement(service, node, dir, last, dayBefore, live);
  }

  /** Unix ms of the last ledger's close. */
  get now(): number {
    return this.service.engine.head!.closeTimeMs;
  }

  /** Closes all of the live ledgers in order. */
  async closeAll(): Promise<void> {
    await this.close(this.#live);
    if (this.service.engine.head!.index !== this.#last.ledgerIndex)
      throw new Error('the last ledger is another one');
  }

  async close(count: number): Promise<void> {
    const { engine } = this.service;
    for (let i = 0; i < count; i++) {
      const next = engine.head!.index + 1;
      this.node.advance();
      await until(() => engine.head!.index === next, `ledger ${next}`);
    }
  }

  async get(path: string): Promise<Frame> {
    const response = await fetch(`${this.service.url}/v1${path}`);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Frame;
  }

  async post(path: string, body: object): Promise<Frame> {
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    };
    return (await (await fetch(`${this.service.url}/v1${path}`, init)).json()) as Frame;
  }

  /** All pages of a list. */
  async pages(path: string, member: string): Promise<{ rows: Frame[]; answers: Frame[] }> {
    const rows: Frame[] = [];
    const answers: Frame[] = [];
    for (;;) {
      const answer = await this.get(
        `${path}${path.includes('?') ? '&' : '?'}limit=100&offset=${rows.length}`,
      );
      answers.push(answer);
      rows.push(...(answer[member] as Frame[]));
      if (rows.length >= answer.total || answer[member].length === 0) return { rows, answers };
    }
  }

  listen(path: string, say?: object): Promise<Listener> {
    return Listener.open(this.service, path, say);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.node.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Members of answers about the whole market. */
const MARKET: ReadonlySet<string> = new Set(['exch', 'H24', 'global']);

interface Entry {
  readonly source: string;
  readonly value: unknown;
}

/** Members of objects with an md5 that are not values of the token, by the kind of answer. */
export type Except = Readonly<Record<string, readonly string[]>>;

/** Values that answers show for each token, and for the whole market. */
export class Book {
  readonly tokens = new Map<string, Map<string, Entry[]>>();
  readonly market = new Map<string, Entry[]>();
  readonly #except: Except;

  constructor(except: Except) {
    this.#except = except;
  }

  /** @param kind the first part of the source, which selects the members that are ignored */
  add(source: string, answer: unknown): void {
    const kind = source.split(' ')[0]!;
    this.#walk(source, new Set(this.#except[kind]), answer);
  }

  /** Figures that differ: `md5 field: source value, source value`. */
  disagreements(): string[] {
    const found: string[] = [];
    const compare = (name: string, entries: readonly Entry[]) => {
      const [first] = entries;
      const other = entries.find(({ value }) => !agree(first!.value, value));
      const text = ({ source, value }: Entry) => `${source} ${JSON.stringify(value)?.slice(0, 200)}`;
      if (other) found.push(`${name}: ${text(first!)}, ${text(other)}`);
    };
    for (const [name, entries] of this.market) compare(name, entries);
    for (const [md5, fields] of this.tokens)
      for (const [field, entries] of fields) compare(`${md5} ${field}`, entries);
    return found;
  }

  /** How many figures were found in more than one answer. */
  get shared(): number {
    let count = 0;
    for (const fields of this.tokens.values())
      for (const entries of fields.values()) if (entries.length > 1) count++;
    return count;
  }

  #walk(source: string, except: ReadonlySet<string>, value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#walk(source, except, item);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { md5 } = value as Frame;
    for (const [name, member] of Object.entries(value)) {
      if (typeof md5 === 'string' && name !== 'md5' && !except.has(name))
        this.#record(md5, name, { source, value: member });
      if (typeof md5 !== 'string' && MARKET.has(name)) put(this.market, name, { source, value: member });
      this.#walk(source, except, member);
    }
  }

  #record(md5: string, name: string, entry: Entry): void {
    let fields = this.tokens.get(md5);
    if (!fields) {
      fields = new Map();
      this.tokens.set(md5, fields);
    }
    put(fields, name, entry);
  }
}

function put(map: Map<string, Entry[]>, name: string, entry: Entry): void {
  const known = map.get(name);
  if (known) known.push(entry);
  else map.set(name, [entry]);
}

/** Whether both are equal; of two objects, the members that both have. */
function agree(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a))
    return JSON.stringify(a) === JSON.stringify(b);
  const [one, other] = [a as Frame, b as Frame];
  return Object.keys(one).every((name) => !Object.hasOwn(other, name) || agree(one[name], other[name]));
}
