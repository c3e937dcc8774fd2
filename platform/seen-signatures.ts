/**
 * Signatures of wallets that were seen, on reads and writes: nothing is written with one again. What is kept is what was
 * signed (wallet and time), so that the same signature in another spelling is the same. They are forgotten when their time
 * is over.
 */
import type { Collection, Key, PlatformStore } from './store.ts';

/** By wallet and timestamp; the value is the Unix ms at which the signature is worth nothing any more. */
const SEEN: Collection<number> = {
  name: 'seen-signatures',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16, rows: 1_000_000 },
  indexes: { expiry: { unique: false, keys: (expires) => [[expires]] } },
};

export const SIGNATURE_COLLECTIONS = [SEEN] as unknown as readonly Collection<unknown>[];

/** Rows forgotten with each new one: more than one, so that they do not gather. */
const FORGOTTEN = 8;

export class SeenSignatures {
  #store: PlatformStore | undefined;
  /** Those that came while there was no store. */
  readonly #seen = new Map<string, number>();

  attach(store: PlatformStore): void {
    this.#store = store;
  }

  /**
   * Resolves when it is durable that this was seen.
   * @param expires Unix ms. @returns false: it was seen before
   */
  async add(wallet: string, timestamp: string, expires: number, now: number): Promise<boolean> {
    const text = `${wallet}:${timestamp}`;
    if (!this.#store) return this.#addHere(text, expires, now);
    if (this.#seen.has(text)) return false;
    return this.#store.transaction((transaction) => {
      const key = [wallet, timestamp];
      if (transaction.get(SEEN, key) !== undefined) return false;
      const past: Key[] = [];
      transaction.walkIndex(SEEN, 'expiry', { limit: FORGOTTEN }, (until, at) => {
        if (until < now) past.push(at);
        return until < now;
      });
      for (const at of past) transaction.delete(SEEN, at);
      transaction.put(SEEN, key, expires);
      return true;
    });
  }

  #addHere(key: string, expires: number, now: number): boolean {
    for (const [old, until] of this.#seen) {
      if (until >= now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, expires);
    return true;
  }
}
