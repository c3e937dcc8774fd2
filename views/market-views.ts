/** The market-wide figures that many answers carry, as bytes of JSON objects. */
import type { Engine } from '../engine/engine.ts';
import { type Revisions, VersionedCache } from './versioned-cache.ts';

/** `exch`, `H24` and `global`. */
const TEXTS = 3;

/** The same as JSON texts, for frames that contain them. */
export type MarketTexts = Readonly<Record<'exch' | 'H24' | 'global', string>>;

export class MarketViews {
  readonly #engine: Engine;
  readonly #bytes: VersionedCache<Uint8Array>;
  readonly #texts: VersionedCache<MarketTexts>;

  constructor(engine: Engine, { ledger, rates }: Revisions) {
    this.#engine = engine;
    this.#bytes = new VersionedCache([ledger, rates], TEXTS);
    this.#texts = new VersionedCache([ledger, rates], 1);
  }

  /** `{USD, EUR, JPY, CNY}`: XRP per unit. */
  exch(): Uint8Array {
    return this.#bytes.get('exch', () => bytesOf(this.#engine.market.rates.exch()));
  }

  h24(): Uint8Array {
    return this.#bytes.get('h24', () => bytesOf(this.#engine.market.globals.h24()));
  }

  global(): Uint8Array {
    return this.#bytes.get('global', () => bytesOf(this.#engine.market.globals.global()));
  }

  texts(): MarketTexts {
    return this.#texts.get('texts', () => ({
      exch: textOf(this.exch()),
      H24: textOf(this.h24()),
      global: textOf(this.global()),
    }));
  }

  /** Changes when rows of unchanged tokens may differ too, because they show fiat prices and shares of the market. */
  rowBasis(): string {
    return `${this.texts().exch} ${this.#engine.market.totals.marketcap}`;
  }
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
