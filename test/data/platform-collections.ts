/** Collections of the tests of the platform's store, and what is in one, as text. */
import type { Collection, PlatformReads } from '../../platform/store.ts';

export interface Note {
  readonly owner: string;
  readonly slug: string | undefined;
  readonly tags: readonly string[];
  readonly size: number;
}

/** Unique by slug where there is one, found by tag and size. */
export const notes: Collection<Note> = {
  name: 'notes',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 2000, rows: 1000 },
  indexes: {
    slug: { unique: true, keys: ({ slug }) => (slug === undefined ? [] : [[slug]]) },
    tag: { unique: false, keys: ({ tags, size }) => tags.map((tag) => [tag, size]) },
  },
};

export interface Balance {
  readonly drops: number;
  /** Positions that were applied, in order. */
  readonly events: readonly string[];
}

export const balances: Collection<Balance> = {
  name: 'balances',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 100_000, rows: 1000 },
  indexes: {},
};

/** Every row, in order. */
export function contents<T>(store: PlatformReads, collection: Collection<T>): [readonly unknown[], T][] {
  const rows: [readonly unknown[], T][] = [];
  store.walk(collection, {}, (value, key) => {
    rows.push([key, value]);
    return undefined;
  });
  return rows;
}
