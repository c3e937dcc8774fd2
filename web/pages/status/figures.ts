/** Which metrics are shown, in which card and in which words. */
import * as format from '../../format.ts';
import { figureOf, type Metrics } from '../../net/metrics-text.ts';

export type Figure = readonly [name: string, value: string];

interface CardOf {
  readonly title: string;
  readonly figures: (metrics: Metrics) => readonly Figure[];
}

const MB = 1e6;
const bytes = (value: number | undefined) =>
  value === undefined
    ? format.NONE
    : value >= 1e9
      ? `${format.price(value / 1e9)} GB`
      : `${format.price(Math.round(value / (MB / 10)) / 10)} MB`;
const seconds = (value: number | undefined) =>
  value === undefined ? format.NONE : `${format.price(Math.round(value * 1e4) / 10)} ms`;

/** Rows of metrics that are there, by their names. */
const rows =
  (named: Readonly<Record<string, string>>, show: (value: number | undefined) => string = format.whole) =>
  (metrics: Metrics): Figure[] =>
    Object.entries(named).flatMap(([name, words]) => {
      const value = figureOf(metrics, name);
      return value === undefined ? [] : [[words, show(value)] as const];
    });

const proofs = rows({
  ledgers_applied_total: 'Ledgers proved and applied since the start',
  transactions_applied_total: 'Transactions applied',
  ledgers_refused_total: 'Ledgers refused: proof failed',
  gaps_repaired_total: 'Gaps fetched',
  ledgers_duplicate_total: 'Ledgers that came again',
  endpoint_switches_total: 'Times another node was asked',
  unknown_fields_total: 'Fields newer than the definitions',
});

const memory = (metrics: Metrics): readonly Figure[] => [
  ['The process', bytes(figureOf(metrics, 'memory_resident_bytes'))],
  ['Of it columns', bytes(figureOf(metrics, 'domain_column_bytes'))],
  ['Of it kept answers', bytes(figureOf(metrics, 'cache_bytes'))],
];

const stalls = (metrics: Metrics): readonly Figure[] => [
  ['Longest, of the last two minutes', seconds(figureOf(metrics, 'main_thread_stall_seconds'))],
  [
    'Wait for the main thread, median',
    seconds(figureOf(metrics, 'main_thread_delay_seconds', { quantile: '0.5' })),
  ],
  ['The same, p99', seconds(figureOf(metrics, 'main_thread_delay_seconds', { quantile: '0.99' }))],
];

const disk = rows(
  {
    store_file_bytes: 'The file',
    store_used_bytes: 'Ever used of it',
    store_free_bytes: 'Free pages in it',
    store_disk_free_bytes: 'Free on the disk',
    store_written_bytes_per_day: 'Written a day',
    store_growth_bytes_per_day: 'Growth a day',
    store_waiting_bytes: 'Waits for the disk',
  },
  bytes,
);

function answers(metrics: Metrics): readonly Figure[] {
  const of = metrics.get('http_answers_total') ?? [];
  const count = (pick: (status: string) => boolean) =>
    of.filter(({ labels }) => pick(labels.status ?? '')).reduce((sum, { value }) => sum + value, 0);
  return [
    ['Answers since the start', format.whole(count(() => true))],
    ['Refused (4xx)', format.whole(count((status) => status.startsWith('4')))],
    ['Failed (5xx)', format.whole(count((status) => status.startsWith('5')))],
    ...rows({ cache_hits_total: 'Sent as kept', cache_entries: 'Kept answers' })(metrics),
  ];
}

/** The nodes that it follows: one row each. */
function nodes(metrics: Metrics): readonly Figure[] {
  const value = (name: string, endpoint: string) => figureOf(metrics, name, { endpoint });
  return (metrics.get('endpoint_up') ?? []).map(({ labels: { endpoint = '' }, value: up }) => {
    const ledger = value('endpoint_ledger', endpoint);
    const state = up === 1 ? `up, ledger ${format.whole(ledger)}` : 'down';
    const faults = value('endpoint_faults', endpoint) ?? 0;
    return [format.text(endpoint, 60), faults > 0 ? `${state}, ${format.whole(faults)} faults` : state];
  });
}

export const cards: readonly CardOf[] = [
  { title: 'Source', figures: nodes },
  { title: 'Proofs', figures: proofs },
  { title: 'Memory', figures: memory },
  { title: 'Stalls of the main thread', figures: stalls },
  { title: 'Store', figures: disk },
  { title: 'Answers', figures: answers },
];
