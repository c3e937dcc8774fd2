/**
 * Texts of the single fields of tokens, for streams that send some of them: kept until something happens to the token, as
 * its rows are. What moves with the market (`TokenField.isOfMarket`) is in no cache: nearly every ledger has another price
 * of XRP, and the other fields of a watched token need not be made again for that.
 */
import type { TokenFacts } from './token-facts.ts';
import type { FieldTexts, TokenFields } from './token-fields.ts';

/** Tokens whose texts are kept; the oldest goes first. About 3 KB a token. */
const TOKENS_KEPT = 2_000;

export class FieldTextCache {
  readonly #fields: TokenFields;
  readonly #factsOf: (token: number) => TokenFacts;
  /** undefined: the field has no value. */
  readonly #kept = new Map<number, Map<string, string | undefined>>();

  constructor(fields: TokenFields, factsOf: (token: number) => TokenFacts) {
    this.#fields = fields;
    this.#factsOf = factsOf;
  }

  /** As `TokenFields.texts`. */
  of(token: number, names?: readonly string[]): FieldTexts {
    let kept = this.#kept.get(token);
    if (!kept) {
      kept = new Map();
      if (this.#kept.size >= TOKENS_KEPT) this.#kept.delete(this.#kept.keys().next().value as number);
      this.#kept.set(token, kept);
    }
    return this.#fields.texts(this.#factsOf(token), names, kept);
  }

  /** Tokens of which something is kept. */
  get tokens(): Iterable<number> {
    return this.#kept.keys();
  }

  forget(token: number): void {
    this.#kept.delete(token);
  }

  drop(): void {
    this.#kept.clear();
  }
}
