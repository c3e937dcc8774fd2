/** Amounts over time as bars, the newest at the right end. */
import * as format from '../format.ts';

export interface Bar {
  readonly title: string;
  readonly size: number;
  /** Its colour. */
  readonly rises: boolean;
}

interface BarsProps {
  /** undefined: its room stays empty. */
  readonly bars: readonly (Bar | undefined)[];
  /** Room for so many. */
  readonly count: number;
  readonly label: string;
}

const WIDTH = 600;
const HEIGHT = 90;
/** Share of a bar's room that is left empty. */
const GAP = 0.15;

export function Bars({ bars, count, label }: BarsProps) {
  const most = Math.max(...bars.map((bar) => bar?.size ?? 0), 0);
  const width = WIDTH / count;
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}; most ${format.amount(most)}`}
    >
      {bars.map((bar, at) => {
        if (!bar) return null;
        const { title, size, rises } = bar;
        const height = most > 0 ? Math.max(1, (size / most) * HEIGHT) : 0;
        const x = (count - bars.length + at) * width;
        return (
          <rect
            class={rises ? 'up' : 'down'}
            x={x}
            y={HEIGHT - height}
            width={width * (1 - GAP)}
            height={height}
          >
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
