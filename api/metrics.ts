/**
 * Prometheus metrics, in a registry of their own (two services in one process must not share one). Totals of the
 * engine are read on request, so that nothing is counted twice. Figures of a network have the name of its mount as label
 * `network`; those of the mount without a prefix have no such label.
 */

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Counters } from '../engine/counters.ts';
import type { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import { AnswerTally, type Labels, labelsOf } from './answer-tally.ts';
import type { AnswerCache } from './cache.ts';

/** A metric of a part outside of the API, read on request. */
export interface MetricSample {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly values: readonly { readonly labels?: Labels; readonly value: number }[];
}

/** A mount and its answers. */
interface Measured {
  readonly mount: Mount;
  readonly cache: AnswerCache;
}

interface MetricsParts {
  readonly metricSamples: (() => readonly MetricSample[]) | undefined;
  readonly mounts: readonly Measured[];
  readonly now: () => number;
  readonly sockets: (() => number) | undefined;
}

const engineCounters: Readonly<Record<keyof Counters, readonly [name: string, help: string]>> = {
  ledgersApplied: ['ledgers_applied_total', 'Ledgers applied since start'],
  transactionsApplied: ['transactions_applied_total', 'Transactions applied since start'],
  tradesSeen: ['trades_total', 'Trades and liquidity events derived since start'],
  tradesLeftOut: ['trades_left_out_total', 'Trades beyond what the keys of one ledger can number'],
  ledgersRefused: ['ledgers_refused_total', 'Ledgers whose proof failed'],
  duplicatesDropped: ['ledgers_duplicate_total', 'Ledgers that came again'],
  gapsRepaired: ['gaps_repaired_total', 'Gaps in the stream that were fetched'],
  endpointSwitches: ['endpoint_switches_total', 'Times another endpoint was asked'],
  unknownFields: ['unknown_fields_total', 'Fields newer than the definitions'],
  readerFallbacks: ['reader_fallbacks_total', 'Objects given to the reference codec'],
  commits: ['commits_total', 'Durable transactions'],
  commitBytes: ['commit_bytes_total', 'Bytes handed to the store'],
};

const prefix = 'millrace_';

/** Label of requests that match no row of the table: unknown addresses, wrong methods, preflights. */
export const UNROUTED = 'none';

export class Metrics {
  readonly #registry = new Registry();
  readonly #tallies: AnswerTally[] = [];
  readonly #seconds: Histogram;
  readonly #samples: () => readonly MetricSample[];

  constructor(parts: MetricsParts) {
    this.#samples = parts.metricSamples ?? (() => []);
    const registers = [this.#registry];
    const tallies = this.#tallies;
    new Counter({
      name: `${prefix}http_answers_total`,
      help: 'Answers of every kind: made, kept, not modified, refused, failed. HEAD counts as GET',
      labelNames: ['method', 'path', 'status', 'network'],
      registers,
      collect() {
        this.reset();
        for (const { method, path, labels, byStatus } of tallies)
          for (const [status, count] of byStatus) this.inc({ method, path, status, ...labels }, count);
      },
    });
    this.#seconds = new Histogram({
      name: `${prefix}http_answer_seconds`,
      help: 'Time to make an answer (kept answers are not made)',
      labelNames: ['path', 'network'],
      buckets: [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2],
      registers,
    });
    this.#readNetworks(parts);
    this.#readProcess(parts);
  }

  /** Creates a tally that is part of the totals. @param network name of the mount */
  tally(network: string, method: string, path: string): AnswerTally {
    const tally = new AnswerTally(method, path, network);
    this.#tallies.push(tally);
    return tally;
  }

  /** Counts an answer that was made. @param ms time taken. */
  observe(tally: AnswerTally, status: number, ms: number): void {
    tally.count(status);
    this.#seconds.observe({ path: tally.path, ...tally.labels }, ms / 1000);
  }

  /** Text exposition format 0.0.4. */
  async text(): Promise<string> {
    return (await this.#registry.metrics()) + this.#samples().map(sampleText).join('');
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: prefix + name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** A total that another part counts. */
  #total(name: string, help: string, read: () => number): void {
    new Counter({
      name: prefix + name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** A figure of each mount; one that has none now is left out. */
  #each(
    type: MetricSample['type'],
    name: string,
    help: string,
    mounts: readonly Measured[],
    read: (measured: Measured) => number | undefined,
  ): void {
    const common = { name: prefix + name, help, labelNames: ['network'], registers: [this.#registry] };
    const collect = (set: (labels: Labels, value: number) => void) => {
      for (const measured of mounts) {
        const value = read(measured);
        if (value !== undefined) set(labelsOf(measured.mount.name), value);
      }
    };
    if (type === 'gauge')
      new Gauge({
        ...common,
        collect() {
          this.reset();
          collect((labels, value) => this.set(labels, value));
        },
      });
    else
      new Counter({
        ...common,
        collect() {
          this.reset();
          collect((labels, value) => this.inc(labels, value));
        },
      });
  }

  #readNetworks({ mounts, now }: MetricsParts): void {
    const of =
      (read: (network: Network) => number) =>
      ({ mount: { network } }: Measured) =>
        network && read(network);
    for (const [key, [name, help]] of Object.entries(engineCounters))
      this.#each(
        'counter',
        name,
        help,
        mounts,
        of(({ engine }) => engine.counters[key as keyof Counters]),
      );
    const gauge = (name: string, help: string, read: (measured: Measured) => number | undefined) =>
      this.#each('gauge', name, help, mounts, read);
    gauge(
      'ledger_index',
      'Newest applied ledger',
      of(({ engine }) => engine.head?.index ?? 0),
    );
    gauge(
      'ledger_age_seconds',
      'Age of the newest applied ledger',
      of(({ engine: { head } }) => (head ? (now() - head.closeTimeMs) / 1000 : 0)),
    );
    gauge(
      'ledgers_behind',
      'Ledgers known to be waiting',
      of((network) => network.behind),
    );
    gauge('ready', '1 when nothing is waiting', ({ mount }) => Number(mount.network?.ready ?? false));
    this.#each('counter', 'cache_hits_total', 'Answers from the cache', mounts, ({ cache }) => cache.hits);
    this.#each(
      'counter',
      'cache_misses_total',
      'Answers made for the cache',
      mounts,
      ({ cache }) => cache.misses,
    );
    gauge('cache_bytes', 'Bytes of kept answers', ({ cache }) => cache.bytes);
    gauge('cache_entries', 'Keys of kept answers', ({ cache }) => cache.size);
  }

  #readProcess({ sockets }: MetricsParts): void {
    this.#gauge('memory_resident_bytes', 'Resident memory of the process', () => process.memoryUsage.rss());
    this.#total('cpu_seconds_total', 'CPU time of the process', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    if (sockets) this.#gauge('websockets', 'Open WebSockets', sockets);
  }
}

function sampleText({ name, help, type, values }: MetricSample): string {
  const rows = values.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
    return `${prefix}${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `\n# HELP ${prefix}${name} ${help}\n# TYPE ${prefix}${name} ${type}\n${rows.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
