/**
 * For each token the ids of its trust lines or holdings, in no particular order: one growing Uint32Array a token,
 * with the place of each line kept beside the line, so that adding and removing are O(1). 4 to 6 bytes a membership.
 */
const EMPTY = new Uint32Array(0);

export class HolderLists {
  readonly #lists: (Uint32Array | undefined)[] = [];
  #counts = new Uint32Array(1024);

  clear(): void {
    this.#lists.length = 0;
    this.#counts.fill(0);
  }

  count(token: number): number {
    return this.#counts[token] ?? 0;
  }

  /** A view: valid until the next change. */
  list(token: number): Uint32Array {
    return this.#lists[token]?.subarray(0, this.#counts[token]) ?? EMPTY;
  }

  /** @returns the place of the line in the list. */
  add(token: number, line: number): number {
    if (token >= this.#counts.length) this.#widen(token);
    const count = this.#counts[token]!;
    let list = this.#lists[token];
    if (!list || count === list.length) {
      const grown = new Uint32Array(Math.max(4, Math.ceil(count * 1.5)));
      if (list) grown.set(list);
      this.#lists[token] = grown;
      list = grown;
    }
    list[count] = line;
    this.#counts[token] = count + 1;
    return count;
  }

  /** Takes out the line at a place. @returns the line that is there now (its place changed), 0 for none. */
  remove(token: number, place: number): number {
    const list = this.#lists[token]!;
    const last = this.#counts[token]! - 1;
    this.#counts[token] = last;
    if (last === 0) this.#lists[token] = undefined;
    if (place === last) return 0;
    const moved = list[last]!;
    list[place] = moved;
    return moved;
  }

  /** Memory of all lists. */
  get byteLength(): number {
    return this.#lists.reduce((sum, list) => sum + (list?.byteLength ?? 0), this.#counts.byteLength);
  }

  #widen(token: number): void {
    const wider = new Uint32Array(Math.max(token + 1, this.#counts.length * 2));
    wider.set(this.#counts);
    this.#counts = wider;
  }
}
