/** What a client may find after a kill: what was answered last, or what was sent since. */
import { expect } from 'bun:test';

export class Cell<T> {
  written: T;
  #sent: T[] = [];

  constructor(written: T) {
    this.written = written;
  }

  /** Values that may be there. */
  get allowed(): readonly T[] {
    return [this.written, ...this.#sent];
  }

  /** @param send resolves with whether it was taken; where it throws, nobody knows */
  async write(value: T, send: () => Promise<boolean>): Promise<void> {
    this.#sent.push(value);
    if (await send()) this.written = value;
    this.#sent = [];
  }

  /** @throws where neither what was answered nor what was sent since was found */
  check(found: T, what: string): void {
    expect(this.allowed, what).toContainEqual(found);
    this.written = found;
    this.#sent = [];
  }
}
