/**
 * Headers that show how a client stands, written into each of its answers. Kept answers have their headers ready: what is
 * the same for all clients with the same limits is written once (`fixed`), of the rest what has changed since the last one.
 */

/** Names and values. One object for all clients with the same limits. */
export type FixedHeaders = readonly (readonly [string, string])[];

export interface Stamp {
  readonly fixed: FixedHeaders;
  /** Writes the others: always the same names for the same `fixed`. */
  write(to: StampedHeaders): void;
}

/** Texts of small numbers, which most of them are. */
const TEXTS: readonly string[] = Array.from({ length: 2048 }, (_, value) => String(value));

/** Headers with those of one client after another. Setting one costs 0.15 us, seeing that it is the same nothing. */
export class StampedHeaders {
  readonly headers: Headers;
  #remaining = -1;
  #reset = -1;
  #daily = -1;
  #used = -1;
  #left = -1;
  #nearest = '';
  #nearestRemaining = -1;
  #nearestReset = -1;
  /** Of the standard field, what stands before and behind the number of requests. */
  #nearestBefore = '';
  #nearestBehind = '';
  /** The newest larger number: several headers of an answer often show the same. */
  #number = -1;
  #text = '';

  constructor(headers: Headers, fixed: FixedHeaders) {
    this.headers = headers;
    for (const [name, value] of fixed) headers.set(name, value);
  }

  /** @param reset seconds */
  window(remaining: number, reset: number): void {
    if (remaining !== this.#remaining) this.headers.set('X-RateLimit-Remaining', this.#textOf(remaining));
    if (reset !== this.#reset) this.headers.set('X-RateLimit-Reset', this.#textOf(reset));
    this.#remaining = remaining;
    this.#reset = reset;
  }

  day(remaining: number): void {
    if (remaining !== this.#daily) this.headers.set('X-RateLimit-Daily-Remaining', this.#textOf(remaining));
    this.#daily = remaining;
  }

  /** The standard field. @param name of the window. @param reset seconds */
  nearest(name: string, remaining: number, reset: number): void {
    const isOther = name !== this.#nearest;
    const isLater = reset !== this.#nearestReset;
    if (!isOther && !isLater && remaining === this.#nearestRemaining) return;
    if (isOther) this.#nearestBefore = `"${name}";r=`;
    if (isLater) this.#nearestBehind = `;t=${this.#textOf(reset)}`;
    this.headers.set('RateLimit', this.#nearestBefore + this.#textOf(remaining) + this.#nearestBehind);
    this.#nearest = name;
    this.#nearestRemaining = remaining;
    this.#nearestReset = reset;
  }

  /** Both in tenths of credits. */
  credits(used: number, left: number): void {
    if (used !== this.#used) this.headers.set('X-Credits-Used', this.#creditText(used));
    if (left !== this.#left) this.headers.set('X-Credits-Remaining', this.#creditText(left));
    this.#used = used;
    this.#left = left;
  }

  /** Asking an array for what is not in it costs more than making the text. */
  #textOf(value: number): string {
    if (value < TEXTS.length) return TEXTS[value] ?? String(value);
    if (value !== this.#number) {
      this.#text = String(value);
      this.#number = value;
    }
    return this.#text;
  }

  #creditText(tenths: number): string {
    const whole = Math.floor(tenths / 10);
    const rest = tenths - 10 * whole;
    return rest === 0 ? this.#textOf(whole) : `${whole}.${rest}`;
  }
}

/** Writes all of them. @param stamp undefined: the client has no limits */
export function writeStamp(stamp: Stamp | undefined, headers: Headers): void {
  stamp?.write(new StampedHeaders(headers, stamp.fixed));
}
