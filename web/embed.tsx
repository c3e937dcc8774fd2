/**
 * The chart that other sites show in a frame: the entry of `/embed/{md5}`. What to show stands in the document, which the
 * service has written; the forming candle comes by its own stream.
 */
import './styles/embed.css';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import * as format from './format.ts';
import { type Frame, useStream } from './net/stream.ts';
import { useAnswer } from './net/use-answer.ts';
import { Attribution } from './parts/attribution.tsx';
import { type Candle, Candles } from './parts/chart/candles.tsx';
import { joined, useJoined } from './parts/chart/joined.ts';

interface Asked {
  readonly md5: string;
  readonly name: string;
  readonly interval: string | undefined;
  readonly range: string | undefined;
  /** CSS pixels. */
  readonly height: number;
  readonly showVolume: boolean;
  readonly logo: string | undefined;
}

/** Candles asked for where no range is. */
const COUNT = 300;
const INTERVAL = '15m';
/** What the first frame of the stream has, where as many exist. */
const STREAMED = 100;

function Embed({ md5, name, interval, range, height, showVolume, logo }: Asked) {
  const asked = range === undefined ? { interval: interval ?? INTERVAL, cb: COUNT } : { interval, range };
  const [holes, setHoles] = useState(0);
  const { value, failure } = useAnswer('/ohlc/{id}', { id: md5, ...asked }, { version: holes });
  const newest = useNewest(value ? { md5, interval: value.interval } : undefined);
  const { candles, answers } = useJoined(value, newest, STREAMED, () => setHoles((before) => before + 1));
  const [first, last] = [candles[0], candles.at(-1)];
  const change = first && last ? (last[4]! / first[1]! - 1) * 100 : undefined;
  return (
    <main class="frame" style={{ height: `${height}px` }}>
      <header>
        {logo && <img src={logo} alt="" width="24" height="24" />}
        <h1>
          <bdi class="cut">{format.text(name)}</bdi>
        </h1>
        <strong class="number">{`${format.price(last?.[4])} XRP`}</strong>
        <span class={change === undefined ? 'quiet' : change < 0 ? 'down' : 'up'}>
          {format.change(change)}
        </span>
        <Attribution />
      </header>
      {failure && <p class="down">{failure.message}</p>}
      <Candles
        candles={candles}
        label={`Price of ${format.text(name)} in XRP`}
        showVolume={showVolume}
        of={`${md5} ${value?.interval ?? ''} ${answers}`}
      />
    </main>
  );
}

/** The newest candles as the stream has sent them, in a row. */
function useNewest(of: { md5: string; interval: string } | undefined): readonly Candle[] {
  const [newest, setNewest] = useState<readonly Candle[]>([]);
  useStream(
    of && {
      path: `/ws/ohlc/${of.md5}`,
      query: { interval: of.interval, vs_currency: 'XRP' },
      onFrame: ({ k, ohlc }: Frame) => {
        // The first frame, and each one after a loss, has the newest candles.
        if (Array.isArray(ohlc)) setNewest(ohlc);
        else if (k)
          setNewest((before) =>
            joined(before, [[k.t, k.o, k.h, k.l, k.c, k.v].map(Number)]).slice(-STREAMED),
          );
      },
    },
  );
  return newest;
}

const root = document.getElementById('embed');
if (root) {
  const { md5 = '', name = '', interval, range, height, volume, logo } = root.dataset;
  const showVolume = volume === 'true';
  render(<Embed {...{ md5, name, interval, range, height: Number(height), showVolume, logo }} />, root);
}
