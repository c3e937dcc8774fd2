/** How much of the token can be bought and sold up to which price: steps that rise away from the middle. */
import * as format from '../../format.ts';
import type { Level } from './levels.ts';

const WIDTH = 320;
const HEIGHT = 110;
/** Prices further than this from the middle are left out. */
const REACH = 0.1;

interface DepthChartProps {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export function DepthChart({ bids, asks }: DepthChartProps) {
  const middle = middleOf(bids, asks);
  const near = (levels: readonly Level[]) =>
    levels.filter(({ price }) => Math.abs(Number(price) / middle - 1) <= REACH);
  const [below, above] = [near(bids), near(asks)];
  const most = Math.max(below.at(-1)?.sum ?? 0, above.at(-1)?.sum ?? 0);
  const label =
    most === 0
      ? 'No offers near the price'
      : `Within 10 %: ${format.amount(below.at(-1)?.sum ?? 0)} wanted, ${format.amount(above.at(-1)?.sum ?? 0)} offered`;
  return (
    <svg
      class="depth"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {most > 0 && <path class="up" d={steps(below, middle, most)} />}
      {most > 0 && <path class="down" d={steps(above, middle, most)} />}
    </svg>
  );
}

function middleOf(bids: readonly Level[], asks: readonly Level[]): number {
  const best = [bids[0], asks[0]].filter((level) => level !== undefined).map(({ price }) => Number(price));
  return best.reduce((sum, price) => sum + price, 0) / best.length;
}

function steps(levels: readonly Level[], middle: number, most: number): string {
  if (levels.length === 0) return '';
  const x = (price: number) => ((price / middle - 1 + REACH) / (2 * REACH)) * WIDTH;
  const y = (sum: number) => HEIGHT - (sum / most) * (HEIGHT - 4);
  const start = x(Number(levels[0]!.price));
  const end = Number(levels[0]!.price) <= middle ? 0 : WIDTH;
  const path = levels
    .map(({ price, sum }) => `H${x(Number(price)).toFixed(1)}V${y(sum).toFixed(1)}`)
    .join('');
  return `M${start.toFixed(1)} ${HEIGHT}${path}H${end}V${HEIGHT}Z`;
}
