/**
 * The tokens of an issuer, for what a change of the issuer's settings concerns. Links in a column, followed from the newest
 * token back; tokens are added when it is first asked after they appeared, and never go.
 */
import type { Tokens } from '../engine/state/tokens.ts';

export class IssuedTokens {
  readonly #tokens: Pick<Tokens, 'issuers' | 'count'>;
  /** Newest token by issuer. */
  readonly #newest = new Map<number, number>();
  /** The token of the same issuer before it, 0 = none. */
  #before = new Uint32Array(1024);
  #end = 1;

  constructor(tokens: Pick<Tokens, 'issuers' | 'count'>) {
    this.#tokens = tokens;
  }

  /** Calls `visit` with every token of the issuer. */
  each(issuer: number, visit: (token: number) => void): void {
    this.#extend();
    for (let token = this.#newest.get(issuer) ?? 0; token !== 0; token = this.#before[token]!) visit(token);
  }

  #extend(): void {
    const { count, issuers } = this.#tokens;
    if (count > this.#before.length) {
      const larger = new Uint32Array(Math.max(count, this.#before.length * 2));
      larger.set(this.#before);
      this.#before = larger;
    }
    for (; this.#end < count; this.#end++) {
      const issuer = issuers[this.#end]!;
      this.#before[this.#end] = this.#newest.get(issuer) ?? 0;
      this.#newest.set(issuer, this.#end);
    }
  }
}
