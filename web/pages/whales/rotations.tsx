/** What traders sold to buy what, of the last 24 hours: of all, or of one account. */
import type { Rotations as Rotation } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';
import { TokenLink } from '../../parts/token-link.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { currency } from '../../settings.ts';

const SHOWN = 30;
/** Ledgers between two askings: a day's rotations move slowly. */
const FOLLOW = 15;

type Token = { readonly md5: string; readonly name: string; readonly currency: string };

export function Rotations({ account }: { account?: string }) {
  const all = useAnswer(
    account === undefined ? '/traders/rotations' : undefined,
    { limit: SHOWN },
    { follow: FOLLOW },
  );
  const own = useAnswer(
    account === undefined ? undefined : '/traders/{account}/rotations',
    { account, limit: SHOWN },
    { follow: FOLLOW },
  );
  const { value, failure } = account === undefined ? all : own;
  const columns: readonly Column<Rotation>[] = [
    { key: 'from', title: 'Sold', cell: ({ from }) => <TokenLink token={from as unknown as Token} /> },
    { key: 'to', title: 'Bought', cell: ({ to }) => <TokenLink token={to as unknown as Token} /> },
    {
      key: 'volume',
      title: `Worth, ${currency.value}`,
      number: true,
      cell: ({ volume }) => format.amount(format.inCurrency(volume)),
    },
    { key: 'traders', title: 'Traders', number: true, cell: ({ traders }) => format.whole(traders) },
  ];
  return (
    <section class="card">
      <div class="card-title">
        <h2>Rotations, 24 h</h2>
      </div>
      <FailureLine of={failure} />
      <Table
        label="Rotations"
        columns={columns}
        rows={value?.rotations ?? []}
        keyOf={({ from, to }) => `${from.md5} ${to.md5}`}
        empty="No token was sold for another one."
        loading={value === undefined}
      />
    </section>
  );
}
