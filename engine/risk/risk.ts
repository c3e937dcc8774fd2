/**
 * Observes tokens day by day, so that how often tokens of a kind collapse can be counted later (collapse-rates.ts).
 *
 *     first ledger of a day -> pass over all tokens, some in each ledger
 *         traded within 7 days ----> measured: price, XRP in its pool
 *         observed within 60 days -> measured, too: did it lose 90 % of either since then?
 *         in a class of age in which it has not been observed, or not for 60 days -> observed: its features as they are now
 *
 * A collapse is a price, or XRP in the pool with XRP, of a tenth or less of what it was at the observation, when a pass
 * measures it: what recovers before that is none. A token is observed again only in another class of age, or when the
 * last observation has ended, so that one token does not count many times in its kind.
 *
 * No figure of an observation comes from a later ledger: it is written when it is made. The price is that of prices.ts, the pool,
 * its LP tokens and the issuer's rights those of the state, the age follows from the first ledger that showed the token,
 * the creator's share from creators.ts, that of the ten largest from the holders of the moment. Since no ledger tells what
 * these were in the past without reading all before it, observations begin with the first ledger that this domain reads.
 *
 * All of it follows from the ledgers. A pass measures in the order of token ids, a bounded number in a ledger, and goes on in
 * the next; where ledgers are so rare that a day does not suffice, it ends later, under the day on which it began.
 *
 * Cost: a comparison a ledger; while a pass runs up to 64 tokens, under a millisecond.
 */
import type { Changes } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import type { Prices } from '../market/prices.ts';
import { DAY } from '../ripple-time.ts';
import type { State } from '../state/state.ts';
import { persistTables, type TableBatch } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import { type RiskFeatures, type RiskSources, riskFeatures, xrpPoolDrops } from './features.ts';
import { ageClass } from './kinds.ts';
import { FOLLOWED_DAYS, OBSERVATIONS, Observations } from './observations.ts';
import { Passes, type TokenCounts } from './passes.ts';
import { RiskScalar, RiskScalars } from './scalars.ts';
import type { RiskDescription } from './shared-risk.ts';

const SINCE_OPENED = 'stores of earlier versions have it only since this version opened them';

/**
 * Work of a ledger at most, in lines: under a millisecond. A token that is measured counts as MEASURED_LINES, one that is
 * observed also with the lines that are read to find its largest holders; the last one may exceed it.
 */
const LINES_A_LEDGER = 16_384;
const MEASURED_LINES = 256;
/** Ids that a ledger looks at, at most. */
const SCANNED_A_LEDGER = 4096;

const COUNTS = ['tokens', 'inactive', 'collapsed'] as const;

/** A token is inactive when it has not been traded for so long, seconds. A week, as the longest window of volumes in lists. */
export const QUIET_AFTER = 7 * DAY;
/** What a collapse leaves of price or pool, at most. */
export const COLLAPSE_LEAVES = 0.1;

export type RiskMarket = RiskSources['market'] & { readonly prices: Pick<Prices, 'lastTradeTime'> };

interface RiskParts {
  readonly state: RiskSources['state'];
  readonly market: RiskMarket;
  readonly flows: { readonly creators: RiskSources['creators'] };
}

/** Whether nobody holds a token, or it has not been traded for a week. @param time Ripple epoch seconds */
export function isInactive(
  { lines }: Pick<State, 'lines'>,
  { prices }: Pick<RiskMarket, 'prices'>,
  token: number,
  time: number,
): boolean {
  return lines.holdersCount(token) === 0 || time - prices.lastTradeTime(token) > QUIET_AFTER;
}

export class Risk implements Domain<'risk', undefined> {
  readonly name = 'risk';
  readonly events = undefined;
  readonly observations: Observations;
  readonly passes = new Passes();
  readonly tables: readonly Table[];
  readonly #scalars = new RiskScalars();
  readonly #sources: RiskSources;
  readonly #market: RiskMarket;

  constructor({ state, market, flows }: RiskParts, observations = OBSERVATIONS) {
    this.#sources = { state, market, creators: flows.creators };
    this.#market = market;
    this.observations = new Observations(this.#scalars, observations);
    this.tables = [this.#scalars.table, this.passes.table, this.observations.table];
    for (const table of this.tables)
      for (const { name } of table.columns) table.excludeFromDigest(name, SINCE_OPENED);
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** For workers. */
  describe(): RiskDescription {
    return {
      scalars: this.#scalars.table.describe(),
      passes: this.passes.table.describe(),
      observations: this.observations.table.describe(),
    };
  }

  /** What is known of a token now. @param time Ripple epoch seconds. @param token not XRP */
  features(token: number, time: number): RiskFeatures {
    return riskFeatures(this.#sources, token, time);
  }

  /** State, market and creators have applied the ledger. */
  applyLedger({ closeTime }: PackedLedger, _changes: Changes): void {
    const scalars = this.#scalars;
    const day = Math.floor(closeTime / DAY);
    if (scalars.get(RiskScalar.next) === 0) {
      if (day <= scalars.get(RiskScalar.passDay)) return;
      scalars.set(RiskScalar.passDay, day);
      scalars.set(RiskScalar.next, 1);
      for (const count of COUNTS) scalars.set(RiskScalar[count], 0);
    }
    this.#pass(closeTime);
  }

  /** Goes on with the pass. */
  #pass(time: number): void {
    const scalars = this.#scalars;
    const { count } = this.#sources.state.tokens;
    const day = scalars.get(RiskScalar.passDay);
    let token = scalars.get(RiskScalar.next);
    const end = Math.min(count, token + SCANNED_A_LEDGER);
    for (let work = 0; token < end && work < LINES_A_LEDGER; token++) work += this.#take(token, day, time);
    scalars.set(RiskScalar.next, token < count ? token : 0);
    if (token >= count) this.passes.add(day, this.#counts());
  }

  #counts(): TokenCounts {
    const of = (count: keyof TokenCounts) => this.#scalars.get(RiskScalar[count]);
    return { tokens: of('tokens'), inactive: of('inactive'), collapsed: of('collapsed') };
  }

  #count(count: keyof TokenCounts): void {
    this.#scalars.set(RiskScalar[count], this.#scalars.get(RiskScalar[count]) + 1);
  }

  /** @returns the work that it was, lines; 0: the token was not measured */
  #take(token: number, day: number, time: number): number {
    const { observations } = this;
    const newest = observations.newest(token);
    const isFollowed = newest !== undefined && day - observations.day[newest]! <= FOLLOWED_DAYS;
    const { state } = this.#sources;
    const isListed = this.#market.totals.isListed(token) && state.tokens.pools[token] === 0;
    const isCandidate = isListed && !isInactive(state, this.#market, token, time);
    if (isListed) this.#count('tokens');
    if (isListed && !isCandidate) this.#count('inactive');
    if (!isFollowed && !isCandidate) return 0;
    const price = this.#market.totals.price(token) ?? 0;
    const drops = xrpPoolDrops(this.#sources.state, token);
    if (isFollowed && this.#follow(newest, day, price, drops) && isListed) this.#count('collapsed');
    if (!isCandidate || (price === 0 && drops === 0)) return MEASURED_LINES;
    const age = this.#ageOf(token, time);
    const isDue =
      newest === undefined ||
      day - observations.day[newest]! >= FOLLOWED_DAYS ||
      ageClass(age) !== ageClass(observations.age(newest));
    if (!isDue) return MEASURED_LINES;
    observations.add(token, day, price, this.features(token, time));
    return MEASURED_LINES + this.#market.holdersHistory.workOf(token);
  }

  #ageOf(token: number, time: number): number | undefined {
    const created = this.#sources.state.tokens.createdAt(token);
    return created === 0 ? undefined : Math.max(0, time - created);
  }

  /** Records in the token's rows that are not over yet whether it collapsed. @returns whether it did since one of them */
  #follow(newest: number, day: number, price: number, drops: number): boolean {
    const { observations } = this;
    let has = false;
    for (let row: number | undefined = newest; row !== undefined; row = observations.before(row)) {
      if (day - observations.day[row]! > FOLLOWED_DAYS) break;
      if (observations.collapsed[row] === 0 && this.#hasCollapsed(row, price, drops)) {
        observations.collapsed[row] = day;
        observations.table.markDirty(row);
      }
      has ||= observations.collapsed[row] !== 0;
    }
    return has;
  }

  #hasCollapsed(row: number, price: number, drops: number): boolean {
    const { observations } = this;
    const [priceThen, dropsThen] = [observations.price[row]!, observations.poolDrops[row]!];
    if (price > 0 && priceThen > 0 && price <= priceThen * COLLAPSE_LEAVES) return true;
    return dropsThen > 0 && drops <= dropsThen * COLLAPSE_LEAVES;
  }

  /** Days without ledgers are days without a pass: what they would have shown is not counted. */
  gap(): void {}

  persist(batch: TableBatch, openedAt = 0): void {
    persistTables(batch, this.tables, openedAt);
  }

  restoring(): RowSteps {
    return this.rebuilding();
  }

  rebuilding(): RowSteps {
    return this.observations.rebuilding();
  }

  /** Columns are excluded, and so is how many passes there were: stores of earlier versions lack them. */
  digest(): string {
    const digest = new Digest();
    for (const table of this.tables) if (table !== this.passes.table) digest.table(table);
    return digest.text;
  }
}
