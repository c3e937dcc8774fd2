/**
 * Rows of tokens as bytes or text, and the texts of single fields, kept until something happens to the token. What shows
 * the market beside the token (its price in dollars, its share of all) is forgotten with the market alone.
 */
import { FieldTextCache } from './field-text-cache.ts';
import type { RowWriter } from './row-writer.ts';
import type { TokenFacts } from './token-facts.ts';
import { ROW_SIZES, type RowSize } from './token-fields/field.ts';
import type { FieldTexts, TokenFields } from './token-fields.ts';

/** Rows kept per size; the oldest goes first. About 2 KB a full row. */
const ROWS_KEPT = 10_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Row = Uint8Array | string;

export class KeptRows {
  readonly #factsOf: (token: number) => TokenFacts;
  readonly #writers: Readonly<Record<RowSize, RowWriter>>;
  /** As they were first asked for: as bytes of an answer, or as text of a frame. */
  readonly #rows: Readonly<Record<RowSize, Map<number, Row>>> = {
    full: new Map(),
    light: new Map(),
    line: new Map(),
  };
  readonly #texts: FieldTextCache;

  constructor(fields: TokenFields, factsOf: (token: number) => TokenFacts) {
    this.#factsOf = factsOf;
    this.#writers = {
      full: fields.writer('full'),
      light: fields.writer('light'),
      line: fields.writer('line'),
    };
    this.#texts = new FieldTextCache(fields, factsOf);
  }

  has(token: number, size: RowSize): boolean {
    return this.#rows[size].has(token);
  }

  bytes(token: number, size: RowSize): Uint8Array {
    const row = this.#row(token, size);
    if (typeof row !== 'string') return row;
    const bytes = encoder.encode(row);
    this.#rows[size].set(token, bytes);
    return bytes;
  }

  text(token: number, size: RowSize): string {
    const row = this.#row(token, size);
    return typeof row === 'string' ? row : decoder.decode(row);
  }

  /** JSON texts of single fields of the full row. @param names undefined: all fields */
  texts(token: number, names?: readonly string[]): FieldTexts {
    return this.#texts.of(token, names);
  }

  /** Something happened to the token. */
  forget(token: number): void {
    this.forgetRow(token);
    this.#texts.forget(token);
  }

  /** Its share of the market is another. */
  forgetRow(token: number): void {
    for (const size of ROW_SIZES) this.#rows[size].delete(token);
  }

  /** Prices in dollars are others. */
  forgetRows(): void {
    for (const size of ROW_SIZES) this.#rows[size].clear();
  }

  /** Something happened to all tokens of these accounts. @param issuers by token */
  forgetOf(accounts: ReadonlySet<number>, issuers: Uint32Array): void {
    for (const size of ROW_SIZES) {
      const rows = this.#rows[size];
      for (const token of rows.keys()) if (accounts.has(issuers[token]!)) rows.delete(token);
    }
    for (const token of this.#texts.tokens) if (accounts.has(issuers[token]!)) this.#texts.forget(token);
  }

  /** Something may have happened to any token. */
  drop(): void {
    this.forgetRows();
    this.#texts.drop();
  }

  #row(token: number, size: RowSize): Row {
    const rows = this.#rows[size];
    const kept = rows.get(token);
    if (kept !== undefined) return kept;
    const row = this.#writers[size].write(this.#factsOf(token));
    if (rows.size >= ROWS_KEPT) rows.delete(rows.keys().next().value as number);
    rows.set(token, row);
    return row;
  }
}
