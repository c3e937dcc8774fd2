/** Tokens that an account holds, the most valuable first. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';
import { TokenLink } from '../../parts/token-link.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { currency } from '../../settings.ts';

const SHOWN = 100;

/** A row of `/trustlines/{account}`. */
interface Line {
  readonly currency: string;
  readonly issuer: string;
  readonly balance: string;
  readonly limit?: string;
  /** XRP. */
  readonly value: number;
  readonly percentOwned: number;
  readonly md5: string;
  readonly name: string;
}

export function Holdings({ address }: { readonly address: string }) {
  const { value, failure } = useAnswer('/trustlines/{account}', {
    account: address,
    sort_by_value: true,
    limit: SHOWN,
  });
  const total = value?.totalValue;
  return (
    <section class="card">
      <div class="card-title">
        <h2>Tokens</h2>
        <span class="quiet">
          {value
            ? `${format.whole(value.total)}, worth ${format.amount(format.inCurrency(total))} ${format.unit()}`
            : `worth in ${currency.value}`}
        </span>
      </div>
      <FailureLine of={failure} />
      <Table
        label="Tokens"
        columns={COLUMNS}
        rows={(value?.lines ?? []) as readonly object[] as readonly Line[]}
        keyOf={({ md5 }) => md5}
        empty="This account holds no token."
        loading={value === undefined}
      />
    </section>
  );
}

const COLUMNS: readonly Column<Line>[] = [
  { key: 'token', title: 'Token', cell: ({ md5, name }) => <TokenLink token={{ md5, name }} /> },
  { key: 'balance', title: 'Balance', number: true, cell: ({ balance }) => format.amount(balance) },
  {
    key: 'value',
    title: 'Worth',
    number: true,
    cell: ({ value }) => (value > 0 ? format.amount(format.inCurrency(value)) : format.NONE),
  },
  {
    key: 'share',
    title: 'Of the supply',
    number: true,
    wide: true,
    cell: ({ percentOwned }) => format.percent(percentOwned, 2),
  },
  {
    key: 'limit',
    title: 'Limit',
    number: true,
    wide: true,
    cell: ({ limit }) => (limit === undefined ? format.NONE : format.amount(limit)),
  },
];
