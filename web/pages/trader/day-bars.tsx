/** Volume and profit of each of the last 30 days, as bars. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Bars } from '../../parts/bars.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { inUnit } from '../../parts/figures.tsx';

const DAYS = 30;

export function DayBars({ address }: { address: string }) {
  const { value, failure } = useAnswer(
    '/token/analytics/trader/{address}/history',
    { address, limit: DAYS },
    { follow: 15 },
  );
  // The newest first; the bars run from left to right.
  const bars = (value?.history ?? []).toReversed().map(({ date, volume, profit }) => ({
    title: `${date}: ${inUnit(volume)}, profit ${inUnit(profit)}`,
    size: Number(format.inCurrency(volume) ?? 0),
    rises: profit >= 0,
  }));
  return (
    <section class="card">
      <h2>Volume by day</h2>
      <FailureLine of={failure} />
      <Bars bars={bars} count={DAYS} label="Volume by day" />
      <p class="quiet">Green: days with a profit.</p>
    </section>
  );
}
