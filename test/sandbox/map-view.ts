/** A ledger's state in a map: the base of views in tests. */
import type { Fees, ReadView, ViewHeader } from '../../sandbox/ledger/view.ts';
import type { Rules } from '../../sandbox/protocol/amendments.ts';
import type { Amount } from '../../sandbox/protocol/amount.ts';
import type { AccountId, Hex } from '../../sandbox/protocol/asset.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';

/** A state held in a map: the base of every view here. */
export class MapView implements ReadView {
  readonly entries = new Map<Hex, Entry>();
  #sorted: Hex[] | undefined;

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
    this.#sorted ??= [...this.entries.keys()].sort();
    const next = this.#sorted.find((other) => other > key);
    return next !== undefined && (before === undefined || next < before) ? next : undefined;
  }

  balanceHook(_account: AccountId, _issuer: AccountId, amount: Amount): Amount {
    return amount;
  }

  ownerCountHook(_account: AccountId, count: number): number {
    return count;
  }
}
