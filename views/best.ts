/** The few largest of many, in order, without sorting the others: larger keys first, of equal keys the smaller id. */
export class Best {
  readonly #ids: Uint32Array;
  readonly #keys: Float64Array;
  #count = 0;

  /** @param limit how many are kept; not 0 */
  constructor(limit: number) {
    this.#ids = new Uint32Array(limit);
    this.#keys = new Float64Array(limit);
  }

  offer(id: number, key: number): void {
    const isFull = this.#count === this.#ids.length;
    if (isFull && !this.#goesBefore(id, key, this.#count - 1)) return;
    let low = 0;
    let high = isFull ? this.#count - 1 : this.#count;
    const end = high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#goesBefore(id, key, middle)) high = middle;
      else low = middle + 1;
    }
    this.#ids.copyWithin(low + 1, low, end);
    this.#keys.copyWithin(low + 1, low, end);
    this.#ids[low] = id;
    this.#keys[low] = key;
    if (!isFull) this.#count++;
  }

  /** Best first; valid until the next offer. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.#count);
  }

  /** Keys of these. */
  get keys(): Float64Array {
    return this.#keys.subarray(0, this.#count);
  }

  #goesBefore(id: number, key: number, place: number): boolean {
    const other = this.#keys[place]!;
    return key > other || (key === other && id < this.#ids[place]!);
  }
}
