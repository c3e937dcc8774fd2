/** The course of a price as a small line; its colour says whether it ended above or below its beginning. */

interface SparklineProps {
  /** Decimal text or numbers, oldest first. */
  readonly prices: readonly (string | number)[] | undefined;
  readonly width?: number;
  readonly height?: number;
  /** For those who do not see it. */
  readonly label: string;
}

/** Room for the line's width. */
const MARGIN = 1.5;

export function Sparkline({ prices, width = 108, height = 28, label }: SparklineProps) {
  const points = prices?.map(Number).filter(Number.isFinite) ?? [];
  const rises = points.length > 1 && points.at(-1)! >= points[0]!;
  return (
    <svg
      class={`sparkline ${rises ? 'up' : 'down'}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      {points.length > 1 && <path d={pathOf(points, width, height)} />}
    </svg>
  );
}

/** A flat course lies in the middle. */
function pathOf(points: readonly number[], width: number, height: number): string {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    low = Math.min(low, point);
    high = Math.max(high, point);
  }
  const step = (width - 2 * MARGIN) / (points.length - 1);
  const scale = high > low ? (height - 2 * MARGIN) / (high - low) : 0;
  const y = (point: number) => (scale === 0 ? height / 2 : height - MARGIN - (point - low) * scale);
  return points
    .map((point, at) => `${at === 0 ? 'M' : 'L'}${(MARGIN + at * step).toFixed(1)} ${y(point).toFixed(1)}`)
    .join('');
}
