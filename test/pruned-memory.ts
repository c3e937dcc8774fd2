/** A store in memory that shows no ledger before the oldest, as one that prunes. */
import type { Position } from '../engine/store.ts';
import { MemoryStore } from '../support/memory-store.ts';

export class PrunedMemory extends MemoryStore {
  oldest = 0;

  override ledger(index: number): Uint8Array | undefined {
    return index < this.oldest ? undefined : super.ledger(index);
  }

  override transaction(hash: Uint8Array): Position | undefined {
    const found = super.transaction(hash);
    return found && found.ledger >= this.oldest ? found : undefined;
  }

  override ledgerRanges(): readonly (readonly [number, number])[] {
    return super.ledgerRanges().map(([first, last]) => [Math.max(first, this.oldest), last]);
  }
}
