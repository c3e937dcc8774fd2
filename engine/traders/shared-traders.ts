/** Positions, traders and windows that another thread writes, read in place: as state/shared-state.ts for the state. */
import { readConsistently } from '../state/sequence-lock.ts';
import type { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { type Buckets, daysOf, hoursOf } from './buckets.ts';
import { Funders } from './funders.ts';
import { TRADER_LIMITS } from './limits.ts';
import { Positions } from './positions.ts';
import { Rotations, type RotationsDescription } from './rotations.ts';
import { TraderScalars } from './scalars.ts';
import { TraderTable } from './trader-table.ts';

/** The parts that can be read in any thread. */
export interface TraderParts {
  readonly positions: Positions;
  readonly traders: TraderTable;
  readonly hours: Buckets;
  readonly days: Buckets;
  readonly rotations: Rotations;
  readonly funders: Pick<Funders, 'of' | 'table'>;
}

/** What a thread needs to attach. */
export type TradersDescription = Readonly<
  Record<'scalars' | 'positions' | 'traders' | 'hours' | 'days' | 'funders', TableDescription>
> & { readonly rotations: RotationsDescription };

/** Only the writer looks accounts up. */
const NO_ACCOUNTS = { find: () => undefined };

export class SharedTraders implements TraderParts {
  readonly positions: Positions;
  readonly traders: TraderTable;
  readonly hours: Buckets;
  readonly days: Buckets;
  readonly rotations: Rotations;
  readonly funders: Funders;
  readonly #tables: readonly Table[];

  constructor(description: TradersDescription) {
    const limits = TRADER_LIMITS;
    const scalars = new TraderScalars(description.scalars);
    this.positions = new Positions(limits.positions, description.positions);
    this.traders = new TraderTable(limits.traders, description.traders);
    this.hours = hoursOf(limits, scalars, description.hours);
    this.days = daysOf(limits, scalars, description.days);
    this.rotations = new Rotations(limits, scalars, description.rotations);
    this.funders = new Funders(limits.accounts, NO_ACCOUNTS, description.funders);
    const { positions, traders, hours, days, rotations, funders } = this;
    const parts = [scalars, positions, traders, hours, days, rotations, funders];
    this.#tables = [...parts.map(({ table }) => table), rotations.proceeds];
  }

  /** As SharedState.read. */
  read<T>(read: () => T): T {
    const locks = this.#tables.map(({ lock }) => lock);
    return readConsistently(locks, () => {
      for (const table of this.#tables) table.ensureCurrent();
      return read();
    });
  }
}
