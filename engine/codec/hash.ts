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

/** Room for the parts at first. It grows to the largest leaf, which the protocol limits to some 2 MB. */
const FIRST_ROOM = 4096;

/**
 * A reusable SHA-512Half for hot paths: no allocation except for the views that the caller passes.
 * Call `add` for each part, then read the result; that resets it for the next hash.
 *
 * The parts are gathered and hashed in one call: a call for each part costs more than copying it (3.2 us instead of 4.2 us for
 * a leaf of six parts, 1.1 KB).
 */
export class HalfHasher {
  #parts = new Uint8Array(FIRST_ROOM);
  #length = 0;
  readonly #full = new Uint8Array(64);

  add(bytes: Uint8Array): this {
    const at = this.#length;
    this.#length = at + bytes.length;
    if (this.#length > this.#parts.length) this.#grow(at);
    this.#parts.set(bytes, at);
    return this;
  }

  /** Writes the 32 bytes at `at` of `out`. */
  into(out: Uint8Array, at: number): void {
    this.whole(this.#gathered(), out, at);
  }

  /** The hash of one piece, which begins with its prefix. */
  whole(bytes: Uint8Array, out: Uint8Array, at: number): void {
    Bun.SHA512.hash(bytes, this.#full);
    for (let i = 0; i < HASH_BYTES; i++) out[at + i] = this.#full[i]!;
  }

  take(): Uint8Array {
    Bun.SHA512.hash(this.#gathered(), this.#full);
    return this.#full.slice(0, HASH_BYTES);
  }

  #gathered(): Uint8Array {
    const parts = this.#parts.subarray(0, this.#length);
    this.#length = 0;
    return parts;
  }

  /** @param kept bytes that are there */
  #grow(kept: number): void {
    const larger = new Uint8Array(Math.max(this.#length, this.#parts.length * 2));
    larger.set(this.#parts.subarray(0, kept));
    this.#parts = larger;
  }
}

const hasher = new HalfHasher();

/** SHA-512Half of the concatenated parts. */
export function sha512Half(...parts: readonly Uint8Array[]): Uint8Array {
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
