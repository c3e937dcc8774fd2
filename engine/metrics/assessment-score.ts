/** What the score is made of, of one token. */
export interface AssessmentInputs {
  /** Value that its pools lock, XRP. */
  readonly locked: number;
  readonly holders: number;
  /** Share of the supply that the ten largest holders have, percent. */
  readonly top10: number;
  /** Distinct accounts that traded it in 24 hours. */
  readonly traders24h: number;
  /** Share of the LP tokens of its pool with XRP that nobody can redeem, percent. */
  readonly lpBurned: number;
  /** Nobody can sign for the issuer: no more can be issued, and nothing frozen. */
  readonly isBlackholed: boolean;
  /** The issuer has given up the right to freeze. */
  readonly noFreeze: boolean;
  /** Every balance is frozen now. */
  readonly isFrozen: boolean;
}

/** Most points of each part; 100 in all. */
const POINTS = { locked: 25, holders: 20, spread: 20, rights: 15, traders: 10, burned: 10 } as const;
/** Where a part has all its points. */
const LOCKED_FULL_XRP = 100_000;
const HOLDERS_FULL = 10_000;
const TRADERS_FULL = 1_000;
/** Part of the points for `rights` of an issuer that can still issue, but not freeze. */
const NO_FREEZE_SHARE = 1 / 3;

/**
 * Quality of a token as against its risk, 0 (worst) to 100: a sum of points.
 *
 *     25 * log(1 + value locked in XRP) / log(1 + 100,000)      at most 25
 *     20 * log(1 + holders) / log(1 + 10,000)                   at most 20
 *     20 * (1 - share of the ten largest holders)
 *     15 where nobody can sign for the issuer; 5 where the issuer cannot freeze
 *     10 * log(1 + traders of 24 hours) / log(1 + 1,000)        at most 10
 *     10 * share of the LP tokens that nobody can redeem
 *
 * and 0 while the issuer has frozen all balances; absent where nobody holds the token. The features are those found to tell tokens that were abandoned from
 * others: liquidity and who can take it out, how unequally the token is held, and what its creator may still do
 * (B. Mazorra, V. Adan, V. Daza, Do Not Rug on Me: Zero-Dimensional Scam Detection, arXiv 2201.07220, 2022). The weights
 * are chosen, not measured.
 */
export function assessmentScore(token: AssessmentInputs): number {
  if (token.isFrozen) return 0;
  return assessmentParts(token).reduce((sum, { points }) => sum + points, 0);
}

/** A part of the score: its points, and the most there are. */
export interface AssessmentPart {
  readonly name: keyof typeof POINTS;
  readonly points: number;
  readonly max: number;
}

/** What the score of a token that is not frozen is the sum of; what the issuer may do has no points while it is. */
export function assessmentParts(token: AssessmentInputs): AssessmentPart[] {
  const rights = token.isFrozen ? 0 : token.isBlackholed ? 1 : token.noFreeze ? NO_FREEZE_SHARE : 0;
  const part = (name: keyof typeof POINTS, earned: number): AssessmentPart => ({
    name,
    points: POINTS[name] * earned,
    max: POINTS[name],
  });
  return [
    part('locked', magnitude(token.locked, LOCKED_FULL_XRP)),
    part('holders', magnitude(token.holders, HOLDERS_FULL)),
    part('spread', share(100 - token.top10)),
    part('rights', rights),
    part('traders', magnitude(token.traders24h, TRADERS_FULL)),
    part('burned', share(token.lpBurned)),
  ];
}

/** By order of magnitude, 1 from `full` on. */
function magnitude(value: number, full: number): number {
  return Math.min(1, Math.log(1 + Math.max(0, value)) / Math.log(1 + full));
}

function share(percent: number): number {
  return Math.min(1, Math.max(0, percent / 100));
}
