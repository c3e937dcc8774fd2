/**
 * Answers that are kept as long as what they were made of stays the same.
 *
 *     ledger    version 812 --\
 *                              >-- 812 + 7 = 819: any change of either moves the sum, since no version ever shrinks
 *     rates     version   7 --/
 *
 * Each cache names what its answers depend on. Ledgers are not all of it: rates of an outside feed, and what the service
 * itself keeps, change between two ledgers, and an answer made of them must not outlive them.
 */

/** Something that answers are made of. Its version grows with each change. */
export interface Revision {
  readonly version: number;
}

/** What the answers of one network are made of. */
export interface Revisions {
  /** State and market after the newest ledger. */
  readonly ledger: Revision;
  /** Rates of an outside feed. */
  readonly rates: Revision;
  /** What creators and issuers say of their tokens. */
  readonly tokens: Revision;
  /** What the service says of accounts. */
  readonly accounts: Revision;
}

/** One version for several revisions. */
export function versionOf(revisions: readonly Revision[]): number {
  let sum = 0;
  for (const { version } of revisions) sum += version;
  return sum;
}

/** How much of something, rows as a rule, values have, and how much all of them may have together. */
interface Weights<T> {
  readonly of: (value: T) => number;
  readonly most: number;
}

/**
 * Values by key, all forgotten when a revision moves; the oldest goes when there are more than the limit, or they weigh more than
 * they may, unless it is one alone: where clients choose how large values are.
 */
export class VersionedCache<T extends {}> {
  readonly #revisions: readonly Revision[];
  readonly #limit: number;
  readonly #weights: Weights<T> | undefined;
  readonly #values = new Map<string, T>();
  #weight = 0;
  #version = -1;

  constructor(revisions: readonly Revision[], limit: number, weights?: Weights<T>) {
    this.#revisions = revisions;
    this.#limit = limit;
    this.#weights = weights;
  }

  /** Of all that is kept. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string, make: () => T): T {
    return this.known(key) ?? this.keep(key, make());
  }

  /** What is kept; undefined: nothing of this version. */
  known(key: string): T | undefined {
    const version = versionOf(this.#revisions);
    if (this.#version !== version) {
      this.#values.clear();
      this.#weight = 0;
      this.#version = version;
    }
    return this.#values.get(key);
  }

  /** Keeps a value made of the version that `known` was asked at. */
  keep(key: string, made: T): T {
    const weight = this.#weights?.of(made) ?? 0;
    const most = this.#weights?.most ?? 0;
    this.#drop(key);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < this.#limit && this.#weight + weight <= most) break;
      this.#drop(oldest);
    }
    this.#values.set(key, made);
    this.#weight += weight;
    return made;
  }

  #drop(key: string): void {
    const value = this.#values.get(key);
    if (value !== undefined && this.#values.delete(key)) this.#weight -= this.#weights?.of(value) ?? 0;
  }
}
