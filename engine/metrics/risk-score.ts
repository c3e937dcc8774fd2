import type { AssessmentPart } from './assessment-score.ts';

export const RISK_LEVELS = ['Low', 'Moderate', 'Elevated', 'High'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];
/** The highest score of each level. */
const LEVEL_SCORES = [3, 5, 7, 10] as const;

const BEST = 1;
const WORST = 10;
const FULL = 100;
/** Shares of a part's points up to which it is a risk, and from which on it speaks for the token. */
const RISK_SHARE = 1 / 3;
const POSITIVE_SHARE = 2 / 3;

/**
 * How risky a token is, from 1 (least) to 10: its assessment score on another scale, so that the two never disagree.
 *
 *     score = round(10 - 9 * assessment score / 100)
 *
 * Low is 1 to 3, Moderate 4 and 5, Elevated 6 and 7, High 8 to 10. Each part of the assessment score is shown with its points: up
 * to a third of what is possible it is a risk, from two thirds on it is positive. What a creator may still do to holders is a
 * risk while all balances are frozen, and the score is then 10.
 *
 * @param assessment 0 (worst) to 100
 */
export function riskScore(assessment: number): number {
  return Math.round(WORST - ((WORST - BEST) * assessment) / FULL);
}

export function riskLevel(score: number): RiskLevel {
  return RISK_LEVELS[LEVEL_SCORES.findIndex((highest) => score <= highest)]!;
}

/** What a part of the assessment score says of the token. */
export function effectOf({
  points,
  max,
}: Pick<AssessmentPart, 'points' | 'max'>): 'risk' | 'neutral' | 'positive' {
  const share = points / max;
  if (share <= RISK_SHARE) return 'risk';
  return share >= POSITIVE_SHARE ? 'positive' : 'neutral';
}
