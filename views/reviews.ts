/**
 * Reviews of tokens: how risky they are (engine/metrics/risk-score.ts), and how often tokens like them collapsed
 * (engine/risk/collapse-rates.ts).
 *
 *     pass of a day has ended -> counts of all kinds, once, in a worker -> kept until the next pass has ended
 *     review of a token       -> its features now -> kind -> chance from these counts
 */
import type { Engine } from '../engine/engine.ts';
import { type HeavyReads, HeavyReadsBusyError } from '../engine/heavy-reads.ts';
import { type AssessmentPart, assessmentParts, assessmentScore } from '../engine/metrics/assessment-score.ts';
import { effectOf, riskLevel, riskScore } from '../engine/metrics/risk-score.ts';
import { DAY, unixMs } from '../engine/ripple-time.ts';
import { type CollapseRates, collapseChance, collapseRates } from '../engine/risk/collapse-rates.ts';
import { kindNames, kindNumber, kindOf } from '../engine/risk/kinds.ts';
import { FOLLOWED_DAYS } from '../engine/risk/observations.ts';
import { isInactive } from '../engine/risk/risk.ts';
import { OvertakenError } from '../engine/state/sequence-lock.ts';
import { atOneVersion } from './at-one-version.ts';
import { rounded } from './number-format.ts';
import type { TokenFigures } from './token-figures.ts';

const DIGITS = 4;

export interface Calibration {
  readonly of: 'collapseChance';
  readonly horizonDays: number;
  /** Unix ms. */
  readonly asOf: number;
  readonly predictions: number;
  readonly brier: number;
  readonly brierOfBase: number;
  /** Percent. */
  readonly bands: readonly {
    readonly from: number;
    readonly to: number;
    readonly predicted: number;
    readonly happened: number;
    readonly count: number;
    readonly collapsed: number;
  }[];
}

export class Reviews {
  readonly #engine: Engine;
  readonly #figures: TokenFigures;
  readonly #heavy: HeavyReads | undefined;
  /** As of a pass, and that of the last one that could be counted. */
  #counting: { readonly day: number; readonly rates: Promise<CollapseRates> } | undefined;
  #counted: CollapseRates | undefined;

  constructor(engine: Engine, figures: TokenFigures, heavy: HeavyReads | undefined) {
    this.#engine = engine;
    this.#figures = figures;
    this.#heavy = heavy;
  }

  /** Counts now, and from now on whenever a pass has ended, so that no reader waits for it. */
  async prepare(): Promise<void> {
    this.#engine.onLedger(() => {
      if (this.#counting?.day !== this.#engine.risk.passes.last) void this.#rates().catch(() => undefined);
    });
    await this.#rates();
  }

  /** @param token not XRP. @throws HeavyReadsBusyError, OvertakenError where nothing has been counted before */
  async of(token: number) {
    const rates = await this.#rates();
    const { market, state, head } = this.#engine;
    const time = head?.closeTime ?? 0;
    const md5 = state.tokens.md5(token);
    const top10 = this.#figures.top10(token);
    if (top10 === undefined || isInactive(state, market, token, time)) {
      const lastTrade = market.prices.lastTradeTime(token);
      return { md5, inactive: true, lastTrade: lastTrade === 0 ? null : unixMs(lastTrade) };
    }
    const inputs = this.#figures.assessment(token, top10);
    const assessment = assessmentScore(inputs);
    const score = riskScore(assessment);
    const factors = assessmentParts(inputs).map(factorOf);
    const count = (wanted: string) => factors.filter(({ effect }) => effect === wanted).length;
    const collapse = rates ? this.#collapse(rates, token, time) : null;
    return {
      md5,
      score,
      riskLevel: riskLevel(score),
      assessmentScore: rounded(assessment, DIGITS),
      riskCount: count('risk'),
      positiveCount: count('positive'),
      factors,
      ...(collapse?.horizonDays === FOLLOWED_DAYS && { collapseChance: collapse.chance }),
      collapse,
    };
  }

  /** What chances said of past tokens, against what happened; null: nothing so far, or it cannot be counted now. */
  async calibration(): Promise<Calibration | null> {
    const rates = await this.#rates().catch((fault) => {
      if (fault instanceof HeavyReadsBusyError || fault instanceof OvertakenError) return undefined;
      throw fault;
    });
    if (!rates || rates.brier === null) return null;
    const { horizon, day, bands, brier } = rates;
    const predictions = bands.reduce((sum, { count }) => sum + count, 0);
    const base = bands.reduce((sum, { collapsed }) => sum + collapsed, 0) / predictions;
    return {
      of: 'collapseChance',
      horizonDays: horizon,
      asOf: unixMs(day * DAY),
      predictions,
      brier: rounded(brier, 6),
      brierOfBase: rounded(base * (1 - base), 6),
      bands: bands.map(({ from, to, predicted, count, collapsed }) => ({
        from: rounded(from * 100, DIGITS),
        to: rounded(to * 100, DIGITS),
        predicted: rounded(predicted * 100, DIGITS),
        happened: rounded((collapsed / count) * 100, DIGITS),
        count,
        collapsed,
      })),
    };
  }

  #collapse(rates: CollapseRates, token: number, time: number) {
    const { risk } = this.#engine;
    const kind = kindOf(risk.features(token, time));
    const found = collapseChance(rates, kindNumber(kind));
    if (!found) return null;
    const { chance, ...counts } = found;
    return {
      horizonDays: rates.horizon,
      chance: rounded(chance * 100, DIGITS),
      ...counts,
      asOf: unixMs(rates.day * DAY),
      since: unixMs(risk.passes.first * DAY),
      kind: kindNames(kind),
    };
  }

  /** As of the last pass; undefined: none has ended. Those of an earlier one where it could not be counted now. */
  async #rates(): Promise<CollapseRates | undefined> {
    const { last: day } = this.#engine.risk.passes;
    if (day === 0) return undefined;
    if (this.#counting?.day !== day) this.#counting = { day, rates: this.#count(day) };
    try {
      this.#counted = await this.#counting.rates;
    } catch (fault) {
      // What failed is tried again by the next reader.
      if (this.#counting?.day === day) this.#counting = undefined;
      if (!this.#counted) throw fault;
    }
    return this.#counted;
  }

  async #count(day: number): Promise<CollapseRates> {
    if (this.#heavy) return (await this.#heavy.run('countCollapses', { day })).value;
    return atOneVersion([this.#engine], () => collapseRates(this.#engine.risk, day));
  }
}

function factorOf(part: AssessmentPart) {
  return { name: part.name, points: rounded(part.points, DIGITS), max: part.max, effect: effectOf(part) };
}
