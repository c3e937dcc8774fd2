const DROPS = 1_000_000;

/**
 * A sum of amounts of XRP that is exact to the drop: whole XRP and drops apart, since all XRP together are more drops than a
 * double counts one by one.
 */
export class DropsTotal {
  #xrp = 0;
  #drops = 0;

  /** @param drops a whole number, not negative */
  add(drops: number): void {
    const rest = drops % DROPS;
    this.#xrp += (drops - rest) / DROPS;
    this.#drops += rest;
  }

  addTotal(other: DropsTotal): void {
    this.#xrp += other.#xrp;
    this.#drops += other.#drops;
  }

  /** XRP, rounded once. */
  get xrp(): number {
    const rest = this.#drops % DROPS;
    return Number(`${this.#xrp + (this.#drops - rest) / DROPS}.${`${rest}`.padStart(6, '0')}`);
  }
}
