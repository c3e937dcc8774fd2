/** What the creator did with the token. */
import * as format from '../../format.ts';
import { ledgerTime } from '../../net/ledger.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { linkTo } from '../../router.ts';
import type { TokenRow } from './token-row.ts';

/** As `/creator-activity` answers it. */
interface Activity {
  readonly time: number;
  readonly side: string;
  readonly type: string;
  readonly tokenAmount?: string;
  readonly xrpAmount?: number;
  readonly hash: string;
  readonly result: string;
}

interface Signal {
  readonly level: 'positive' | 'medium' | 'high' | 'low';
  readonly msg: string;
}

const SHOWN = 50;
const FOLLOW = 5;

export function Creator({ token }: { token: TokenRow }) {
  const asked = { id: token.md5, limit: SHOWN };
  const { value, failure } = useAnswer('/creator-activity/{id}', asked, { follow: FOLLOW });
  const signals = ((value as { signals?: readonly Signal[] } | undefined)?.signals ??
    []) as readonly Signal[];
  return (
    <section class="card">
      <div class="card-title">
        <h2>Creator</h2>
        {value && <Account address={value.creator} />}
      </div>
      {failure && <p class="quiet">{failure.message}</p>}
      <ul class="signals">
        {signals.map(({ level, msg }) => (
          <li class={`signal ${level}`}>{msg}</li>
        ))}
      </ul>
      <Table
        label="What the creator did"
        columns={columnsOf(ledgerTime())}
        rows={(value?.events ?? []) as unknown as readonly Activity[]}
        keyOf={({ hash, side }) => `${hash} ${side}`}
        empty="Nothing that is known."
        loading={value === undefined}
      />
    </section>
  );
}

const columnsOf = (now: number): readonly Column<Activity>[] => [
  {
    key: 'age',
    title: 'Age',
    cell: ({ time, hash }) => (
      <a href={linkTo(['tx', hash])} title={format.time(time)}>
        {format.age(time, now)}
      </a>
    ),
  },
  {
    key: 'side',
    title: 'What',
    cell: ({ side, result }) => (
      <>
        {format.text(side.replaceAll('_', ' '))}
        {result !== 'tesSUCCESS' && <span class="tag">refused</span>}
      </>
    ),
  },
  { key: 'amount', title: 'Amount', number: true, cell: ({ tokenAmount }) => format.amount(tokenAmount) },
  {
    key: 'xrp',
    title: 'Worth',
    number: true,
    cell: ({ xrpAmount }) => format.amount(format.inCurrency(xrpAmount)),
  },
];
