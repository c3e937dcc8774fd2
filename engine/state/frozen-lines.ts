/**
 * Which lines of each token are frozen, and how many of them by the issuer. They are few, so sets hold them; the
 * counts are in a column of the table of tokens. Derived from the rows of lines.
 */
import type { Table } from './table.ts';

const NONE: ReadonlySet<number> = new Set();

export class FrozenLines {
  readonly #byIssuer: Uint32Array;
  readonly #lines = new Map<number, Set<number>>();

  constructor(tokens: Table) {
    this.#byIssuer = tokens.derivedU32('frozenCounts');
  }

  clear(): void {
    this.#byIssuer.fill(0);
    this.#lines.clear();
  }

  /** Lines that the issuer froze. */
  countByIssuer(token: number): number {
    return this.#byIssuer[token] ?? 0;
  }

  /** Lines that the issuer or the holder froze. */
  of(token: number): ReadonlySet<number> {
    return this.#lines.get(token) ?? NONE;
  }

  add(token: number, line: number, byIssuer: boolean): void {
    if (byIssuer) this.#byIssuer[token]!++;
    const lines = this.#lines.get(token);
    if (lines) lines.add(line);
    else this.#lines.set(token, new Set([line]));
  }

  remove(token: number, line: number, byIssuer: boolean): void {
    if (byIssuer) this.#byIssuer[token]!--;
    const lines = this.#lines.get(token);
    lines?.delete(line);
    if (lines?.size === 0) this.#lines.delete(token);
  }
}
