/**
 * Tokens whose price may have changed, ledger after ledger, for those who keep values of many tokens and bring them up to date
 * when they are read: what is not read costs nothing.
 *
 * Cost: an array entry for a token that a ledger changed, of which the last TOKENS_MAX are kept.
 */
import type { Engine, LedgerEvent } from '../../engine/engine.ts';

/** Half a megabyte: some hundred ledgers. */
const TOKENS_MAX = 65_536;

export class ChangedPrices {
  readonly #engine: Engine;
  #tokens: number[] = [];
  /** How many were dropped before the first that is kept. */
  #dropped = 0;
  #version = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.onLedger((ledger) => this.#applied(ledger));
  }

  /** To be handed to `since` later. */
  get position(): number {
    // Not by a ledger: nobody said what changed.
    if (this.#engine.version !== this.#version) this.#drop();
    return this.#dropped + this.#tokens.length;
  }

  /** Tokens from a position on, some more than once; undefined: they are not known any more, any price may have changed. */
  since(position: number): readonly number[] | undefined {
    const now = this.position;
    if (position < this.#dropped) return undefined;
    return position === now ? [] : this.#tokens.slice(position - this.#dropped);
  }

  #applied({ events: { state, market } }: LedgerEvent): void {
    const { version, state: columns } = this.#engine;
    if (version !== this.#version + 1) this.#drop();
    this.#version = version;
    for (const token of state.tokens) this.#tokens.push(token);
    for (const token of market.changedCandles) this.#tokens.push(token);
    for (const pool of state.pools) this.#tokens.push(columns.pools.asset1(pool), columns.pools.asset2(pool));
    if (this.#tokens.length <= TOKENS_MAX) return;
    const excess = this.#tokens.length - TOKENS_MAX / 2;
    this.#tokens = this.#tokens.slice(excess);
    this.#dropped += excess;
  }

  /** One more than there were: no position of before is known. */
  #drop(): void {
    this.#dropped += this.#tokens.length + 1;
    this.#tokens = [];
    this.#version = this.#engine.version;
  }
}
