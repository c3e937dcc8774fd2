/**
 * Metadata and pictures of NFTs, fetched from what their URIs name.
 *
 *     an NFT is shown (ask) ---------.
 *     NFTs that nobody looks at,      > queue -> read, bounded -> JSON: content, stored -> its picture, where somebody asked
 *     newest first, a few a second --'                 `-> a picture -> encoder, a process of its own -> forms, stored
 *
 * Goals: what was fetched is not fetched again, also after a crash (platform/nft-media.ts); a URI that cannot be read is
 * asked for again later and later; time, bytes, requests and memory are bounded, whatever servers do; nothing is shown as
 * it came. Non-goals: videos, sounds, SVG.
 *
 * Cost: at most AT_ONCE answers in memory, of at most PICTURE_BYTES_MAX each. The walk looks at ROWS_A_STEP NFTs a step,
 * some microseconds each.
 */
import type { Clock } from '../engine/ledger/clock.ts';
import { DAY, HOUR, HOUR_MS, MINUTE, WEEK } from '../engine/ripple-time.ts';
import { type ImageEncoder, ImageError } from '../platform/images.ts';
import { isDue, type KnownUri, type NftMediaStore } from '../platform/nft-media.ts';
import type { NftContent, NftMetadata } from '../platform/nft-metadata.ts';
import type { NftPictures } from '../platform/nft-pictures.ts';
import { type FetchBounds, OutsideError } from './bounded-fetch.ts';
import { FetchQueue } from './fetch-queue.ts';
import { isPicture, readContent } from './nft-content.ts';
import { absoluteUri, type Gateways, type Named, namedBy } from './nft-uris.ts';
import type { ReadPublic } from './public-fetch.ts';

/** Metadata has 1 to 4 KB, and up to some hundred with a picture inside; parsing this takes 2 ms. */
export const METADATA_BYTES_MAX = 256 * 1024;
/** Of pictures of NFTs, as they are minted, nearly all are smaller. */
export const PICTURE_BYTES_MAX = 8 * 1024 * 1024;
/** Gateways look for a content for up to a minute; what takes longer than this comes with a later try. */
const TIMEOUT_MS = 15_000;
const AT_ONCE = 6;
const AT_ONCE_PER_HOST = 2;
/** A gateway stands for many hosts. */
const AT_ONCE_BY_GATEWAYS = 4;
const WAITING_MAX = 2_000;
/** Until a URI that could not be read is asked for again, s; the last for all further times. */
const RETRY_S = [10 * MINUTE, HOUR, 6 * HOUR, DAY, WEEK, 30 * DAY] as const;
/** Content at an address of the web may change: it is asked for again when somebody looks after this time, s. */
const REFRESH_S = 30 * DAY;
/** Steps of the walk, and how many NFTs one looks at; nothing more is asked for while this many wait. */
const STEP_MS = 250;
const ROWS_A_STEP = 200;
const WAITING_ENOUGH = 20;
/** The walk begins again after this time, for what has changed and what is to be tried again. */
const WALK_AGAIN_MS = 6 * HOUR_MS;
/** What nobody asked for does not take the last of the room. */
const WALK_ROOM = 0.9;
/** Readers see what was added together: each time, what they were shown is made again. */
const SHOWN_AFTER_MS = 2_000;
const WRITE_ASKED_MS = 60_000;
/** What is shown again within this time is not looked at again; so many NFTs are known to have been shown. */
const ASK_AGAIN_MS = 60_000;
const ASKED_MAX = 50_000;
/** How long a gateway is left alone that does not answer or wants no more. */
const GATEWAY_REST_MS = 60_000;

/** The NFTs of a network, by row; the newest is the last. */
export interface NftUris {
  readonly count: number;
  /** undefined: it does not exist any more, or has none. */
  uriOf(row: number): string | undefined;
  /** @returns 0: there is none */
  find(id: string): number;
}

export interface NftMediaParts {
  readonly nfts: NftUris;
  readonly store: NftMediaStore;
  readonly read: ReadPublic;
  readonly encoder: ImageEncoder;
  readonly gateways: Gateways;
  readonly clock: Clock;
  /** Unix ms. */
  readonly unixMs: () => number;
  /** NFTs that nobody looks at, asked for in a step. */
  readonly walkedAStep: number;
}

const MEDIA_OUTCOMES = ['metadata', 'picture', 'refused', 'unreachable'] as const;
export type MediaOutcome = (typeof MEDIA_OUTCOMES)[number];

interface Job {
  readonly key: string;
  readonly host: string;
  readonly named: Named;
  /** Somebody waits: its picture is fetched, too. Also of one that the walk had asked for before. */
  isAsked: boolean;
  /** It should be a picture. */
  readonly isPicture: boolean;
}

export class FetchedNftMedia implements NftMetadata, NftPictures {
  version = 0;
  /** What became of what was fetched, since the start. */
  readonly outcomes: Record<MediaOutcome, number> = { metadata: 0, picture: 0, refused: 0, unreachable: 0 };
  readonly #parts: NftMediaParts;
  readonly #queue: FetchQueue<Job>;
  readonly #gatewayRests = new Map<string, number>();
  readonly #ipfsHosts: readonly string[];
  readonly #timers = new Set<() => void>();
  readonly #asked = new Set<string>();
  #askedUntil = 0;
  #isChanged = false;
  #closed = false;
  /** The walk: rows from #low up to #high are done. */
  #low = 0;
  #high = 0;
  #walkAgainAt = 0;

  constructor(parts: NftMediaParts) {
    this.#parts = parts;
    const limits = {
      atOnce: AT_ONCE,
      atOncePerHost: (host: string) => (host === GATEWAYS ? AT_ONCE_BY_GATEWAYS : AT_ONCE_PER_HOST),
      waiting: WAITING_MAX,
    };
    this.#ipfsHosts = parts.gateways.ipfs.flatMap((address) => URL.parse(address)?.host ?? []);
    this.#queue = new FetchQueue(limits, parts.clock.now, (job) => this.#run(job));
  }

  get waiting(): number {
    return this.#queue.waiting + this.#queue.running;
  }

  get bytes() {
    return this.#parts.store.bytes;
  }

  content(id: string): NftContent | undefined {
    const { store } = this.#parts;
    const uri = this.#uriOf(id);
    const known = uri === undefined ? undefined : store.known(uri);
    if (!known?.content) return undefined;
    const { image, ...content } = known.content;
    const picture = known.picture ?? (image === undefined ? undefined : store.known(image)?.picture);
    return store.hasPicture(picture) ? { ...content, imageHash: picture } : content;
  }

  ask(id: string): void {
    if (this.#hasAsked(id)) return;
    const uri = this.#uriOf(id);
    if (uri === undefined || this.#closed) return;
    const { store } = this.#parts;
    store.markAsked(uri);
    const known = store.known(uri);
    const isGone = known?.picture !== undefined && !store.hasPicture(known.picture);
    if (known === undefined || isGone || this.#isDue(known)) this.#fetch(uri, { isAsked: true });
    else if (known.content?.image !== undefined) this.#askPicture(known.content.image);
  }

  likeness(imageHash: string): string | undefined {
    return this.#parts.store.likeness(imageHash);
  }

  form(hash: string, width: number): Uint8Array | undefined {
    return this.#parts.store.form(hash, width);
  }

  /** Begins with the walk over all NFTs. */
  start(): void {
    this.#low = this.#high = this.#parts.nfts.count;
    this.#repeat(STEP_MS, () => this.#walk());
    this.#repeat(WRITE_ASKED_MS, () => void this.#parts.store.writeAsked().catch(() => undefined));
  }

  /** Asks for nothing more. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#queue.close();
  }

  #uriOf(id: string): string | undefined {
    const { nfts } = this.#parts;
    const row = nfts.find(id);
    return row === 0 ? undefined : nfts.uriOf(row);
  }

  #isDue(known: KnownUri): boolean {
    return isDue(known, this.#parts.unixMs());
  }

  /** Rows are shown again and again: each is looked at once in a while. */
  #hasAsked(id: string): boolean {
    const now = this.#parts.clock.now();
    if (now >= this.#askedUntil || this.#asked.size >= ASKED_MAX) {
      this.#asked.clear();
      this.#askedUntil = now + ASK_AGAIN_MS;
    }
    if (this.#asked.has(id)) return true;
    this.#asked.add(id);
    return false;
  }

  #askPicture(uri: string): void {
    const { store } = this.#parts;
    store.markAsked(uri);
    const known = store.known(uri);
    const isHeld = store.hasPicture(known?.picture);
    if (known === undefined || this.#isDue(known) || (!isHeld && known.failures === 0))
      this.#fetch(uri, { isAsked: true, isPicture: true });
  }

  #fetch(uri: string, how: { readonly isAsked?: boolean; readonly isPicture?: boolean }): void {
    const { isAsked = false, isPicture = false } = how;
    const named = namedBy(uri, this.#parts.gateways);
    if (named) {
      const [first] = named.places;
      const host = named.isOfGateways || !first ? GATEWAYS : first.hostname;
      const known = isAsked ? this.#queue.find(uri) : undefined;
      if (known) known.isAsked = true;
      this.#queue.ask({ key: uri, host, named, isAsked, isPicture }, !isAsked);
    } else {
      const nothing = new OutsideError('it names nothing that can be read');
      void this.#refuse(uri, nothing).catch(() => undefined);
    }
  }

  /** @returns whether the host has answered */
  async #run(job: Job): Promise<boolean> {
    try {
      const { bytes, place } = await this.#read(job.named);
      if (this.#closed) return true;
      await this.#take(job, bytes, place);
      return true;
    } catch (fault) {
      // The encoder has no place, no gateway is to be asked, the store is full or closed: it is asked for again.
      if (this.#closed || !isRefusal(fault)) return true;
      await this.#refuse(job.key, fault).catch(() => undefined);
      return job.named.isOfGateways || !(fault instanceof OutsideError && fault.isOfHost);
    }
  }

  /** From the first place that has it. @throws OutsideError, GatewaysRestError */
  async #read(named: Named): Promise<{ readonly bytes: Uint8Array; readonly place?: URL }> {
    if (named.bytes) return { bytes: named.bytes };
    const { read, clock } = this.#parts;
    let fault: Error = new GatewaysRestError();
    for (const place of named.places) {
      if (named.isOfGateways && this.#rests(place.host)) continue;
      try {
        const bytes = await read(place, BOUNDS, named.isOfGateways);
        if (named.hash !== undefined && sha256(bytes) !== named.hash)
          throw new OutsideError('other content than its CID names');
        return { bytes, place };
      } catch (error) {
        if (!(error instanceof OutsideError)) throw error;
        fault = error;
        // One that looked for the content and did not find it in time has answered.
        const isLate = / ms$|^HTTP 50/.test(error.message);
        if (error.isOfHost && !isLate) this.#gatewayRests.set(place.host, clock.now() + GATEWAY_REST_MS);
      }
    }
    throw fault;
  }

  /** Whether a gateway is left alone. */
  #rests(host: string): boolean {
    return (this.#gatewayRests.get(host) ?? 0) > this.#parts.clock.now();
  }

  /** @throws OutsideError, ImageError */
  async #take(job: Job, bytes: Uint8Array, place: URL | undefined): Promise<void> {
    const { store, encoder } = this.#parts;
    const due = job.named.isFixed ? 0 : this.#inSeconds(REFRESH_S);
    if (isPicture(bytes)) {
      const image = await encoder.encode(bytes);
      await store.write(job.key, { due, failures: 0, content: { attributes: [] } }, image);
      this.#added('picture');
      return;
    }
    if (job.isPicture) throw new OutsideError('no picture: neither PNG, JPEG, GIF nor WebP');
    const { image, ...content } = readContent(bytes);
    const inside = image !== undefined && /^\s*data:/i.test(image) ? await this.#inside(image) : undefined;
    const uri = image === undefined || image.length > URI_MAX ? undefined : absoluteUri(image, place);
    const kept = { ...content, ...(uri !== undefined && !inside && { image: uri }) };
    await store.write(job.key, { due, failures: 0, content: kept }, inside);
    this.#added('metadata');
    if (job.isAsked && kept.image !== undefined) this.#askPicture(kept.image);
  }

  /** A picture within metadata; without it the rest is still of use. */
  async #inside(uri: string) {
    const bytes = namedBy(uri, this.#parts.gateways)?.bytes;
    if (!bytes || !isPicture(bytes)) return undefined;
    try {
      return await this.#parts.encoder.encode(bytes);
    } catch (fault) {
      if (fault instanceof ImageError && fault.kind === 'refused') return undefined;
      throw fault;
    }
  }

  /** It is remembered why, and asked for again later; what was read before stays. */
  async #refuse(uri: string, fault: OutsideError | ImageError): Promise<void> {
    const { store } = this.#parts;
    const before = store.known(uri);
    const failures = (before?.failures ?? 0) + 1;
    const due = this.#inSeconds(RETRY_S[Math.min(failures, RETRY_S.length) - 1]!);
    this.outcomes[fault instanceof OutsideError && fault.isOfHost ? 'unreachable' : 'refused']++;
    await store.writeFailure(uri, { due, failures, reason: fault.message.slice(0, REASON_MAX) });
  }

  #inSeconds(seconds: number): number {
    return Math.floor(this.#parts.unixMs() / 1000) + seconds;
  }

  #added(outcome: MediaOutcome): void {
    this.outcomes[outcome]++;
    if (this.#isChanged || this.#closed) return;
    this.#isChanged = true;
    this.#after(SHOWN_AFTER_MS, () => {
      this.#isChanged = false;
      this.version++;
    });
  }

  /** Asks for a few that are not known: of those that came since, then of older ones. */
  #walk(): void {
    const { nfts, store, walkedAStep, unixMs, clock } = this.#parts;
    if (this.#queue.waiting >= WAITING_ENOUGH || store.bytes.uris > store.limits.uris * WALK_ROOM) return;
    // Most NFTs are of IPFS: they would be passed, and come again only with the next walk.
    if (this.#ipfsHosts.length > 0 && this.#ipfsHosts.every((host) => this.#rests(host))) return;
    const now = unixMs();
    let wanted = 0;
    for (let looked = 0; looked < ROWS_A_STEP && wanted < walkedAStep; looked++) {
      const row = this.#high < nfts.count ? this.#high++ : --this.#low;
      if (row < 1) break;
      const uri = nfts.uriOf(row);
      if (uri === undefined || store.isKnown(uri, now)) continue;
      this.#fetch(uri, {});
      wanted++;
    }
    if (this.#low >= 1) this.#walkAgainAt = clock.now() + WALK_AGAIN_MS;
    else if (clock.now() < this.#walkAgainAt) this.#low = 0;
    else this.#low = this.#high;
  }

  #repeat(ms: number, run: () => void): void {
    this.#after(ms, () => {
      run();
      this.#repeat(ms, run);
    });
  }

  #after(ms: number, run: () => void): void {
    const cancel = this.#parts.clock.timer(ms, () => {
      this.#timers.delete(cancel);
      if (!this.#closed) run();
    });
    this.#timers.add(cancel);
  }
}

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Every gateway is left alone, so nothing was asked: that says nothing of the URI. */
class GatewaysRestError extends Error {}

/** The host of everything that gateways have; no name has a space. */
const GATEWAYS = 'a gateway';
const URI_MAX = 2048;
const REASON_MAX = 160;

const BOUNDS: FetchBounds = {
  timeoutMs: TIMEOUT_MS,
  bytesMax: (start) => (isPicture(start) ? PICTURE_BYTES_MAX : METADATA_BYTES_MAX),
};

function isRefusal(fault: unknown): fault is OutsideError | ImageError {
  return fault instanceof OutsideError || (fault instanceof ImageError && fault.kind === 'refused');
}
