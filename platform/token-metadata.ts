/**
 * What creators and issuers say of their tokens: names, links, a description, tags, an image. It is not on the ledger; who
 * may write it is checked before (api/wallet.ts). One row a token, by its md5, and one for each form of its image.
 *
 * Reads of tokens without a row, which is nearly all of them, ask a set in memory and not the store.
 */
import { type EncodedImage, FORM_BYTES_MAX } from './images.ts';
import type { Collection, PlatformStore, PlatformTransaction } from './store.ts';
import { VIEW_COLLECTIONS, ViewCounts } from './view-counts.ts';
import {
  type Changes,
  changedNames,
  merged,
  refuseSoon,
  type Writer,
  type Written,
} from './written-texts.ts';

/** Accounts and pages that `social` can name: clients know these. */
export const SOCIAL_NAMES = [
  'twitter',
  'telegram',
  'discord',
  'website',
  'github',
  'reddit',
  'facebook',
  'linkedin',
  'instagram',
  'youtube',
  'medium',
  'tiktok',
  'twitch',
] as const;
export type SocialName = (typeof SOCIAL_NAMES)[number];
export type Social = { readonly [K in SocialName]?: string };

export interface TokenTexts {
  readonly user?: string;
  readonly domain?: string;
  readonly whitepaper?: string;
  readonly description?: string;
  readonly social?: Social;
  readonly tags?: readonly string[];
  /** NFT collections, by `<issuer>:<taxon>` or slug. */
  readonly linkedCollections?: readonly string[];
}

export interface TokenImage {
  /** Unix ms. */
  readonly changedAt: number;
  /** Of its largest form, px. */
  readonly width: number;
  readonly height: number;
}

/** What the service's admin vouches for. */
export interface Standing {
  /** Tier of verification, 1 the highest. */
  readonly verified?: 1 | 2 | 3 | 4;
  /** The issuer has shown who it is. */
  readonly kyc?: true;
  /** The linked account of the social network X is the issuer's. */
  readonly xVerified?: true;
}

export interface TokenMetadata extends TokenTexts, Standing, Written {
  readonly image?: TokenImage;
}

export type TokenChanges = Changes<TokenTexts & Standing>;

export const TOKEN_METADATA: Collection<TokenMetadata> = {
  name: 'token-metadata',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16 * 1024, rows: 200_000 },
  indexes: {},
};

/** By md5 and the longest side that the form fits into, px. */
export const TOKEN_IMAGES: Collection<Uint8Array> = {
  name: 'token-images',
  version: 1,
  upgrades: [],
  limits: { valueBytes: FORM_BYTES_MAX + 16, rows: 400_000 },
  indexes: {},
};

/** What is kept of tokens. */
export const TOKEN_COLLECTIONS = [
  TOKEN_METADATA as Collection<unknown>,
  TOKEN_IMAGES as Collection<unknown>,
  ...VIEW_COLLECTIONS,
];

export class TokenData {
  /** Grows with each change, but not with views, which change with ledgers. */
  version = 0;
  readonly views = new ViewCounts();
  #store: PlatformStore | undefined;
  readonly #imagesAt: string;
  readonly #written = new Set<string>();
  /** Tokens that have any, for sorts. */
  readonly #standings = new Map<string, Standing>();
  readonly #listeners = new Set<(md5: string) => void>();

  /** @param imagesAt what addresses of images begin with: an origin, or nothing, and the prefix of the network */
  constructor(imagesAt = '') {
    this.#imagesAt = imagesAt;
  }

  /** From now on it is kept there. @param closeTime of the newest ledger, Ripple epoch seconds */
  attach(store: PlatformStore, closeTime = 0): void {
    this.#store = store;
    store.walk(TOKEN_METADATA, {}, (metadata, [md5]) => {
      this.#changed(String(md5), metadata);
      return true;
    });
    this.views.attach(store, closeTime);
  }

  /** false: there is no store, so nothing can be written. */
  get isAttached(): boolean {
    return this.#store !== undefined;
  }

  /** Of no token is anything kept. */
  get isEmpty(): boolean {
    return this.#written.size === 0;
  }

  of(md5: string): TokenMetadata | undefined {
    return this.#written.has(md5) ? this.#store?.get(TOKEN_METADATA, [md5]) : undefined;
  }

  /** undefined: the admin vouches for nothing of it. */
  standing(md5: string): Standing | undefined {
    return this.#standings.get(md5);
  }

  /** Whether no token has a standing. */
  get hasNoStandings(): boolean {
    return this.#standings.size === 0;
  }

  /** Where an image is; the address of another image differs. */
  imageAddress(md5: string, { changedAt }: TokenImage): string {
    return `${this.#imagesAt}/token/${md5}?v=${changedAt}`;
  }

  /** WebP; undefined: the token has no image. @param side one that is kept (platform/images.ts) */
  imageOf(md5: string, side: number): Uint8Array | undefined {
    return this.#written.has(md5) ? this.#store?.get(TOKEN_IMAGES, [md5, side]) : undefined;
  }

  /** Called after each change with the token's md5. */
  onChange(listener: (md5: string) => void): void {
    this.#listeners.add(listener);
  }

  /** @throws CooldownError while the token may not be written. Callers ask before work that a write needs. */
  checkCooldown(md5: string, now: number): void {
    refuseSoon(this.of(md5), now);
  }

  /**
   * Resolves when the changes are durable.
   * @returns names of what is another value than before
   * @throws CooldownError, PlatformError; nothing is written then
   */
  write(md5: string, changes: TokenChanges, writer: Writer): Promise<string[]> {
    return this.#write(md5, writer, (before) => ({
      after: merged(before, changes),
      result: changedNames(before, changes),
    }));
  }

  /** The same for the image. */
  writeImage(md5: string, image: EncodedImage, writer: Writer): Promise<TokenImage> {
    const { width, height, forms } = image;
    const written = { changedAt: writer.now, width, height };
    return this.#write(md5, writer, (before, transaction) => {
      for (const [side, bytes] of forms) transaction.put(TOKEN_IMAGES, [md5, side], bytes);
      return { after: { ...before, image: written }, result: written };
    });
  }

  async #write<T>(
    md5: string,
    { now, by }: Writer,
    change: (before: Kept | undefined, transaction: PlatformTransaction) => { after: Kept; result: T },
  ): Promise<T> {
    const { result, metadata } = await this.#store!.transaction((transaction) => {
      const before = transaction.get(TOKEN_METADATA, [md5]);
      refuseSoon(before, now);
      const { after, result } = change(before, transaction);
      const metadata = { ...after, changedAt: now, changedBy: by };
      transaction.put(TOKEN_METADATA, [md5], metadata);
      return { result, metadata };
    });
    this.#changed(md5, metadata);
    return result;
  }

  #changed(md5: string, { verified, kyc, xVerified }: TokenMetadata): void {
    this.#written.add(md5);
    if (verified || kyc || xVerified) this.#standings.set(md5, { verified, kyc, xVerified } as Standing);
    else this.#standings.delete(md5);
    this.version++;
    for (const listener of this.#listeners) listener(md5);
  }
}

type Kept = Omit<TokenMetadata, 'changedAt' | 'changedBy'>;
