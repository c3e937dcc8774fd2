/** One account as a trader: what it earned, what it holds, and what it did day by day. */
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { ledgerTime } from '../net/ledger.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Copyable } from '../parts/copyable.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { type Figure, Figures, inUnit } from '../parts/figures.tsx';
import { Table } from '../parts/table.tsx';
import { TokenLink } from '../parts/token-link.tsx';
import { Change } from '../parts/value.tsx';
import type { Column } from '../parts/virtual-table.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { currency } from '../settings.ts';
import { useTitle } from '../title.ts';
import { DayBars } from './trader/day-bars.tsx';
import { Rotations } from './whales/rotations.tsx';

type Position = Answers['GET /token/analytics/trader/{address}/tokens']['tokens'][number];
type Totals = Answers['GET /traders/{account}'];

const SHOWN = 100;

export default function Trader({ place: { segments } }: PageProps) {
  const address = segments[1] ?? '';
  const { value, failure, loading } = useAnswer('/traders/{account}', { account: address });
  useTitle(`${format.shortAddress(format.text(address))}, trader`);
  return (
    <section class="trader">
      <h1>Trader</h1>
      <p>
        <Copyable text={format.text(address)} what="the address" class="mono cut">
          <a href={linkTo(['account', address])}>{format.text(address)}</a>
        </Copyable>
      </p>
      <FailureLine of={failure} />
      {loading && <div class="loading" />}
      {value && (
        <>
          <div class="card">
            <Figures figures={figuresOf(value)} />
          </div>
          <DayBars address={address} />
          <Positions address={address} />
          <Rotations account={address} />
        </>
      )}
    </section>
  );
}

const figuresOf = (totals: Totals): readonly Figure[] => [
  { title: 'Profit', of: totals.profit, text: inUnit(totals.profit) },
  { title: 'Unrealised', of: totals.unrealizedPnl, text: inUnit(totals.unrealizedPnl) },
  { title: 'Return', of: totals.roi, text: format.change(totals.roi) },
  { title: 'Wins', of: totals.winRate, text: format.percent(totals.winRate) },
  { title: 'Holds', of: totals.holdingValue, text: inUnit(totals.holdingValue) },
  { title: 'Bought', of: totals.buyVolume, text: inUnit(totals.buyVolume) },
  { title: 'Sold', of: totals.sellVolume, text: inUnit(totals.sellVolume) },
  { title: 'Trades', of: totals.totalTrades, text: format.whole(totals.totalTrades) },
  { title: 'Tokens', of: totals.totalTokensTraded, text: format.whole(totals.totalTokensTraded) },
  { title: 'Wash score', of: totals.washTradingScore, text: format.amount(totals.washTradingScore) },
];

function Positions({ address }: { address: string }) {
  const { value, failure } = useAnswer('/token/analytics/trader/{address}/tokens', {
    address,
    sort: 'volume',
    limit: SHOWN,
  });
  const now = ledgerTime();
  return (
    <section class="card">
      <div class="card-title">
        <h2>Positions</h2>
        <span class="quiet">cost by the average method, amounts in {currency.value}</span>
      </div>
      <FailureLine of={failure} />
      <Table
        isFlat
        label="Positions"
        columns={columnsOf(now)}
        rows={value?.tokens ?? []}
        keyOf={({ tokenId }) => tokenId}
        empty="This account has not traded any token."
        loading={value === undefined}
      />
    </section>
  );
}

function columnsOf(now: number): readonly Column<Position>[] {
  const xrp = (amount: number | null) => format.amount(format.inCurrency(amount));
  const gain = (amount: number) => <Change of={amount}>{xrp(amount)}</Change>;
  return [
    {
      key: 'token',
      title: 'Token',
      cell: ({ tokenId, name }) => <TokenLink token={{ md5: tokenId, name }} />,
    },
    {
      key: 'balance',
      title: 'Balance',
      number: true,
      cell: ({ actualBalance }) => format.amount(actualBalance),
    },
    { key: 'value', title: 'Worth', number: true, cell: ({ holdingValue }) => xrp(holdingValue) },
    { key: 'bought', title: 'Bought for', number: true, wide: true, cell: ({ xrpBought }) => xrp(xrpBought) },
    { key: 'sold', title: 'Sold for', number: true, wide: true, cell: ({ xrpSold }) => xrp(xrpSold) },
    {
      key: 'price',
      title: 'Average cost',
      number: true,
      wide: true,
      cell: ({ avgBuyPrice }) => format.price(format.inCurrency(avgBuyPrice)),
    },
    { key: 'profit', title: 'Profit', number: true, cell: ({ profit }) => gain(profit) },
    {
      key: 'unrealised',
      title: 'Unrealised',
      number: true,
      wide: true,
      cell: ({ unrealizedPnl }) => gain(unrealizedPnl),
    },
    {
      key: 'roi',
      title: 'Return',
      number: true,
      cell: ({ totalRoi }) => <Change of={totalRoi}>{format.change(totalRoi)}</Change>,
    },
    {
      key: 'trades',
      title: 'Trades',
      number: true,
      wide: true,
      cell: ({ tradesAll }) => format.whole(tradesAll),
    },
    {
      key: 'last',
      title: 'Last',
      number: true,
      wide: true,
      cell: ({ lastTradeDate }) => format.age(lastTradeDate, now),
    },
  ];
}
