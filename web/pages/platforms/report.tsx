/** The report of a day: the market, the pools, the launch platforms, and what was traded most. */
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Figures, inUnit } from '../../parts/figures.tsx';
import { Table } from '../../parts/table.tsx';
import { TokenLink } from '../../parts/token-link.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { replaceQuery } from '../../router.ts';
import { currency } from '../../settings.ts';

type Day = Answers['GET /platform-report'];
type Launchpad = Day['launchpads'][number];
type Top = Day['topTokens']['byVolume'][number];

/** A day has one report. */
const FOLLOW = 300;

/** @param date YYYY-MM-DD; undefined: the newest */
export function Report({ date }: { date: string | undefined }) {
  const days = useAnswer('/platform-report/dates', {}, { follow: FOLLOW });
  const dates = days.value;
  // Before the first midnight no day has a report.
  const isThere = dates !== undefined && dates.length > 0;
  const report = useAnswer(isThere ? '/platform-report' : undefined, { date }, { follow: FOLLOW });
  const { value } = report;
  const failure = days.failure ?? report.failure;
  return (
    <section class="card report">
      <div class="card-title">
        <h2>Report of {value?.date ?? 'the day'}</h2>
        <select
          aria-label="Day"
          value={date ?? ''}
          onChange={(event) => replaceQuery({ date: event.currentTarget.value })}
        >
          <option value="">newest</option>
          {dates?.map((one) => (
            <option value={one.date}>{one.date}</option>
          ))}
        </select>
      </div>
      {dates && !isThere && <p class="empty">The first report is made after the first midnight (UTC).</p>}
      <FailureLine of={failure} />
      {value && <Shown day={value} />}
    </section>
  );
}

function Shown({ day: { market, launchpads, topTokens, ammOverview } }: { day: Day }) {
  return (
    <>
      <Figures
        figures={[
          { title: 'Volume', of: market.tradedXRP24H, text: inUnit(market.tradedXRP24H) },
          { title: 'Trades', of: market.trades24H, text: format.whole(market.trades24H) },
          { title: 'Traders', of: market.uniqueTraders24H, text: format.whole(market.uniqueTraders24H) },
          { title: 'Tokens traded', of: market.activeTokens24h, text: format.whole(market.activeTokens24h) },
          { title: 'Market cap', of: market.totalMarketcap, text: inUnit(market.totalMarketcap) },
          { title: 'Pools', of: ammOverview?.activePools, text: format.whole(ammOverview?.activePools) },
        ]}
      />
      <div class="report-columns">
        <div>
          <h3>Launch platforms</h3>
          <Table
            isFlat
            label="Launch platforms"
            columns={launchpadColumns()}
            rows={launchpads}
            keyOf={({ platform }) => platform}
            empty="No token came from a known launch platform."
            loading={false}
          />
        </div>
        <div>
          <h3>Traded most</h3>
          <Table
            isFlat
            label="Traded most"
            columns={topColumns()}
            rows={topTokens.byVolume}
            keyOf={({ md5 }) => md5}
            empty="Nothing was traded."
            loading={false}
          />
        </div>
      </div>
    </>
  );
}

const launchpadColumns = (): readonly Column<Launchpad>[] => [
  { key: 'platform', title: 'Platform', cell: ({ platform }) => format.text(platform) },
  { key: 'total', title: 'Tokens', number: true, cell: ({ total }) => format.whole(total) },
  { key: 'active', title: 'Traded', number: true, cell: ({ active24h }) => format.whole(active24h) },
  {
    key: 'volume',
    title: `Volume, ${currency.value}`,
    number: true,
    cell: ({ totalVol24h }) => format.amount(format.inCurrency(totalVol24h)),
  },
];

const topColumns = (): readonly Column<Top>[] => [
  { key: 'token', title: 'Token', cell: (token) => <TokenLink token={token} /> },
  {
    key: 'volume',
    title: `Volume, ${currency.value}`,
    number: true,
    cell: ({ vol24hxrp }) => format.amount(format.inCurrency(vol24hxrp)),
  },
];
