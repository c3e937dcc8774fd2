/** What can be bought and how, one invoice with its QR code, and the keys and credits of a wallet that has signed. */
import * as format from '../format.ts';
import type { Answer } from '../net/rest.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Table } from '../parts/table.tsx';
import { Unanswered } from '../parts/unanswered.tsx';
import type { Column } from '../parts/virtual-table.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { Account } from './keys/account.tsx';
import { Buy } from './keys/buy.tsx';
import { CardState, Invoice } from './keys/invoice.tsx';

export type Tier = Answer<'/keys/tiers'>['tiers'][number];

export default function KeysPage({ place: { segments, query } }: PageProps) {
  const [, what, id = ''] = segments;
  if (what === 'invoice') return <Invoice id={id} />;
  if (what === 'card') return <CardState session={id} wallet={query.get('wallet') ?? ''} />;
  return <Overview />;
}

function Overview() {
  const tiers = useAnswer('/keys/tiers', {}, { follow: 20 });
  const packages = useAnswer('/keys/packages', {}, { follow: 20 });
  return (
    <section class="keys">
      <h1>Keys and credits</h1>
      <p class="quiet">
        A key of your own raises the limits of requests; <a href={linkTo(['api'])}>the API</a> says what each
        costs in credits. What is bought belongs to a wallet and counts for all its keys.
      </p>
      <div class="keys-columns">
        <Buy tiers={tiers.value} packages={packages} />
        <Account />
      </div>
      {tiers.value ? <Tiers tiers={tiers.value.tiers} /> : <Unanswered shown={tiers} what="The tiers" />}
    </section>
  );
}

const any = (value: number | null) => (value === null ? 'any' : format.whole(value));

const columns: readonly Column<Tier>[] = [
  { key: 'name', title: 'Tier', cell: ({ name }) => name },
  {
    key: 'price',
    title: 'USD a month',
    number: true,
    cell: ({ price }) => (price === null ? format.NONE : format.amount(price)),
  },
  { key: 'xrp', title: 'XRP', number: true, wide: true, cell: ({ priceXrp }) => format.amount(priceXrp) },
  {
    key: 'credits',
    title: 'Credits a month',
    number: true,
    cell: ({ name, credits }) => (name === 'anonymous' ? format.NONE : any(credits)),
  },
  {
    key: 'second',
    title: 'A second',
    number: true,
    cell: ({ perSecond }) => (perSecond === null ? 'any' : format.amount(perSecond)),
  },
  { key: 'day', title: 'A day', number: true, wide: true, cell: ({ perDay }) => any(perDay) },
  { key: 'keys', title: 'Keys', number: true, wide: true, cell: ({ keys }) => format.whole(keys) },
  {
    key: 'scope',
    title: 'Limits of',
    wide: true,
    cell: ({ scope }) => (scope === 'ip' ? 'an address' : 'each key'),
  },
];

export function Tiers({ tiers }: { readonly tiers: readonly Tier[] }) {
  return (
    <section class="card">
      <h2>Tiers</h2>
      <Table
        isFlat
        label="Tiers"
        columns={columns}
        rows={tiers}
        keyOf={({ name }) => name}
        empty="None"
        loading={false}
      />
    </section>
  );
}
