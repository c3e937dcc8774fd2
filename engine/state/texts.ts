/**
 * Variable-length texts that ledger entries carry (account domains, MPT metadata). They are kept by the store, not
 * in memory: only those not yet handed over, and a bounded number of the latest, which may not be durable yet.
 * The author of a text on the ledger chooses every byte of it: readers escape it.
 */
import type { Store } from '../store.ts';

/** The latest texts that are kept in memory at least; at most twice as many. 40,000 of the longest (1 KB of metadata) are 40 MB. */
const RECENT_TEXTS = 20_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

interface TextSink {
  text(kind: number, id: number, value: string): void;
}

export class Texts {
  /** The latest, and those before them. */
  #young = new Map<number, string>();
  #old: ReadonlyMap<number, string> = new Map();
  /** Keys that have not been handed over. */
  readonly #pending: number[] = [];
  #store: Pick<Store, 'text'> | undefined;

  attach(store: Pick<Store, 'text'>): void {
    this.#store = store;
  }

  /** An empty value: the text was removed. */
  set(kind: number, id: number, value: string): void {
    const key = keyOf(kind, id);
    this.#young.set(key, value);
    this.#pending.push(key);
  }

  get(kind: number, id: number): string | undefined {
    const key = keyOf(kind, id);
    const value = this.#young.get(key) ?? this.#old.get(key) ?? this.#store?.text(kind, id);
    return value === '' ? undefined : value;
  }

  /** One that was set twice is handed over twice, as it is now. */
  drain(sink: TextSink): void {
    for (const key of this.#pending)
      sink.text(Math.floor(key / 2 ** 32), key % 2 ** 32, this.#young.get(key)!);
    this.#pending.length = 0;
    if (this.#young.size < RECENT_TEXTS) return;
    this.#old = this.#young;
    this.#young = new Map();
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
