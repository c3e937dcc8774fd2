/** Counts the answers of one row of the route table, for /metrics. */

export type Labels = Readonly<Record<string, string>>;

/** Labels that say which network a figure is of. @param name of its mount */
export function labelsOf(name: string): Labels {
  return name === '' ? {} : { network: name };
}

/** Answers of one row by status. It is a plain addition because it runs for every request, cached ones included. */
export class AnswerTally {
  readonly byStatus = new Map<number, number>();
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
}
