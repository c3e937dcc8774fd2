/**
 * SHA-512Half (the first 32 bytes of SHA-512) under the ledger's hash prefixes.
 * Prefixes: rippled `include/xrpl/protocol/HashPrefix.h`.
 */

const prefix = (text: string): Uint8Array =>
  Uint8Array.of(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2), 0);

export const HashPrefix = {
  transactionId: prefix('TXN'),
  transactionNode: prefix('SND'), // leaf of the transaction tree: transaction and metadata
  stateNode: prefix('MLN'), // leaf of the state tree
  innerNode: prefix('MIN'),
  ledger: prefix('LWR'),
} as const;

export const HASH_BYTES = 32;

/**
 * A reusable SHA-512Half for hot paths: no allocation except for the views that the caller passes.
 * Call `add` for each part, then read the result; that resets it for the next hash.
 */
export class HalfHasher {
  readonly #hasher = new Bun.CryptoHasher('sha512');
  readonly #full = new Uint8Array(64);

  add(bytes: Uint8Array): this {
    this.#hasher.update(bytes);
    return this;
  }

  /** Writes the 32 bytes at `at` of `out`. */
  into(out: Uint8Array, at: number): void {
    this.#hasher.digest(this.#full);
    for (let i = 0; i < HASH_BYTES; i++) out[at + i] = this.#full[i]!;
  }

  /** The hash of one piece, which begins with its prefix: 0.7 us instead of 1.8 us for 200 bytes. */
  whole(bytes: Uint8Array, out: Uint8Array, at: number): void {
    Bun.SHA512.hash(bytes, this.#full);
    for (let i = 0; i < HASH_BYTES; i++) out[at + i] = this.#full[i]!;
  }

  take(): Uint8Array {
    this.#hasher.digest(this.#full);
    return this.#full.slice(0, HASH_BYTES);
  }
}

/** SHA-512Half of the concatenated parts. A single part, as for keys of entries, needs no hasher object. */
export function sha512Half(...parts: readonly Uint8Array[]): Uint8Array {
  const [only, second] = parts;
  if (only !== undefined && second === undefined)
    return (Bun.SHA512.hash(only) as Uint8Array).slice(0, HASH_BYTES);
  const hasher = new HalfHasher();
  for (const part of parts) hasher.add(part);
  return hasher.take();
}

/** Hash of a ledger from its 118-byte header. */
export function ledgerHash(header: Uint8Array): Uint8Array {
  return sha512Half(HashPrefix.ledger, header);
}

/** Hash (id) of a signed transaction from its blob. */
export function transactionHash(tx: Uint8Array): Uint8Array {
  return sha512Half(HashPrefix.transactionId, tx);
}
