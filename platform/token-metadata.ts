/**
 * What creators and issuers say of their tokens: names, links, a description, tags. It is not on the ledger; who may write
 * it is checked before (api/wallet.ts). One row a token, by its md5.
 *
 * Reads of tokens without a row, which is nearly all of them, ask a set in memory and not the store.
 */
import type { Collection, PlatformStore } from './store.ts';

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

export interface TokenMetadata extends TokenTexts {
  /** Unix ms of the last write. */
  readonly changedAt: number;
  /** r-address that signed it. */
  readonly changedBy: string;
}

/** Values to write; undefined: unchanged, null: removed. */
export type TokenChanges = { readonly [K in keyof TokenTexts]?: TokenTexts[K] | null | undefined };

export const TOKEN_METADATA: Collection<TokenMetadata> = {
  name: 'token-metadata',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16 * 1024, rows: 200_000 },
  indexes: {},
};

/** Ms between two writes of one token (section 8.3 of the contract). */
export const WRITE_COOLDOWN_MS = 3000;

/** The token was written less than WRITE_COOLDOWN_MS ago. */
export class CooldownError extends Error {
  override readonly name = 'CooldownError';

  /** @param waitMs until it may be written again */
  constructor(readonly waitMs: number) {
    super(`wait ${waitMs} ms`);
  }
}

export interface Write {
  readonly changes: TokenChanges;
  /** Unix ms. */
  readonly now: number;
  /** r-address. */
  readonly by: string;
}

export class TokenData {
  /** Grows with each change. */
  version = 0;
  #store: PlatformStore | undefined;
  readonly #written = new Set<string>();
  readonly #listeners = new Set<(md5: string) => void>();

  /** From now on it is kept there. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(TOKEN_METADATA, {}, (_value, [md5]) => {
      this.#changed(String(md5));
      return true;
    });
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

  /** Called after each change with the token's md5. */
  onChange(listener: (md5: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Resolves when the changes are durable.
   * @returns names of what is another value than before
   * @throws CooldownError, PlatformError; nothing is written then
   */
  async write(md5: string, { changes, now, by }: Write): Promise<string[]> {
    const updated = await this.#store!.transaction((transaction) => {
      const before = transaction.get(TOKEN_METADATA, [md5]);
      const waitMs = before ? before.changedAt + WRITE_COOLDOWN_MS - now : 0;
      // A clock that was set back must not lock a token for longer.
      if (waitMs > 0 && waitMs <= WRITE_COOLDOWN_MS) throw new CooldownError(waitMs);
      const names = changedNames(before, changes);
      transaction.put(TOKEN_METADATA, [md5], { ...merged(before, changes), changedAt: now, changedBy: by });
      return names;
    });
    this.#changed(md5);
    return updated;
  }

  #changed(md5: string): void {
    this.#written.add(md5);
    this.version++;
    for (const listener of this.#listeners) listener(md5);
  }
}

function changedNames(before: TokenTexts | undefined, changes: TokenChanges): string[] {
  return Object.entries(changes)
    .filter(([name, value]) => {
      const old = before?.[name as keyof TokenTexts];
      return value !== undefined && JSON.stringify(value ?? null) !== JSON.stringify(old ?? null);
    })
    .map(([name]) => name);
}

function merged(before: TokenTexts | undefined, changes: TokenChanges): TokenTexts {
  const values = Object.entries({ ...before, ...withoutUndefined(changes) });
  return Object.fromEntries(values.filter(([, value]) => value !== null)) as TokenTexts;
}

function withoutUndefined(changes: TokenChanges): TokenChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
