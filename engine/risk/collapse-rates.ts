/**
 * How often tokens of each kind collapsed: counts of observations (risk.ts) whose days are over, and what these counts said
 * of later observations before their days were over.
 *
 *     rows in the order of days      i: observed on its day         predicted from what was counted before that day
 *                                    j: its days are over           counted, and held against what was predicted of it
 *
 * Goal: a share of this engine's own past tokens, and proof of how good such shares were. Non-goals: a model that is fitted;
 * what is not measured has no figure. Cost: one pass over the rows, some 0.3 us each, in a worker.
 */
import type { CooperativeTask } from '../event-loop.ts';
import { cellOf, GROUP_CELLS, GROUPS, kindNumber, kindOf } from './kinds.ts';
import { FOLLOWED_DAYS, type Observations } from './observations.ts';
import type { Passes } from './passes.ts';

/** Days of observations, longest first: a network that is younger than 60 days shows what it can of fewer. */
const HORIZONS = [FOLLOWED_DAYS, 30, 14, 7, 3, 1] as const;
/** Observations below which nothing is said: a share of fewer says little of any kind. */
export const SAMPLE_MIN = 20;
/** How many observations of its own a group needs to weigh as much as the larger group that it is a part of. */
export const GROUP_WEIGHT = 10;
/** What is added to the counts of all tokens: Jeffreys' prior of a share. */
const PRIOR = 0.5;
/** An observation counts where there was a pass in the last eighth of its days: ledgers may be missing. */
const LAST_PART = 8;
/** Upper bounds of the bands of predictions, fractions. */
const BANDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1] as const;
const ROWS_A_SLICE = 1024;

/** Observations of one band: what was predicted, and what happened. */
export interface Band {
  /** Fractions; predicted is the mean of those in it. */
  readonly from: number;
  readonly to: number;
  readonly predicted: number;
  readonly count: number;
  readonly collapsed: number;
}

export interface CollapseRates {
  /** Day (close time / DAY) of the last pass that was counted. */
  readonly day: number;
  /** Days in which a collapse counts. */
  readonly horizon: number;
  /** By cell of kinds.ts: observations, and those that collapsed. */
  readonly counts: Uint32Array;
  readonly collapsed: Uint32Array;
  /** Mean square of prediction less outcome: the Brier score; null: nothing was predicted. */
  readonly brier: number | null;
  readonly bands: readonly Band[];
}

export interface Chance {
  /** Fraction. */
  readonly chance: number;
  /** Observations of just the kind, and those that collapsed. */
  readonly sample: number;
  readonly collapsed: number;
  /** Of all kinds. */
  readonly observed: number;
  readonly observedCollapsed: number;
}

/**
 * The chance that a token collapses: loses 90 % of its price, or of the XRP in its pool with XRP, within 60 days. The share
 * of this engine's own past tokens of the same kind that did, smoothed towards the shares of larger groups.
 *
 *     all tokens      p0 = (collapsed + 0.5) / (observed + 1)
 *     each group      p  = (collapsed + 10 * p of the larger group) / (observed + 10)
 *
 * from all tokens to those of the same liquidity, then also of the same age, LP tokens burned and right to freeze, top-10
 * share, and creator's share (engine/risk/kinds.ts has the classes); the p of the last group is the chance. A token without
 * past tokens of its kind so has the chance of the nearest larger group that has some. The first line is Jeffreys' prior
 * (H. Jeffreys, An Invariant Form for the Prior Probability in Estimation Problems, 1946), the others are the m-estimate with
 * m = 10 (B. Cestnik, Estimating Probabilities: A Crucial Task in Machine Learning, ECAI 1990); m was chosen, not fitted.
 *
 * Past tokens are observations of engine/risk/risk.ts whose 60 days are over, those that collapsed on the first of them too:
 * counting these before the others would make the chance too high. Where there are fewer than 20, it is absent; the answer
 * then has the chance of the longest of 30, 14, 7, 3 or 1 days for which there are 20.
 *
 * The calibration table at /docs holds chances against what happened: each past token's chance as it would have been
 * answered on its day, from what was over by then (A. P. Dawid, Statistical Theory: The Prequential Approach, 1984), in
 * bands; beside it the Brier score, the mean square of chance less outcome (1 or 0).
 *
 * @param kind its number
 * @returns undefined with fewer than SAMPLE_MIN observations
 */
export function collapseChance(
  { counts, collapsed }: Pick<CollapseRates, 'counts' | 'collapsed'>,
  kind: number,
): Chance | undefined {
  const all = cellOf(kind, 0);
  if (counts[all]! < SAMPLE_MIN) return undefined;
  const own = cellOf(kind, GROUPS - 1);
  return {
    chance: smoothed(counts, collapsed, kind),
    sample: counts[own]!,
    collapsed: collapsed[own]!,
    observed: counts[all]!,
    observedCollapsed: collapsed[all]!,
  };
}

/** Observations, and the passes that followed them. */
export interface Observed {
  readonly observations: Observations;
  readonly passes: Passes;
}

/**
 * Counts as of a pass that has ended, over the longest days for which there are enough observations; over one day where there are for none.
 * @param day of the pass: what later ones changed does not count
 */
export function* collapseRates(observed: Observed, day: number): CooperativeTask<CollapseRates> {
  let counting: Counting | undefined;
  for (const horizon of HORIZONS) {
    counting = new Counting(observed, horizon);
    yield* counting.run(day);
    if (counting.observed >= SAMPLE_MIN) break;
  }
  return counting!.rates(day);
}

function smoothed(counts: Uint32Array, collapsed: Uint32Array, kind: number): number {
  let chance = 0;
  for (let group = 0; group < GROUPS; group++) {
    const cell = cellOf(kind, group);
    chance =
      group === 0
        ? (collapsed[cell]! + PRIOR) / (counts[cell]! + 2 * PRIOR)
        : (collapsed[cell]! + GROUP_WEIGHT * chance) / (counts[cell]! + GROUP_WEIGHT);
  }
  return chance;
}

class Counting {
  readonly #observations: Observations;
  readonly #passes: Passes;
  readonly #horizon: number;
  readonly #counts = new Uint32Array(GROUP_CELLS);
  readonly #collapsed = new Uint32Array(GROUP_CELLS);
  /** By sequence from the oldest on; 0: nothing was predicted. */
  #predictions = new Float64Array(0);
  /** The same: numbers of kinds. */
  #kinds = new Uint16Array(0);
  readonly #bandCounts = new Uint32Array(BANDS.length);
  readonly #bandCollapsed = new Uint32Array(BANDS.length);
  readonly #bandSums = new Float64Array(BANDS.length);
  #squares = 0;

  /** @param horizon days in which a collapse counts */
  constructor({ observations, passes }: Observed, horizon: number) {
    this.#observations = observations;
    this.#passes = passes;
    this.#horizon = horizon;
  }

  /** Observations counted. */
  get observed(): number {
    return this.#counts[0]!;
  }

  *run(day: number): CooperativeTask<void> {
    const { oldest, head, day: days } = this.#observations;
    const rowOf = (sequence: number) => this.#observations.rowOf(sequence);
    this.#predictions = new Float64Array(head - oldest);
    this.#kinds = new Uint16Array(head - oldest);
    let over = oldest;
    for (let sequence = oldest; sequence < head; sequence++) {
      const today = days[rowOf(sequence)]!;
      if (today > day) break;
      // Strictly before: the pass of that day may still have been running.
      for (; days[rowOf(over)]! + this.#horizon < today; over++) {
        this.#settle(rowOf(over), over - oldest);
        if ((over - oldest) % ROWS_A_SLICE === 0) yield;
      }
      this.#predict(rowOf(sequence), sequence - oldest);
      if ((sequence - oldest) % ROWS_A_SLICE === 0) yield;
    }
    for (; over < head && days[rowOf(over)]! + this.#horizon <= day; over++) {
      this.#settle(rowOf(over), over - oldest);
      if ((over - oldest) % ROWS_A_SLICE === 0) yield;
    }
  }

  rates(day: number): CollapseRates {
    const predicted = this.#bandCounts.reduce((sum, count) => sum + count, 0);
    const bands = BANDS.map((to, band) => ({
      from: BANDS[band - 1] ?? 0,
      to,
      predicted: this.#bandSums[band]! / Math.max(1, this.#bandCounts[band]!),
      count: this.#bandCounts[band]!,
      collapsed: this.#bandCollapsed[band]!,
    })).filter(({ count }) => count > 0);
    const brier = predicted === 0 ? null : this.#squares / predicted;
    return { day, horizon: this.#horizon, counts: this.#counts, collapsed: this.#collapsed, brier, bands };
  }

  #predict(row: number, at: number): void {
    const kind = kindNumber(kindOf(this.#observations.features(row)));
    this.#kinds[at] = kind;
    if (this.observed >= SAMPLE_MIN) this.#predictions[at] = smoothed(this.#counts, this.#collapsed, kind);
  }

  /** Its days are over: whether it collapsed is known, unless passes are missing at their end. */
  #settle(row: number, at: number): void {
    const { day, collapsed } = this.#observations;
    const days = this.#horizon;
    const end = day[row]! + days;
    if (this.#passes.lastUntil(end) < end - Math.floor(days / LAST_PART)) return;
    const has = collapsed[row]! > 0 && collapsed[row]! <= end ? 1 : 0;
    for (let group = 0; group < GROUPS; group++) {
      const cell = cellOf(this.#kinds[at]!, group);
      this.#counts[cell]!++;
      this.#collapsed[cell]! += has;
    }
    const chance = this.#predictions[at]!;
    if (chance === 0) return;
    const band = BANDS.findIndex((bound) => chance <= bound);
    this.#bandCounts[band]!++;
    this.#bandCollapsed[band]! += has;
    this.#bandSums[band]! += chance;
    this.#squares += (chance - has) ** 2;
  }
}
