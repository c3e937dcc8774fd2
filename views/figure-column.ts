/** A number per token, computed when first needed and kept until what it is made of changes. */
export class FigureColumn {
  readonly #measure: (token: number) => number;
  /** NaN = not known. */
  #column = new Float64Array(1024).fill(Number.NaN);

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

  forget(token: number): void {
    if (token < this.#column.length) this.#column[token] = Number.NaN;
  }

  drop(): void {
    this.#column.fill(Number.NaN);
  }
}
