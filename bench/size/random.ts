/** Random numbers of a seed: the same ones in every run. */
import { hash2 } from '../../engine/state/hash.ts';

export class Random {
  readonly #seed: number;
  #drawn = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** 32 bits. */
  word(): number {
    return hash2(this.#seed, this.#drawn++);
  }

  /** 0 to 1, 1 excluded. */
  uniform(): number {
    return this.word() / 2 ** 32;
  }

  /** A whole number below `n`; the higher `power`, the more often a small one. */
  below(n: number, power = 1): number {
    return Math.floor(n * this.uniform() ** power);
  }

  /** Upper-case hex. */
  hex(bytes: number): string {
    let text = '';
    while (text.length < bytes * 2) text += this.word().toString(16).padStart(8, '0');
    return text.slice(0, bytes * 2).toUpperCase();
  }
}
