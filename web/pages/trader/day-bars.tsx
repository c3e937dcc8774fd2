/** Volume and profit of each of the last 30 days, as bars. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Bars } from '../../parts/bars.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { inUnit } from '../../parts/figures.tsx';
import { byDay } from './days.ts';

const DAYS = 30;

export function DayBars({ address }: { address: string }) {
  const { value, failure } = useAnswer(
    '/token/analytics/trader/{address}/history',
    { address, limit: DAYS },
    { follow: 15 },
  );
  // Days without a trade are not in the answer.
  const days = value ? byDay(value.history, value.endDate, DAYS) : [];
  const bars = days.map(
    (day) =>
      day && {
        title: `${day.date}: ${inUnit(day.volume)}, profit ${inUnit(day.profit)}`,
        size: Number(format.inCurrency(day.volume) ?? 0),
        rises: day.profit >= 0,
      },
  );
  return (
    <section class="card">
      <h2>Volume by day</h2>
      <FailureLine of={failure} />
      <Bars bars={bars} count={DAYS} label="Volume by day" />
      <p class="quiet">Green: days with a profit.</p>
    </section>
  );
}
