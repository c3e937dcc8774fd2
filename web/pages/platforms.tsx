/** What launch and trade platforms were used for, told apart by the source tags of their transactions; and the daily report. */
import type { Answers, Platforms as Platform } from '../api-types.d.ts';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Choices } from '../parts/choices.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { Figures, inUnit } from '../parts/figures.tsx';
import { Table } from '../parts/table.tsx';
import { Value } from '../parts/value.tsx';
import type { Column } from '../parts/virtual-table.tsx';
import { linkTo, type PageProps, replaceQuery } from '../router.ts';
import { currency } from '../settings.ts';
import { HourBars } from './platforms/hour-bars.tsx';
import { Report } from './platforms/report.tsx';

type Totals = Answers['GET /platform-stats']['totals'];

const PERIODS = ['24h', '7d', '30d'] as const;
/** Ledgers between two askings. */
const FOLLOW = 15;

export default function Platforms({ place: { query, segments } }: PageProps) {
  const period = PERIODS.find((one) => one === query.get('period')) ?? '24h';
  const { value, failure } = useAnswer('/platform-stats', { period }, { follow: FOLLOW });
  return (
    <section class="platforms">
      <div class="title-line">
        <h1>Platforms</h1>
        <Figures figures={figuresOf(value?.totals)} />
      </div>
      <div class="filters">
        <Choices
          label="Period"
          values={PERIODS}
          value={period}
          onChoose={(one) => replaceQuery({ period: one })}
        />
        <span class="quiet">amounts in {currency.value}; shares of all that happened on the ledger</span>
      </div>
      <FailureLine of={failure} />
      <section class="card">
        <Table
          isFlat
          label="Platforms"
          columns={columnsOf()}
          rows={value?.platforms ?? []}
          keyOf={({ sourceTag }) => String(sourceTag)}
          empty="No transaction named a known platform."
          loading={value === undefined}
        />
      </section>
      {segments[1] && <HourBars sourceTag={segments[1]} period={period} />}
      <Report date={query.get('date') ?? undefined} />
    </section>
  );
}

const figuresOf = (totals: Totals | undefined) => [
  { title: 'Volume', of: totals?.volume, text: inUnit(totals?.volume) },
  { title: 'Transactions', of: totals?.txCount, text: format.whole(totals?.txCount) },
  { title: 'Active accounts', of: totals?.uaw, text: format.whole(totals?.uaw) },
  { title: 'Traders', of: totals?.uniqueTraders, text: format.whole(totals?.uniqueTraders) },
];

function columnsOf(): readonly Column<Platform>[] {
  const xrp = (amount: number | undefined) => format.amount(format.inCurrency(amount));
  return [
    {
      key: 'name',
      title: 'Platform',
      cell: ({ name, slug, sourceTag }) => (
        <a href={linkTo(['platforms', slug])} title={`Source tag ${sourceTag}`}>
          {format.text(name)}
        </a>
      ),
    },
    {
      key: 'volume',
      title: 'Volume',
      number: true,
      cell: ({ volume }) => <Value of={volume}>{xrp(volume)}</Value>,
    },
    { key: 'share', title: 'Share', number: true, cell: ({ pctVolume }) => format.percent(pctVolume, 2) },
    {
      key: 'bought',
      title: 'Bought',
      number: true,
      wide: true,
      cell: ({ buyVolumeXrp }) => xrp(buyVolumeXrp),
    },
    { key: 'sold', title: 'Sold', number: true, wide: true, cell: ({ sellVolumeXrp }) => xrp(sellVolumeXrp) },
    { key: 'trades', title: 'Trades', number: true, wide: true, cell: ({ trades }) => format.whole(trades) },
    {
      key: 'traders',
      title: 'Traders',
      number: true,
      cell: ({ uniqueTraders }) => format.whole(uniqueTraders),
    },
    {
      key: 'tx',
      title: 'Transactions',
      number: true,
      wide: true,
      cell: ({ txCount }) => format.whole(txCount),
    },
    {
      key: 'accounts',
      title: 'Of all accounts',
      number: true,
      wide: true,
      cell: ({ pctUAW }) => format.percent(pctUAW, 2),
    },
  ];
}
