/** A small sorted set of keys, for the keys that a view adds to the state below it. */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';

export class SortedKeys {
  readonly #keys: Hex[] = [];

  add(key: Hex): void {
    this.#keys.splice(this.#above(key), 0, key);
  }

  remove(key: Hex): void {
    const at = this.#above(key) - 1;
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** The smallest key above `key`. */
  after(key: Hex): Hex | undefined {
    return this.#keys[this.#above(key)];
  }

  /** Position of the first key above `key`. */
  #above(key: Hex): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] as Hex) > key) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
