/** The candles of a token, in an interval and the chosen currency; the newest ones again whenever the token moved. */
import { useState } from 'preact/hooks';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { type Candle, Candles } from '../../parts/chart/candles.tsx';
import { Choices } from '../../parts/choices.tsx';
import { currency } from '../../settings.ts';
import type { TokenProps } from './token-row.ts';

const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const;
const COUNT = 500;
/** Enough for what a hidden tab or a lost connection missed of short intervals, at little cost. */
const NEWEST = 5;

export function Market({ token, version }: TokenProps) {
  const [interval, setInterval] = useState<string>('15m');
  // The routes call the renminbi by its name outside of the mainland.
  const vs = currency.value === 'CNY' ? 'CNH' : currency.value;
  const asked = { id: token.md5, interval, vs_currency: vs };
  const all = useAnswer('/ohlc/{id}', { ...asked, cb: COUNT }, { follow: 'once' });
  const newest = useAnswer('/ohlc/{id}', { ...asked, cb: NEWEST }, { version });
  const candles = joined(all.value?.ohlc ?? [], newest.value?.ohlc ?? []);
  const name = format.text(token.name);
  return (
    <section class="card chart-card">
      <div class="card-title">
        <h2>Price</h2>
        <Choices label="Interval" values={INTERVALS} value={interval} onChoose={setInterval} />
      </div>
      <Candles
        candles={candles}
        label={`Price of ${name} in ${currency.value}, ${interval}`}
        of={`${token.md5} ${interval} ${vs}${all.value ? '' : ' first'}`}
      />
    </section>
  );
}

/** The newest candles take the place of those of the same time. */
function joined(all: readonly Candle[], newest: readonly Candle[]): readonly Candle[] {
  const from = newest[0]?.[0];
  return from === undefined ? all : [...all.filter(([time]) => time! < from), ...newest];
}
