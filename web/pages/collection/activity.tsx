/** What happened to the NFTs of a collection, the newest first. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { Table } from '../../parts/table.tsx';
import { linkTo } from '../../router.ts';

const SHOWN = 50;

const NAMES: Readonly<Record<string, string>> = {
  MINT: 'minted',
  BURN: 'burned',
  TRANSFER: 'given away',
  SALE: 'sold',
  CREATE_SELL_OFFER: 'listed',
  CANCEL_SELL_OFFER: 'no longer listed',
  CREATE_BUY_OFFER: 'offer to buy',
  CANCEL_BUY_OFFER: 'offer to buy ended',
  MODIFY: 'changed',
};

export function Activity({ slug }: { readonly slug: string }) {
  const { value, loading } = useAnswer('/nft/collections/{slug}/history', { slug, limit: SHOWN });
  return (
    <section class="card" aria-labelledby="activity">
      <h2 id="activity">What happened</h2>
      <Table
        label="Events of the collection"
        rows={value?.history ?? []}
        keyOf={({ _id }) => _id}
        loading={loading}
        empty="Nothing, in the ledgers read here."
        columns={[
          {
            key: 'what',
            title: 'What',
            cell: ({ type, hash }) => <a href={linkTo(['tx', hash])}>{NAMES[type] ?? type}</a>,
          },
          { key: 'price', title: 'XRP', number: true, cell: ({ costXRP }) => format.price(costXRP) },
          {
            key: 'nft',
            title: 'NFT',
            wide: true,
            cell: ({ NFTokenID }) => <span class="mono" title={NFTokenID}>{`…${NFTokenID.slice(-12)}`}</span>,
          },
          { key: 'by', title: 'By', cell: ({ account }) => <Account address={account} /> },
          {
            key: 'to',
            title: 'To',
            wide: true,
            cell: ({ buyer }) => (buyer ? <Account address={buyer} /> : format.NONE),
          },
          {
            key: 'time',
            title: 'Time',
            wide: true,
            cell: ({ time }) => <span class="when">{format.time(time)}</span>,
          },
        ]}
      />
    </section>
  );
}
