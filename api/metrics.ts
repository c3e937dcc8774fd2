/**
 * Prometheus metrics. Every figure is read on request, so that nothing is counted twice and a request that is not for them costs
 * plain additions (answer-tally.ts). The library writes the text; it is not loaded before the service listens (service/opening.ts),
 * since it takes as long to load as a tenth of the service. Figures of a network have the name of its mount as label `network`;
 * those of the mount without a prefix have no such label.
 */

import type { Metric } from 'prom-client';
import type { Counters } from '../engine/counters.ts';
import type { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import { AnswerTally, type Labels, labelsOf, SECONDS_BOUNDS } from './answer-tally.ts';
import type { AnswerCache } from './cache.ts';

/** A metric, read on request. */
export interface MetricSample {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly values: readonly MetricValue[];
}

interface MetricValue {
  readonly labels?: Labels;
  readonly value: number;
  /** What follows the name, of a histogram. */
  readonly end?: '_bucket' | '_sum' | '_count';
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

const PREFIX = 'millrace_';

/** Label of requests that match no row of the table: unknown addresses, wrong methods, preflights. */
export const UNROUTED = 'none';

export class Metrics {
  readonly #tallies: AnswerTally[] = [];
  readonly #parts: MetricsParts;

  constructor(parts: MetricsParts) {
    this.#parts = parts;
  }

  /** Creates a tally that is part of the totals. @param network name of the mount */
  tally(network: string, method: string, path: string): AnswerTally {
    const tally = new AnswerTally(method, path, network);
    this.#tallies.push(tally);
    return tally;
  }

  /** Text exposition format 0.0.4. */
  async text(): Promise<string> {
    const { Registry } = await import('prom-client');
    // One of its own: two services in one process must not share one.
    const registry = new Registry();
    for (const sample of this.#samples()) registry.registerMetric(metricOf(sample));
    return registry.metrics();
  }

  #samples(): readonly MetricSample[] {
    const { metricSamples, sockets } = this.#parts;
    return [
      answers(this.#tallies),
      answerSeconds(this.#tallies),
      ...networkSamples(this.#parts),
      ...processSamples(sockets),
      ...(metricSamples?.() ?? []),
    ];
  }
}

/** What the library asks of a metric when it writes one. */
function metricOf({ name, help, type, values }: MetricSample): Metric {
  const metric = {
    name: PREFIX + name,
    help,
    type,
    values: values.map(({ labels, value, end = '' }) => ({ labels, value, metricName: PREFIX + name + end })),
  };
  return { name: metric.name, get: async () => metric } as unknown as Metric;
}

function answers(tallies: readonly AnswerTally[]): MetricSample {
  const help = 'Answers of every kind: made, kept, not modified, refused, failed. HEAD counts as GET';
  const values = tallies.flatMap(({ method, path, labels, byStatus }) =>
    [...byStatus].map(([status, value]) => ({
      labels: { method, path, status: String(status), ...labels },
      value,
    })),
  );
  return { name: 'http_answers_total', help, type: 'counter', values };
}

/** Of each path: methods are not told apart. */
function answerSeconds(tallies: readonly AnswerTally[]): MetricSample {
  const byLabels = new Map<string, { labels: Labels; tallies: AnswerTally[] }>();
  for (const tally of tallies) {
    if (tally.made === 0) continue;
    const labels = { path: tally.path, ...tally.labels };
    const key = JSON.stringify(labels);
    const known = byLabels.get(key);
    if (known) known.tallies.push(tally);
    else byLabels.set(key, { labels, tallies: [tally] });
  }
  const sum = (of: readonly AnswerTally[], read: (tally: AnswerTally) => number) =>
    of.reduce((total, tally) => total + read(tally), 0);
  const values = [...byLabels.values()].flatMap(({ labels, tallies }): MetricValue[] => {
    let within = 0;
    const buckets = SECONDS_BOUNDS.map((bound, i): MetricValue => {
      within += sum(tallies, ({ bySeconds }) => bySeconds[i]!);
      return { labels: { le: String(bound), ...labels }, value: within, end: '_bucket' };
    });
    const made = sum(tallies, (tally) => tally.made);
    return [
      ...buckets,
      { labels: { le: '+Inf', ...labels }, value: made, end: '_bucket' },
      { labels, value: sum(tallies, ({ seconds }) => seconds), end: '_sum' },
      { labels, value: made, end: '_count' },
    ];
  });
  const help = 'Time to make an answer (kept answers are not made)';
  return { name: 'http_answer_seconds', help, type: 'histogram', values };
}

/** Figures of each mount; one whose network is not there now is left out. */
function networkSamples({ mounts, now }: MetricsParts): MetricSample[] {
  const each = (
    type: MetricSample['type'],
    name: string,
    help: string,
    read: (measured: Measured) => number | undefined,
  ): MetricSample => {
    const values = mounts.flatMap((measured) => {
      const value = read(measured);
      return value === undefined ? [] : [{ labels: labelsOf(measured.mount.name), value }];
    });
    return { name, help, type, values };
  };
  const of =
    (read: (network: Network) => number) =>
    ({ mount: { network } }: Measured) =>
      network && read(network);
  // Close times are rounded, also to later ones, and clocks differ: as in /health, no age is negative.
  const age = ({ engine: { head } }: Network) => (head ? Math.max(0, (now() - head.closeTimeMs) / 1000) : 0);
  return [
    ...Object.entries(engineCounters).map(([key, [name, help]]) => {
      const read = ({ engine }: Network) => engine.counters[key as keyof Counters];
      return each('counter', name, help, of(read));
    }),
    each(
      'gauge',
      'ledger_index',
      'Newest applied ledger',
      of(({ engine }) => engine.head?.index ?? 0),
    ),
    each('gauge', 'ledger_age_seconds', 'Age of the newest applied ledger', of(age)),
    each(
      'gauge',
      'ledgers_behind',
      'Ledgers known to be waiting',
      of(({ behind }) => behind),
    ),
    each(
      'gauge',
      'ledger_gaps',
      'Ranges of ledgers that are missing between those that are held',
      of(({ engine }) => Math.max(0, engine.ledgerRanges().length - 1)),
    ),
    each('gauge', 'ready', '1 when nothing is waiting', ({ mount }) => Number(mount.network?.ready ?? false)),
    each('counter', 'cache_hits_total', 'Answers from the cache', ({ cache }) => cache.hits),
    each('counter', 'cache_misses_total', 'Answers made for the cache', ({ cache }) => cache.misses),
    each('gauge', 'cache_bytes', 'Bytes of kept answers', ({ cache }) => cache.bytes),
    each('gauge', 'cache_entries', 'Keys of kept answers', ({ cache }) => cache.size),
  ];
}

function processSamples(sockets: MetricsParts['sockets']): MetricSample[] {
  const one = (type: MetricSample['type'], name: string, help: string, value: number): MetricSample => {
    return { name, help, type, values: [{ value }] };
  };
  const { user, system } = process.cpuUsage();
  return [
    one('gauge', 'memory_resident_bytes', 'Resident memory of the process', process.memoryUsage.rss()),
    one('counter', 'cpu_seconds_total', 'CPU time of the process', (user + system) / 1e6),
    ...(sockets ? [one('gauge', 'websockets', 'Open WebSockets', sockets())] : []),
  ];
}
