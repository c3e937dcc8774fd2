/** What happened to NFTs, the newest first. */
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { linkTo } from '../router.ts';
import { Account } from './account.tsx';
import { NftLink } from './nft-link.tsx';
import { Table } from './table.tsx';
import type { Column } from './virtual-table.tsx';

type Event = Answers['GET /nft/history']['history'][number];

const NAMES: Readonly<Record<Event['type'], string>> = {
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

interface Props {
  readonly label: string;
  readonly rows: readonly Event[];
  readonly loading: boolean;
  /** They are all of one NFT, which need not be named. */
  readonly isOfOne?: boolean;
}

export function NftEvents({ label, rows, loading, isOfOne = false }: Props) {
  const columns: Column<Event>[] = [
    {
      key: 'what',
      title: 'What',
      cell: ({ type, hash }) => <a href={linkTo(['tx', hash])}>{NAMES[type]}</a>,
    },
    { key: 'price', title: 'XRP', number: true, cell: ({ costXRP }) => format.price(costXRP) },
    { key: 'nft', title: 'NFT', wide: true, cell: ({ NFTokenID }) => <NftLink id={NFTokenID} /> },
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
  ];
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ _id }) => _id}
      loading={loading}
      empty="Nothing, in the ledgers read here."
      columns={isOfOne ? columns.filter(({ key }) => key !== 'nft') : columns}
    />
  );
}
