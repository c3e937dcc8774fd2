/**
 * The rate of one fiat at times that descend, in the order in which candles are read. A read of the store costs about 15 us
 * for one entry or ten, so the walk reads ahead: twice as many entries as calls were answered from the last read.
 */
import type { Fiat } from './figures.ts';
import type { Rates } from './rates.ts';

const READ_AHEAD_MAX = 512;

export class RateWalk {
  readonly #rates: Pick<Rates, 'walkBack'>;
  readonly #fiat: Fiat;
  /** Entries read ahead, newest first; the one at `#next` is the first that may apply. */
  #minutes: number[] = [];
  #values: number[] = [];
  #next = 0;
  /** The history has no entry older than those read. */
  #ended = false;
  /** Calls answered from the last read. */
  #answered = 0;

  constructor(rates: Pick<Rates, 'walkBack'>, fiat: Fiat) {
    this.#rates = rates;
    this.#fiat = fiat;
  }

  /** XRP per unit at the end of a minute, 0 = unknown. @param minute its start, not after that of the last call. */
  at(minute: number): number {
    while (this.#next < this.#minutes.length && this.#minutes[this.#next]! > minute) this.#next++;
    if (this.#next >= this.#minutes.length && !this.#ended) this.#read(minute);
    this.#answered++;
    return this.#values[this.#next] ?? 0;
  }

  #read(minute: number): void {
    const size = Math.min(READ_AHEAD_MAX, Math.max(1, this.#answered * 2));
    this.#answered = 0;
    this.#minutes = [];
    this.#values = [];
    this.#next = 0;
    const take = (time: number, rate: number): boolean => {
      this.#minutes.push(time);
      this.#values.push(rate);
      return true;
    };
    this.#rates.walkBack(this.#fiat, 0, minute, take, size);
    this.#ended = this.#minutes.length < size;
  }
}
