/** One account: what it has, offers and did. */
import { useState } from 'preact/hooks';
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { type StreamState, useStream } from '../net/stream.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Account } from '../parts/account.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { type Figure, Figures } from '../parts/figures.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { useTitle } from '../title.ts';
import { Holdings } from './account/holdings.tsx';
import { Offers } from './account/offers.tsx';
import { Pools } from './account/pools.tsx';
import { Transactions } from './account/transactions.tsx';

type Info = Answers['GET /account/info/{account}'];

export default function AccountPage({ place: { segments } }: PageProps) {
  const address = segments[1] ?? '';
  const { value, failure, loading } = useAnswer('/account/info/{account}', { account: address });
  const { version, state } = useChanges(value && address);
  const name = isVouchedFor(value) ? format.text(value.name, 60) : '';
  useTitle(`${name || format.shortAddress(format.text(address))}, account`);
  return (
    <section class="account-page">
      <h1>{name ? <bdi>{name}</bdi> : 'Account'}</h1>
      <p>
        <Copyable text={format.text(address)} what="the address" class="mono cut" />
      </p>
      <FailureLine of={failure} />
      {loading && <div class="loading" />}
      {value && (
        <>
          <div class="card">
            <Figures figures={figuresOf(value)} />
            <Facts facts={factsOf(value, address)} />
          </div>
          <Holdings address={address} />
          <Offers address={address} />
          <Pools address={address} />
          <Transactions key={address} address={address} version={version} state={state} />
        </>
      )}
    </section>
  );
}

/**
 * Another version after each transaction that affects an account. After a loss the stream goes on behind the last one that it
 * sent: the first frame is one more reason to ask again. @param address undefined: none, it is not known whether it exists
 */
function useChanges(address: string | undefined): {
  readonly version: number;
  readonly state: StreamState;
} {
  const [version, setVersion] = useState(0);
  const state = useStream(
    address === undefined
      ? undefined
      : {
          path: `/ws/account/watch/${address}`,
          query: { history: 0 },
          resumable: true,
          onFrame: () => setVersion((before) => before + 1),
        },
  );
  return { version, state };
}

/** Anybody can write any domain into an account of their own: that alone makes no heading. */
const isVouchedFor = (info: Info | undefined): info is Info =>
  info !== undefined && info.name !== null && info.name !== info.domain;

/** XRP stays XRP here: it is what the ledger holds. */
const xrp = (drops: string) => Number(drops) / 1e6;

const figuresOf = (info: Info): readonly Figure[] => [
  { title: 'XRP', of: info.total, text: format.amount(info.total) },
  { title: 'Can spend', of: info.spendableDrops, text: format.amount(xrp(info.spendableDrops)) },
  { title: 'Reserve', of: info.reserve, text: format.amount(info.reserve) },
  { title: 'Entries', of: info.ownerCount, text: format.whole(info.ownerCount) },
  { title: 'Next transaction', of: info.sequence, text: format.whole(info.sequence) },
];

function factsOf(info: Info, address: string): readonly Fact[] {
  const facts: Fact[] = [
    ['Activated', info.inception ? format.time(info.inception) : 'Before the ledgers read here'],
    ['By', info.parent ? <Account key="parent" address={info.parent} /> : format.NONE],
    ['Last sent', info.lastActive ? format.time(info.lastActive) : format.NONE],
    [
      'Scams',
      <a key="scams" href={linkTo(['scams', address])}>
        Scam check
      </a>,
    ],
    [
      'Profit',
      <a key="trader" href={linkTo(['trader', address])}>
        What it traded and gained
      </a>,
    ],
  ];
  if (info.domain !== undefined)
    facts.push(['Domain', <bdi key="domain">{format.text(info.domain, 80)}</bdi>]);
  if (info.isAMM) facts.push(['Kind', 'The account of a pool']);
  return facts;
}
