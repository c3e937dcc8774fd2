/**
 * Writes a token's row as JSON text, field by field in the order of the table.
 *
 * Goal: a row costs what can have changed. After a ledger the rows of all tokens that it changed are made again for its
 * frames; names, addresses and ids of a token never change (`TokenField.isFixed`), but each is decoded from several tables.
 * Fields of a run of such fields are kept as one text. Non-goal: keeping rows (token-views.ts).
 *
 *     md5 issuer currency name | user | slug tokenType | ... | dateon date | ...
 *     ---------- kept -------- | made | ----- kept --- | made | -- kept --- | made
 *
 * Cost: 200 to 300 bytes a token whose texts are kept.
 */
import type { TokenType } from '../engine/state/tokens.ts';
import type { TokenFacts } from './token-facts.ts';
import type { TokenField } from './token-fields/field.ts';

/** Tokens whose texts are kept; the oldest goes first. */
const TOKENS_KEPT = 20_000;

type Value = (token: TokenFacts) => unknown;

/** Neighbours in the row that are kept as one text, or a single field that is made each time. */
interface Part {
  readonly fields: { readonly key: string; readonly value: Value }[];
  readonly isFixed: boolean;
}

export class RowWriter {
  readonly #fields: readonly TokenField[];
  /** Which fields are fixed depends on the type. */
  readonly #parts = new Map<TokenType, readonly Part[]>();
  /** Texts of the fixed parts, by token. */
  readonly #kept = new Map<number, readonly string[]>();

  constructor(fields: readonly TokenField[]) {
    this.#fields = fields.filter(({ value }) => value !== undefined);
  }

  write(token: TokenFacts): string {
    const parts = this.#partsOf(token.type);
    const texts = this.#kept.get(token.token) ?? this.#keep(token, parts);
    let row = '';
    let fixed = 0;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!;
      const text = part.isFixed ? texts[fixed++]! : textOf(part, token);
      if (text !== '') row += (row === '' ? '{' : ',') + text;
    }
    return row === '' ? '{}' : `${row}}`;
  }

  #keep(token: TokenFacts, parts: readonly Part[]): readonly string[] {
    if (this.#kept.size >= TOKENS_KEPT) this.#kept.delete(this.#kept.keys().next().value as number);
    const texts = parts.filter(({ isFixed }) => isFixed).map((part) => textOf(part, token));
    if (texts.length > 0) this.#kept.set(token.token, texts);
    return texts;
  }

  #partsOf(type: TokenType): readonly Part[] {
    const known = this.#parts.get(type);
    if (known) return known;
    const parts: Part[] = [];
    for (const { name, value, isFixed } of this.#fields) {
      const entry = { key: `${JSON.stringify(name)}:`, value: value! };
      const last = parts.at(-1);
      if (isFixed?.(type) && last?.isFixed) last.fields.push(entry);
      else parts.push({ fields: [entry], isFixed: isFixed?.(type) === true });
    }
    this.#parts.set(type, parts);
    return parts;
  }
}

/** The members of the part that have a value, without braces. */
function textOf({ fields, isFixed }: Part, token: TokenFacts): string {
  if (!isFixed) {
    const { key, value } = fields[0]!;
    const made = value(token);
    return made === undefined ? '' : key + jsonText(made);
  }
  const members: string[] = [];
  for (const { key, value } of fields) {
    const made = value(token);
    if (made !== undefined) members.push(key + jsonText(made));
  }
  // One text, where a sum would keep its pieces.
  return members.join(',');
}

export function jsonText(value: unknown): string {
  // As JSON.stringify writes a number, without the call.
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
