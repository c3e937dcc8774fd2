/** What /metrics shows of the parts that the API does not know: store, endpoints, streams. */
import { labelsOf } from '../api/answer-tally.ts';
import type { MetricSample } from '../api/metrics.ts';
import { StoreError } from '../data/errors.ts';
import type { LmdbPlatformStore } from '../data/platform-store.ts';
import type { LmdbStore } from '../data/store.ts';
import type { Domain } from '../engine/domain.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { DiskFigures } from '../views/network.ts';
import type { Hub } from '../ws/hub.ts';
import type { NftMedia } from './nft-media.ts';

/** The parts of one network that have figures. */
export interface NetworkSources {
  /** Name of its mount. */
  readonly name: string;
  readonly store: LmdbStore;
  readonly source: Source | undefined;
  readonly hub: Hub;
  readonly domains: readonly Domain[];
  readonly disk: DiskFigures | undefined;
  readonly media: NftMedia | undefined;
}

/** Cost: some 20 calls into LMDB and one look at each socket, together well under a millisecond for 1,000 sockets. */
export function metricSamples(
  networks: readonly NetworkSources[],
  platform: LmdbPlatformStore | undefined,
): MetricSample[] {
  const ofEach = networks.map((network) => labelled(network.name, networkSamples(network)));
  return [...joined(ofEach), ...(platform ? whereReadable(() => platformSamples(platform)) : [])];
}

function networkSamples(network: NetworkSources): MetricSample[] {
  return [
    domainSamples(network.domains),
    ...whereReadable(() => storeSamples(network.store)),
    ...whereReadable(() => diskSamples(network.disk)),
    ...whereReadable(() => mediaSamples(network.media)),
    ...sourceSamples(network.source),
    ...hubSamples(network.hub),
  ];
}

/** A store that was removed or closed has no figures; those of the others are needed all the more. */
function whereReadable(samples: () => MetricSample[]): MetricSample[] {
  try {
    return samples();
  } catch (fault) {
    if (fault instanceof StoreError) return [];
    throw fault;
  }
}

function labelled(name: string, samples: readonly MetricSample[]): MetricSample[] {
  const network = labelsOf(name);
  return samples.map((sample) => ({
    ...sample,
    values: sample.values.map(({ labels, value }) => ({ labels: { ...labels, ...network }, value })),
  }));
}

/** One sample a name, as the format demands. */
function joined(ofEach: readonly (readonly MetricSample[])[]): MetricSample[] {
  const byName = new Map<string, MetricSample>();
  for (const sample of ofEach.flat()) {
    const known = byName.get(sample.name);
    byName.set(sample.name, known ? { ...known, values: [...known.values, ...sample.values] } : sample);
  }
  return [...byName.values()];
}

function one(type: MetricSample['type'], name: string, help: string, value: number): MetricSample {
  return { type, name, help, values: [{ value }] };
}

function domainSamples(domains: readonly Domain[]): MetricSample {
  const values = domains.map(({ name, memoryBytes }) => ({ labels: { domain: name }, value: memoryBytes }));
  return { type: 'gauge', name: 'domain_column_bytes', help: 'Bytes of columns in memory', values };
}

function storeSamples(store: LmdbStore): MetricSample[] {
  const { families, fileBytes, usedBytes, mapBytes, readers, writer } = store.stats();
  const byFamily = (pick: (family: { rows: number; bytes: number }) => number) =>
    Object.entries(families).map(([family, size]) => ({ labels: { family }, value: pick(size) }));
  const seconds = [
    ['sort', writer.sortMs],
    ['compress', writer.compressMs],
    ['transaction', writer.transactionMs],
  ] as const;
  return [
    one('gauge', 'store_file_bytes', 'Length of the data file', fileBytes),
    one('gauge', 'store_used_bytes', 'Part of the data file ever used', usedBytes),
    one('gauge', 'store_map_bytes', 'How far the data file may grow', mapBytes),
    one('gauge', 'store_readers', 'Most reader slots in use at one time', readers),
    { type: 'gauge', name: 'store_family_rows', help: 'Rows', values: byFamily(({ rows }) => rows) },
    {
      type: 'gauge',
      name: 'store_family_bytes',
      help: 'Bytes in pages',
      values: byFamily(({ bytes }) => bytes),
    },
    one('counter', 'store_batches_total', 'Batches made durable since start', writer.batches),
    one('counter', 'store_rows_total', 'Rows made durable since start', writer.rows),
    one('counter', 'store_bytes_total', 'Bytes made durable since start', writer.bytes),
    one('gauge', 'store_waiting_bytes', 'Bytes handed in and not yet durable', writer.waitingBytes),
    {
      type: 'counter',
      name: 'store_writer_seconds_total',
      help: 'Time of the writer thread',
      values: seconds.map(([step, ms]) => ({ labels: { step }, value: ms / 1000 })),
    },
  ];
}

/** Figures that are not known are left out. */
function diskSamples(disk: DiskFigures | undefined): MetricSample[] {
  const samples = [
    [
      'gauge',
      'store_free_bytes',
      'Free pages of the data file, used for what is written next',
      disk?.freeBytes,
    ],
    ['gauge', 'store_disk_free_bytes', 'Free on the disk of the data file', disk?.diskFreeBytes],
    [
      'counter',
      'store_written_bytes_total',
      'Bytes written to the data file since start',
      disk?.writtenBytes,
    ],
    [
      'gauge',
      'store_written_bytes_per_day',
      'The same a day, of the last 24 hours of following',
      disk?.writtenBytesPerDay,
    ],
    [
      'gauge',
      'store_growth_bytes_per_day',
      'Growth of what is in use of the data file, of the last 24 hours of following',
      disk?.growthBytesPerDay,
    ],
    [
      'gauge',
      'store_disk_full_seconds',
      'Time until the disk is full at that growth; absent while it does not grow',
      disk?.fullInMs === undefined ? undefined : Math.round(disk.fullInMs / 1000),
    ],
  ] as const;
  return samples.flatMap(([type, name, help, value]) =>
    value === undefined ? [] : [one(type, name, help, value)],
  );
}

/** Nothing where nothing is fetched. */
function mediaSamples(open: NftMedia | undefined): MetricSample[] {
  if (!open) return [];
  const { outcomes, waiting, bytes } = open.media;
  const labelled = (label: string, values: object) =>
    Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value: value as number }));
  return [
    {
      type: 'counter',
      name: 'nft_media_fetched_total',
      help: 'What became of URIs of NFTs that were fetched since start',
      values: labelled('outcome', outcomes),
    },
    one('gauge', 'nft_media_waiting', 'URIs of NFTs that wait or are being fetched', waiting),
    {
      type: 'gauge',
      name: 'nft_media_bytes',
      help: 'Bytes of what was fetched of NFTs',
      values: labelled('kind', bytes),
    },
  ];
}

function platformSamples(platform: LmdbPlatformStore): MetricSample[] {
  const { collections, fileBytes, usedBytes, mapBytes, readers, transactions, groups, failures, waiting } =
    platform.stats();
  const byCollection = (pick: (collection: { rows: number; bytes: number }) => number) =>
    Object.entries(collections).map(([collection, size]) => ({ labels: { collection }, value: pick(size) }));
  const samples: MetricSample[] = [
    one('gauge', 'platform_file_bytes', "Length of the file with the service's own data", fileBytes),
    one('gauge', 'platform_used_bytes', 'Part of that file ever used', usedBytes),
    one('gauge', 'platform_map_bytes', 'How far that file may grow', mapBytes),
    one('gauge', 'platform_readers', 'Most reader slots in use at one time', readers),
    {
      type: 'gauge',
      name: 'platform_collection_rows',
      help: 'Rows',
      values: byCollection(({ rows }) => rows),
    },
    {
      type: 'gauge',
      name: 'platform_collection_bytes',
      help: 'Keys and values',
      values: byCollection(({ bytes }) => bytes),
    },
    one('counter', 'platform_transactions_total', 'Transactions made durable since start', transactions),
    one('counter', 'platform_commits_total', 'Commits since start', groups),
    one('counter', 'platform_commits_failed_total', 'Commits since start that failed', failures),
    one('gauge', 'platform_waiting_transactions', 'Transactions that wait for the disk', waiting),
  ];
  // A metric without samples is none.
  return samples.filter(({ values }) => values.length > 0);
}

function sourceSamples(source: Source | undefined): MetricSample[] {
  if (!(source instanceof NodeSource)) return [];
  const { endpoints } = source;
  const values = (pick: (endpoint: (typeof endpoints)[number]) => number) =>
    endpoints.map((endpoint) => ({ labels: { endpoint: endpoint.name }, value: pick(endpoint) }));
  return [
    { type: 'gauge', name: 'endpoint_up', help: '1 while connected', values: values(({ up }) => Number(up)) },
    {
      type: 'gauge',
      name: 'endpoint_ledger',
      help: 'Newest ledger announced, 0 unknown',
      values: values(({ latest }) => latest ?? 0),
    },
    {
      type: 'gauge',
      name: 'endpoint_score',
      help: 'ms; lower is better',
      values: values(({ score }) => score),
    },
    { type: 'gauge', name: 'endpoint_faults', help: 'Recent faults', values: values(({ faults }) => faults) },
  ];
}

function hubSamples(hub: Hub): MetricSample[] {
  const { stats } = hub;
  const byStream = Object.entries(stats.byStream).map(([stream, { connections }]) => ({
    labels: { stream },
    value: connections,
  }));
  return [
    { type: 'gauge', name: 'stream_connections', help: 'Open sockets', values: byStream },
    one('gauge', 'stream_queued_bytes', 'Bytes that wait for readers', stats.queuedBytes),
    one('gauge', 'stream_waiting_bytes', 'Bytes of messages that wait to be answered', stats.waitingBytes),
    one('gauge', 'stream_jobs', 'Jobs that wait for their turn', stats.jobs),
    one('counter', 'stream_frames_built_total', 'Frames built', stats.framesBuilt),
    one('counter', 'stream_frames_sent_total', 'Frames handed to sockets', stats.framesSent),
    one('counter', 'stream_bytes_sent_total', 'Bytes handed to sockets', stats.bytesSent),
    one('counter', 'stream_messages_total', 'Messages of clients', stats.messagesIn),
    one('counter', 'stream_refused_total', 'Sockets refused or closed for what they asked', stats.refused),
    one('counter', 'stream_slow_readers_total', 'Sockets closed as slow readers', stats.slowReaders),
    one('counter', 'stream_cut_total', 'Sockets cut off with frames unread', stats.terminated),
    one('counter', 'stream_faults_total', 'Faults of streams', stats.faults),
  ];
}
