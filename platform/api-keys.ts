/**
 * API keys: who made them, for what, and which of them work.
 *
 *     secret  xrpl_<48 hex digits>     shown once, when the key is made; never stored, never logged
 *     row     SHA-256 of the secret, its first characters, kind, wallet, name, project
 *
 * A secret is 192 random bits, so its hash needs no salt and no slow function: nobody can try them all. It is looked up by
 * the first 48 bits of the hash, then the whole hash is compared in constant time: neither tells how much of a guess is
 * right. All keys that work are in memory (300 bytes each); a request's look-up costs 0.3 us.
 *
 * States (section 3 of the contract): active -> revoked (it stops working) -> deleted.
 */
import { eraseNotes } from './notes.ts';
import { type Collection, PlatformError, type PlatformReads, type PlatformStore } from './store.ts';

/**
 * user: of a wallet. The others are the operator's own: admin may do anything, platform makes and cancels sign requests,
 * browser is the one that pages share, which everybody can read in them.
 */
export type KeyKind = 'user' | 'admin' | 'platform' | 'browser';

export interface Project {
  readonly name: string;
  readonly url: string;
  readonly category: string;
  readonly description: string;
  readonly expectedDaily: string;
  readonly contact?: string;
}

export interface KeyRow {
  /** SHA-256 of the secret, hex. */
  readonly hash: string;
  readonly kind: KeyKind;
  /** r-address; '' of the operator's own. */
  readonly wallet: string;
  readonly name: string;
  /** The first characters of the secret. */
  readonly keyPrefix: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; it works no more. */
  readonly revokedAt?: number;
  readonly project?: Project;
  /** Unix ms at which the policy was agreed to. */
  readonly agreedAt?: number;
}

/** By id. */
const API_KEYS: Collection<KeyRow> = {
  name: 'api-keys',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 4096, rows: 1_000_000 },
  indexes: {
    wallet: { unique: false, keys: ({ wallet, createdAt }) => [[wallet, createdAt]] },
    // The look-up tells keys apart by that much of the hash.
    lookup: { unique: true, keys: ({ hash }) => [[hash.slice(0, LOOKUP_DIGITS)]] },
  },
};

export const KEY_COLLECTIONS = [API_KEYS] as unknown as readonly Collection<unknown>[];

const SECRET_PREFIX = 'xrpl_';
const SECRET_BYTES = 24;
const SECRET_LENGTH = SECRET_PREFIX.length + 2 * SECRET_BYTES;
/** Characters of a secret that are shown later, to tell keys apart. */
const SHOWN_LENGTH = SECRET_PREFIX.length + 6;
/** 48 bits: a whole number. */
const LOOKUP_DIGITS = 12;
/** Keys of a wallet that are kept, revoked ones included. */
const KEPT_MAX = 100;

/** A key that works. One object for as long as it does. */
export class ApiKey {
  readonly id: string;
  readonly kind: KeyKind;
  /** r-address; '' of the operator's own. */
  readonly wallet: string;
  /** SHA-256 of the secret. */
  readonly hash: Uint8Array;

  constructor(id: string, { kind, wallet, hash }: Pick<KeyRow, 'kind' | 'wallet' | 'hash'>) {
    this.id = id;
    this.kind = kind;
    this.wallet = wallet;
    this.hash = Uint8Array.fromHex(hash);
  }
}

export interface NewKey {
  readonly kind: KeyKind;
  readonly wallet: string;
  readonly name: string;
  readonly project?: Project | undefined;
  readonly agreed?: boolean | undefined;
}

/** A key that is not kept anywhere yet. */
export interface MadeKey {
  readonly id: string;
  /** Shown once; nobody can find it out later. */
  readonly secret: string;
  readonly row: KeyRow;
}

/** @param now Unix ms */
export function makeKey({ kind, wallet, name, project, agreed }: NewKey, now: number): MadeKey {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  const secret = `${SECRET_PREFIX}${random.toString('hex')}`;
  const row: KeyRow = {
    hash: Buffer.from(Bun.SHA256.hash(secret) as Uint8Array).toString('hex'),
    kind,
    wallet,
    name,
    keyPrefix: secret.slice(0, SHOWN_LENGTH),
    createdAt: now,
    ...(project && { project }),
    ...(agreed && { agreedAt: now }),
  };
  return { id: crypto.randomUUID().replaceAll('-', '').slice(0, 24), secret, row };
}

/** What is shown of a key. */
export interface KeySummary {
  readonly id: string;
  readonly name: string;
  readonly keyPrefix: string;
  readonly status: 'active' | 'revoked';
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  readonly project?: Project | undefined;
}

export interface OperatorKey extends KeySummary {
  readonly kind: KeyKind;
}

/** The wallet has as many keys as it may have. */
export class KeyLimitError extends Error {
  override readonly name = 'KeyLimitError';

  constructor(readonly most: number) {
    super(`at most ${most} keys`);
  }
}

export class ApiKeys {
  #store: PlatformStore | undefined;
  readonly #byLookup = new Map<number, ApiKey>();
  readonly #byId = new Map<string, ApiKey>();
  readonly #digest = new Uint8Array(32);
  readonly #listeners = new Set<(id: string) => void>();
  #adminKeys = 0;

  /** Takes in the keys that work, and stores from now on. */
  attach(store: PlatformStore): void {
    this.#store = store;
    store.walk(API_KEYS, {}, (row, [id]) => {
      if (row.revokedAt === undefined) this.#add(new ApiKey(String(id), row));
      return true;
    });
  }

  get isAttached(): boolean {
    return this.#store !== undefined;
  }

  /** Keys that work. */
  get size(): number {
    return this.#byId.size;
  }

  get hasAdminKey(): boolean {
    return this.#adminKeys > 0;
  }

  /** The key of a secret; undefined: there is none, or it works no more. */
  find(secret: string): ApiKey | undefined {
    if (secret.length !== SECRET_LENGTH) return undefined;
    const digest = this.#digest;
    Bun.SHA256.hash(secret, digest);
    const key = this.#byLookup.get(lookupOf(digest));
    return key && isSame(key.hash, digest) ? key : undefined;
  }

  /** It works for as long as the process runs, and is stored nowhere. */
  lend({ id, row }: Omit<MadeKey, 'secret'>): void {
    this.#add(new ApiKey(id, row));
  }

  byId(id: string): ApiKey | undefined {
    return this.#byId.get(id);
  }

  /** Called with the id of each key that works no more. */
  onRevoked(listener: (id: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Whether a key works as of a transaction, which may come after one that revokes it. */
  worksIn(reads: PlatformReads, id: string): boolean {
    const row = reads.get(API_KEYS, [id]);
    return row ? row.revokedAt === undefined : this.#byId.has(id);
  }

  /** All of a wallet, oldest first. */
  list(wallet: string): KeySummary[] {
    return this.#rowsOf(wallet).map(([id, row]) => summaryOf(id, row));
  }

  /** All of the operator's own, oldest first. */
  operators(): OperatorKey[] {
    return this.#rowsOf('').map(([id, row]) => ({ ...summaryOf(id, row), kind: row.kind }));
  }

  /**
   * Resolves when the key is durable.
   * @param made by {@link makeKey}. @param most active keys that its wallet may have
   * @throws KeyLimitError, PlatformError
   */
  async add({ id, row }: Omit<MadeKey, 'secret'>, most: number): Promise<KeySummary> {
    await this.#attached().transaction((transaction) => {
      let active = 0;
      let kept = 0;
      transaction.walkIndex(API_KEYS, 'wallet', { prefix: [row.wallet] }, ({ revokedAt }) => {
        kept++;
        if (revokedAt === undefined) active++;
        return true;
      });
      if (active >= most) throw new KeyLimitError(most);
      if (kept >= KEPT_MAX) throw new KeyLimitError(KEPT_MAX);
      transaction.put(API_KEYS, [id], row);
    });
    this.#add(new ApiKey(id, row));
    return summaryOf(id, row);
  }

  /** @returns undefined: the wallet has no such key, or it was revoked */
  async rename(wallet: string, id: string, name: string): Promise<KeySummary | undefined> {
    const row = await this.#attached().transaction((transaction) => {
      const before = transaction.get(API_KEYS, [id]);
      if (before?.wallet !== wallet || before.revokedAt !== undefined) return undefined;
      const after = { ...before, name };
      transaction.put(API_KEYS, [id], after);
      return after;
    });
    return row && summaryOf(id, row);
  }

  /**
   * The first call revokes, and erases the notes of the key; the second one deletes.
   * @returns undefined: the wallet has no such key
   */
  async remove(wallet: string, id: string, now: number): Promise<'revoked' | 'deleted' | undefined> {
    const done = await this.#attached().transaction((transaction) => {
      const row = transaction.get(API_KEYS, [id]);
      if (row?.wallet !== wallet) return undefined;
      if (row.revokedAt !== undefined) {
        transaction.delete(API_KEYS, [id]);
        return 'deleted';
      }
      transaction.put(API_KEYS, [id], { ...row, revokedAt: now });
      eraseNotes(transaction, id);
      return 'revoked';
    });
    if (done === 'revoked') this.#forget(id);
    return done;
  }

  #rowsOf(wallet: string): [string, KeyRow][] {
    const rows: [string, KeyRow][] = [];
    this.#store?.walkIndex(API_KEYS, 'wallet', { prefix: [wallet] }, (row, [id]) => {
      rows.push([String(id), row]);
      return true;
    });
    return rows;
  }

  #attached(): PlatformStore {
    if (!this.#store) throw new PlatformError('ended', 'there is no store');
    return this.#store;
  }

  #add(key: ApiKey): void {
    this.#byLookup.set(lookupOf(key.hash), key);
    this.#byId.set(key.id, key);
    if (key.kind === 'admin') this.#adminKeys++;
  }

  #forget(id: string): void {
    const key = this.#byId.get(id);
    if (!key) return;
    this.#byId.delete(id);
    this.#byLookup.delete(lookupOf(key.hash));
    if (key.kind === 'admin') this.#adminKeys--;
    for (const listener of this.#listeners) listener(id);
  }
}

/** Looks at every byte, whatever the first ones are. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0;
  for (let i = 0; i < 32; i++) difference |= one[i]! ^ other[i]!;
  return difference === 0;
}

/** The first 48 bits. */
function lookupOf(hash: Uint8Array): number {
  return (
    ((hash[0]! << 16) | (hash[1]! << 8) | hash[2]!) * 0x1000000 +
    ((hash[3]! << 16) | (hash[4]! << 8) | hash[5]!)
  );
}

function summaryOf(id: string, { name, keyPrefix, createdAt, revokedAt, project }: KeyRow): KeySummary {
  return {
    id,
    name,
    keyPrefix,
    status: revokedAt === undefined ? 'active' : 'revoked',
    createdAt,
    ...(revokedAt !== undefined && { revokedAt }),
    ...(project && { project }),
  };
}
