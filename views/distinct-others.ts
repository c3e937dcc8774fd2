/**
 * How many different accounts a group of listed ones acted on: who was acted on by several counts once.
 *
 *     pairs of each row, newest first --up to those of the last look--> accounts seen -> their number
 *
 * Cost: 0.2 us a pair that came since the last look, in slices; some 40 bytes for each account seen, of which there are no more
 * than pairs (engine/scams/limits.ts).
 */
import { yieldToLoop } from '../engine/event-loop.ts';
import type { ScamActors } from '../engine/scams/actors.ts';

/** Pairs before other work may run: about a millisecond. */
const PAIRS_A_SLICE = 4096;

export class DistinctOthers {
  readonly #actors: Pick<ScamActors, 'newestPair' | 'pair'>;
  readonly #seen = new Set<number>();
  /** Of each row the newest pair that was looked at: pairs of listed accounts stay. */
  readonly #looked = new Map<number, number>();

  constructor(actors: Pick<ScamActors, 'newestPair' | 'pair'>) {
    this.#actors = actors;
  }

  /** @param rows of listed accounts: those of the last call, and what was listed since */
  async of(rows: readonly number[]): Promise<number> {
    let passed = 0;
    for (const row of rows) {
      const newest = this.#actors.newestPair(row);
      const known = this.#looked.get(row) ?? 0;
      for (let pair = newest; pair !== known && pair !== 0; ) {
        if (++passed % PAIRS_A_SLICE === 0) await yieldToLoop();
        const { other, next } = this.#actors.pair(pair);
        this.#seen.add(other);
        pair = next;
      }
      this.#looked.set(row, newest);
    }
    return this.#seen.size;
  }
}
