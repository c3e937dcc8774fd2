/** What an account has in pools, and what it would have if it had kept the assets. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';
import { Change } from '../../parts/value.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { currency } from '../../settings.ts';

/** A position of `/lp-positions/{account}`; amounts in XRP, shares in percent. */
interface Position {
  readonly ammAccount: string;
  readonly asset1: { readonly name: string };
  readonly asset2: { readonly name: string };
  readonly poolShare: number;
  readonly poolValueXrp: number | null;
  readonly holdValueXrp: number | null;
  readonly ilPercent: number | null;
  readonly feesEarnedXrp: number | null;
}

export function Pools({ address }: { readonly address: string }) {
  const { value, failure } = useAnswer('/lp-positions/{account}', { account: address });
  return (
    <section class="card">
      <div class="card-title">
        <h2>In pools</h2>
        <span class="quiet">amounts in {currency.value}</span>
      </div>
      <FailureLine of={failure} />
      <Table
        label="In pools"
        columns={COLUMNS}
        rows={Object.values((value?.positions ?? {}) as Readonly<Record<string, Position>>)}
        keyOf={({ ammAccount }) => ammAccount}
        empty="This account has nothing in pools."
        loading={value === undefined}
      />
    </section>
  );
}

const worth = (xrp: number | null) => (xrp === null ? format.NONE : format.amount(format.inCurrency(xrp)));

const COLUMNS: readonly Column<Position>[] = [
  {
    key: 'pool',
    title: 'Pool',
    cell: ({ asset1, asset2 }) => (
      <bdi>
        {format.text(asset1.name, 24)} / {format.text(asset2.name, 24)}
      </bdi>
    ),
  },
  {
    key: 'share',
    title: 'Share',
    number: true,
    wide: true,
    cell: ({ poolShare }) => format.percent(poolShare, 2),
  },
  { key: 'worth', title: 'Worth', number: true, cell: ({ poolValueXrp }) => worth(poolValueXrp) },
  { key: 'kept', title: 'If kept', number: true, cell: ({ holdValueXrp }) => worth(holdValueXrp) },
  {
    key: 'difference',
    title: 'Difference',
    number: true,
    wide: true,
    cell: ({ ilPercent }) =>
      ilPercent === null ? format.NONE : <Change of={ilPercent}>{format.change(ilPercent)}</Change>,
  },
  {
    key: 'fees',
    title: 'Fees earned',
    number: true,
    wide: true,
    cell: ({ feesEarnedXrp }) => worth(feesEarnedXrp),
  },
];
