/** The notes of platform-collections.ts two versions later. */
import type { Collection, PlatformReads } from '../../platform/store.ts';
import { type Note, notes } from './platform-collections.ts';

interface Note2 extends Omit<Note, 'size'> {
  readonly bytes: number;
}

export interface Note3 {
  readonly owner: string;
  readonly words: readonly string[];
  readonly bytes: number;
}

export const notes3: Collection<Note3> = {
  name: notes.name,
  version: 3,
  upgrades: [
    (value) => {
      const { size, ...rest } = value as Note;
      return { ...rest, bytes: size * 8 } satisfies Note2;
    },
    (value) => {
      const { owner, slug, tags, bytes } = value as Note2;
      return { owner, words: [...(slug === undefined ? [] : [slug]), ...tags], bytes } satisfies Note3;
    },
  ],
  limits: notes.limits,
  indexes: { word: { unique: false, keys: ({ words }) => words.map((word) => [word]) } },
};

/** The last part of the key of each note with a word. */
export function wordsOf(store: PlatformReads, word: string): unknown[] {
  const keys: unknown[] = [];
  store.walkIndex(notes3, 'word', { prefix: [word] }, (_, key) => void keys.push(key.at(-1)));
  return keys;
}
