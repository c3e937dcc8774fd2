/** The figures of /metrics by their names, read from the text that Prometheus reads. */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** By name, without the prefix that all have. */
export type Metrics = ReadonlyMap<string, readonly Sample[]>;

const LINE = /^millrace_([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const named = [...labels.matchAll(LABEL)].map(([, label, of]) => [label, unescaped(of!)]);
    const sample = { labels: Object.fromEntries(named), value: Number(value) };
    const known = metrics.get(name);
    if (known) known.push(sample);
    else metrics.set(name, [sample]);
  }
  return metrics;
}

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));

/** The one value of a metric, or the sum of those with some labels; undefined where there is none. */
export function figureOf(metrics: Metrics, name: string, labels: Sample['labels'] = {}): number | undefined {
  const found = metrics
    .get(name)
    ?.filter((sample) => Object.entries(labels).every(([label, of]) => sample.labels[label] === of));
  return found && found.length > 0 ? found.reduce((sum, { value }) => sum + value, 0) : undefined;
}
