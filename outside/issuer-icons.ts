/**
 * Reads the icons of issuers when somebody looks at their tokens, and keeps them over a restart.
 *
 *     form(address) -- known: its bytes, from the store --> reader
 *          `-- not known, or too old --> queue, bounded --> fetch --> decode in a process of its own --> store
 *
 * Goals: an address, which any issuer can write, makes this service connect to public addresses only (public-fetch.ts), for a
 * bounded time and size; what is decoded does no harm (workers/image-encoder.ts); a host that is slow or gone does not hold up
 * the others (fetch-queue.ts); what was read is not read again for a week, what could not be not for a day, and where the host
 * did not answer not for an hour. The disk is bounded: beyond ICONS_MAX the one that was read first goes.
 * Non-goals: animations, vector pictures.
 */
import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../engine/ripple-time.ts';
import type { EncodedImage, ImageEncoder } from '../platform/images.ts';
import { IMAGE_BYTES_MAX, ImageError } from '../platform/images.ts';
import {
  ICONS_MAX,
  type IconRecord,
  ISSUER_ICON_FORMS,
  ISSUER_ICONS,
  type IssuerIcon,
  type IssuerIcons,
} from '../platform/issuer-icons.ts';
import type { PlatformStore } from '../platform/store.ts';
import { type FetchBounds, OutsideError } from './bounded-fetch.ts';
import { type FetchJob, FetchQueue } from './fetch-queue.ts';
import type { ReadPublic } from './public-fetch.ts';

const KEPT_MS = 7 * DAY_MS;
const RETRY_MS = DAY_MS;
const RETRY_HOST_MS = HOUR_MS;
/** An answer takes IMAGE_BYTES_MAX, and the encoder lets as many wait: some hosts that do not answer for 8 s hold up none of the others. */
const LIMITS = { atOnce: 16, atOncePerHost: () => 2, waiting: 500 };
const BOUNDS: FetchBounds = { timeoutMs: 8_000, bytesMax: IMAGE_BYTES_MAX };

export interface IconParts {
  readonly read: ReadPublic;
  readonly encoder: ImageEncoder;
  /** Unix ms. */
  readonly now: () => number;
  /** Addresses that are kept; default: ICONS_MAX. */
  readonly most?: number;
}

interface Job extends FetchJob {
  readonly address: string;
}

export class StoredIssuerIcons implements IssuerIcons {
  readonly #parts: IconParts;
  readonly #most: number;
  #store: PlatformStore | undefined;
  /** By the hash of the address, the one that was asked for first first. */
  readonly #known = new Map<string, IconRecord>();
  /** By the hash of the address. */
  readonly #queue: FetchQueue<Job>;
  /** One is kept after another: each that is new takes the place of one. */
  #kept: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: IconParts) {
    this.#parts = parts;
    this.#most = parts.most ?? ICONS_MAX;
    this.#queue = new FetchQueue(
      LIMITS,
      () => performance.now(),
      (job) => this.#run(job),
    );
  }

  attach(store: PlatformStore): void {
    const rows: [string, IconRecord][] = [];
    store.walk(ISSUER_ICONS, {}, (record, [hash]) => {
      rows.push([String(hash), record]);
      return true;
    });
    rows.sort(([, a], [, b]) => a.until - b.until);
    for (const [hash, record] of rows) this.#known.set(hash, record);
    this.#store = store;
  }

  form(address: string, side: number): IssuerIcon | undefined {
    if (!this.#store) return undefined;
    const hash = createHash('sha256').update(address).digest('hex');
    const known = this.#known.get(hash);
    if (!known || known.until <= this.#parts.now())
      this.#queue.ask({ key: hash, host: URL.parse(address)?.hostname ?? '', address });
    if (known?.changedAt === undefined) return undefined;
    const bytes = this.#store.get(ISSUER_ICON_FORMS, [hash, side]);
    return bytes && { bytes, changedAt: known.changedAt };
  }

  /** Addresses that wait or are being read. */
  get waiting(): number {
    return this.#queue.waiting + this.#queue.running;
  }

  /** Asks for nothing more. */
  close(): void {
    this.#closed = true;
    this.#queue.close();
  }

  /** @returns whether the host has answered */
  async #run({ key, address }: Job): Promise<boolean> {
    let image: EncodedImage | undefined;
    let hasAnswered = true;
    try {
      image = await this.#parts.encoder.encode(await this.#parts.read(new URL(address), BOUNDS));
    } catch (fault) {
      // There is none that can be read: that is ordinary, so nothing is logged.
      if (fault instanceof ImageError && fault.kind === 'busy') return true;
      hasAnswered = !(fault instanceof OutsideError && fault.isOfHost);
    }
    const retryMs = hasAnswered ? RETRY_MS : RETRY_HOST_MS;
    const keep = () => (this.#closed ? undefined : this.#keep(key, image, retryMs));
    this.#kept = this.#kept.then(keep).catch(() => undefined);
    await this.#kept;
    return hasAnswered;
  }

  async #keep(hash: string, image: EncodedImage | undefined, retryMs: number): Promise<void> {
    const now = this.#parts.now();
    const before = this.#known.get(hash);
    // What was read before stays while nothing else can be read.
    const changedAt = image ? now : before?.changedAt;
    const record: IconRecord = {
      ...(changedAt !== undefined && { changedAt }),
      until: now + (image ? KEPT_MS : retryMs),
    };
    const full = !before && this.#known.size >= this.#most;
    const oldest = full ? this.#known.keys().next().value : undefined;
    await this.#store!.transaction((transaction) => {
      if (oldest !== undefined) {
        transaction.delete(ISSUER_ICONS, [oldest]);
        const sides: number[] = [];
        transaction.walk(ISSUER_ICON_FORMS, { prefix: [oldest] }, (_, [, side]) => {
          sides.push(Number(side));
          return true;
        });
        for (const side of sides) transaction.delete(ISSUER_ICON_FORMS, [oldest, side]);
      }
      transaction.put(ISSUER_ICONS, [hash], record);
      for (const [side, bytes] of image?.forms ?? []) transaction.put(ISSUER_ICON_FORMS, [hash, side], bytes);
    });
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.delete(hash);
    this.#known.set(hash, record);
  }
}
