/** The largest holders, and how much the largest hold together. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Figures } from '../../parts/figures.tsx';
import { Table } from '../../parts/table.tsx';
import { Change } from '../../parts/value.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { Concentration } from './concentration.tsx';
import type { TokenRow } from './token-row.ts';

/** As `/holders/list` answers it. */
interface Holder {
  readonly account: string;
  readonly balance: string;
  /** Percent of the supply. */
  readonly holding: number;
  readonly rank: number;
  readonly isCreator: boolean;
  readonly isAMM?: boolean;
  readonly freeze: boolean;
  readonly value?: number;
  readonly pnl?: number;
  readonly balance24h?: string;
}

const ASKED = 200;
const FOLLOW = 5;

export function Holders({ token }: { token: TokenRow }) {
  const asked = { id: token.md5, limit: ASKED };
  const { value, failure } = useAnswer('/holders/list/{id}', asked, { follow: FOLLOW });
  const rows = (value?.richList ?? []) as unknown as readonly Holder[];
  return (
    <section class="card holders">
      <div class="card-title">
        <h2>Holders</h2>
        <Figures
          figures={[
            { title: 'Holders', of: token.holders, text: format.whole(token.holders) },
            { title: 'Top 10', of: token.top10, text: format.percent(token.top10) },
            { title: 'Gini', of: token.gini, text: format.amount(token.gini) },
            { title: 'HHI', of: token.hhi, text: format.amount(token.hhi) },
          ]}
        />
      </div>
      <FailureLine of={failure} />
      <div class="holders-columns">
        {value && <Concentration shares={rows.map(({ holding }) => holding)} holders={value.length} />}
        <Table
          label="Largest holders"
          columns={columnsOf()}
          rows={rows}
          keyOf={({ account }) => account}
          empty="Nobody holds it."
          loading={value === undefined}
        />
      </div>
    </section>
  );
}

const columnsOf = (): readonly Column<Holder>[] => [
  { key: 'rank', title: '#', cell: ({ rank }) => <span class="quiet">{rank}</span> },
  {
    key: 'account',
    title: 'Account',
    cell: ({ account, isCreator, isAMM, freeze }) => (
      <>
        <Account address={account} />
        {isCreator && <span class="tag">creator</span>}
        {isAMM && <span class="tag">pool</span>}
        {freeze && <span class="tag">frozen</span>}
      </>
    ),
  },
  {
    key: 'balance',
    title: 'Balance',
    number: true,
    cell: ({ balance }) => <span title={format.exact(balance)}>{format.amount(balance)}</span>,
  },
  { key: 'holding', title: 'Share', number: true, cell: ({ holding }) => format.percent(holding, 2) },
  {
    key: 'value',
    title: 'Worth',
    number: true,
    wide: true,
    cell: ({ value }) => format.amount(format.inCurrency(value)),
  },
  {
    key: 'pnl',
    title: 'Profit',
    number: true,
    wide: true,
    cell: ({ pnl }) => <Change of={pnl}>{format.amount(format.inCurrency(pnl))}</Change>,
  },
];
