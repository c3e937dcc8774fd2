/** Stand-in nodes, a node source, the follow loop and readiness on one clock that only the test advances. */

import { afterEach } from 'bun:test';
import { hexOf } from '../engine/codec/bytes.ts';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { Counters } from '../engine/counters.ts';
import { follow } from '../engine/ledger/follow.ts';
import { FOLLOW_LIMITS } from '../engine/ledger/limits.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import type { Log } from '../engine/log.ts';
import { Readiness } from '../service/readiness.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { seeded } from './engine/ledger/quiet.ts';
import { connector, type ManualClock, type MemoryNode } from './memory-node.ts';

/** The longest time until an event takes effect: the readiness timer and a pause of the follow loop. */
export const SLACK = FOLLOW_LIMITS.retryMax;
/** Time between two ledgers, ms. */
export const CLOSE_EVERY = 4_000;
/** As in the service. */
const WINDOW = 32;

export interface Line {
  readonly at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** An endpoint is penalised. */
export const isDistrust = ({ message }: Line): boolean => message.includes('sent false data');

class RecordedLog implements Log {
  readonly lines: Line[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  debug(): void {}

  info(fields: object, message: string): void {
    this.#record('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#record('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#record('error', fields, message);
  }

  #record(level: Line['level'], fields: object, message: string): void {
    this.lines.push({ at: this.#clock.now(), level, message, fields: { ...fields } });
  }
}

export interface Running {
  readonly source: NodeSource;
  readonly counters: Counters;
  readonly emitted: readonly PackedLedger[];
  readonly lines: readonly Line[];
  /** Every change of `ready`, with its time. */
  readonly changes: readonly { readonly at: number; readonly ready: boolean }[];
  readonly network: {
    readonly ready: boolean;
    readonly lack: string | undefined;
    readonly engine: { readonly head: { readonly index: number } | undefined };
  };
  /** Closes a ledger on these nodes every CLOSE_EVERY. @returns a function that stops it. */
  closing(nodes: readonly MemoryNode[]): () => void;
  end(): Promise<void>;
}

/** Starts following; resolves when the first ledgers can arrive. */
export async function run(clock: ManualClock, nodes: readonly MemoryNode[]): Promise<Running> {
  const log = new RecordedLog(clock);
  const counters = new Counters();
  const source = new NodeSource({
    urls: nodes.map(({ url }) => url),
    clock,
    random: seeded(5),
    log,
    counters,
    networkId: 0,
    sockets: { connect: connector(nodes), async close() {} },
  });
  const emitted: PackedLedger[] = [];
  const changes: { at: number; ready: boolean }[] = [];
  let isReady = false;
  const engine = {
    get head() {
      const last = emitted.at(-1);
      return last && ({ index: last.ledgerIndex, hash: hexOf(last.hash) } as never);
    },
  };
  const network = {
    engine,
    sourceAlive: false,
    lack: undefined as string | undefined,
    get ready() {
      return isReady;
    },
    set ready(value: boolean) {
      if (value !== isReady) changes.push({ at: clock.now(), ready: value });
      isReady = value;
    },
    get behind() {
      return Math.max(0, (source.latest()?.index ?? 0) - (emitted.at(-1)?.ledgerIndex ?? 0));
    },
  };
  const readiness = new Readiness({ network, source, clock, log, silence: undefined });
  const stop = new AbortController();
  const opened = source.open();
  const ended = opened.then(() =>
    follow({
      source,
      preparer: preparePool(0),
      from: undefined,
      history: Number.POSITIVE_INFINITY,
      window: WINDOW,
      onLedger({ packed }) {
        emitted.push(packed);
        readiness.update();
      },
      log,
      counters,
      clock,
      random: seeded(3),
      signal: stop.signal,
    }),
  );
  await clock.pass(0);
  return {
    source,
    counters,
    emitted,
    lines: log.lines,
    changes,
    network,
    closing(some) {
      let cancel = () => {};
      const next = () => {
        cancel = clock.timer(CLOSE_EVERY, () => {
          for (const node of some) node.advance();
          next();
        });
      };
      next();
      return () => cancel();
    },
    async end() {
      readiness.stop();
      stop.abort();
      await source.close();
      await ended;
    },
  };
}

/** Runs of the tests of a file: each test starts one, which ends with it, if not before. */
export function runsOfTests() {
  let now: Running | undefined;
  const end = async (): Promise<void> => {
    await now?.end();
    now = undefined;
  };
  afterEach(end);
  return {
    async start(nodes: readonly MemoryNode[], clock: ManualClock): Promise<Running> {
      now = await run(clock, nodes);
      return now;
    },
    end,
    get now(): Running | undefined {
      return now;
    },
  };
}
