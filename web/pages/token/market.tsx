/** The candles of a token in the chosen currency: the newest of an interval, or all of a range. */
import * as format from '../../format.ts';
import { Candles } from '../../parts/chart/candles.tsx';
import { Choices } from '../../parts/choices.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { place, replaceQuery } from '../../router.ts';
import { currency } from '../../settings.ts';
import { useCandles } from './candles.ts';
import type { TokenProps } from './token-row.ts';

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const;
const RANGES = ['1D', '7D', '1M', '3M', '1Y', 'ALL'] as const;

const USUAL = '15m';

/** What the reader chose; a range has an interval of its own. */
type Chosen =
  | { readonly interval: string; readonly range?: undefined }
  | { readonly range: string; readonly interval?: undefined };

function chosenIn(query: URLSearchParams): Chosen {
  const range = RANGES.find((one) => one === query.get('range'));
  if (range) return { range };
  return { interval: INTERVALS.find((one) => one === query.get('interval')) ?? USUAL };
}

export function Market({ token, version }: TokenProps) {
  const chosen = chosenIn(place.value.query);
  // The routes call the renminbi by its name outside of the mainland.
  const vs = currency.value === 'CNY' ? 'CNH' : currency.value;
  const { candles, interval, answers, isAnswered, failure } = useCandles(
    { id: token.md5, vs_currency: vs, ...chosen },
    version,
  );
  const { range } = chosen;
  const name = format.text(token.name);
  const what = [range, interval].filter((one) => one !== undefined).join(' in ');
  return (
    <section class="card chart-card">
      <div class="card-title">
        <h2>Price</h2>
        <div class="chart-choices">
          <Choices
            label="Interval"
            values={INTERVALS}
            value={chosen.interval ?? ''}
            onChoose={(one) => replaceQuery({ interval: one, range: undefined })}
          />
          <Choices
            label="Range"
            values={RANGES}
            value={range ?? ''}
            titleOf={(one) => (one === 'ALL' ? 'All' : one)}
            onChoose={(one) => replaceQuery({ range: one, interval: undefined })}
          />
        </div>
      </div>
      <FailureLine of={failure} />
      {isAnswered && candles.length === 0 && (
        <p class="empty">No candle: no trade gives it a price in {currency.value}.</p>
      )}
      <Candles
        candles={candles}
        label={`Price of ${name} in ${currency.value}, ${what}`}
        fit={range !== undefined}
        of={`${token.md5} ${what} ${vs} ${answers}`}
      />
    </section>
  );
}
