/** A bit for each id: sets of hundreds of thousands of lines, where a Set takes 100 ns a member and these take 2. */
export class IdMarks {
  readonly #bits: Uint8Array;

  /** @param end exclusive bound of the ids */
  constructor(end: number) {
    this.#bits = new Uint8Array((end + 7) >>> 3);
  }

  add(id: number): void {
    this.#bits[id >>> 3]! |= 1 << (id & 7);
  }

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  /** @returns whether it was in */
  delete(id: number): boolean {
    if (!this.has(id)) return false;
    this.#bits[id >>> 3]! &= ~(1 << (id & 7));
    return true;
  }
}
