/** What the NFTs of a collection were sold for: candles of its sales by day. */
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../../net/use-answer.ts';
import { Candles } from '../../parts/chart/candles.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';

const DAYS = 365;

export function SalePrices({ slug }: { readonly slug: string }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/ohlc', { slug, limit: DAYS });
  const candles = useMemo(
    () => (value?.ohlc ?? []).map(({ t, o, h, l, c, v }) => [Date.parse(t), o, h, l, c, v]),
    [value],
  );
  return (
    <section class="card sale-prices" aria-labelledby="sale-prices">
      <h2 id="sale-prices">Sales by day, XRP</h2>
      <FailureLine of={failure} />
      {value?.ohlc.length === 0 ? (
        <p class="empty">None has been sold for XRP.</p>
      ) : (
        <Candles candles={candles} label="Prices of sales by day" fit of={slug} />
      )}
    </section>
  );
}
