/** A number per token, computed when first needed and kept until what it is made of changes. */
export class FigureColumn {
  readonly #measure: (token: number) => number;
  /** NaN = not known. */
  #column = new Float64Array(1024).fill(Number.NaN);
  /** Tokens below have been computed since the last drop. */
  #computed = 0;

  constructor(measure: (token: number) => number) {
    this.#measure = measure;
  }

  of(token: number): number {
    if (token >= this.#column.length) {
      const grown = new Float64Array(Math.max(token + 1, this.#column.length * 2)).fill(Number.NaN);
      grown.set(this.#column);
      this.#column = grown;
    }
    const known = this.#column[token]!;
    if (!Number.isNaN(known)) return known;
    const figure = this.#measure(token);
    this.#column[token] = figure;
    return figure;
  }

  /** Computes up to `limit` tokens that were never asked for. @returns true when all below `end` have been */
  extend(end: number, limit: number): boolean {
    const to = Math.min(end, this.#computed + limit);
    for (; this.#computed < to; this.#computed++) this.of(this.#computed);
    return this.#computed >= end;
  }

  forget(token: number): void {
    if (token < this.#column.length) this.#column[token] = Number.NaN;
  }

  drop(): void {
    this.#column.fill(Number.NaN);
    this.#computed = 0;
  }
}
