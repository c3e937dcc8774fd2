import { DROPS_PER_XRP } from '../codec/amount.ts';

/**
 * A sum of amounts of XRP that is exact to the drop: whole XRP and drops apart, since all XRP together are more drops than a
 * double counts one by one.
 */
export class DropsTotal {
  #xrp = 0;
  #drops = 0;

  /** @param drops a whole number, not negative */
  add(drops: number): void {
    const rest = drops % DROPS_PER_XRP;
    this.#xrp += (drops - rest) / DROPS_PER_XRP;
    this.#drops += rest;
  }

  addTotal(other: DropsTotal): void {
    this.#xrp += other.#xrp;
    this.#drops += other.#drops;
  }

  /** XRP, rounded once. */
  get xrp(): number {
    const rest = this.#drops % DROPS_PER_XRP;
    return Number(`${this.#xrp + (this.#drops - rest) / DROPS_PER_XRP}.${`${rest}`.padStart(6, '0')}`);
  }
}
