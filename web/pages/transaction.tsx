/** One transaction: what it did in words, what it changed to the last digit, and the whole of it as JSON. */
import { useEffect, useState } from 'preact/hooks';
import { xrpOfDrops } from '../../explain/decimal.ts';
import type { Fields, Meta } from '../../explain/json.ts';
import { typeWords } from '../../explain/words.ts';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import type { Shown } from '../net/use-repeated.ts';
import { Account } from '../parts/account.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { RawJson } from '../parts/raw-json.tsx';
import { Outcome, Sentence, TypeName } from '../parts/sentence.tsx';
import { Unanswered } from '../parts/unanswered.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { useTitle } from '../title.ts';
import { Balances } from './transaction/balances.tsx';
import { Entries } from './transaction/entries.tsx';
import { Memos } from './transaction/memos.tsx';

export default function TransactionPage({ place }: PageProps) {
  const hash = place.segments[1] ?? '';
  // One that is not there yet is asked for until it is; then it never changes.
  const [found, setFound] = useState('');
  const shown = useAnswer('/tx/{hash}', { hash }, { follow: found === hash ? 'once' : 'ledger' });
  const { value } = shown;
  const type = value && (value.tx_json as Fields).TransactionType;
  // A node answers what waits for the next ledger, too: that has no metadata.
  const isDone = value?.meta !== undefined;
  useEffect(() => {
    if (isDone) setFound(hash);
  }, [isDone, hash]);
  useTitle(`${type ? typeWords(type) : 'Transaction'} ${format.shortAddress(format.text(hash))}`);
  return (
    <section class="transaction">
      <h1>Transaction</h1>
      <p>
        <Copyable text={format.text(hash)} what="the hash" class="mono hash" />
      </p>
      <Answered shown={shown} />
    </section>
  );
}

function Answered({ shown }: { readonly shown: Shown<Answer> }) {
  const { value } = shown;
  if (!value) return <Unanswered shown={shown} what="This transaction" />;
  if (value.meta) return <Transaction answer={value} />;
  return (
    <>
      <p class="notice" role="status">
        It waits for the next ledger: what it will do is not yet certain.
      </p>
      <RawJson value={value} />
    </>
  );
}

interface Answer {
  readonly hash: string;
  readonly ledger_index: number;
  readonly close_time_iso: string;
  readonly ctid?: string;
  readonly tx_json: object;
  readonly meta: object;
}

function Transaction({ answer }: { readonly answer: Answer }) {
  const tx = answer.tx_json as Fields;
  const meta = answer.meta as Meta;
  return (
    <>
      <p class="lead">
        <TypeName type={tx.TransactionType} /> <Outcome meta={meta} long />
      </p>
      <p class="lead">
        <Sentence tx={tx} meta={meta} />
      </p>
      <Facts facts={factsOf(answer, tx)} />
      {tx.Memos && <Memos memos={tx.Memos} />}
      <Balances meta={meta} />
      <Entries meta={meta} />
      <RawJson value={answer} />
    </>
  );
}

function factsOf(answer: Answer, tx: Fields): readonly Fact[] {
  const ledger = (
    <a href={linkTo(['ledger', String(answer.ledger_index)])}>{format.whole(answer.ledger_index)}</a>
  );
  const facts: (Fact | false)[] = [
    ['Ledger', ledger],
    ['Closed', format.time(Date.parse(answer.close_time_iso))],
    typeof tx.Account === 'string' && ['Sender', <Account key="sender" address={tx.Account} />],
    typeof tx.Fee === 'string' && ['Fee', `${format.exact(xrpOfDrops(tx.Fee))} XRP`],
    tx.TicketSequence
      ? ['Ticket', String(tx.TicketSequence)]
      : ['Sequence', String(tx.Sequence ?? format.NONE)],
    tx.SourceTag !== undefined && ['Source tag', String(tx.SourceTag)],
    tx.DestinationTag !== undefined && ['Destination tag', String(tx.DestinationTag)],
    answer.ctid !== undefined && [
      'Short name (CTID)',
      <Copyable key="ctid" text={answer.ctid} what="the CTID" />,
    ],
  ];
  return facts.filter((fact) => fact !== false);
}
