/** The floor of a collection by day: the cheapest NFT that anyone could buy, at the end of each. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Bars } from '../../parts/bars.tsx';

const DAYS = 90;

export function FloorHistory({ slug }: { readonly slug: string }) {
  const { value } = useAnswer('/nft/collections/{slug}/floor/history', { slug, limit: DAYS });
  const history = value?.history ?? [];
  const bars = history.map(({ date, floor }, at) => ({
    title: `${date}: ${floor === null ? 'nothing listed' : `${format.price(floor)} XRP`}`,
    size: floor ?? 0,
    rises: (floor ?? 0) >= (history[at - 1]?.floor ?? 0),
  }));
  return (
    <section class="card floor-history" aria-labelledby="floor-history">
      <h2 id="floor-history">Floor by day, XRP</h2>
      {value && history.every(({ floor }) => floor === null) ? (
        <p class="empty">None was listed for XRP.</p>
      ) : (
        <Bars bars={bars} count={DAYS} label="Floor by day" />
      )}
    </section>
  );
}
