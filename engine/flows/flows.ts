/**
 * The flows of one engine: who held how much of a token before and after each transaction, who created it, and what went
 * from whom to whom.
 *
 *     state.applyLedger  -> the balances that each transaction changed -.
 *     market.applyLedger -> the trade records of the ledger ------------+-> ring of balance changes (24 hours)
 *                                                                           `-> creators, events of accounts -> batch
 *
 * Applied after state and market; all of it follows from the ledgers. Rows are kept only since this domain has read
 * them: a store of an earlier version begins without, and `since` of the ring says so.
 */
import type { Changes } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import type { State } from '../state/state.ts';
import { persistTables } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import type { Batch } from '../store.ts';
import { AccountEvents } from './account-events.ts';
import { BalanceChanges, type LedgerRecords } from './balance-changes.ts';
import { Creators } from './creators.ts';
import { FLOW_LIMITS, type FlowLimits } from './limits.ts';
import { FlowScalar, FlowScalars } from './scalars.ts';

const SINCE_OPENED = 'stores of earlier versions have them only since this version opened them';

/** What the flows ask of the market. */
interface FlowMarket extends LedgerRecords {
  readonly totals: { price(token: number): number | undefined };
}

/** The events of the last ledger (event-record.ts), `count` of them one after another. */
export interface FlowEvents {
  readonly bytes: Uint8Array;
  readonly count: number;
}

export class Flows implements Domain<'flows', FlowEvents> {
  readonly name = 'flows';
  readonly balanceChanges: BalanceChanges;
  readonly creators: Creators;
  readonly accountEvents: AccountEvents;
  readonly tables: readonly Table[];
  readonly #scalars = new FlowScalars(SINCE_OPENED);
  readonly #market: FlowMarket;
  readonly #onRow = (row: number, tx: number, token: number): void =>
    this.accountEvents.changed(row, tx, token);

  constructor(state: State, market: FlowMarket, limits: FlowLimits = FLOW_LIMITS) {
    this.#market = market;
    const prices = { price: (token: number) => market.totals.price(token) };
    this.balanceChanges = new BalanceChanges(
      limits.balanceChanges,
      this.#scalars,
      state,
      prices,
      SINCE_OPENED,
    );
    this.creators = new Creators(limits.tokens, state, SINCE_OPENED);
    this.accountEvents = new AccountEvents(state, this.creators, this.balanceChanges, prices);
    this.tables = [this.#scalars.table, this.balanceChanges.table, this.creators.table];
  }

  get events(): FlowEvents {
    return this.accountEvents.buffer;
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  applyLedger(packed: PackedLedger, changes: Changes, batch: Batch): void {
    const { closeTime, ledgerIndex } = packed;
    const follows = ledgerIndex === this.#scalars.get(FlowScalar.ledgerIndex) + 1;
    this.#scalars.set(FlowScalar.closeTime, closeTime);
    this.#scalars.set(FlowScalar.ledgerIndex, ledgerIndex);
    const { accountEvents } = this;
    accountEvents.begin();
    this.balanceChanges.apply(closeTime, follows, this.#market, this.#onRow);
    accountEvents.apply(packed, changes, batch);
  }

  durable(ledgerIndex: number): void {
    this.accountEvents.durable(ledgerIndex);
  }

  /** The first ledger after it begins what is known. */
  gap(): void {}

  persist(batch: Batch, openedAt: number): void {
    persistTables(batch, this.tables, openedAt);
  }

  *restoring(): RowSteps {
    yield* this.rebuilding();
  }

  *rebuilding(): RowSteps {
    this.balanceChanges.rebuild();
    this.creators.rebuild();
    this.accountEvents.clear();
    yield 0;
  }

  /** Its tables, without what stores of earlier versions lack. */
  digest(): string {
    const digest = new Digest();
    for (const table of this.tables) digest.table(table);
    return digest.text;
  }
}
