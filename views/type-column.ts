/** Types of tokens, one byte each: finding a type decodes the currency code, and filters need that of every token. */
import { TOKEN_TYPES, type Tokens, type TokenType } from '../engine/state/tokens.ts';

export class TypeColumn {
  readonly #tokens: Tokens;
  /** Place in TOKEN_TYPES + 1; 0 = not known yet. */
  #column = new Uint8Array(1024);

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** A token's type never changes. */
  of(token: number): TokenType {
    if (token >= this.#column.length) {
      const grown = new Uint8Array(Math.max(token + 1, this.#column.length * 2));
      grown.set(this.#column);
      this.#column = grown;
    }
    const known = this.#column[token]!;
    if (known !== 0) return TOKEN_TYPES[known - 1]!;
    const type = this.#tokens.tokenType(token);
    this.#column[token] = TOKEN_TYPES.indexOf(type) + 1;
    return type;
  }
}
