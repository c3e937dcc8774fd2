/**
 * What the service itself keeps of accounts: the identity that its admin vouches for, logos, and what accounts watch. None of it
 * is on the ledger; who may write it is checked before (api/wallet.ts).
 *
 *     account-identities   (address)              name, links, verified or not
 *     account-logos        (address, side)        WebP of at most that many px
 *     watched              (address, kind, id)    when it was added
 *
 * Reads of accounts without an identity, which is nearly all of them, ask a map in memory and not the store.
 */
import { type EncodedImage, FORM_BYTES_MAX } from './images.ts';
import type { Collection, PlatformStore } from './store.ts';

/** Fields that the admin writes. */
export interface AccountIdentity {
  readonly name?: string;
  readonly desc?: string;
  readonly domain?: string;
  readonly twitter?: string;
  /** The admin has seen who the account belongs to. */
  readonly adminVerified?: boolean;
  /** Id of an image of this service. */
  readonly verifiedLogo?: string;
  /** Payments to it need a destination tag. */
  readonly verifiedTagRequired?: boolean;
  /** Unix ms of its logo here; undefined: none. */
  readonly logoAt?: number;
  /** Unix ms of the last write. */
  readonly changedAt: number;
  /** r-address that signed it, or `admin`. */
  readonly changedBy: string;
}

export const IDENTITY_NAMES = [
  'name',
  'desc',
  'domain',
  'twitter',
  'adminVerified',
  'verifiedLogo',
  'verifiedTagRequired',
] as const;
type IdentityName = (typeof IDENTITY_NAMES)[number];

/** Values to write; undefined: unchanged, null: removed. */
export type IdentityChanges = { readonly [K in IdentityName]?: AccountIdentity[K] | null | undefined };

/** What is watched: tokens by md5, NFTs by id. */
export const WATCHED_KINDS = ['token', 'nft'] as const;
export type WatchedKind = (typeof WATCHED_KINDS)[number];

/** Of one kind and account. */
export const WATCHED_MAX = 500;

const ACCOUNT_IDENTITIES: Collection<AccountIdentity> = {
  name: 'account-identities',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 8 * 1024, rows: 100_000 },
  indexes: {},
};

const ACCOUNT_LOGOS: Collection<Uint8Array> = {
  name: 'account-logos',
  version: 1,
  upgrades: [],
  limits: { valueBytes: FORM_BYTES_MAX + 16, rows: 500_000 },
  indexes: {},
};

const WATCHED: Collection<number> = {
  name: 'watched',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16, rows: 5_000_000 },
  indexes: {},
};

export const ACCOUNT_COLLECTIONS = [
  ACCOUNT_IDENTITIES as Collection<unknown>,
  ACCOUNT_LOGOS as Collection<unknown>,
  WATCHED as Collection<unknown>,
];

/** Who writes, and when. */
interface AccountWriter {
  /** Unix ms. */
  readonly now: number;
  readonly by: string;
}

/** The list is as long as it may be. */
export class WatchlistFullError extends Error {
  override readonly name = 'WatchlistFullError';
}

export class AccountData {
  /** Grows with each change of an identity, and of what is watched. */
  version = 0;
  #store: PlatformStore | undefined;
  readonly #identities = new Map<string, AccountIdentity>();

  /** From now on it is kept there. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(ACCOUNT_IDENTITIES, {}, (identity, [address]) => {
      this.#identities.set(String(address), identity);
      return true;
    });
    this.version++;
  }

  /** false: there is no store, so nothing can be written. */
  get isAttached(): boolean {
    return this.#store !== undefined;
  }

  of(address: string): AccountIdentity | undefined {
    return this.#identities.get(address);
  }

  /** Every account with an identity. */
  all(): Iterable<readonly [string, AccountIdentity]> {
    return this.#identities;
  }

  /** WebP; undefined: it has none. @param side one that is kept (platform/images.ts) */
  logoOf(address: string, side: number): Uint8Array | undefined {
    return this.#identities.get(address)?.logoAt === undefined
      ? undefined
      : this.#store?.get(ACCOUNT_LOGOS, [address, side]);
  }

  /** Resolves when it is durable. @throws PlatformError; nothing is written then */
  write(address: string, changes: IdentityChanges, writer: AccountWriter): Promise<void> {
    return this.#write(address, writer, (before) => withChanges(before, changes));
  }

  writeLogo(address: string, image: EncodedImage, writer: AccountWriter): Promise<void> {
    return this.#write(address, writer, (before, put) => {
      for (const [side, bytes] of image.forms) put(side, bytes);
      return { ...before, logoAt: writer.now };
    });
  }

  /** Ids, in the order in which they were added. */
  watched(address: string, kind: WatchedKind): string[] {
    const found: { id: string; at: number }[] = [];
    this.#store?.walk(WATCHED, { prefix: [address, kind], limit: WATCHED_MAX }, (at, [, , id]) => {
      found.push({ id: String(id), at });
      return true;
    });
    return found.sort((a, b) => a.at - b.at).map(({ id }) => id);
  }

  /** @throws WatchlistFullError, PlatformError */
  async watch(address: string, kind: WatchedKind, id: string, action: 'add' | 'remove', now: number) {
    await this.#store!.transaction((transaction) => {
      const key = [address, kind, id];
      if (action === 'remove') {
        transaction.delete(WATCHED, key);
        return;
      }
      if (transaction.get(WATCHED, key) !== undefined) return;
      let count = 0;
      transaction.walk(WATCHED, { prefix: [address, kind], limit: WATCHED_MAX }, () => {
        count++;
        return true;
      });
      if (count >= WATCHED_MAX) throw new WatchlistFullError(`${WATCHED_MAX} are watched`);
      transaction.put(WATCHED, key, now);
    });
    this.version++;
  }

  async #write(
    address: string,
    { now, by }: AccountWriter,
    change: (before: Kept, putLogo: (side: number, bytes: Uint8Array) => void) => Kept,
  ): Promise<void> {
    const identity = await this.#store!.transaction((transaction) => {
      const before = transaction.get(ACCOUNT_IDENTITIES, [address]) ?? {};
      const after = change(before, (side, bytes) => transaction.put(ACCOUNT_LOGOS, [address, side], bytes));
      const identity = { ...after, changedAt: now, changedBy: by };
      transaction.put(ACCOUNT_IDENTITIES, [address], identity);
      return identity;
    });
    this.#identities.set(address, identity);
    this.version++;
  }
}

type Kept = Omit<AccountIdentity, 'changedAt' | 'changedBy'>;

function withChanges(before: Kept, changes: IdentityChanges): Kept {
  const values = Object.entries({ ...before, ...changes });
  const written = Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
  // What was not sent stays as it was.
  for (const [name, value] of Object.entries(before))
    if ((changes as Record<string, unknown>)[name] === undefined) written[name] = value;
  return written as Kept;
}
