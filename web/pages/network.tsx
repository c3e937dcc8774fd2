/** The network: its newest ledgers as they close, what a transaction costs, and what XRP is worth. */

import { minus, xrpOfDrops } from '../../explain/decimal.ts';
import * as format from '../format.ts';
import { newestLedger } from '../net/ledger.ts';
import { type Header, useRecentLedgers } from '../net/recent-ledgers.ts';
import { useAnswer } from '../net/use-answer.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { Finder } from '../parts/finder.tsx';
import { linkTo } from '../router.ts';
import { Oracles } from './network/oracles.tsx';
import { paceOf } from './network/pace.ts';
import { Prices } from './network/prices.tsx';
import { Rules } from './network/rules.tsx';

/** Ledgers that are shown; one more is needed for what the oldest of them burned. */
const LEDGERS = 20;

export default function NetworkPage() {
  const { value: headers = [], failure } = useRecentLedgers(LEDGERS + 1);
  const stats = useAnswer('/stats');
  return (
    <section class="network">
      <div class="heading">
        <h1>Network</h1>
        <Finder />
        <a href={linkTo(['faucet'])}>Faucet of the test network</a>
      </div>
      <Facts facts={factsOf(headers)} />
      <div class="columns">
        <section class="card newest-ledgers" aria-labelledby="ledgers">
          <h2 id="ledgers">Newest ledgers</h2>
          <FailureLine of={failure} />
          <Ledgers headers={headers} />
        </section>
        <div class="column">
          <section class="card" aria-labelledby="prices">
            <h2 id="prices">Price of 1 XRP</h2>
            <FailureLine of={stats.failure} />
            <Prices rates={stats.value?.exch} />
          </section>
          <Oracles />
          <Rules />
        </div>
      </div>
    </section>
  );
}

const inXrp = (drops: number | undefined) =>
  drops === undefined ? format.NONE : `${format.exact(xrpOfDrops(String(drops)))} XRP`;

function factsOf(headers: readonly Header[]): readonly Fact[] {
  const frame = newestLedger.value;
  const newest = headers[0];
  const { seconds, ledgers, transactions } = paceOf(headers);
  return [
    ['Newest ledger', frame ? <LedgerLink key="newest" index={frame.ledger_index} /> : format.NONE],
    ['Closed', format.time(frame?.close_time)],
    ['Time between ledgers', ledgers > 0 ? `${format.price(seconds / ledgers)} s` : format.NONE],
    ['Transactions a second', seconds > 0 ? format.price(transactions / seconds) : format.NONE],
    ['Fee of a transaction, at least', inXrp(frame?.fee_base)],
    ['Reserve of an account', inXrp(frame?.reserve_base)],
    ['Reserve of each entry it owns', inXrp(frame?.reserve_inc)],
    ['XRP in existence', newest ? format.exact(xrpOfDrops(newest.total_coins)) : format.NONE],
  ];
}

const LedgerLink = ({ index }: { readonly index: number }) => (
  <a href={linkTo(['ledger', String(index)])}>{format.whole(index)}</a>
);

function Ledgers({ headers }: { readonly headers: readonly Header[] }) {
  const shown = headers.slice(0, LEDGERS);
  const most = Math.max(1, ...shown.map(({ txn_count }) => txn_count));
  return (
    <table class="ledgers" aria-labelledby="ledgers">
      <thead>
        <tr>
          <th scope="col">Ledger</th>
          <th scope="col">Closed</th>
          <th scope="col" class="number">
            After
          </th>
          <th scope="col">Transactions</th>
          <th scope="col" class="number">
            Fees burned, XRP
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((header, i) => (
          // By its place: a new ledger changes texts, and moves nothing.
          <Row key={i} header={header} before={headers[i + 1]} most={most} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly header: Header;
  readonly before: Header | undefined;
  /** Transactions of the largest ledger shown. */
  readonly most: number;
}

function Row({ header, before, most }: RowProps) {
  const { ledger_index: index, close_time: closed, txn_count: count } = header;
  const isNext = before?.ledger_index === index - 1;
  return (
    <tr>
      <td>
        <LedgerLink index={index} />
      </td>
      <td class="when">{format.closeTime(closed)}</td>
      <td class="number">{`${closed - header.parent_close_time} s`}</td>
      <td class="counted">
        <span class="number">{format.whole(count)}</span>
        <span class="bar" aria-hidden="true" style={{ '--share': String(count / most) }} />
      </td>
      <td class="number">
        {isNext ? format.exact(xrpOfDrops(minus(before.total_coins, header.total_coins))) : format.NONE}
      </td>
    </tr>
  );
}
