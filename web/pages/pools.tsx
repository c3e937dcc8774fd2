/** All pools: what lies in them, what they earn. */
import { useMemo, useState } from 'preact/hooks';
import * as format from '../format.ts';
import { ledgerTime } from '../net/ledger.ts';
import { get } from '../net/rest.ts';
import { usePages, useReorder } from '../net/use-pages.ts';
import { Choices } from '../parts/choices.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { Figures, inUnit } from '../parts/figures.tsx';
import { Value } from '../parts/value.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { linkTo, type PageProps, replaceQuery, searchOf } from '../router.ts';
import { currency } from '../settings.ts';

interface Asset {
  readonly name: string;
  readonly md5: string;
  readonly currency: string;
}

interface Window {
  readonly apy: number;
  /** XRP. */
  readonly volume: number;
  readonly fees: number;
  readonly liquidity: number;
}

/** As `/amm` answers it. */
interface Pool {
  readonly ammAccount: string;
  readonly asset1: Asset;
  readonly asset2: Asset;
  /** Of 100,000. */
  readonly tradingFee: number;
  readonly lpHolderCount: number;
  readonly createdTimestamp?: number;
  readonly apy24h?: Window;
  readonly apy7d?: Window;
}

/** Of the pools that are listed, XRP. */
type Summary = Partial<Record<'totalLiquidity' | 'totalVolume24h' | 'totalFees24h', number>>;

/** The sorts that the route knows; each sorts the largest first. */
const SORTS = ['liquidity', 'volume', 'fees', 'apy', 'created'] as const;
const STATUSES = ['active', 'all'] as const;

export default function Pools({ place: { query } }: PageProps) {
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'liquidity';
  const status = query.get('status') === 'all' ? 'all' : 'active';
  const asked = { sort, status };
  const [summary, setSummary] = useState<Summary>({});
  const pages = usePages<Pool>(searchOf(asked), async (offset, limit) => {
    const { value, failure } = await get('/amm', { query: { ...asked, offset, limit } });
    if (!value) return { failure };
    setSummary(value.summary as Summary);
    return { value: { rows: value.pools, total: value.total } };
  });
  useReorder(pages.reload);
  const columns = useMemo(columnsOf, [currency.value]);
  return (
    <section class="pools">
      <div class="title-line">
        <h1>Pools</h1>
        <Figures
          figures={[
            { title: 'In pools', of: summary.totalLiquidity, text: inUnit(summary.totalLiquidity) },
            { title: 'Volume 24 h', of: summary.totalVolume24h, text: inUnit(summary.totalVolume24h) },
            { title: 'Fees 24 h', of: summary.totalFees24h, text: inUnit(summary.totalFees24h) },
          ]}
        />
      </div>
      <div class="filters">
        <Choices label="Sorted by" values={SORTS} value={sort} onChoose={(sort) => replaceQuery({ sort })} />
        <Choices
          label="Which"
          values={STATUSES}
          value={status}
          onChoose={(status) => replaceQuery({ status })}
        />
        <span class="quiet" role="status">
          {pages.loading ? '' : `${format.whole(pages.total)} pools, amounts in ${currency.value}`}
        </span>
      </div>
      <FailureLine of={pages.failure} />
      <VirtualTable
        label="Pools"
        columns={columns}
        total={pages.total}
        rowAt={pages.rowAt}
        keyOf={(pool) => pool.ammAccount}
        onRange={pages.show}
        sort={{ by: sort, order: 'desc' }}
        of={searchOf(asked)}
      />
    </section>
  );
}

function columnsOf(): readonly Column<Pool>[] {
  const xrp = (amount: number | undefined) => format.amount(format.inCurrency(amount));
  return [
    {
      key: 'rank',
      title: '#',
      width: '52px',
      wide: true,
      cell: (_, index) => <span class="quiet">{index + 1}</span>,
    },
    { key: 'name', title: 'Pair', width: '26%', narrow: '26%', cell: (pool) => <Pair pool={pool} /> },
    {
      key: 'liquidity',
      title: 'Liquidity',
      number: true,
      cell: ({ apy24h }) => <Value of={apy24h?.liquidity}>{xrp(apy24h?.liquidity)}</Value>,
    },
    {
      key: 'volume',
      title: 'Vol. 24 h',
      number: true,
      cell: ({ apy24h }) => <Value of={apy24h?.volume}>{xrp(apy24h?.volume)}</Value>,
    },
    {
      key: 'volume7d',
      title: 'Vol. 7 d',
      number: true,
      wide: true,
      cell: ({ apy7d }) => <Value of={apy7d?.volume}>{xrp(apy7d?.volume)}</Value>,
    },
    {
      key: 'fees',
      title: 'Fees 24 h',
      number: true,
      wide: true,
      cell: ({ apy24h }) => <Value of={apy24h?.fees}>{xrp(apy24h?.fees)}</Value>,
    },
    {
      key: 'apy',
      title: 'APY 7 d',
      number: true,
      cell: ({ apy7d }) => <Value of={apy7d?.apy}>{format.percent(apy7d?.apy, 2)}</Value>,
    },
    {
      key: 'fee',
      title: 'Fee',
      number: true,
      wide: true,
      cell: ({ tradingFee }) => format.percent(tradingFee / 1000, 3),
    },
    {
      key: 'providers',
      title: 'Providers',
      number: true,
      wide: true,
      cell: ({ lpHolderCount }) => <Value of={lpHolderCount}>{format.whole(lpHolderCount)}</Value>,
    },
    {
      key: 'created',
      title: 'Age',
      number: true,
      wide: true,
      cell: ({ createdTimestamp }) => (
        <span title={format.time(createdTimestamp)}>{format.age(createdTimestamp, ledgerTime())}</span>
      ),
    },
  ];
}

/** Both assets; XRP has no page. */
function Pair({ pool: { asset1, asset2, ammAccount } }: { pool: Pool }) {
  return (
    <span class="pair" title={ammAccount}>
      {[asset1, asset2].map((asset, at) => (
        <>
          {at === 1 && <span class="quiet"> / </span>}
          {asset.currency === 'XRP' ? (
            'XRP'
          ) : (
            <a href={linkTo(['token', asset.md5])}>
              <bdi>{format.text(asset.name, 24)}</bdi>
            </a>
          )}
        </>
      ))}
    </span>
  );
}
