/** The newest transactions that affected an account, in words. */

import type { PlacedTransaction } from '../../../explain/json.ts';
import * as format from '../../format.ts';
import { ledgerTime } from '../../net/ledger.ts';
import type { StreamState } from '../../net/stream.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Outcome, Sentence, TypeName } from '../../parts/sentence.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { linkTo } from '../../router.ts';

const SHOWN = 50;

/** A row of `/account/tx/{account}`. */
interface Transaction extends PlacedTransaction {
  readonly close_time_iso: string;
}

interface Props {
  readonly address: string;
  /** Another one after each transaction. */
  readonly version: number;
  /** Of the stream that says so. */
  readonly state: StreamState;
}

export function Transactions({ address, version, state }: Props) {
  const { value, failure } = useAnswer(
    '/account/tx/{account}',
    { account: address, limit: SHOWN },
    { version },
  );
  const now = ledgerTime();
  return (
    <section class="card">
      <div class="card-title">
        <h2>Transactions</h2>
        <span class="quiet" data-stream={state}>
          {[value?.hasMore && `the newest ${SHOWN}`, state === 'live' && 'live'].filter(Boolean).join(', ')}
        </span>
      </div>
      <FailureLine of={failure} />
      <Table
        label="Transactions"
        columns={columnsOf(now)}
        rows={(value?.txs ?? []) as readonly object[] as readonly Transaction[]}
        keyOf={({ hash }) => hash}
        empty="No stored ledger has a transaction of this account."
        loading={value === undefined}
      />
    </section>
  );
}

const columnsOf = (now: number): readonly Column<Transaction>[] => [
  {
    key: 'time',
    title: 'When',
    cell: ({ hash, close_time_iso: iso }) => (
      <a href={linkTo(['tx', hash])} title={hash}>
        {format.age(Date.parse(iso), now)}
      </a>
    ),
  },
  {
    key: 'type',
    title: 'Type',
    wide: true,
    cell: ({ tx_json: tx }) => <TypeName type={tx.TransactionType} />,
  },
  { key: 'words', title: 'What it did', cell: ({ tx_json: tx, meta }) => <Sentence tx={tx} meta={meta} /> },
  {
    key: 'result',
    title: 'Result',
    wide: true,
    cell: ({ meta }) => <Outcome meta={meta} />,
  },
];
