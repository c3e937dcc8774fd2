/** Collections of NFTs: what is traded of them, what the cheapest costs, who has them. */
import { useMemo } from 'preact/hooks';
import * as format from '../format.ts';
import { get } from '../net/rest.ts';
import { usePages, useReorder } from '../net/use-pages.ts';
import { Choices } from '../parts/choices.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { logoPath, Picture } from '../parts/picture.tsx';
import { Value } from '../parts/value.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { linkTo, type PageProps, replaceQuery, searchOf } from '../router.ts';
import { currency } from '../settings.ts';

/** As `/nft/collections` answers it. */
interface Collection {
  readonly slug: string;
  readonly name?: string;
  readonly issuer: string;
  readonly taxon: number;
  readonly items: number;
  readonly owners: number;
  readonly floor?: number;
  readonly totalVol24h: number;
  readonly totalVolume: number;
  readonly sales24h: number;
  readonly totalSales: number;
  readonly listedCount: number;
  readonly marketcap?: { readonly amount: number };
  readonly logoImage?: string;
}

/** The sorts that are offered; each sorts the largest first. */
const SORTS = ['totalVol24h', 'totalVolume', 'sales24h', 'floor', 'owners', 'items', 'created'] as const;
const TITLES = {
  totalVol24h: 'volume 24 h',
  totalVolume: 'volume',
  sales24h: 'sales 24 h',
  floor: 'floor',
  owners: 'owners',
  items: 'NFTs',
  created: 'newest',
} as const;

export default function Collections({ place: { query } }: PageProps) {
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'totalVol24h';
  const pages = usePages<Collection>(searchOf({ sort }), async (offset, limit) => {
    const { value, failure } = await get('/nft/collections', { query: { sort, offset, limit } });
    if (!value) return { failure };
    return { value: { rows: value.collections as Collection[], total: value.total } };
  });
  useReorder(pages.reload);
  const columns = useMemo(columnsOf, [currency.value]);
  return (
    <section class="collections">
      <h1>Collections of NFTs</h1>
      <div class="filters">
        <Choices
          label="Sorted by"
          values={SORTS}
          value={sort}
          titleOf={(one) => TITLES[one]}
          onChoose={(sort) => replaceQuery({ sort })}
        />
        <span class="quiet" role="status">
          {pages.loading ? '' : `${format.whole(pages.total)} collections, amounts in ${currency.value}`}
        </span>
      </div>
      <FailureLine of={pages.failure} />
      <VirtualTable
        label="Collections"
        columns={columns}
        total={pages.total}
        rowAt={pages.rowAt}
        keyOf={({ slug }) => slug}
        onRange={pages.show}
        sort={{ by: sort, order: 'desc' }}
        of={sort}
      />
    </section>
  );
}

function columnsOf(): readonly Column<Collection>[] {
  const xrp = (amount: number | undefined) => (
    <Value of={amount}>{format.amount(format.inCurrency(amount))}</Value>
  );
  const count = (of: number) => <Value of={of}>{format.whole(of)}</Value>;
  return [
    {
      key: 'rank',
      title: '#',
      width: '52px',
      wide: true,
      cell: (_, index) => <span class="quiet">{index + 1}</span>,
    },
    {
      key: 'name',
      title: 'Collection',
      width: '22%',
      narrow: '28%',
      cell: ({ slug, name, issuer, taxon, logoImage }) => (
        <a class="with-picture" href={linkTo(['collection', slug])} title={slug}>
          <Picture path={logoPath(logoImage, 32)} side={28} alt="" />
          <bdi class="cut">{format.text(name) || `${format.shortAddress(issuer)} ${taxon}`}</bdi>
        </a>
      ),
    },
    { key: 'floor', title: 'Floor', number: true, cell: ({ floor }) => xrp(floor) },
    {
      key: 'totalVol24h',
      title: 'Vol. 24 h',
      number: true,
      narrow: '78px',
      cell: ({ totalVol24h }) => xrp(totalVol24h),
    },
    {
      key: 'sales24h',
      title: 'Sales 24 h',
      number: true,
      wide: true,
      cell: ({ sales24h }) => count(sales24h),
    },
    {
      key: 'totalVolume',
      title: 'Volume',
      number: true,
      wide: true,
      cell: ({ totalVolume }) => xrp(totalVolume),
    },
    {
      key: 'marketcap',
      title: 'At the floor',
      number: true,
      wide: true,
      cell: ({ marketcap }) => xrp(marketcap?.amount),
    },
    {
      key: 'listed',
      title: 'Listed',
      number: true,
      wide: true,
      cell: ({ listedCount }) => count(listedCount),
    },
    { key: 'owners', title: 'Owners', number: true, narrow: '64px', cell: ({ owners }) => count(owners) },
    { key: 'items', title: 'NFTs', number: true, narrow: '54px', cell: ({ items }) => count(items) },
  ];
}
