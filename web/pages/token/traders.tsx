/** Who traded this token most, and what they made of it. */

import * as format from '../../format.ts';
import { ledgerTime } from '../../net/ledger.ts';
import type { Answer } from '../../net/rest.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';
import { Change } from '../../parts/value.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { currency } from '../../settings.ts';
import type { TokenRow } from './token-row.ts';

type Trader = Answer<'/traders/token-traders/{id}'>['traders'][number];

const SHOWN = 50;
const FOLLOW = 5;

export function Traders({ token }: { token: TokenRow }) {
  const asked = { id: token.md5, limit: SHOWN, sort: 'volume' };
  const { value, failure } = useAnswer('/traders/token-traders/{id}', asked, { follow: FOLLOW });
  return (
    <section class="card">
      <div class="card-title">
        <h2>Traders</h2>
        <span class="quiet">{currency.value}</span>
      </div>
      <FailureLine of={failure} />
      <Table
        label="Traders of this token"
        columns={columnsOf(ledgerTime())}
        rows={value?.traders ?? []}
        keyOf={({ address }) => address}
        empty="Nobody has traded it."
        loading={value === undefined}
      />
    </section>
  );
}

const columnsOf = (now: number): readonly Column<Trader>[] => {
  const xrp = (amount: number) => format.amount(format.inCurrency(amount));
  return [
    {
      key: 'account',
      title: 'Account',
      cell: ({ address, isAMM }) => (
        <>
          <Account address={address} />
          {isAMM && <span class="tag">pool</span>}
        </>
      ),
    },
    { key: 'volume', title: 'Volume', number: true, cell: ({ volume }) => xrp(volume) },
    {
      key: 'profit',
      title: 'Profit',
      number: true,
      cell: ({ totalPnl }) => <Change of={totalPnl}>{xrp(totalPnl)}</Change>,
    },
    { key: 'trades', title: 'Trades', number: true, wide: true, cell: ({ trades }) => format.whole(trades) },
    {
      key: 'last',
      title: 'Last',
      number: true,
      wide: true,
      cell: ({ lastTradeDate }) => format.age(lastTradeDate, now),
    },
  ];
};
