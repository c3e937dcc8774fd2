/**
 * How much the largest holders have together: the curve rises at once where few have all, and along the diagonal where all
 * have the same (the mirror of Lorenz's curve, which begins with the smallest).
 */
import * as format from '../../format.ts';

const SIDE = 220;
/** Room for the names of the axes. */
const MARGIN = 26;

interface ConcentrationProps {
  /** Percent of the supply, the largest first: of as many as are known. */
  readonly shares: readonly number[];
  /** Of the token. */
  readonly holders: number;
}

export function Concentration({ shares, holders }: ConcentrationProps) {
  let sum = 0;
  const sums = shares.map((share) => {
    sum += Math.max(0, share);
    return Math.min(100, sum);
  });
  const x = (count: number) => MARGIN + (count / Math.max(1, holders)) * (SIDE - MARGIN);
  const y = (percent: number) => (SIDE - MARGIN) * (1 - percent / 100);
  const points = sums.map((percent, at) => `L${x(at + 1).toFixed(1)} ${y(percent).toFixed(1)}`).join('');
  const top = (count: number) => format.percent(sums[Math.min(count, sums.length) - 1] ?? 0);
  return (
    <figure class="concentration">
      <svg
        viewBox={`0 0 ${SIDE} ${SIDE}`}
        role="img"
        aria-label={`The largest 10 holders have ${top(10)}, the largest 100 ${top(100)}`}
      >
        <path class="axis" d={`M${MARGIN} 0V${SIDE - MARGIN}H${SIDE}`} />
        <path class="even" d={`M${MARGIN} ${SIDE - MARGIN}L${SIDE} 0`} />
        {sums.length > 0 && <path class="curve" d={`M${MARGIN} ${SIDE - MARGIN}${points}`} />}
        <text x={MARGIN + 4} y={12}>
          100 %
        </text>
        <text x={SIDE} y={SIDE - MARGIN + 14} text-anchor="end">
          {format.whole(holders)} holders
        </text>
      </svg>
      <figcaption class="quiet">Share of the supply that the largest hold</figcaption>
    </figure>
  );
}
