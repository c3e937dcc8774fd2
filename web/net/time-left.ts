/**
 * How long work still takes, from how fast it went lately. Shares come at any moment; the pace is that of the newest
 * samples, so that a slow beginning is forgotten and a single late sample does not make it jump.
 */

interface Sample {
  /** ms */
  readonly at: number;
  /** 0 to 1 */
  readonly share: number;
}

/** Samples that the pace is taken from are at most so old, ms, and at least so far apart. */
const WINDOW_MS = 30_000;
const APART_MS = 1_500;

export class TimeLeft {
  #samples: Sample[] = [];
  #work = '';

  /**
   * @param at ms, of any clock that only goes on. @param work its name: what was done before it was first looked at says nothing
   * of its pace. A share that is smaller than before is that of work that began again.
   */
  add(at: number, share: number, work: string): void {
    if (work !== this.#work || (this.#samples.at(-1)?.share ?? 0) > share) this.#samples = [];
    this.#work = work;
    this.#samples.push({ at, share });
    while (this.#samples.length > 2 && at - this.#samples[0]!.at > WINDOW_MS) this.#samples.shift();
  }

  /** Seconds; undefined while the pace is not known. */
  get seconds(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < APART_MS || last.share <= first.share) return undefined;
    return ((1 - last.share) * (last.at - first.at)) / (last.share - first.share) / 1000;
  }
}
