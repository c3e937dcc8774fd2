/** What NFTs of a collection anyone can buy for XRP, the cheapest first. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { NftLink } from '../../parts/nft-link.tsx';
import { Table } from '../../parts/table.tsx';

const SHOWN = 50;

export function Listings({ slug }: { readonly slug: string }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/orderbook', { slug, limit: SHOWN });
  return (
    <section class="card" aria-labelledby="listings">
      <h2 id="listings">For sale, XRP</h2>
      <FailureLine of={failure} />
      <Table
        label="For sale"
        rows={value?.asks ?? []}
        keyOf={({ index }) => index}
        loading={value === undefined}
        empty="None can be bought by everyone."
        columns={[
          { key: 'price', title: 'Price', number: true, cell: ({ price }) => format.price(price) },
          {
            key: 'nft',
            title: 'NFT',
            cell: ({ NFTokenID }) => <NftLink id={NFTokenID} />,
          },
          { key: 'owner', title: 'Owner', cell: ({ owner }) => <Account address={owner} /> },
        ]}
      />
      {value && value.totalAsks > SHOWN && (
        <p class="quiet">{`The cheapest ${SHOWN} of ${format.whole(value.totalAsks)}.`}</p>
      )}
    </section>
  );
}
