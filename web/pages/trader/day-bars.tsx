/** Volume and profit of each of the last 30 days, as bars. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { currency } from '../../settings.ts';

const DAYS = 30;
const WIDTH = 600;
const HEIGHT = 90;
const GAP = 3;

export function DayBars({ address }: { address: string }) {
  const { value } = useAnswer(
    '/token/analytics/trader/{address}/history',
    { address, limit: DAYS },
    { follow: 15 },
  );
  // The newest first; the bars run from left to right.
  const days = (value?.history ?? []).toReversed();
  const most = Math.max(...days.map(({ volume }) => volume), 0);
  const width = WIDTH / DAYS;
  return (
    <section class="card">
      <h2>Volume by day</h2>
      <svg
        class="day-bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Volume of ${days.length} days`}
      >
        {days.map(({ date, volume, profit }, at) => {
          const height = most > 0 ? Math.max(1, (volume / most) * HEIGHT) : 0;
          const x = (DAYS - days.length + at) * width;
          return (
            <rect
              class={profit >= 0 ? 'up' : 'down'}
              x={x}
              y={HEIGHT - height}
              width={width - GAP}
              height={height}
            >
              <title>
                {date}: {format.amount(format.inCurrency(volume))} {currency.value}, profit{' '}
                {format.amount(format.inCurrency(profit))}
              </title>
            </rect>
          );
        })}
      </svg>
      <p class="quiet">
        Green: days with a profit. Most in a day:{' '}
        {`${format.amount(format.inCurrency(most))} ${currency.value}`}.
      </p>
    </section>
  );
}
