/** All tokens: sorted, filtered, live. Sort and filters are in the address, so a list can be linked to. */
import { useMemo } from 'preact/hooks';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { FailureLine } from '../parts/failure-line.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { TokenName } from '../parts/token-name.tsx';
import { Change, Value } from '../parts/value.tsx';
import { type Column, type Sort, VirtualTable } from '../parts/virtual-table.tsx';
import { type PageProps, replaceQuery } from '../router.ts';
import { currency } from '../settings.ts';
import { MarketFigures } from './tokens/figures.tsx';
import { type TokenRow, useTokenRows } from './tokens/rows.ts';
import { useSparklines } from './tokens/sparklines.ts';

const DEFAULT_SORT: Sort = { by: 'vol24hxrp', order: 'desc' };
const TYPES = ['trustline', 'mpt', 'lp'] as const;

export default function Tokens({ place: { query } }: PageProps) {
  const sort: Sort = {
    by: query.get('sort') ?? DEFAULT_SORT.by,
    order: query.get('order') === 'asc' ? 'asc' : 'desc',
  };
  const filters = {
    tag: query.get('tag') ?? '',
    filter: query.get('filter') ?? '',
    token_type: query.get('type') ?? '',
  };
  const asked = { sort: sort.by, order: sort.order, ...filters, skip_metrics: true };
  const rows = useTokenRows(asked);
  const sparklines = useSparklines(rows.shown.map(({ md5 }) => md5));
  const columns = useMemo(() => columnsWith(sparklines), [sparklines, currency.value]);
  const choose = ({ by, order }: Sort) => replaceQuery({ sort: by, order });
  return (
    <section class="tokens">
      <div class="title-line">
        <h1>Tokens</h1>
        <MarketFigures />
      </div>
      <Filters {...filters} total={rows.total} loading={rows.loading} />
      <FailureLine of={rows.failure} />
      <VirtualTable
        label="Tokens"
        columns={columns}
        total={rows.total}
        rowAt={rows.rowAt}
        keyOf={(row) => row.md5}
        onRange={rows.show}
        sort={sort}
        onSort={choose}
        of={JSON.stringify(asked)}
      />
      {rows.total === 0 && !rows.loading && !rows.failure && <p class="empty">No token is like that.</p>}
    </section>
  );
}

function columnsWith(
  sparklines: ReadonlyMap<string, readonly (string | number)[]>,
): readonly Column<TokenRow>[] {
  const xrp = (value: number | string | undefined) => format.amount(format.inCurrency(value));
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
      title: 'Token',
      sort: 'name',
      width: '22%',
      narrow: '26%',
      cell: (row) => <TokenName token={row} />,
    },
    {
      key: 'price',
      title: 'Price',
      number: true,
      sort: 'exch',
      cell: ({ exch }) => <Value of={exch}>{format.price(format.inCurrency(exch))}</Value>,
    },
    changeColumn('pro1h', '1 h', true),
    changeColumn('pro24h', '24 h', false),
    changeColumn('pro7d', '7 d', true),
    {
      key: 'sparkline',
      title: '7 days',
      wide: true,
      width: '132px',
      cell: ({ md5, name, pro7d }) => (
        <Sparkline
          prices={sparklines.get(md5)}
          label={`${format.text(name)}, 7 days: ${format.change(pro7d)}`}
        />
      ),
    },
    {
      key: 'volume',
      title: 'Vol. 24 h',
      number: true,
      sort: 'vol24hxrp',
      cell: ({ vol24hxrp }) => <Value of={vol24hxrp}>{xrp(vol24hxrp)}</Value>,
    },
    {
      key: 'marketcap',
      title: 'Market cap',
      number: true,
      wide: true,
      sort: 'marketcap',
      cell: ({ marketcap }) => <Value of={marketcap}>{xrp(marketcap)}</Value>,
    },
    {
      key: 'tvl',
      title: 'Pool',
      number: true,
      wide: true,
      sort: 'tvl',
      cell: ({ tvl }) => <Value of={tvl}>{xrp(tvl)}</Value>,
    },
    {
      key: 'holders',
      title: 'Holders',
      number: true,
      wide: true,
      sort: 'holders',
      cell: ({ holders }) => <Value of={holders}>{format.whole(holders)}</Value>,
    },
  ];
}

const changeColumn = (key: 'pro1h' | 'pro24h' | 'pro7d', title: string, wide: boolean): Column<TokenRow> => ({
  key,
  title,
  number: true,
  wide,
  sort: key,
  width: '92px',
  narrow: '86px',
  cell: (row) => <Change of={row[key]}>{format.change(row[key])}</Change>,
});

interface FiltersProps {
  readonly tag: string;
  readonly filter: string;
  readonly token_type: string;
  readonly total: number;
  readonly loading: boolean;
}

function Filters({ tag, filter, token_type, total, loading }: FiltersProps) {
  const { value, failure } = useAnswer('/tags', {}, { follow: 75 });
  return (
    <div class="filters">
      <input
        type="search"
        aria-label="Name contains"
        placeholder="Name contains…"
        value={filter}
        maxLength={64}
        onInput={(event) => replaceQuery({ filter: event.currentTarget.value })}
      />
      <select
        aria-label="Tag"
        value={tag}
        onChange={(event) => replaceQuery({ tag: event.currentTarget.value })}
      >
        <option value="">all tags</option>
        {value?.tags.map((one) => (
          <option value={one}>{format.text(one)}</option>
        ))}
        {failure && !value && <option disabled>{failure.message}</option>}
      </select>
      <select
        aria-label="Kind"
        value={token_type}
        onChange={(event) => replaceQuery({ type: event.currentTarget.value })}
      >
        <option value="">all kinds</option>
        {TYPES.map((one) => (
          <option value={one}>{one}</option>
        ))}
      </select>
      <span class="quiet" role="status">
        {loading ? '' : `${format.whole(total)} tokens, amounts in ${currency.value}`}
      </span>
    </div>
  );
}
