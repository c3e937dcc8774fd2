/** One ledger: its header, and what each of its transactions did. Without a number the newest one, which moves on. */
import { useState } from 'preact/hooks';
import { xrpOfDrops } from '../../explain/decimal.ts';
import type { PlacedTransaction } from '../../explain/json.ts';
import * as format from '../format.ts';
import { newestLedger } from '../net/ledger.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Finder } from '../parts/finder.tsx';
import { RawJson } from '../parts/raw-json.tsx';
import { Outcome, Sentence, TypeName } from '../parts/sentence.tsx';
import { Unanswered } from '../parts/unanswered.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { useTitle } from '../title.ts';

export default function LedgerPage({ place }: PageProps) {
  const named = place.segments[1];
  const shown = useAnswer(
    '/ledger/{index}',
    { index: named ?? 'validated', expand: true },
    { follow: named === undefined ? 'ledger' : 'once' },
  );
  const { value } = shown;
  const index = value?.ledger_index;
  useTitle(index === undefined ? undefined : `Ledger ${index}`);
  return (
    <section class="ledger-page">
      <div class="heading">
        <h1>{value ? `Ledger ${format.whole(value.ledger_index)}` : 'Ledger'}</h1>
        {named === undefined && <span class="tag">newest, moves on</span>}
        {value && <Neighbours index={value.ledger_index} />}
        <Finder />
      </div>
      {value ? <Ledger ledger={value} /> : <Unanswered shown={shown} what="This ledger" />}
    </section>
  );
}

function Neighbours({ index }: { readonly index: number }) {
  const newest = newestLedger.value?.ledger_index ?? index;
  return (
    <nav class="neighbours" aria-label="Ledgers beside this one">
      {index > 1 && <a href={linkTo(['ledger', String(index - 1)])}>← {format.whole(index - 1)}</a>}
      {index < newest && <a href={linkTo(['ledger', String(index + 1)])}>{format.whole(index + 1)} →</a>}
      <a href={linkTo(['ledger'])}>newest</a>
    </nav>
  );
}

interface Header {
  readonly ledger_index: number;
  readonly ledger_hash: string;
  readonly parent_hash: string;
  readonly account_hash: string;
  readonly transaction_hash: string;
  /** Ripple epoch seconds. */
  readonly close_time: number;
  readonly parent_close_time: number;
  readonly total_coins: string;
  readonly txn_count: number;
  readonly transactions?: readonly (string | object)[];
}

const Hash = ({ hash, of }: { readonly hash: string; readonly of: string }) => (
  <Copyable text={hash} what={of} class="mono hash" />
);

function Ledger({ ledger }: { readonly ledger: Header }) {
  const { transactions = [], ...header } = ledger;
  const facts: readonly Fact[] = [
    ['Closed', format.closeTime(ledger.close_time)],
    ['After the one before', format.duration(ledger.close_time - ledger.parent_close_time)],
    ['Transactions', format.whole(ledger.txn_count)],
    ['XRP in existence', format.exact(xrpOfDrops(ledger.total_coins))],
    ['Hash', <Hash key="hash" hash={ledger.ledger_hash} of="the hash" />],
    [
      'Hash of the one before',
      <Hash key="parent" hash={ledger.parent_hash} of="the hash of the ledger before" />,
    ],
    [
      'Root of the transactions',
      <Hash key="transactions" hash={ledger.transaction_hash} of="the root of the transactions" />,
    ],
    ['Root of the state', <Hash key="state" hash={ledger.account_hash} of="the root of the state" />],
  ];
  return (
    <>
      <Facts facts={facts} />
      <Transactions of={transactions as readonly PlacedTransaction[]} key={ledger.ledger_hash} />
      <RawJson value={header} title="Raw JSON of the header" />
    </>
  );
}

/** Rows drawn at first: ledgers of the main network seldom have more. */
const ROWS = 200;

function Transactions({ of }: { readonly of: readonly PlacedTransaction[] }) {
  const [shown, show] = useState(ROWS);
  if (of.length === 0) return <p class="quiet">No transaction is in this ledger.</p>;
  return (
    <>
      <h2 id="transactions">Transactions</h2>
      <table class="transactions" aria-labelledby="transactions">
        <thead>
          <tr>
            <th scope="col" class="number">
              #
            </th>
            <th scope="col">Type</th>
            <th scope="col">What it did</th>
            <th scope="col">Result</th>
            <th scope="col">Hash</th>
          </tr>
        </thead>
        <tbody>
          {of.slice(0, shown).map((one) => (
            <Row key={one.hash} transaction={one} />
          ))}
        </tbody>
      </table>
      {of.length > shown && (
        <button type="button" onClick={() => show(of.length)}>
          {`Show all ${format.whole(of.length)}`}
        </button>
      )}
    </>
  );
}

function Row({ transaction: { hash, tx_json: tx, meta } }: { readonly transaction: PlacedTransaction }) {
  return (
    <tr>
      <td class="number quiet">{meta.TransactionIndex}</td>
      <td>
        <TypeName type={tx.TransactionType} />
      </td>
      <td>
        <Sentence tx={tx} meta={meta} />
      </td>
      <td>
        <Outcome meta={meta} />
      </td>
      <td>
        <a class="mono" href={linkTo(['tx', hash])} title={hash}>
          {format.shortAddress(hash)}
        </a>
      </td>
    </tr>
  );
}
