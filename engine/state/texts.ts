/**
 * Variable-length texts that ledger entries carry (account domains, MPT metadata). They are kept by the store, not
 * in memory: only those not yet handed over, and a bounded number of the latest, which may not be durable yet.
 * The author of a text on the ledger chooses every byte of it: readers escape it.
 */
import type { Store } from '../store.ts';

/** Texts kept in memory after they went to the store. 20,000 of the longest (1 KB of metadata) are 20 MB. */
const RECENT_TEXTS = 20_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

interface TextSink {
  text(kind: number, id: number, value: string): void;
}

export class Texts {
  readonly #pending = new Map<number, string>();
  readonly #recent = new Map<number, string>();
  #store: Pick<Store, 'text'> | undefined;

  attach(store: Pick<Store, 'text'>): void {
    this.#store = store;
  }

  /** An empty value: the text was removed. */
  set(kind: number, id: number, value: string): void {
    this.#pending.set(keyOf(kind, id), value);
  }

  get(kind: number, id: number): string | undefined {
    const key = keyOf(kind, id);
    const value = this.#pending.get(key) ?? this.#recent.get(key) ?? this.#store?.text(kind, id);
    return value === '' ? undefined : value;
  }

  drain(sink: TextSink): void {
    for (const [key, value] of this.#pending) {
      sink.text(Math.floor(key / 2 ** 32), key % 2 ** 32, value);
      this.#recent.delete(key);
      this.#recent.set(key, value);
    }
    this.#pending.clear();
    for (const key of this.#recent.keys()) {
      if (this.#recent.size <= RECENT_TEXTS) break;
      this.#recent.delete(key);
    }
  }
}

function keyOf(kind: number, id: number): number {
  return kind * 2 ** 32 + id;
}

/**
 * Text of a variable-length field at its length prefix; undefined when the bytes are not UTF-8.
 * Length prefix of 1 to 3 bytes: https://xrpl.org/docs/references/protocol/binary-format#length-prefixing
 */
export function blobText(bytes: Uint8Array, at: number): string | undefined {
  const blob = blobBytes(bytes, at);
  try {
    return decoder.decode(blob.slice());
  } catch {
    return undefined;
  }
}

/** The bytes of a variable-length field at its length prefix. */
export function blobBytes(bytes: Uint8Array, at: number): Uint8Array {
  const first = bytes[at]!;
  if (first <= 192) return bytes.subarray(at + 1, at + 1 + first);
  if (first <= 240) {
    const length = 193 + (first - 193) * 256 + bytes[at + 1]!;
    return bytes.subarray(at + 2, at + 2 + length);
  }
  const length = 12_481 + (first - 241) * 65_536 + bytes[at + 1]! * 256 + bytes[at + 2]!;
  return bytes.subarray(at + 3, at + 3 + length);
}
