/** Large trades as they happen, who trades most and earns most, and what traders leave for what. */
import { useMemo } from 'preact/hooks';
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { ledgerTime } from '../net/ledger.ts';
import { get } from '../net/rest.ts';
import { useAnswer } from '../net/use-answer.ts';
import { usePages, useReorder } from '../net/use-pages.ts';
import { Account } from '../parts/account.tsx';
import { Choices } from '../parts/choices.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { Table } from '../parts/table.tsx';
import { TokenLink } from '../parts/token-link.tsx';
import { Change, Value } from '../parts/value.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { linkTo, type PageProps, replaceQuery, searchOf } from '../router.ts';
import { currency } from '../settings.ts';
import { Rotations } from './whales/rotations.tsx';

type WhaleTrade = Answers['GET /whale-activity/feed']['events'][number];
type Trader = Answers['GET /token/analytics/traders']['data'][number];

/** XRP. */
const SIZES = ['1000', '10000', '100000'] as const;
const SORTS = ['volume24h', 'totalVolume', 'totalProfit', 'avgROI', 'winRate', 'totalTrades'] as const;
const SORT_TITLES = {
  volume24h: 'volume 24 h',
  totalVolume: 'volume',
  totalProfit: 'profit',
  avgROI: 'return',
  winRate: 'wins',
  totalTrades: 'trades',
} as const;
const FEED = 60;

export default function Whales({ place: { query } }: PageProps) {
  return (
    <section class="whales">
      <h1>Whales and traders</h1>
      <div class="whales-columns">
        <Feed size={SIZES.find((one) => one === query.get('size')) ?? '1000'} />
        <Rotations />
      </div>
      <Traders sort={SORTS.find((one) => one === query.get('sort')) ?? 'volume24h'} />
    </section>
  );
}

function Feed({ size }: { size: (typeof SIZES)[number] }) {
  const { value, failure } = useAnswer('/whale-activity/feed', { minXrp: size, limit: FEED });
  const names = (value?.tokens ?? {}) as Record<string, { name: string } | undefined>;
  const now = ledgerTime();
  const columns: readonly Column<WhaleTrade>[] = [
    {
      key: 'age',
      title: 'Age',
      cell: ({ time, hash }) => (
        <a href={linkTo(['tx', hash])} title={format.time(time)}>
          {format.age(time, now)}
        </a>
      ),
    },
    { key: 'account', title: 'Account', cell: ({ account }) => <Account address={account} /> },
    {
      key: 'side',
      title: 'Side',
      cell: ({ side }) => (
        <span class={side === 'buy' ? 'up' : 'down'}>{side === 'buy' ? 'bought' : 'sold'}</span>
      ),
    },
    {
      key: 'token',
      title: 'Token',
      cell: ({ md5 }) => <TokenLink token={{ md5, name: names[md5]?.name ?? md5 }} />,
    },
    {
      key: 'xrp',
      title: `Worth, ${currency.value}`,
      number: true,
      cell: ({ xrp }) => format.amount(format.inCurrency(xrp)),
    },
  ];
  return (
    <section class="card">
      <div class="card-title">
        <h2>Large trades</h2>
        <Choices
          label="At least, XRP"
          values={SIZES}
          value={size}
          titleOf={(one) => `${format.whole(one)} XRP`}
          onChoose={(one) => replaceQuery({ size: one })}
        />
      </div>
      <FailureLine of={failure} />
      <Table
        label="Large trades"
        columns={columns}
        rows={value?.events ?? []}
        keyOf={(event) => event._id}
        empty="None of an account that moved a market with them, in 7 days."
        loading={value === undefined}
      />
    </section>
  );
}

function Traders({ sort }: { sort: (typeof SORTS)[number] }) {
  const asked = { sort, order: 'desc', includeAMM: false };
  const pages = usePages<Trader>(searchOf(asked), async (offset, limit) => {
    const { value, failure } = await get('/token/analytics/traders', { query: { ...asked, offset, limit } });
    return value ? { value: { rows: value.data, total: value.pagination.total } } : { failure };
  });
  useReorder(pages.reload);
  const columns = useMemo(traderColumns, [currency.value]);
  return (
    <section class="traders">
      <div class="filters">
        <h2>Traders</h2>
        <Choices
          label="Sorted by"
          values={SORTS}
          value={sort}
          titleOf={(one) => SORT_TITLES[one]}
          onChoose={(one) => replaceQuery({ sort: one })}
        />
        <span class="quiet" role="status">
          {pages.loading ? '' : `${format.whole(pages.total)} traders, amounts in ${currency.value}`}
        </span>
      </div>
      <FailureLine of={pages.failure} />
      <VirtualTable
        label="Traders"
        columns={columns}
        total={pages.total}
        rowAt={pages.rowAt}
        keyOf={(trader) => trader.address}
        onRange={pages.show}
        of={searchOf(asked)}
      />
    </section>
  );
}

function traderColumns(): readonly Column<Trader>[] {
  const xrp = (amount: number) => <Value of={amount}>{format.amount(format.inCurrency(amount))}</Value>;
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
      title: 'Account',
      width: '20%',
      narrow: '26%',
      cell: ({ address }) => <Account address={address} />,
    },
    { key: 'volume24h', title: 'Vol. 24 h', number: true, cell: ({ volume24h }) => xrp(volume24h) },
    { key: 'volume', title: 'Volume', number: true, wide: true, cell: ({ totalVolume }) => xrp(totalVolume) },
    {
      key: 'profit',
      title: 'Profit',
      number: true,
      cell: ({ totalProfit }) => (
        <Change of={totalProfit}>{format.amount(format.inCurrency(totalProfit))}</Change>
      ),
    },
    {
      key: 'roi',
      title: 'Return',
      number: true,
      cell: ({ avgROI }) => <Change of={avgROI}>{format.change(avgROI)}</Change>,
    },
    {
      key: 'wins',
      title: 'Wins',
      number: true,
      wide: true,
      cell: ({ winRate }) => format.percent(winRate),
    },
    {
      key: 'trades',
      title: 'Trades',
      number: true,
      wide: true,
      cell: ({ totalTrades }) => <Value of={totalTrades}>{format.whole(totalTrades)}</Value>,
    },
    {
      key: 'tokens',
      title: 'Tokens',
      number: true,
      wide: true,
      cell: ({ totalTokens }) => format.whole(totalTokens),
    },
    {
      key: 'wash',
      title: 'Wash score',
      number: true,
      wide: true,
      cell: ({ washTradingScore }) => format.amount(washTradingScore),
    },
    {
      key: 'last',
      title: 'Last trade',
      number: true,
      wide: true,
      cell: ({ lastTradeDate }) => (
        <span title={format.time(lastTradeDate)}>{format.age(lastTradeDate, ledgerTime())}</span>
      ),
    },
  ];
}
