/**
 * Finished answers, kept as bytes.
 *
 * Goal: a repeated GET costs one map lookup. Non-goal: serving anything older than what it was made of.
 *
 *     raw path and query ──> answer ──> body, gzip, zstd (each compressed once, on first demand)
 *                              ^
 *     route + read parameters ─┘   (second level: other spellings of the same request share the answer)
 *
 * Answers that follow the ledger are valid for one version of the views and are dropped together when it grows; answers
 * kept for seconds carry the time they end. Both levels count against one bound in bytes, oldest out first, so that
 * a flood of distinct addresses cannot grow the memory.
 */

import type { AnswerTally } from './metrics.ts';
import type { Route } from './route.ts';

/** One encoding of an answer, ready to go. */
export interface Encoded {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Complete but for the request id, which the sender sets before it copies them. */
  readonly headers: Headers;
  /** The same for a request from another origin. */
  readonly crossOrigin: Headers;
}

/** A finished 200 answer. What it holds is never changed, only further encodings are added. */
export class StoredAnswer {
  plain: Encoded | undefined;
  gzip: Encoded | undefined;
  zstd: Encoded | undefined;

  constructor(
    readonly body: Uint8Array<ArrayBuffer>,
    readonly contentType: string,
    readonly cacheControl: string,
    /** Weak validator; undefined where the answer is not cached. */
    readonly etag: string | undefined,
    /** The row it answers: whoever asks again must be admitted to that again. */
    readonly row: Route,
    /** Where each sending of it is counted. */
    readonly tally: AnswerTally,
  ) {}
}

interface Slot {
  readonly answer: StoredAnswer;
  /** Unix ms; Infinity = until the views' version grows. */
  readonly until: number;
  readonly charge: number;
}

/** Bytes that a map entry costs beside its key and its answer. */
const SLOT_OVERHEAD = 200;

/** Compressed forms are estimated at half of the body. */
const chargeOf = (key: string, bodyBytes: number) => key.length * 2 + SLOT_OVERHEAD + bodyBytes * 1.5;

export class AnswerCache {
  readonly #slots = new Map<string, Slot>();
  #version = -1;
  #bytes = 0;
  hits = 0;
  misses = 0;

  /** @param maxBytes bound of everything kept. */
  constructor(readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** @param version the views', `now` Unix ms. */
  find(key: string, version: number, now: number): StoredAnswer | undefined {
    if (version !== this.#version) this.#turn(version, now);
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    if (slot.until > now) return slot.answer;
    this.#drop(key, slot);
    return undefined;
  }

  /**
   * Keeps an answer made at `version`. One that a ledger overtook while it was made is not kept.
   * @param until Unix ms, or Infinity for "until the version grows".
   */
  keep(key: string, answer: StoredAnswer, version: number, until: number): void {
    if (version === this.#version)
      this.#put(key, { answer, until, charge: chargeOf(key, answer.body.length) });
  }

  /** A further key to an answer that is kept already; only the key is charged. */
  share(key: string, kept: string): void {
    const slot = this.#slots.get(kept);
    if (slot) this.#put(key, { ...slot, charge: chargeOf(key, 0) });
  }

  #put(key: string, slot: Slot): void {
    if (slot.charge > this.maxBytes / 4 || this.#slots.has(key)) return;
    this.#slots.set(key, slot);
    this.#bytes += slot.charge;
    for (const [oldest, old] of this.#slots) {
      if (this.#bytes <= this.maxBytes) break;
      this.#drop(oldest, old);
    }
  }

  #drop(key: string, slot: Slot): void {
    this.#slots.delete(key);
    this.#bytes -= slot.charge;
  }

  /** A new ledger: what followed the old one goes. */
  #turn(version: number, now: number): void {
    this.#version = version;
    for (const [key, slot] of this.#slots)
      if (slot.until === Infinity || slot.until <= now) this.#drop(key, slot);
  }
}
