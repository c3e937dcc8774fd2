/**
 * The four layers of section 8.1 of the contract. All are asked before anything is counted, so that a refused request uses
 * nothing up and each window admits exactly its limit; the fullest one is what the headers show.
 *
 *     address   100 in 2 s, whoever sends them
 *     tier      1 s (burst), 10 s (sustained), a minute, a day      by address, or by key
 *     endpoint  a minute, by path prefix                            the same
 *     submit    1 s, for transactions                               the same
 *
 * Cost: about 0.4 us a request of a key, whose windows lie together, 0.6 us of an address. Memory: see windows.ts; a key
 * has 16 bytes for each endpoint that there is.
 */

import { type AdmissionSettings, endpointLimit, type TierSettings } from './admission-settings.ts';
import { TIERS, type Tier } from './tiers.ts';
import { AddressWindows, count, counted, leftOf, WINDOW_WORDS } from './windows.ts';

const SECOND = 1000;
const TEN_SECONDS = 10 * SECOND;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Where transactions are sent to. */
const SUBMIT = '/submit';

/** Addresses whose windows are kept, and pairs of address and endpoint. */
const ADDRESSES = 1 << 20;
const ADDRESS_ENDPOINTS = 1 << 20;

/** Windows of a subject: second, ten seconds, minute, day, submit, and, of an address, its burst. */
const WINDOWS = [SECOND, TEN_SECONDS, MINUTE, DAY, SECOND] as const;
const OF_ADDRESS = WINDOWS.length + 1;

/** One window that a request must pass. */
interface Layer {
  /** Named in the standard fields and in refusals. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** What its counter belongs to. */
  readonly of: 'address' | 'subject' | 'endpoint' | 'addressEndpoint';
  /** Words from the beginning of the subject's windows. */
  readonly offset: number;
}

/** What requests of one tier to one endpoint must pass. */
interface Plan {
  readonly layers: readonly Layer[];
  /** Of the standard field `RateLimit-Policy`. */
  readonly policy: string;
  /** Those of `X-RateLimit-*` and `X-RateLimit-Daily-Remaining` in `layers`; -1: none. */
  readonly shown: number;
  readonly daily: number;
  readonly tierIndex: number;
  readonly isPerAddress: boolean;
  readonly bucketIndex: number;
}

/** How a client stands after a request that was admitted. */
export interface Standing {
  /** Of the window that `X-RateLimit-*` show; undefined: no limit. */
  readonly limit: number | undefined;
  readonly remaining: number;
  /** Seconds. */
  readonly reset: number;
  readonly dailyRemaining: number | undefined;
  readonly policy: string;
  /** The window with the fewest requests left, for the standard field `RateLimit`. */
  readonly nearest: string;
  readonly nearestRemaining: number;
  /** Seconds. */
  readonly nearestReset: number;
}

/** A window that is full. */
export interface Full {
  readonly bucket: string;
  readonly limit: number;
  readonly remaining: 0;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
  readonly policy: string;
}

/** Whose windows are asked: an address, and a key where the tier's limits are the key's. */
export interface Subject {
  /** What counts as one client; '' where it is not known: all those are one. */
  readonly address: string;
  readonly tier: Tier;
  /** Made by {@link RateLimits.keyWindows}; of tiers whose limits belong to the address it is not read. */
  readonly windows: Uint32Array | undefined;
}

export class RateLimits {
  readonly #settings: AdmissionSettings;
  readonly #addresses: AddressWindows;
  readonly #addressEndpoints: AddressWindows;
  readonly #buckets: readonly string[];
  readonly #plans = new Map<string, readonly (Plan | undefined)[]>();
  /** Where the windows of the layers lie while a request is asked about. */
  readonly #words: Uint32Array[] = [];
  readonly #at: number[] = [];

  /** @param buckets of all rows */
  constructor(
    settings: AdmissionSettings,
    buckets: Iterable<string>,
    sizes: readonly [number, number] = [ADDRESSES, ADDRESS_ENDPOINTS],
  ) {
    this.#settings = settings;
    this.#buckets = [...new Set(buckets)];
    this.#addresses = new AddressWindows(sizes[0], OF_ADDRESS, DAY);
    this.#addressEndpoints = new AddressWindows(sizes[1], 1, MINUTE);
    for (const [at, bucket] of this.#buckets.entries())
      this.#plans.set(
        bucket,
        TIERS.map((tier) => this.#plan(tier, bucket, at)),
      );
  }

  /** Bytes of the tables. */
  get bytes(): number {
    return this.#addresses.words.byteLength + this.#addressEndpoints.words.byteLength;
  }

  /** The windows of one key. */
  keyWindows(): Uint32Array {
    return new Uint32Array((WINDOWS.length + this.#buckets.length) * WINDOW_WORDS);
  }

  /**
   * Counts a request, or says which window is full. undefined: the endpoint has no limits.
   * @param now ms
   */
  take(bucket: string, { address, tier, windows }: Subject, now: number): Standing | Full | undefined {
    const plan = this.#plans.get(bucket)?.[TIERS.indexOf(tier)];
    if (!plan) return undefined;
    this.#locate(plan, address, windows, now);
    const { layers } = plan;
    const [words, at] = [this.#words, this.#at];
    let full: Layer | undefined;
    let wait = 0;
    for (let i = 0; i < layers.length; i++) {
      const layer = layers[i]!;
      if (counted(words[i]!, at[i]!, layer.windowMs, now) < layer.limit) continue;
      const left = leftOf(words[i]!, at[i]!, layer.windowMs, now);
      if (full === undefined || left > wait) [full, wait] = [layer, left];
    }
    if (full !== undefined) return refusal(full, wait, plan.policy);
    for (let i = 0; i < layers.length; i++) count(words[i]!, at[i]!, layers[i]!.windowMs, now);
    return this.#standing(plan, now);
  }

  /** How many requests of the day an address or a key has sent. */
  today({ address, tier, windows }: Subject, now: number): number {
    const own = this.#settings.tiers[tier].isPerAddress ? undefined : windows;
    const tierAt = TIERS.indexOf(tier);
    const words = own ?? this.#addresses.words;
    const at = own ? 0 : this.#addressAt(address, tierAt, now);
    return counted(words, at + 3 * WINDOW_WORDS, DAY, now);
  }

  #addressAt(address: string, part: number, now: number): number {
    const table = this.#addresses;
    return table.at(table.hash(address), table.tag(address), part, now);
  }

  /** Finds the windows of a plan. The entry that all clients of an address share is that of the anonymous tier. */
  #locate(plan: Plan, address: string, windows: Uint32Array | undefined, now: number): void {
    const { layers, tierIndex, isPerAddress, bucketIndex } = plan;
    const table = this.#addresses;
    const [hash, tag] = [table.hash(address), table.tag(address)];
    const shared = table.at(hash, tag, 0, now);
    const isOwn = !isPerAddress && windows !== undefined;
    const own = isOwn || tierIndex === 0 ? shared : table.at(hash, tag, tierIndex, now);
    for (let i = 0; i < layers.length; i++) {
      const { of, offset } = layers[i]!;
      if (of === 'address') {
        this.#words[i] = table.words;
        this.#at[i] = shared + offset;
      } else if (of === 'addressEndpoint' || (of === 'endpoint' && !isOwn)) {
        const part = (of === 'endpoint' ? (tierIndex + 1) * 4096 : 0) + bucketIndex + 1;
        this.#words[i] = this.#addressEndpoints.words;
        this.#at[i] = this.#addressEndpoints.at(hash, tag, part, now);
      } else {
        this.#words[i] = isOwn ? windows : table.words;
        this.#at[i] = (isOwn ? 0 : own) + offset;
      }
    }
  }

  #standing({ layers, policy, shown, daily }: Plan, now: number): Standing {
    const [words, at] = [this.#words, this.#at];
    const remaining = (i: number) => layers[i]!.limit - counted(words[i]!, at[i]!, layers[i]!.windowMs, now);
    const reset = (i: number) => Math.ceil(leftOf(words[i]!, at[i]!, layers[i]!.windowMs, now) / SECOND);
    let nearest = 0;
    let fewest = remaining(0);
    for (let i = 1; i < layers.length; i++) {
      const left = remaining(i);
      if (left < fewest) [nearest, fewest] = [i, left];
    }
    return {
      limit: shown < 0 ? undefined : layers[shown]!.limit,
      remaining: shown < 0 ? 0 : remaining(shown),
      reset: shown < 0 ? 0 : reset(shown),
      dailyRemaining: daily < 0 ? undefined : remaining(daily),
      policy,
      nearest: layers[nearest]!.name,
      nearestRemaining: fewest,
      nearestReset: reset(nearest),
    };
  }

  #plan(tier: Tier, bucket: string, bucketIndex: number): Plan | undefined {
    const { unlimited, addressBurst, tiers, endpoints } = this.#settings;
    if (unlimited.some((prefix) => bucket === prefix || bucket.startsWith(`${prefix}/`))) return undefined;
    const ofTier = tiers[tier];
    const layers: Layer[] = [
      {
        name: 'address',
        limit: addressBurst.limit,
        windowMs: addressBurst.windowMs,
        of: 'address',
        offset: WINDOWS.length * WINDOW_WORDS,
      },
      ...tierLayers(ofTier, bucket),
    ];
    // Section 8.1: the minute of clients without a key, the second of those with one.
    const shown = layers.findIndex(({ name }) => name === (tier === 'anonymous' ? 'minute' : 'second'));
    const daily = layers.findIndex(({ name }) => name === 'day');
    const limit = endpointLimit(this.#settings, tier, bucket);
    if (limit !== undefined)
      layers.push({
        name: bucket,
        limit,
        windowMs: MINUTE,
        of: endpoints[bucket]?.isPerAddress ? 'addressEndpoint' : 'endpoint',
        offset: (WINDOWS.length + bucketIndex) * WINDOW_WORDS,
      });
    const policy = layers
      .map(({ name, limit, windowMs }) => `"${name}";q=${limit};w=${windowMs / SECOND}`)
      .join(', ');
    const { isPerAddress } = ofTier;
    return { layers, policy, shown, daily, tierIndex: TIERS.indexOf(tier), isPerAddress, bucketIndex };
  }
}

function tierLayers(
  { burst, perTenSeconds, perMinute, perDay, submitPerSecond }: TierSettings,
  bucket: string,
): Layer[] {
  const limits: readonly [string, number | undefined][] = [
    ['second', burst],
    ['ten seconds', perTenSeconds],
    ['minute', perMinute],
    ['day', perDay],
    ['submit', bucket === SUBMIT ? submitPerSecond : undefined],
  ];
  return limits.flatMap(([name, limit], at) =>
    limit === undefined
      ? []
      : [{ name, limit, windowMs: WINDOWS[at]!, of: 'subject' as const, offset: at * WINDOW_WORDS }],
  );
}

function refusal({ name, limit, windowMs }: Layer, waitMs: number, policy: string): Full {
  return {
    bucket: name,
    limit,
    remaining: 0,
    windowSeconds: windowMs / SECOND,
    resetSeconds: name === 'address' ? windowMs / SECOND : waitMs / SECOND,
    policy,
  };
}

export const isFull = (result: Standing | Full): result is Full => 'bucket' in result;
