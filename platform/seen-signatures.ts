/**
 * Signatures of wallets that something was written with: each does so once. What is kept is what was signed (wallet and
 * time), so that the same signature in another spelling is the same. They are forgotten when their time is over.
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
  /** Where there is no store. */
  readonly #seen = new Map<string, number>();

  attach(store: PlatformStore): void {
    this.#store = store;
  }

  /**
   * Resolves when it is durable that this was used.
   * @param expires Unix ms. @returns false: it was used before
   */
  async use(wallet: string, timestamp: string, expires: number, now: number): Promise<boolean> {
    if (!this.#store) return this.#useHere(`${wallet}:${timestamp}`, expires, now);
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

  #useHere(key: string, expires: number, now: number): boolean {
    for (const [old, until] of this.#seen) {
      if (until >= now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, expires);
    return true;
  }
}
