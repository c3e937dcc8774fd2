/** The market-wide figures that many answers carry, as bytes of JSON objects. */
import type { Engine } from '../engine/engine.ts';
import { type Revisions, VersionedCache } from './versioned-cache.ts';

/** `exch`, `H24` and `global`. */
const TEXTS = 3;

export class MarketViews {
  readonly #engine: Engine;
  readonly #texts: VersionedCache<Uint8Array>;

  constructor(engine: Engine, { ledger, rates }: Revisions) {
    this.#engine = engine;
    this.#texts = new VersionedCache([ledger, rates], TEXTS);
  }

  /** `{USD, EUR, JPY, CNY}`: XRP per unit. */
  exch(): Uint8Array {
    return this.#texts.get('exch', () => bytesOf(this.#engine.market.rates.exch()));
  }

  h24(): Uint8Array {
    return this.#texts.get('h24', () => bytesOf(this.#engine.market.globals.h24()));
  }

  global(): Uint8Array {
    return this.#texts.get('global', () => bytesOf(this.#engine.market.globals.global()));
  }
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
