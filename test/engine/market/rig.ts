/** State and market over a store in memory, given packed ledgers as by the engine. */

import type { Changes } from '../../../engine/codec/changes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { restoringDomains } from '../../../engine/domain.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import type { MarketLimits } from '../../../engine/market/limits.ts';
import { Market } from '../../../engine/market/market.ts';
import { STATE_LIMITS } from '../../../engine/state/limits.ts';
import { State } from '../../../engine/state/state.ts';
import type { Batch } from '../../../engine/store.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

export const SMALL: MarketLimits = {
  tokens: 2 ** 14,
  accounts: 2 ** 16,
  ticks: 2 ** 15,
  hours: 2 ** 15,
  ledgers: 2 ** 12,
  holderChanges: 2 ** 15,
};
const STATE_SMALL = Object.fromEntries(
  Object.keys(STATE_LIMITS).map((name) => [name, 2 ** 16]),
) as unknown as typeof STATE_LIMITS;

export class Rig {
  readonly state = new State(STATE_SMALL);
  readonly market: Market;
  readonly store: MemoryStore;
  private batch: Batch | undefined;
  private last: PackedLedger | undefined;
  private readonly limits: MarketLimits;

  constructor(limits: MarketLimits = SMALL, store = new MemoryStore()) {
    this.limits = limits;
    this.store = store;
    this.market = new Market(this.state, store, limits);
  }

  apply(packed: PackedLedger, changes: Changes): void {
    this.state.changed.clear();
    this.state.applyLedger(packed, changes);
    this.batch ??= this.store.batch();
    this.market.applyLedger(packed, changes, this.batch);
    runToEnd(this.market.settling(packed, changes, this.batch));
    this.batch.ledger(packed.ledgerIndex, packed.closeTime, new Uint8Array(1));
    this.last = packed;
  }

  /** Makes everything applied so far durable. */
  async commit(): Promise<void> {
    if (!this.batch || !this.last) return;
    this.state.persist(this.batch);
    this.market.persist(this.batch);
    const { ledgerIndex: index, closeTime, hash } = this.last;
    const done = this.store.commit(this.batch, { index, hash, closeTime });
    this.batch = undefined;
    await done;
    this.market.durable(index);
  }

  /** What a process would hold that starts on what is durable. */
  restarted(): Rig {
    const rig = new Rig(this.limits, this.store);
    runToEnd(restoringDomains(this.store, [rig.state]));
    runToEnd(restoringDomains(this.store, [rig.market]));
    return rig;
  }
}
