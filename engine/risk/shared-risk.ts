/** Observations that another thread writes, read in place: as state/shared-state.ts for the state. */
import { readConsistently } from '../state/sequence-lock.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { OBSERVATIONS, Observations } from './observations.ts';
import { Passes } from './passes.ts';
import { RiskScalars } from './scalars.ts';

/** What a thread needs to attach. */
export type RiskDescription = Readonly<Record<'scalars' | 'passes' | 'observations', TableDescription>>;

export class SharedRisk {
  readonly observations: Observations;
  readonly passes: Passes;
  readonly #scalars: RiskScalars;

  constructor({ scalars, passes, observations }: RiskDescription) {
    this.#scalars = new RiskScalars(scalars);
    this.passes = new Passes(passes);
    this.observations = new Observations(this.#scalars, OBSERVATIONS, observations);
  }

  /** As SharedState.read. */
  read<T>(read: () => T): T {
    const tables = [this.#scalars.table, this.passes.table, this.observations.table];
    return readConsistently(
      tables.map(({ lock }) => lock),
      () => {
        for (const table of tables) table.ensureCurrent();
        return read();
      },
    );
  }
}
