/** The newest ledgers, in memory: those that are not durable yet, and some before them for readers. */
import { sameBytes } from './codec/bytes.ts';
import { type Changes, Node } from './codec/changes.ts';
import type { PackedLedger } from './codec/packed.ts';

/** Where a transaction is. */
export interface TransactionPlace {
  readonly ledger: number;
  readonly tx: number;
}

export class RecentLedgers {
  /** Newest ledger that is in the store. */
  durable = 0;
  readonly #kept: number;
  readonly #byIndex = new Map<number, { readonly packed: PackedLedger; readonly changes: Changes }>();

  /** @param kept ledgers that stay when they are durable */
  constructor(kept: number) {
    this.#kept = kept;
  }

  add(packed: PackedLedger, changes: Changes): void {
    this.#byIndex.set(packed.ledgerIndex, { packed, changes });
    this.drop();
  }

  packed(index: number): PackedLedger | undefined {
    return this.#byIndex.get(index)?.packed;
  }

  /** The ranges of the store and of these, ascending, inclusive. */
  after(stored: readonly (readonly [number, number])[]): (readonly [number, number])[] {
    const ranges = stored.map(([first, last]) => [first, last] as [number, number]);
    for (const index of this.#byIndex.keys()) {
      const last = ranges.at(-1);
      if (last && index <= last[1]) continue;
      if (last && index === last[1] + 1) last[1] = index;
      else ranges.push([index, index]);
    }
    return ranges;
  }

  /** Position of a transaction that is not in the store yet, by its 32-byte hash. */
  findTransaction(hash: Uint8Array): TransactionPlace | undefined {
    for (const [ledger, { changes }] of this.#byIndex) {
      if (ledger <= this.durable) continue;
      for (let tx = 0; tx < changes.transactions; tx++) {
        if (sameBytes(changes.hash(tx), 0, hash, 0, 32)) return { ledger, tx };
      }
    }
    return undefined;
  }

  /** Position of the latest change of a ledger entry that is not in the store yet, by its 32-byte index. */
  findEntry(index: Uint8Array): TransactionPlace | undefined {
    let found: TransactionPlace | undefined;
    for (const [ledger, { packed, changes }] of this.#byIndex) {
      if (ledger <= this.durable) continue;
      for (let node = 0; node < changes.nodes; node++) {
        const at = changes.node(node, Node.indexAt);
        if (sameBytes(packed.bytes, at, index, 0, 32)) found = { ledger, tx: changes.node(node, Node.tx) };
      }
    }
    return found;
  }

  /** Drops ledgers that are durable and no longer among the newest. */
  drop(): void {
    for (const index of this.#byIndex.keys()) {
      if (this.#byIndex.size <= this.#kept || index > this.durable) return;
      this.#byIndex.delete(index);
    }
  }
}
