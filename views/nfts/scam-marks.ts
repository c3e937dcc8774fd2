/** Which accounts that have to do with NFTs are known for scams by what the ledgers show (engine/scams). */
import type { Engine } from '../../engine/engine.ts';
import type { ScamCategory } from '../../engine/scams/rule.ts';
import { IMPERSONATION } from '../../engine/scams/rules/impersonation.ts';
import { scamRule } from '../../engine/scams/rules.ts';

export class ScamMarks {
  readonly #engine: Pick<Engine, 'scams' | 'state'>;

  constructor(engine: Pick<Engine, 'scams' | 'state'>) {
    this.#engine = engine;
  }

  /** Why the account of the 20 bytes at `at` is on the blocklist; undefined: it is not. */
  of(bytes: Uint8Array, at = 0): ScamCategory | undefined {
    const { scams, state } = this.#engine;
    if (scams.actors.listedRows.length === 0 && scams.impersonation.listedRows.length === 0) return undefined;
    const id = state.accounts.find(bytes, at);
    if (id === undefined) return undefined;
    for (const row of scams.actors.of(id)) {
      const { isVerified, category } = scamRule(scams.actors.rule[row]!);
      if (isVerified) return category;
    }
    return scams.impersonation.of(id).length > 0 ? IMPERSONATION.category : undefined;
  }
}
