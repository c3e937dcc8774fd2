/** A ledger's state in a map: the base of views in tests. */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { SortedKeys } from '../../sandbox/ledger/sorted-keys.ts';
import type { Fees, ReadView, ViewHeader } from '../../sandbox/ledger/view.ts';
import type { Rules } from '../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';

/** A state held in a map: the base of every view here. */
export class MapView implements ReadView {
  readonly entries = new Map<Hex, Entry>();
  #sorted: SortedKeys | undefined;

  constructor(
    readonly header: ViewHeader,
    readonly rules: Rules,
    readonly fees: Fees,
    readonly open = false,
    entries: Iterable<Entry> = [],
  ) {
    for (const entry of entries) this.entries.set(entry.index, entry);
  }

  read(key: Hex): Readonly<Entry> | undefined {
    return this.entries.get(key);
  }

  successor(key: Hex, before?: Hex): Hex | undefined {
    this.#sorted ??= this.#sort();
    const next = this.#sorted.after(key);
    return next !== undefined && (before === undefined || next < before) ? next : undefined;
  }

  #sort(): SortedKeys {
    const sorted = new SortedKeys();
    for (const key of [...this.entries.keys()].sort()) sorted.add(key);
    return sorted;
  }

  balanceHook(_account: AccountId, _issuer: AccountId, amount: Amount): Amount {
    return amount;
  }

  ownerCountHook(_account: AccountId, count: number): number {
    return count;
  }
}
