/**
 * The rate of one fiat at times that descend, as candles come out of the store. A look into the store costs about 15 us
 * whether it reads one entry or ten, so the walk reads ahead: twice as many entries as the last lot answered calls.
 */
import type { Fiat } from './figures.ts';
import type { Rates } from './rates.ts';

const READ_AHEAD_MAX = 512;

export class RateWalk {
  readonly #rates: Pick<Rates, 'walkBack'>;
  readonly #fiat: Fiat;
  /** Entries read ahead, newest first; the one at `#next` is the first that may hold. */
  #minutes: number[] = [];
  #values: number[] = [];
  #next = 0;
  /** The history has nothing older than what was read. */
  #ended = false;
  /** Calls that the last lot answered. */
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
