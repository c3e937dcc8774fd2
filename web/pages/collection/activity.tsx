/** What happened to the NFTs of a collection, the newest first. */
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { NftEvents } from '../../parts/nft-events.tsx';

const SHOWN = 50;

export function Activity({ slug }: { readonly slug: string }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/history', { slug, limit: SHOWN });
  return (
    <section class="card" aria-labelledby="activity">
      <h2 id="activity">What happened</h2>
      <FailureLine of={failure} />
      <NftEvents label="Events of the collection" rows={value?.history ?? []} loading={value === undefined} />
    </section>
  );
}
