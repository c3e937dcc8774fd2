/** The floor of a collection by day: the cheapest NFT that anyone could buy, at the end of each. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Bars } from '../../parts/bars.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';

const DAYS = 90;

export function FloorHistory({ slug }: { readonly slug: string }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/floor/history', { slug, limit: DAYS });
  const history = value?.history ?? [];
  const bars = history.map(({ date, floor }, at) => ({
    title: `${date}: ${floor === null ? 'nothing listed' : `${format.price(floor)} XRP`}`,
    size: floor ?? 0,
    rises: (floor ?? 0) >= (history[at - 1]?.floor ?? 0),
  }));
  const floors = history.flatMap(({ floor }) => (floor === null ? [] : [floor]));
  return (
    <section class="card floor-history" aria-labelledby="floor-history">
      <h2 id="floor-history">Floor by day, XRP</h2>
      <FailureLine of={failure} />
      {value && history.every(({ floor }) => floor === null) ? (
        <p class="empty">None was listed for XRP.</p>
      ) : (
        <>
          <Bars bars={bars} count={DAYS} label="Floor by day" />
          <p class="quiet">{rangeText(floors)}</p>
        </>
      )}
    </section>
  );
}

/** Bars have no scale of their own. */
function rangeText(floors: readonly number[]): string {
  if (floors.length === 0) return format.NONE;
  const [low, high] = [Math.min(...floors), Math.max(...floors)].map((floor) => format.price(floor));
  return low === high ? `${low} XRP` : `Between ${low} and ${high} XRP`;
}
