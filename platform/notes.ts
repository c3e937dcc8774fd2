/**
 * Notes that callers of the tools keep for themselves: short texts by name. Each belongs to one key, nobody else reads it, and
 * it is erased in the transaction that revokes the key. Where the service is open, the people of its own machine have notes
 * without a key.
 *
 * Bounds: so many notes of a key, and so many characters of each.
 */
import type { Collection, PlatformReads, PlatformStore, PlatformTransaction } from './store.ts';

/** Notes of one owner, and longest name and text, characters. */
export const NOTES_MAX = 100;
export const NOTE_NAME_MAX = 60;
export const NOTE_TEXT_MAX = 500;

/** Who writes without a key: the people of the service's own machine. No key has this id. */
export const MACHINE_OWNER = '';

interface Note {
  readonly text: string;
  /** Unix ms. */
  readonly at: number;
}

/** By owner and name. */
const NOTES: Collection<Note> = {
  name: 'notes',
  version: 1,
  upgrades: [],
  // A character has up to four bytes; time, member names and lengths take fewer than 64.
  limits: { valueBytes: 4 * NOTE_TEXT_MAX + 64, rows: 1_000_000 },
  indexes: {},
};

export const NOTE_COLLECTIONS = [NOTES] as unknown as readonly Collection<unknown>[];

export interface NamedNote extends Note {
  readonly name: string;
}

/** What became of it; `notes`: how many the owner has now. */
export interface Written {
  readonly kind: 'written' | 'deleted' | 'absent' | 'full';
  readonly notes: number;
}

/**
 * Writes a note, or deletes it where the text is empty. Resolves when that is durable.
 * @param owner id of a key, or MACHINE_OWNER
 * @param name at most NOTE_NAME_MAX characters @param text at most NOTE_TEXT_MAX @param at Unix ms
 * @param check throws where the owner may not write any more; called in the transaction
 */
export function writeNote(
  store: PlatformStore,
  { owner, name, text, at }: NamedNote & { readonly owner: string },
  check: (transaction: PlatformTransaction) => void,
): Promise<Written> {
  return store.transaction((transaction) => {
    check(transaction);
    const key = [owner, name];
    const notes = countOf(transaction, owner);
    const before = transaction.get(NOTES, key) === undefined ? 0 : 1;
    if (text === '') {
      transaction.delete(NOTES, key);
      return { kind: before === 1 ? 'deleted' : 'absent', notes: notes - before };
    }
    if (notes - before >= NOTES_MAX) return { kind: 'full', notes };
    transaction.put(NOTES, key, { text, at });
    return { kind: 'written', notes: notes - before + 1 };
  });
}

/** All of an owner, by name. */
export function notesOf(reads: PlatformReads, owner: string): NamedNote[] {
  const notes: NamedNote[] = [];
  reads.walk(NOTES, { prefix: [owner] }, ({ text, at }, [, name]) => {
    notes.push({ name: String(name), text, at });
    return true;
  });
  return notes;
}

export function eraseNotes(transaction: PlatformTransaction, owner: string): void {
  for (const { name } of notesOf(transaction, owner)) transaction.delete(NOTES, [owner, name]);
}

function countOf(reads: PlatformReads, owner: string): number {
  let notes = 0;
  reads.walk(NOTES, { prefix: [owner] }, () => {
    notes++;
    return true;
  });
  return notes;
}
