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

import { BURST_BUCKET } from './admission.ts';
import { type AdmissionSettings, endpointLimit, type TierSettings } from './admission-settings.ts';
import { DayWindows } from './day-windows.ts';
import type { FixedHeaders } from './stamp.ts';
import { TIERS, type Tier } from './tiers.ts';
import { AddressWindows, counted, leftOf, timeOf, WINDOW_WORDS } from './windows.ts';

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
const DAY_WINDOW = 3;

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
  /** The first is the burst of the address, the last the endpoint's, if it has one. */
  readonly layers: readonly Layer[];
  /** The same as arrays of numbers, which a request goes through. */
  readonly count: number;
  readonly limits: readonly number[];
  readonly lengths: readonly number[];
  readonly offsets: readonly number[];
  readonly hasEndpoint: boolean;
  /** All clients of an address share the endpoint's, whatever their tier. */
  readonly isEndpointPerAddress: boolean;
  /** Of the standard field `RateLimit-Policy`. */
  readonly policy: string;
  readonly fixed: FixedHeaders;
  readonly fixedWithCredits: FixedHeaders;
  /** Those of `X-RateLimit-*` and `X-RateLimit-Daily-Remaining` in `layers`; -1: none. */
  readonly shown: number;
  readonly daily: number;
  readonly tierIndex: number;
  readonly isPerAddress: boolean;
  /** Of an address in the table of endpoints: for this tier, and for all tiers. */
  readonly endpointPart: number;
  readonly addressPart: number;
}

/** How a client stands after a request that was admitted. */
export interface Standing {
  /** Headers that are the same for all clients with these limits; those with credits have their own. */
  readonly fixed: FixedHeaders;
  readonly fixedWithCredits: FixedHeaders;
  /** Of the window that `X-RateLimit-*` show; undefined: there is none. */
  readonly remaining: number | undefined;
  /** Seconds. */
  readonly reset: number;
  readonly dailyRemaining: number | undefined;
  /** The window with the fewest requests left, of several the one that ends last, for the standard field `RateLimit`. */
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

export class RateLimits {
  /** Those of a day, which outlive a restart. */
  readonly days: DayWindows;
  readonly #settings: AdmissionSettings;
  readonly #addresses: AddressWindows;
  readonly #addressEndpoints: AddressWindows;
  readonly #buckets: readonly string[];
  readonly #plans = new Map<string, Readonly<Record<Tier, Plan | undefined>>>();
  /** Where the windows of the layers lie while a request is asked about. */
  readonly #words: Int32Array[] = [];
  readonly #at: number[] = [];
  /** Requests counted in each until now. */
  readonly #used: number[] = [];

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
    this.days = new DayWindows(this.#addresses, DAY_WINDOW * WINDOW_WORDS);
    for (const [at, bucket] of this.#buckets.entries())
      this.#plans.set(
        bucket,
        Object.fromEntries(TIERS.map((tier) => [tier, this.#plan(tier, bucket, at)])) as Record<
          Tier,
          Plan | undefined
        >,
      );
  }

  /** Bytes of the tables. */
  get bytes(): number {
    return this.#addresses.words.byteLength + this.#addressEndpoints.words.byteLength;
  }

  /** The windows of one key; that of the day goes on where it was before the start. */
  keyWindows(id: string): Int32Array {
    const windows = new Int32Array((WINDOWS.length + this.#buckets.length) * WINDOW_WORDS);
    this.days.begin(id, windows);
    return windows;
  }

  /**
   * Counts a request, or says which window is full. undefined: the endpoint has no limits.
   * @param address what counts as one client; '' where it is not known: all those are one
   * @param windows of the key, made by {@link keyWindows}; of tiers whose limits belong to the address not read
   * @param now ms
   * @param times as how many requests it counts in the window of the endpoint: one that is larger than the whole window is
   *     admitted where that is empty, and fills it
   */
  take(
    bucket: string,
    tier: Tier,
    address: string,
    windows: Int32Array | undefined,
    now: number,
    times = 1,
  ): Standing | Full | undefined {
    const plan = this.#plans.get(bucket)?.[tier];
    if (!plan) return undefined;
    const time = timeOf(now);
    this.#locate(plan, address, windows, time);
    const { count: layers, limits, lengths } = plan;
    const words = this.#words;
    const at = this.#at;
    const used = this.#used;
    const endpoint = plan.hasEndpoint ? layers - 1 : -1;
    let isFull = false;
    for (let i = 0; i < layers; i++) {
      const count = counted(words[i]!, at[i]!, lengths[i]!, time);
      const others = i === endpoint && count > 0 ? times - 1 : 0;
      used[i] = count;
      if (count + others < limits[i]!) continue;
      isFull = true;
      used[i] = limits[i]!;
    }
    if (isFull) return this.#full(plan, time);
    for (let i = 0; i < layers; i++) {
      const place = at[i]!;
      const own = words[i]!;
      const count = used[i]!;
      if (count === 0) own[place] = time;
      // The request itself is counted by who reads them.
      if (i === endpoint) used[i] = count + times - 1;
      own[place + 1] = used[i]! + 1;
    }
    const { daily } = plan;
    if (daily >= 0)
      if (words[daily] === windows) this.days.keyCounted(windows!);
      else this.days.addressCounted(at[daily]!);
    return this.#standing(plan, time);
  }

  /** Finds the windows of a plan. The entry that all clients of an address share is that of the anonymous tier. */
  #locate(plan: Plan, address: string, windows: Int32Array | undefined, time: number): void {
    const { count, offsets, tierIndex, isPerAddress, hasEndpoint } = plan;
    const table = this.#addresses;
    const words = this.#words;
    const at = this.#at;
    const hash = table.hash(address);
    const tag = table.tag(address, hash);
    const shared = table.at(hash, tag, 0, time);
    const isOwn = !isPerAddress && windows !== undefined;
    const own = isOwn ? 0 : tierIndex === 0 ? shared : table.at(hash, tag, tierIndex, time);
    const ownWords = isOwn ? windows : table.words;
    words[0] = table.words;
    at[0] = shared + offsets[0]!;
    for (let i = 1; i < count; i++) {
      words[i] = ownWords;
      at[i] = own + offsets[i]!;
    }
    const isShared = plan.isEndpointPerAddress;
    if (!hasEndpoint || (isOwn && !isShared)) return;
    const last = count - 1;
    words[last] = this.#addressEndpoints.words;
    at[last] = this.#addressEndpoints.at(hash, tag, isShared ? plan.addressPart : plan.endpointPart, time);
  }

  /** The full window that ends last: asking before is of no use. */
  #full({ layers, policy }: Plan, time: number): Full {
    let full: Layer | undefined;
    let wait = -1;
    for (const [i, layer] of layers.entries()) {
      if (this.#used[i]! < layer.limit) continue;
      const left = leftOf(this.#words[i]!, this.#at[i]!, layer.windowMs, time);
      if (left > wait) [full, wait] = [layer, left];
    }
    return refusal(full!, wait, policy);
  }

  #standing(plan: Plan, time: number): Standing {
    const { count, limits, shown, daily } = plan;
    const used = this.#used;
    let nearest = 0;
    let fewest = limits[0]! - used[0]!;
    for (let i = 1; i < count; i++) {
      const left = limits[i]! - used[i]!;
      // Of those with as few left, the one that keeps the client waiting.
      if (left > fewest || (left === fewest && !this.#endsLater(plan, i, nearest, time))) continue;
      nearest = i;
      fewest = left;
    }
    const nearestReset = this.#secondsLeft(plan, nearest, time);
    const reset = shown === nearest ? nearestReset : shown < 0 ? 0 : this.#secondsLeft(plan, shown, time);
    return {
      fixed: plan.fixed,
      fixedWithCredits: plan.fixedWithCredits,
      remaining: shown < 0 ? undefined : limits[shown]! - used[shown]! - 1,
      reset,
      dailyRemaining: daily < 0 ? undefined : limits[daily]! - used[daily]! - 1,
      nearest: plan.layers[nearest]!.name,
      nearestRemaining: Math.max(0, fewest - 1),
      nearestReset,
    };
  }

  #endsLater({ lengths }: Plan, i: number, other: number, time: number): boolean {
    const words = this.#words;
    const at = this.#at;
    return (
      leftOf(words[i]!, at[i]!, lengths[i]!, time) > leftOf(words[other]!, at[other]!, lengths[other]!, time)
    );
  }

  #secondsLeft({ lengths }: Plan, i: number, time: number): number {
    return Math.ceil(leftOf(this.#words[i]!, this.#at[i]!, lengths[i]!, time) / SECOND);
  }

  #plan(tier: Tier, bucket: string, bucketIndex: number): Plan | undefined {
    const { unlimited, addressBurst, tiers, endpoints } = this.#settings;
    if (unlimited.some((prefix) => bucket === prefix || bucket.startsWith(`${prefix}/`))) return undefined;
    const ofTier = tiers[tier];
    const hasBurstAlone = bucket === BURST_BUCKET;
    const layers: Layer[] = [
      {
        name: 'address',
        limit: addressBurst.limit,
        windowMs: addressBurst.windowMs,
        of: 'address',
        offset: WINDOWS.length * WINDOW_WORDS,
      },
      ...(hasBurstAlone ? [] : tierLayers(ofTier, bucket)),
    ];
    // Section 8.1: the minute of clients without a key, the second of those with one.
    const shown = layers.findIndex(({ name }) => name === (tier === 'anonymous' ? 'minute' : 'second'));
    const daily = layers.findIndex(({ name }) => name === 'day');
    const limit = hasBurstAlone ? undefined : endpointLimit(this.#settings, tier, bucket);
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
    const fixed: FixedHeaders = [
      ...(shown < 0 ? [] : [['X-RateLimit-Limit', String(layers[shown]!.limit)] as const]),
      ['RateLimit-Policy', policy],
    ];
    const headers = { fixed, fixedWithCredits: [...fixed] };
    const last = layers.at(-1)!.of;
    return {
      layers,
      count: layers.length,
      limits: layers.map(({ limit }) => limit),
      lengths: layers.map(({ windowMs }) => windowMs),
      offsets: layers.map(({ offset }) => offset),
      hasEndpoint: last === 'endpoint' || last === 'addressEndpoint',
      isEndpointPerAddress: last === 'addressEndpoint',
      policy,
      ...headers,
      shown,
      daily,
      tierIndex: TIERS.indexOf(tier),
      isPerAddress,
      endpointPart: (TIERS.indexOf(tier) + 1) * 4096 + bucketIndex + 1,
      addressPart: bucketIndex + 1,
    };
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
