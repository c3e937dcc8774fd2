/** The traits of an NFT, and how many of its collection have each. */
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { Table } from '../../parts/table.tsx';

export function Traits({ nft }: { readonly nft: Answers['GET /nft/{nftId}'] }) {
  const { props = [], meta } = nft;
  return (
    <section class="card" aria-labelledby="traits">
      <h2 id="traits">Traits</h2>
      <Table
        label="Traits of the NFT"
        rows={props}
        keyOf={({ type }) => type}
        loading={false}
        empty={meta ? 'It has none.' : 'Its metadata is not known here.'}
        isFlat
        columns={[
          { key: 'type', title: 'Trait', cell: ({ type }) => <bdi>{format.text(type)}</bdi> },
          { key: 'value', title: 'Value', cell: ({ value }) => <bdi>{format.text(value)}</bdi> },
          {
            key: 'count',
            title: 'NFTs with it',
            number: true,
            cell: ({ count }) => format.whole(count),
          },
        ]}
      />
    </section>
  );
}
