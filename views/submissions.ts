/**
 * Transactions that were handed to a node a moment ago: the same one is not handed over again.
 *
 * Bounded: at more than KEPT_MAX within WINDOW_MS further ones are refused, since forgetting one early would let it be sent
 * twice.
 */
export const WINDOW_MS = 30_000;
const KEPT_MAX = 100_000;

export class Submissions {
  /** Unix ms by hash, the oldest first. */
  readonly #sent = new Map<string, number>();

  /**
   * Remembers a transaction.
   * @param now Unix ms
   * @returns ms until it may be sent again; 0: it may be sent now; undefined: too many were sent
   */
  take(hash: string, now: number): number | undefined {
    for (const [old, at] of this.#sent) {
      // A clock that was set back keeps none for longer.
      if (at > now - WINDOW_MS && at <= now) break;
      this.#sent.delete(old);
    }
    const before = this.#sent.get(hash);
    if (before !== undefined) return before + WINDOW_MS - now;
    if (this.#sent.size >= KEPT_MAX) return undefined;
    this.#sent.set(hash, now);
    return 0;
  }

  /** It was not sent after all. */
  forget(hash: string): void {
    this.#sent.delete(hash);
  }
}
