/** Open offers for an NFT of one side, best first. */

import type { AmountJson } from '../../../explain/json.ts';
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import type { Shown } from '../../net/use-repeated.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { LedgerAmount } from '../../parts/ledger-amount.tsx';
import { scamText } from '../../parts/scam-text.ts';
import { Table } from '../../parts/table.tsx';

type Answer = Answers['GET /nft/{nftId}/offers'];

interface Props {
  readonly title: string;
  readonly id: string;
  readonly side: 'sellOffers' | 'buyOffers';
  readonly shown: Shown<Answer>;
}

export function Offers({ title, id, side, shown: { value, failure } }: Props) {
  const total = side === 'sellOffers' ? value?.totalSell : value?.totalBuy;
  const rows = value?.[side] ?? [];
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <FailureLine of={failure} />
      <Table
        label={`${title} the NFT`}
        rows={rows}
        keyOf={({ index }) => index}
        loading={value === undefined}
        empty="There are none."
        columns={[
          {
            key: 'price',
            title: 'Price',
            number: true,
            cell: ({ amount }) => <LedgerAmount amount={amount as AmountJson} />,
          },
          { key: 'owner', title: 'By', cell: ({ owner }) => <Account address={owner} /> },
          {
            key: 'for',
            title: 'For',
            wide: true,
            cell: ({ destination }) => (destination ? <Account address={destination} /> : 'anyone'),
          },
          {
            key: 'state',
            title: 'Can be taken',
            cell: ({ orphaned, funded, fraud, fraudType }) =>
              fraud ? (
                <span class="down">{`better not: ${scamText(fraudType)}`}</span>
              ) : (
                takenText(orphaned === 'yes', funded)
              ),
          },
        ]}
      />
      {total !== undefined && total > rows.length && (
        <p class="quiet">{`The best ${rows.length} of ${format.whole(total)}.`}</p>
      )}
    </section>
  );
}

function takenText(isOrphaned: boolean, isFunded: boolean): string {
  if (isOrphaned) return 'no: sold since';
  return isFunded ? 'yes' : 'no: not funded';
}
