/**
 * Lets threads read what one thread writes, without making the writer wait: a number in shared memory that is odd while
 * the writer changes something and moves with every change (a "seqlock").
 *
 *     writer    begin: 6 -> 7     writes columns           end: 7 -> 8
 *     reader                  waits while odd   8: reads columns ...   8 again: what was read is of one moment
 *                                                                      moved: read again
 *
 * Goal: the writer pays two atomic additions per ledger, however many threads read; readers never use half of a ledger. Non-goal:
 * readers that always succeed. One that needs longer than the writer ever pauses gives up after TRIES_MAX attempts with an
 * OvertakenError.
 *
 * The words between are read without synchronisation: during a try they may be of two moments, so a reader must bound
 * its loops by what it read first and must not use anything before the try has been confirmed.
 */

/** Attempts of one read. */
const TRIES_MAX = 16;
/** Between two checks whether the writer has ended, ms: waking readers would cost the writer a call per table. */
const WAIT_MS = 1;
/** Checks at most; a ledger takes a fraction of this time. */
const WAITS_MAX = 1000;

/** What a reader wanted changed again and again while it read. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

export class SequenceLock {
  readonly #words: Int32Array;

  /** @param buffer shared memory whose first 4 bytes are the sequence; it begins as 0. */
  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer, 0, 1);
  }

  /** The writer, before it changes anything. Calls do not nest. */
  beginWrite(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** The writer, when its changes are complete. */
  endWrite(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** The sequence at a moment when nothing is being written; waits for one. @throws OvertakenError */
  begin(): number {
    for (let waits = 0; waits < WAITS_MAX; waits++) {
      const sequence = Atomics.load(this.#words, 0);
      if ((sequence & 1) === 0) return sequence;
      Atomics.wait(this.#words, 0, sequence, WAIT_MS);
    }
    throw new OvertakenError('the writer did not pause');
  }

  /**
   * Whether nothing was written since `begin` returned that sequence. An addition of zero instead of a load: it keeps
   * the processor from moving reads of columns behind it.
   */
  isUnchanged(sequence: number): boolean {
    return Atomics.add(this.#words, 0, 0) === sequence;
  }
}

/**
 * Reads under several locks until what was read is of one moment. May block, so never on the thread that writes.
 * @param read may run several times, and may see halves: see the head of the file
 * @throws OvertakenError after TRIES_MAX attempts
 */
export function readConsistently<T>(locks: readonly SequenceLock[], read: () => T): T {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const sequences = locks.map((lock) => lock.begin());
    let value: T;
    try {
      value = read();
    } catch (fault) {
      // Halves may be out of range.
      if (locks.every((lock, i) => lock.isUnchanged(sequences[i]!))) throw fault;
      continue;
    }
    if (locks.every((lock, i) => lock.isUnchanged(sequences[i]!))) return value;
  }
  throw new OvertakenError(`what was read changed in ${TRIES_MAX} attempts`);
}
