/** Which tokens are to be shown again after a ledger: made once for all listeners, during their call. */
import type { LedgerEvent } from '../engine/engine.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import { type Revision, VersionedCache } from './versioned-cache.ts';

export class ChangedTokens {
  readonly #kept: VersionedCache<ReadonlySet<number>>;
  readonly #issued: IssuedTokens;
  /** Changed otherwise than by a ledger since the last one. */
  readonly #otherwise = new Set<number>();

  constructor(ledger: Revision, issued: IssuedTokens) {
    this.#issued = issued;
    this.#kept = new VersionedCache([ledger], 2);
  }

  /**
   * Tokens that the ledger changed. A row shows its price, so a trade changes it, too, and its RSI,
   * which changes with the end of a candle, and the settings of its issuer. Not among them: tokens whose rows
   * differ by the prices of others alone (in dollars, `Changed.repriced`).
   */
  of({ events }: LedgerEvent): ReadonlySet<number> {
    return this.#kept.get('changed', () => {
      const tokens = new Set(events.state.tokens);
      for (const token of events.market.changedCandles) tokens.add(token);
      for (const token of events.market.closedCandles) tokens.add(token);
      for (const account of events.state.settings) this.#issued.each(account, (token) => tokens.add(token));
      return tokens;
    });
  }

  /** These, and those of which the service keeps something else than at the ledger before: the number of views, too. */
  rows(event: LedgerEvent): ReadonlySet<number> {
    return this.#kept.get('rows', () => {
      const changed = this.of(event);
      if (this.#otherwise.size === 0) return changed;
      const rows = new Set([...changed, ...this.#otherwise]);
      this.#otherwise.clear();
      return rows;
    });
  }

  /** What the service keeps of a token is something else. */
  add(token: number): void {
    this.#otherwise.add(token);
  }
}
