/**
 * The token fields of the contract, one table: what a row shows, what a stream sends, what a list sorts by, what the
 * documents say.
 *
 * Goals: a new field is one entry in one file of `token-fields/`; everything else follows from it. No entry costs
 * anything where it is not shown. Non-goals: computing figures (token-figures.ts, token-facts.ts), keeping rows
 * (token-views.ts). What the ledger does not say of a token is absent from its row.
 *
 *     { name, about, unit, schema, sizes, presets, sort, sortNames, value }
 *         |                  |       |       |       |         |
 *         |                  |       |       |       |         +-- writer(size) -> row bytes     GET /tokens, /ws/sync
 *         |                  |       |       |       |             texts(names) -> field by field /ws/token
 *         |                  |       |       |       +-- sorts, sortNames, sortKey   `sort` of GET /tokens
 *         |                  |       |       +-- preset(name)                        `fields` of /ws/token
 *         |                  |       +-- which rows show it: full, light, line
 *         +------------------+-- api/token-schema.ts                                 OpenAPI
 *
 * Order: rows show fields in the order of the table. Writers are made once a size (row-writer.ts): a row is one walk over
 * its fields, no object is built and no other field looked at. Cost: 5 to 20 us a full row.
 */

import { jsonText, RowWriter } from './row-writer.ts';
import type { TokenFacts } from './token-facts.ts';
import { BESIDE_FIELDS } from './token-fields/beside.ts';
import type { Preset, RowSize, TokenField } from './token-fields/field.ts';
import { FLOW_FIELDS } from './token-fields/flow.ts';
import { HOLDING_FIELDS } from './token-fields/holding.ts';
import { IDENTITY_FIELDS } from './token-fields/identity.ts';
import { POOL_FIELDS } from './token-fields/pool.ts';
import { PRICE_FIELDS } from './token-fields/prices.ts';
import { SIGNAL_FIELDS } from './token-fields/signals.ts';
import { VOLUME_FIELDS } from './token-fields/volumes.ts';
import type { TokenFigures } from './token-figures.ts';

const ENTRIES = [
  ...IDENTITY_FIELDS,
  ...PRICE_FIELDS,
  ...VOLUME_FIELDS,
  ...HOLDING_FIELDS,
  ...FLOW_FIELDS,
  ...POOL_FIELDS,
  ...SIGNAL_FIELDS,
  ...BESIDE_FIELDS,
] as const;

/** What a token list can be sorted by: the documented names, and those that clients send. */
export type TokenSort = Extract<(typeof ENTRIES)[number], { readonly sort: unknown }>['name'];

/** The JSON texts of fields by name, in the order asked for; those without a value are left out. */
export type FieldTexts = ReadonlyMap<string, string>;

export class TokenFields<Sort extends string = string> {
  readonly all: readonly TokenField[];
  /** What a list can be sorted by. */
  readonly sorts: readonly Sort[];
  /** Other names of sorts, and the sort that each means. */
  readonly sortNames: Readonly<Record<string, Sort>>;
  readonly #byName: ReadonlyMap<string, TokenField>;
  readonly #full: readonly string[];

  constructor(all: readonly TokenField[]) {
    this.all = all;
    this.#byName = new Map(all.map((field) => [field.name, field]));
    if (this.#byName.size !== all.length) throw new Error('two token fields of the same name');
    this.#full = namesWhere(all, ({ sizes }) => sizes.includes('full'));
    const sorted = all.filter(({ sort }) => sort !== undefined);
    this.sorts = sorted.map(({ name }) => name as Sort);
    this.sortNames = Object.fromEntries(
      sorted.flatMap(({ name, sortNames = [] }) => sortNames.map((other) => [other, name as Sort])),
    );
  }

  /** Names of a preset's fields. */
  preset(preset: Preset): readonly string[] {
    return namesWhere(this.all, ({ presets }) => presets?.includes(preset) === true);
  }

  /** The key that lists are sorted by, NaN = nothing known; undefined for a sort by the letters of names. */
  sortKey(sort: Sort, figures: TokenFigures): ((token: number) => number) | undefined {
    const key = this.#byName.get(sort)?.sort;
    if (typeof key !== 'function') return undefined;
    return (token) => key(figures, token) ?? Number.NaN;
  }

  /** Writes tokens' rows of the size as JSON; `beside`: what stands beside the full row. */
  writer(size: RowSize | 'beside'): RowWriter {
    return new RowWriter(this.all.filter(({ sizes }) => sizes.includes(size)));
  }

  /**
   * JSON texts of the named fields; names that are not in the table, or without a value, are left out.
   * @param kept texts made before, to which new ones are added: of fields of rows that do not move with the market
   */
  texts(
    token: TokenFacts,
    names: readonly string[] = this.#full,
    kept?: Map<string, string | undefined>,
  ): FieldTexts {
    const texts = new Map<string, string>();
    for (const name of names) {
      const field = this.#byName.get(name);
      if (!field?.value) continue;
      let text = kept?.get(name);
      if (text === undefined && !kept?.has(name)) {
        const value = field.value(token);
        text = value === undefined ? undefined : jsonText(value);
        if (!field.isOfMarket && field.sizes.includes('full')) kept?.set(name, text);
      }
      if (text !== undefined) texts.set(name, text);
    }
    return texts;
  }
}

export const TOKEN_FIELDS = new TokenFields<TokenSort>(ENTRIES);

function namesWhere(all: readonly TokenField[], keep: (field: TokenField) => boolean): string[] {
  return all.filter((field) => field.value !== undefined && keep(field)).map(({ name }) => name);
}
