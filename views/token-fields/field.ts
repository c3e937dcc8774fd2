/** What one entry of the table of token fields says, and the short forms its entries are written in. */
import type { TokenFacts } from '../token-facts.ts';
import type { TokenFigures } from '../token-figures.ts';

/**
 * How much of a token a row shows: `full` all of it, `light` what lists need (`lightweight=true`), `line` what stands in an
 * account's trust-line list.
 */
export const ROW_SIZES = ['full', 'light', 'line'] as const;
export type RowSize = (typeof ROW_SIZES)[number];

/** Sets of fields that a socket of `/ws/token` can name. */
export const PRESETS = ['ticker', 'price', 'trading'] as const;
export type Preset = (typeof PRESETS)[number];

/** A JSON Schema (2020-12). */
type FieldSchema = { readonly [key: string]: unknown };

export interface TokenField {
  /** As it is named in rows. */
  readonly name: string;
  /** What it says, for the API documents. */
  readonly about: string;
  /** Of its value, where a value has one. */
  readonly unit?: string;
  readonly schema: FieldSchema;
  /** Rows that show it; `beside`: answers of single tokens and lists show it beside the full row. */
  readonly sizes: readonly (RowSize | 'beside')[];
  readonly presets?: readonly Preset[];
  /**
   * Lists can be sorted by it: the key of a token, undefined where nothing is known; `'name'`: by the name's letters.
   * Called for every token there is.
   */
  readonly sort?: ((figures: TokenFigures, token: number) => number | undefined) | 'name';
  /** Other names that clients send for the sort. */
  readonly sortNames?: readonly string[];
  /** Whether its value may be another though nothing happened to the token: the market moved, or a long computation ended. */
  readonly isOfMarket?: true;
  /** Its JSON value; undefined: not known, and left out. Absent: a sort that rows do not show. */
  readonly value?: (token: TokenFacts) => unknown;
}

/** Types an entry: its name stays a literal, so that the names of sorts are a type. */
export const field = <const F extends TokenField>(entry: F): F => entry;

export const FULL = ['full'] as const;
/** In lists too. */
export const LIGHT = ['full', 'light'] as const;
/** In trust-line lists too. */
export const EVERY = ['full', 'light', 'line'] as const;
/** Beside the full row. */
export const BESIDE = ['beside'] as const;
/** A sort only. */
export const NO_ROW = [] as const;

export const text: FieldSchema = { type: 'string' };
export const number: FieldSchema = { type: 'number' };
export const integer: FieldSchema = { type: 'integer' };
export const boolean: FieldSchema = { type: 'boolean' };
