/**
 * Who won and lost, and what became of tokens, as a report of a day says it (platform-report.ts).
 *
 * Traders, their realised profits (engine/traders/positions.ts) and volumes are of all trades from `since` of the traders to the
 * end of the day. Tokens are those that the pass of the day found (engine/risk/risk.ts): defunct ones are those that a review
 * calls inactive, collapsed ones lost 90 % of price or pool XRP since an observation of the 60 days before. No ledger says
 * which tokens are scams, so they are not counted.
 *
 * Cost: a pass over traders and 30 days of positions, in another thread.
 */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Engine } from '../engine/engine.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import { DAY } from '../engine/ripple-time.ts';
import { type Profits, profitsBefore } from '../engine/traders/profits.ts';
import { atOneVersion } from './at-one-version.ts';

export class RiskMetrics {
  readonly #engine: Engine;
  readonly #heavy: HeavyReads | undefined;

  constructor(engine: Engine, heavy: HeavyReads | undefined) {
    this.#engine = engine;
    this.#heavy = heavy;
  }

  /**
   * At the end of a day; what is not known any more is absent.
   * @param end day (close time / DAY) after it. @throws HeavyReadsBusyError, OvertakenError
   */
  async until(end: number) {
    const { traders, realised } = await this.#profits(end);
    const tokens = this.#engine.risk.passes.of(end - 1);
    return {
      totalTraders: traders,
      ...(realised && {
        netProfitAllTraders: realised.drops / DROPS_PER_XRP,
        totalWinners: realised.winners,
        totalLosers: realised.losers,
      }),
      ...this.#volumes(end),
      ...(tokens && { defunctTokenCount: tokens.inactive, collapsedTokenCount: tokens.collapsed }),
    };
  }

  async #profits(end: number): Promise<Profits> {
    if (this.#heavy) return (await this.#heavy.run('sumProfits', { day: end })).value;
    return atOneVersion([this.#engine], () => profitsBefore(this.#engine.traders, end));
  }

  #volumes(end: number) {
    const { marketDays } = this.#engine.traders;
    let [book, pool] = [0, 0];
    for (let row = Math.min(marketDays.row(end * DAY - 1), marketDays.table.count - 1); row > 0; row--) {
      book += marketDays.bookDrops[row]!;
      pool += marketDays.poolDrops[row]!;
    }
    return { totalDexVolume: book / DROPS_PER_XRP, totalAmmVolume: pool / DROPS_PER_XRP };
  }
}
