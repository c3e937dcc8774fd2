/** Open offers of an account, the newest first. */
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/virtual-table.tsx';

const SHOWN = 50;

type Offer = Answers['GET /account/offers/{account}']['offers'][number];

export function Offers({ address }: { readonly address: string }) {
  const { value, failure } = useAnswer('/account/offers/{account}', {
    account: address,
    limit: SHOWN,
  });
  return (
    <section class="card">
      <div class="card-title">
        <h2>Offers</h2>
        <span class="quiet">{value ? `${format.whole(value.total)} open` : ''}</span>
      </div>
      <FailureLine of={failure} />
      <Table
        label="Offers"
        columns={COLUMNS}
        rows={value?.offers ?? []}
        keyOf={({ _id }) => _id}
        empty="This account has no open offer."
        loading={value === undefined}
      />
    </section>
  );
}

const amount = ({ value, name }: Offer['gets']) => (
  <>
    {format.amount(value)} <bdi>{format.text(name, 24)}</bdi>
  </>
);

const COLUMNS: readonly Column<Offer>[] = [
  { key: 'gives', title: 'Gives', number: true, cell: ({ gets }) => amount(gets) },
  { key: 'wants', title: 'Wants', number: true, cell: ({ pays }) => amount(pays) },
  {
    key: 'distance',
    title: 'From the price now',
    number: true,
    wide: true,
    cell: ({ distPct }) => (distPct === null ? format.NONE : format.change(distPct)),
  },
  { key: 'funded', title: 'Funded', wide: true, cell: ({ funded }) => (funded ? 'yes' : 'no') },
  {
    key: 'expires',
    title: 'Expires',
    wide: true,
    cell: ({ expire }) => (expire === undefined ? 'never' : format.time(expire)),
  },
];
