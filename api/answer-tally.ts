/** Counts the answers of one row of the route table, for /metrics. */

export type Labels = Readonly<Record<string, string>>;

/** Labels that say which network a figure is of. @param name of its mount */
export function labelsOf(name: string): Labels {
  return name === '' ? {} : { network: name };
}

/** Upper bounds of the buckets of times, s: from what is read from memory to what waits for a node. */
export const SECONDS_BOUNDS = [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2] as const;

/** Answers of one row by status. It is a plain addition because it runs for every request, cached ones included. */
export class AnswerTally {
  readonly byStatus = new Map<number, number>();
  /** Those that were made, not kept ones, and the time that this took. */
  made = 0;
  seconds = 0;
  /** Made within each of SECONDS_BOUNDS, and not within the one before. */
  readonly bySeconds: number[] = SECONDS_BOUNDS.map(() => 0);
  readonly labels: Labels;

  /** @param network name of the mount */
  constructor(
    readonly method: string,
    readonly path: string,
    network = '',
  ) {
    this.labels = labelsOf(network);
  }

  count(status: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }

  /** An answer that was made. @param ms time taken */
  observe(status: number, ms: number): void {
    this.count(status);
    const seconds = ms / 1000;
    this.made++;
    this.seconds += seconds;
    const bucket = SECONDS_BOUNDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.bySeconds[bucket]!++;
  }
}
