/**
 * What URIs of NFTs were found to name: texts of metadata, and pictures as the forms that are served. It can be fetched
 * again, at the cost of others; so it has a store of its own, which may be deleted, and what is in it is not fetched twice.
 *
 *     nft-uris      hash of a URI -> when it is asked for again, content, hash of its picture, or why there is none
 *     nft-pictures  hash of a picture -> its size          many URIs may have one picture
 *     nft-forms     hash of a picture, width -> WebP
 *
 * It is bounded in bytes: what nobody has asked for the longest goes first. Hours of asking are written in batches, so that
 * reading costs no writes. Cost: a read that is not among the newest some 10 us; FORMS_BYTES of memory for forms that were read.
 */
import { HOUR_MS } from '../engine/ripple-time.ts';
import { type EncodedImage, FORM_BYTES_MAX, IMAGE_SIDE, THUMB_WIDTHS } from './images.ts';
import type { NftAttribute } from './nft-metadata.ts';
import type { Collection, PlatformStore, PlatformTransaction } from './store.ts';

export interface KeptContent {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly collection?: string | undefined;
  readonly attributes: readonly NftAttribute[];
  /** URI of its picture, where that is at another place. */
  readonly image?: string | undefined;
}

export interface KnownUri {
  /** Unix s from which it is asked for again; 0: never. */
  readonly due: number;
  /** How often in a row it could not be read. */
  readonly failures: number;
  readonly content?: KeptContent | undefined;
  /** Hash of the picture that it names, or that its metadata has inside. */
  readonly picture?: string | undefined;
  /** Why it has none of both. */
  readonly reason?: string | undefined;
}

type Asked<T> = T & {
  /** Unix hour in which somebody asked last. */
  readonly asked: number;
};

interface KeptPicture {
  /** Of its largest form, px. */
  readonly width: number;
  readonly height: number;
  /** Difference hash; absent: it was taken by an earlier version. */
  readonly likeness?: string;
}

const byAsked = {
  unique: false,
  keys: ({ asked }: { readonly asked: number }) => [[asked]],
};

const NFT_URIS: Collection<Asked<KnownUri>> = {
  name: 'nft-uris',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 128 * 1024, rows: 16_000_000 },
  indexes: { 'by-asked': byAsked },
};

const NFT_PICTURES: Collection<Asked<KeptPicture>> = {
  name: 'nft-pictures',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 256, rows: 4_000_000 },
  indexes: { 'by-asked': byAsked },
};

const NFT_FORMS: Collection<Uint8Array> = {
  name: 'nft-forms',
  version: 1,
  upgrades: [],
  limits: { valueBytes: FORM_BYTES_MAX + 16, rows: 40_000_000 },
  indexes: {},
};

export const MEDIA_COLLECTIONS = [
  NFT_URIS as Collection<unknown>,
  NFT_PICTURES as Collection<unknown>,
  NFT_FORMS as Collection<unknown>,
];

export interface MediaBytes {
  /** Of what is known of URIs. */
  readonly uris: number;
  readonly pictures: number;
}

export interface MediaParts {
  readonly store: PlatformStore;
  /** What each of the collections takes by now, bytes. */
  readonly bytesOf: (collection: string) => number;
  readonly limits: MediaBytes;
  /** Unix ms. */
  readonly now: () => number;
}

const HASH = /^[0-9a-f]{32}$/;
const SIDES: readonly number[] = [IMAGE_SIDE, ...THUMB_WIDTHS];
const RECENT_MAX = 8_000;
/** Of their texts: most have some 1 KB, the longest that are read a hundred times as much. */
export const RECENT_BYTES = 16 * 1024 * 1024;
/** At some 80 bytes each. */
const HELD_MAX = 50_000;
/** Forms that were read last, which a page asks for again and again. */
export const FORMS_BYTES = 16 * 1024 * 1024;
/** Of each beside its bytes. */
const FORM_OVERHEAD = 256;
/** Rows whose hour waits to be written; those of one transaction are well below its 4 MB. */
const MARKED_MAX = 20_000;
const MARKED_A_TRANSACTION = 250;
/** Rows that make room at a time. */
const REMOVED_AT_ONCE = 8;

export class NftMediaStore {
  readonly #parts: MediaParts;
  /** What is known of the URIs that were read last; null: nothing. */
  readonly #recent = new Map<string, Asked<KnownUri> | null>();
  #recentBytes = 0;
  /** Pictures that were found to be held since some went last. */
  readonly #held = new Set<string>();
  /** Newest read last. */
  readonly #forms = new Map<string, Uint8Array>();
  #formBytes = 0;
  readonly #markedUris = new Set<string>();
  readonly #markedPictures = new Set<string>();

  constructor(parts: MediaParts) {
    this.#parts = parts;
  }

  get bytes(): MediaBytes {
    const { bytesOf } = this.#parts;
    return { uris: bytesOf(NFT_URIS.name), pictures: bytesOf(NFT_FORMS.name) + bytesOf(NFT_PICTURES.name) };
  }

  get limits(): MediaBytes {
    return this.#parts.limits;
  }

  known(uri: string): KnownUri | undefined {
    const recent = this.#recent.get(uri);
    if (recent !== undefined) return recent ?? undefined;
    const known = this.#read(hashOf(uri));
    this.#recent.set(uri, known ?? null);
    this.#recentBytes += textBytes(uri, known);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= RECENT_MAX && this.#recentBytes <= RECENT_BYTES) break;
      this.#forget(oldest);
    }
    return known;
  }

  /** Memory of the texts that were read last. */
  get recentBytes(): number {
    return this.#recentBytes;
  }

  #forget(uri: string): void {
    const known = this.#recent.get(uri);
    if (this.#recent.delete(uri)) this.#recentBytes -= textBytes(uri, known ?? undefined);
  }

  #forgetAll(): void {
    this.#recent.clear();
    this.#recentBytes = 0;
  }

  /** The same for a walk over all of them, which must not replace what is read often. */
  isKnown(uri: string, now: number): boolean {
    const known = this.#recent.get(uri) ?? this.#read(hashOf(uri));
    return known !== undefined && !isDue(known, now);
  }

  /** It is held. */
  hasPicture(hash: string | undefined): hash is string {
    if (hash === undefined || this.#held.has(hash)) return hash !== undefined;
    const isHeld = this.#parts.store.get(NFT_PICTURES, [hash]) !== undefined;
    if (isHeld && this.#held.size < HELD_MAX) this.#held.add(hash);
    return isHeld;
  }

  /** Difference hash of a picture that is held (engine/metrics/difference-hash.ts). */
  likeness(hash: string): string | undefined {
    return this.#parts.store.get(NFT_PICTURES, [hash])?.likeness;
  }

  /** @param width longest side, px: one of those that are kept */
  form(hash: string, width: number): Uint8Array | undefined {
    if (!HASH.test(hash) || !SIDES.includes(width)) return undefined;
    const form = this.#readForm(hash, width);
    if (form && this.#markedPictures.size < MARKED_MAX) this.#markedPictures.add(hash);
    return form;
  }

  /** Memory of the forms that were read last. */
  get formBytes(): number {
    return this.#formBytes;
  }

  #readForm(hash: string, width: number): Uint8Array | undefined {
    const key = `${hash} ${width}`;
    const known = this.#forms.get(key);
    if (known) this.#forms.delete(key);
    const form = known ?? this.#parts.store.get(NFT_FORMS, [hash, width]);
    if (!form) return undefined;
    this.#forms.set(key, form);
    if (!known) this.#formBytes += form.length + FORM_OVERHEAD;
    for (const [oldest, { length }] of this.#forms) {
      if (this.#formBytes <= FORMS_BYTES) break;
      this.#forms.delete(oldest);
      this.#formBytes -= length + FORM_OVERHEAD;
    }
    return form;
  }

  /** Somebody asks for it: it stays before others. */
  markAsked(uri: string): void {
    const known = this.#recent.get(uri);
    if (known && known.asked === this.#hour) return;
    if (this.#markedUris.size < MARKED_MAX) this.#markedUris.add(hashOf(uri));
  }

  /**
   * Resolves when it is durable, and what has to go for it has gone.
   * @param image the picture that it names
   */
  async write(uri: string, known: Omit<KnownUri, 'picture'>, image?: EncodedImage): Promise<void> {
    const picture = image && pictureHash(image);
    const asked = this.#hour;
    await this.#parts.store.transaction((transaction) => {
      if (picture !== undefined) writePicture(transaction, picture, image!, asked);
      transaction.put(NFT_URIS, [hashOf(uri)], {
        ...known,
        ...(picture !== undefined && { picture }),
        asked,
      });
    });
    this.#forget(uri);
    await this.#makeRoom();
  }

  /** It could not be read; what was known of it stays. Resolves when that is durable. */
  async writeFailure(uri: string, failure: Pick<KnownUri, 'due' | 'failures' | 'reason'>): Promise<void> {
    const hash = hashOf(uri);
    await this.#parts.store.transaction((transaction) => {
      const before = transaction.get(NFT_URIS, [hash]);
      transaction.put(NFT_URIS, [hash], { ...before, ...failure, asked: this.#hour });
    });
    this.#forget(uri);
    await this.#makeRoom();
  }

  /** Writes the hours of what was asked for since the last call. */
  async writeAsked(): Promise<void> {
    const hour = this.#hour;
    for (const [marked, collection] of [
      [this.#markedUris, NFT_URIS],
      [this.#markedPictures, NFT_PICTURES],
    ] as const) {
      const hashes = [...marked];
      marked.clear();
      for (let from = 0; from < hashes.length; from += MARKED_A_TRANSACTION)
        await this.#parts.store.transaction((transaction) => {
          for (const hash of hashes.slice(from, from + MARKED_A_TRANSACTION)) {
            const row = transaction.get<{ readonly asked: number }>(collection as never, [hash]);
            if (row && row.asked !== hour)
              transaction.put(collection as never, [hash], { ...row, asked: hour });
          }
        });
    }
    this.#forgetAll();
  }

  #read(hash: string): Asked<KnownUri> | undefined {
    return this.#parts.store.get(NFT_URIS, [hash]);
  }

  get #hour(): number {
    return Math.floor(this.#parts.now() / HOUR_MS);
  }

  async #makeRoom(): Promise<void> {
    const { limits } = this.#parts;
    while (this.bytes.uris > limits.uris) if (!(await this.#removeOldest(NFT_URIS, () => {}))) break;
    while (this.bytes.pictures > limits.pictures) {
      const removed = await this.#removeOldest(NFT_PICTURES, (transaction, hash) => {
        for (const side of SIDES) transaction.delete(NFT_FORMS, [hash, side]);
      });
      if (!removed) break;
    }
  }

  /** @returns whether there was any */
  async #removeOldest(
    collection: Collection<never>,
    also: (transaction: PlatformTransaction, hash: string) => void,
  ): Promise<boolean> {
    const removed = await this.#parts.store.transaction((transaction) => {
      const hashes: string[] = [];
      transaction.walkIndex(collection, 'by-asked', { limit: REMOVED_AT_ONCE }, (_, [hash]) => {
        hashes.push(String(hash));
        return true;
      });
      for (const hash of hashes) {
        transaction.delete(collection, [hash]);
        also(transaction, hash);
      }
      return hashes.length;
    });
    this.#held.clear();
    this.#forgetAll();
    this.#forms.clear();
    this.#formBytes = 0;
    return removed > 0;
  }
}

/** @param now unix ms */
export function isDue({ due }: KnownUri, now: number): boolean {
  return due !== 0 && due * 1000 <= now;
}

/** Two bytes a character at most. */
function textBytes(uri: string, known: KnownUri | undefined): number {
  const { name = '', description = '', collection = '', image = '', attributes = [] } = known?.content ?? {};
  const traits = attributes.reduce((sum, { type, value }) => sum + type.length + value.length, 0);
  const { length } = name + description + collection + image;
  return 2 * (uri.length + length + traits + (known?.reason?.length ?? 0));
}

/** Of 128 bits, as 32 hex digits. */
function hashOf(data: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(data).digest('hex').slice(0, 32);
}

/** A picture's name is the hash of what is stored of it: other bytes have another. */
function pictureHash({ forms }: EncodedImage): string {
  return hashOf(forms.get(IMAGE_SIDE)!);
}

function writePicture(
  transaction: PlatformTransaction,
  hash: string,
  { width, height, forms, likeness }: EncodedImage,
  asked: number,
): void {
  transaction.put(NFT_PICTURES, [hash], {
    width,
    height,
    asked,
    ...(likeness !== undefined && { likeness }),
  });
  for (const [side, bytes] of forms) transaction.put(NFT_FORMS, [hash, side], bytes);
}
