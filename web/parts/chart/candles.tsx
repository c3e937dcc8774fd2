/**
 * Candles with volume, the forming one among them. The chart library is loaded when the first chart is shown: it is larger
 * than all the pages together. What the chart shows is also there as text, for those who do not see it.
 */
import type { IChartApi, ISeriesApi, UTCTimestamp } from 'lightweight-charts';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as format from '../../format.ts';
import { useLoaded } from '../../net/use-loaded.ts';
import { theme } from '../../settings.ts';

/** Time (Unix ms), open, high, low, close, volume. */
export type Candle = readonly number[];

interface CandlesProps {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  readonly label: string;
  readonly showVolume?: boolean;
  /** All candles are in view at first, instead of the newest. */
  readonly fit?: boolean;
  /** Changes when the candles are of another token, interval or currency: the chart shows the newest of them. */
  readonly of: string;
}

interface Chart {
  readonly api: IChartApi;
  readonly prices: ISeriesApi<'Candlestick'>;
  readonly volumes: ISeriesApi<'Histogram'>;
}

/** Candles that are shown at first; the others are to the left. */
const SHOWN = 120;

export function Candles({ candles, label, showVolume = true, fit = false, of }: CandlesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [chart, isLost] = useChart(box, showVolume);
  const shown = useRef<{ of?: string; count: number; last: number }>({ count: 0, last: 0 });
  useEffect(() => {
    if (!chart) return;
    const newest = candles.at(-1)?.[0] ?? 0;
    const isSame = shown.current.of === of && shown.current.count > 0 && candles.length > 0;
    if (isSame)
      for (const candle of candles.filter(([time]) => time! >= shown.current.last)) update(chart, candle);
    else show(chart, candles, fit);
    shown.current = { of, count: candles.length, last: newest };
  }, [chart, candles, of]);
  const [, open, , , close] = candles.at(-1) ?? [];
  return (
    <figure class="candles">
      <div ref={box} class={candles.length > 0 ? 'candles-box' : 'candles-box unfilled'} aria-hidden="true" />
      <figcaption class="visually-hidden">
        {label}. {candles.length} candles; the newest opened at {format.price(open)} and is at{' '}
        {format.price(close)}.
      </figcaption>
      {isLost && (
        <p class="failure" role="status">
          The chart could not be loaded. Load the page again if it does not come by itself.
        </p>
      )}
    </figure>
  );
}

const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1000) as UTCTimestamp;

const priceOf = ([time, open, high, low, close]: Candle) => ({
  time: seconds(time!),
  open: open!,
  high: high!,
  low: low!,
  close: close!,
});

function volumeOf([time, open, , , close, volume]: Candle) {
  return {
    time: seconds(time!),
    value: volume ?? 0,
    color: `${colour(close! >= open! ? '--up' : '--down')}55`,
  };
}

function show({ api, prices, volumes }: Chart, candles: readonly Candle[], fit: boolean): void {
  prices.applyOptions({ priceFormat: formatFor(candles.at(-1)?.[4] ?? 1) });
  prices.setData(candles.map(priceOf));
  volumes.setData(candles.map(volumeOf));
  if (fit) api.timeScale().fitContent();
  else if (candles.length > 0)
    api.timeScale().setVisibleLogicalRange({ from: candles.length - SHOWN, to: candles.length + 2 });
}

function update({ prices, volumes }: Chart, candle: Candle): void {
  prices.update(priceOf(candle));
  volumes.update(volumeOf(candle));
}

/** Steps of the scale at five digits of the price. */
function formatFor(price: number) {
  const digits = 4 - Math.floor(Math.log10(Math.abs(price) || 1));
  return {
    type: 'custom' as const,
    minMove: Number(`1e${-digits}`),
    // The chart would compute it of the former, and does not draw at all where that is no power of ten any more.
    base: Number(`1e${digits}`),
    formatter: (value: number) => format.price(value),
  };
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function looks() {
  const line = { color: colour('--line') };
  return {
    layout: {
      background: { color: 'transparent' },
      textColor: colour('--quiet'),
      fontFamily: getComputedStyle(document.body).fontFamily,
      attributionLogo: false,
    },
    grid: { vertLines: line, horzLines: line },
    rightPriceScale: { borderColor: line.color },
    timeScale: { borderColor: line.color, timeVisible: true, secondsVisible: false },
  };
}

const candleLooks = () => ({
  upColor: colour('--up'),
  downColor: colour('--down'),
  wickUpColor: colour('--up'),
  wickDownColor: colour('--down'),
  borderVisible: false,
});

/** The chart in its box, from when the library is there until the component goes; and whether the library did not come. */
function useChart(
  box: { current: HTMLDivElement | null },
  showVolume: boolean,
): readonly [Chart | undefined, boolean] {
  const [chart, setChart] = useState<Chart>();
  const { value: library, failure } = useLoaded('charts', () => import('lightweight-charts'));
  useEffect(() => {
    if (!library || !box.current) return;
    const { createChart, CandlestickSeries, HistogramSeries } = library;
    const api = createChart(box.current, { autoSize: true, localization: { locale: 'en' }, ...looks() });
    const prices = api.addSeries(CandlestickSeries, candleLooks());
    const volumes = api.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      visible: showVolume,
      lastValueVisible: false,
      priceLineVisible: false,
    });
    prices.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: showVolume ? 0.24 : 0.08 } });
    volumes.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
    setChart({ api, prices, volumes });
    return () => api.remove();
  }, [library, box, showVolume]);
  useEffect(() => {
    const draw = () => {
      chart?.api.applyOptions(looks());
      chart?.prices.applyOptions(candleLooks());
    };
    draw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => scheme.removeEventListener('change', draw);
  }, [chart, theme.value]);
  return [chart, failure !== undefined];
}
