/** One platform hour by hour. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Bars } from '../../parts/bars.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { inUnit } from '../../parts/figures.tsx';

const HOURS = { '24h': 24, '7d': 168, '30d': 720 } as const;

interface HourBarsProps {
  /** Or the platform's slug. */
  readonly sourceTag: string;
  readonly period: keyof typeof HOURS;
}

export function HourBars({ sourceTag, period }: HourBarsProps) {
  const { value, failure } = useAnswer(
    '/platform-stats/hourly/{sourceTag}',
    { sourceTag, period },
    { follow: 15 },
  );
  const bars = (value?.hourly ?? []).map(({ time, volume, buyVolumeXrp, sellVolumeXrp }) => ({
    title: `${format.time(time)}: ${inUnit(volume)}`,
    size: Number(format.inCurrency(volume) ?? 0),
    rises: buyVolumeXrp >= sellVolumeXrp,
  }));
  return (
    <section class="card">
      <h2>{value ? format.text(value.name) : format.text(sourceTag)}, volume by hour</h2>
      <FailureLine of={failure} />
      <Bars bars={bars} count={Math.max(HOURS[period], bars.length)} label="Volume by hour" />
      <p class="quiet">Green: hours in which more was bought than sold.</p>
    </section>
  );
}
