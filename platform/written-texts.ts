/**
 * What all texts have in common that owners write of what is theirs, a token or a collection: nothing that hides or reorders
 * text gets in, values are kept, replaced or removed one by one, and one thing is written once in WRITE_COOLDOWN_MS.
 */

/** Ms between two writes of one thing (section 8.3 of the contract). */
export const WRITE_COOLDOWN_MS = 3000;

/** It was written less than WRITE_COOLDOWN_MS ago. */
export class CooldownError extends Error {
  override readonly name = 'CooldownError';

  /** @param waitMs until it may be written again */
  constructor(readonly waitMs: number) {
    super(`wait ${waitMs} ms`);
  }
}

/** Who writes, and when. */
export interface Writer {
  /** Unix ms. */
  readonly now: number;
  /** r-address. */
  readonly by: string;
}

/** When something was written last. */
export interface Written {
  /** Unix ms. */
  readonly changedAt: number;
  /** r-address that signed it. */
  readonly changedBy: string;
}

/** Values to write; undefined: unchanged, null: removed. */
export type Changes<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** Control characters, those that reorder or hide text, and halves of characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Text that shows all that is in it. */
export function withoutHidden(text: string): string {
  return text.replace(HIDDEN, '');
}

/** The same of several lines. */
export const linesWithoutHidden = (text: string): string => text.split('\n').map(withoutHidden).join('\n');

/** @throws CooldownError */
export function refuseSoon(before: Written | undefined, now: number): void {
  const waitMs = before ? before.changedAt + WRITE_COOLDOWN_MS - now : 0;
  // A clock that was set back must not lock it for longer.
  if (waitMs > 0 && waitMs <= WRITE_COOLDOWN_MS) throw new CooldownError(waitMs);
}

/** Names of what is another value than before. */
export function changedNames<T extends object>(before: T | undefined, changes: Changes<T>): string[] {
  return Object.entries(changes)
    .filter(([name, value]) => {
      const old = before?.[name as keyof T];
      return value !== undefined && JSON.stringify(value ?? null) !== JSON.stringify(old ?? null);
    })
    .map(([name]) => name);
}

export function merged<T extends object>(before: T | undefined, changes: Changes<T>): T {
  const sent = Object.entries(changes).filter(([, value]) => value !== undefined);
  const values = Object.entries({ ...before, ...Object.fromEntries(sent) });
  return Object.fromEntries(values.filter(([, value]) => value !== null)) as T;
}
