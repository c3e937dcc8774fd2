/** Who has most NFTs of a collection. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';

const SHOWN = 20;

export function Owners({ slug }: { readonly slug: string }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/ownership', { slug, limit: SHOWN });
  return (
    <section class="card" aria-labelledby="owners">
      <h2 id="owners">Owners</h2>
      <FailureLine of={failure} />
      <Table
        label="Owners of the collection"
        rows={value?.owners ?? []}
        keyOf={({ address }) => address}
        loading={value === undefined}
        empty="Nobody has one."
        columns={[
          { key: 'owner', title: 'Account', cell: ({ address }) => <Account address={address} /> },
          { key: 'count', title: 'NFTs', number: true, cell: ({ count }) => format.whole(count) },
          {
            key: 'share',
            title: 'Share',
            number: true,
            cell: ({ percentage }) => format.percent(percentage, 2),
          },
        ]}
      />
      {value && value.totalOwners > SHOWN && (
        <p class="quiet">{`The largest ${SHOWN} of ${format.whole(value.totalOwners)}.`}</p>
      )}
    </section>
  );
}
