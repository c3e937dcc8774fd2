/**
 * Finished answers, kept as bytes.
 *
 * Goal: a repeated GET costs one map lookup. Non-goal: serving stale answers.
 *
 *     address as it was sent ──> answer ──> body, gzip, zstd (each compressed once, on first demand)
 *                                  ^
 *     route + read parameters ─────┘   (second level: other spellings of the same request share the answer)
 *
 * Answers that depend on the ledger are valid for one version of the views and are dropped together when it increases.
 * Answers that are kept for seconds carry their time of expiry. Both levels count against one limit in bytes, and the
 * oldest are dropped first, so that a flood of distinct addresses cannot fill the memory.
 */

import { type FixedHeaders, type Stamp, StampedHeaders } from '../requests/stamp.ts';
import type { AnswerTally } from './answer-tally.ts';
import type { HeadedBytes } from './headed-bytes.ts';
import type { Route } from './route.ts';

/** One encoding of an answer, ready to send. */
export interface Encoded {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The same for clients that pay: without the credit. undefined: it is cut out of the body. */
  readonly headed: HeadedBytes | undefined;
  /** What these got last; of small answers only. */
  uncredited?: Uint8Array<ArrayBuffer>;
  /** Complete except for the request id, which the sender sets before it copies them. */
  readonly headers: KeptHeaders;
  /** The same for a request from another origin. */
  crossOrigin(): KeptHeaders;
}

/** Clients with as many kinds of limits have headers that are kept; there are hardly more at a time. */
const STAMPED_MAX = 4;

/** Headers of an answer, and the same with those of clients that have limits. */
export class KeptHeaders {
  readonly plain: Headers;
  #stamped: Map<FixedHeaders, StampedHeaders> | undefined;
  /** Those that were asked for last. */
  #newest: StampedHeaders | undefined;
  #newestFixed: FixedHeaders | undefined;

  constructor(plain: Headers) {
    this.plain = plain;
  }

  /** Valid until the next call. */
  for(stamp: Stamp | undefined): Headers {
    if (!stamp) return this.plain;
    const { fixed } = stamp;
    if (fixed !== this.#newestFixed) {
      this.#stamped ??= new Map();
      this.#newest = this.#stamped.get(fixed) ?? this.#add(this.#stamped, fixed);
      this.#newestFixed = fixed;
    }
    const found = this.#newest!;
    stamp.write(found);
    return found.headers;
  }

  #add(stamped: Map<FixedHeaders, StampedHeaders>, fixed: FixedHeaders): StampedHeaders {
    const added = new StampedHeaders(new Headers(this.plain), fixed);
    if (stamped.size >= STAMPED_MAX) stamped.clear();
    stamped.set(fixed, added);
    return added;
  }
}

/** A finished 200 answer. Its content never changes; only further encodings are added. */
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
    /** The row it answers: each further request for it must be admitted to that row. */
    readonly row: Route,
    /** Counts each time it is sent. */
    readonly tally: AnswerTally,
    /** The token of which it is a page. */
    readonly viewed?: string | undefined,
    /** Where the body says whose data it is, which clients that pay do not get. */
    readonly credit?: { readonly from: number; readonly to: number } | undefined,
  ) {}
}

interface CacheEntry {
  readonly answer: StoredAnswer;
  /** Unix ms: a clock that was set back to before that does not keep it for longer. */
  readonly from: number;
  /** Unix ms; Infinity = until the views' version increases. */
  readonly until: number;
  readonly charge: number;
}

const isValid = ({ from, until }: CacheEntry, now: number): boolean => from <= now && now < until;

/** Bytes that a map entry costs in addition to its key and its answer. */
const ENTRY_OVERHEAD = 200;

/** Answers up to so many bytes are kept without their credit, too: making that again for each client takes 0.3 us, and leaves garbage. */
export const KEPT_TWICE_MAX = 4096;

/** Compressed forms are estimated at half of the body. */
const chargeOf = (key: string, bodyBytes: number) =>
  key.length * 2 + ENTRY_OVERHEAD + bodyBytes * (bodyBytes <= KEPT_TWICE_MAX ? 3 : 1.5);

export class AnswerCache {
  readonly #entries = new Map<string, CacheEntry>();
  #version = -1;
  #bytes = 0;
  hits = 0;
  misses = 0;

  /** @param maxBytes limit of the bytes of all entries. */
  constructor(readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param version the version of the views, `now` Unix ms. */
  find(key: string, version: number, now: number): StoredAnswer | undefined {
    if (version !== this.#version) this.#invalidate(version, now);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (isValid(entry, now)) return entry.answer;
    this.#drop(key, entry);
    return undefined;
  }

  /**
   * Keeps an answer made at `version`, unless a ledger was applied while it was made.
   * @param until Unix ms, or Infinity for "until the version increases". @param from Unix ms: when it was made
   */
  keep(key: string, answer: StoredAnswer, version: number, until: number, from = 0): void {
    if (version === this.#version)
      this.#put(key, { answer, from, until, charge: chargeOf(key, answer.body.length) });
  }

  /** Adds a further key to an answer that is kept already; only the key counts against the limit. */
  share(key: string, kept: string): void {
    const entry = this.#entries.get(kept);
    if (entry) this.#put(key, { ...entry, charge: chargeOf(key, 0) });
  }

  #put(key: string, entry: CacheEntry): void {
    if (entry.charge > this.maxBytes / 4 || this.#entries.has(key)) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.charge;
    for (const [oldest, old] of this.#entries) {
      if (this.#bytes <= this.maxBytes) break;
      this.#drop(oldest, old);
    }
  }

  #drop(key: string, entry: CacheEntry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.charge;
  }

  /** The version increased: drops the answers that depend on it. */
  #invalidate(version: number, now: number): void {
    this.#version = version;
    for (const [key, entry] of this.#entries)
      if (entry.until === Infinity || !isValid(entry, now)) this.#drop(key, entry);
  }
}
