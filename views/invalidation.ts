/**
 * Shows the views of a network what each ledger changed, so that they forget just that. When the engine's version moves
 * without a ledger (restore, a gap in a recording) they forget everything: each read checks that first.
 */
import type { Engine, LedgerEvent } from '../engine/engine.ts';

/** What keeps something from one ledger to the next. */
export interface Invalidated {
  /** A ledger was applied: forget what it changed. */
  applied(ledger: LedgerEvent): void;
  /** Forget everything. */
  drop(): void;
}

export class Invalidation {
  readonly #engine: Engine;
  readonly #views: Invalidated[] = [];
  #version = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.onLedger((ledger) => this.#applied(ledger));
  }

  /** From now on it is called, after those added before. */
  add(view: Invalidated): void {
    this.#views.push(view);
  }

  /** Call before anything that is kept is read. */
  ensureCurrent(): void {
    if (this.#engine.version === this.#version) return;
    for (const view of this.#views) view.drop();
    this.#version = this.#engine.version;
  }

  #applied(ledger: LedgerEvent): void {
    const { version } = this.#engine;
    if (version !== this.#version + 1) for (const view of this.#views) view.drop();
    this.#version = version;
    for (const view of this.#views) view.applied(ledger);
  }
}
