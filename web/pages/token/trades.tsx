/** The newest trades, from the trader's side: what was bought is green. */
import * as format from '../../format.ts';
import { ledgerTime } from '../../net/ledger.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Scroller } from '../../parts/scroller.tsx';
import { linkTo } from '../../router.ts';
import type { TokenProps } from './token-row.ts';

const SHOWN = 40;

interface Leg {
  readonly issuer: string;
  readonly currency: string;
  readonly name: string;
  readonly value: string;
}

interface Trade {
  readonly _id: string;
  readonly hash: string;
  readonly maker: string;
  readonly taker: string;
  readonly paid: Leg;
  readonly got: Leg;
  readonly time: number;
  readonly isAMM: boolean;
}

export function Trades({ token, version }: TokenProps) {
  const { value, failure } = useAnswer('/history', { md5: token.md5, limit: SHOWN }, { version });
  const trades: readonly Trade[] = value?.data ?? [];
  const now = ledgerTime();
  return (
    <section class="card trades-card">
      <h2>Trades</h2>
      <FailureLine of={failure} />
      <Scroller label="Newest trades">
        <table aria-label="Newest trades">
          <thead>
            <tr>
              <th scope="col">Age</th>
              <th scope="col" class="number">
                Amount
              </th>
              <th scope="col" class="number">
                For
              </th>
              <th scope="col">Trader</th>
            </tr>
          </thead>
          <tbody>
            {trades.map((trade) => (
              <TradeRow key={trade._id} trade={trade} token={token} now={now} />
            ))}
          </tbody>
        </table>
        {value && trades.length === 0 && <p class="empty">No trade yet.</p>}
      </Scroller>
    </section>
  );
}

function TradeRow({ trade, token, now }: { trade: Trade; token: TokenProps['token']; now: number }) {
  const { paid, got, isAMM, hash, time } = trade;
  const isOf = (leg: Leg) => leg.issuer === token.issuer && leg.currency === token.currency;
  // The pool is the taker of a pool's trade: `paid` is what the pool paid.
  const bought = isOf(got) !== isAMM;
  const trader = isAMM ? trade.maker : trade.taker;
  const [amount, other] = isOf(got) ? [got, paid] : [paid, got];
  return (
    <tr>
      <td>
        <a href={linkTo(['tx', hash])} title={format.time(time)}>
          {format.age(time, now)}
        </a>
      </td>
      <td class={`number ${bought ? 'up' : 'down'}`} title={format.exact(amount.value)}>
        <span class="visually-hidden">{bought ? 'bought ' : 'sold '}</span>
        {bought ? '+' : '−'}
        {format.amount(amount.value)}
      </td>
      <td class="number" title={format.exact(other.value)}>
        {format.amount(other.value)} <bdi class="quiet">{format.text(other.name, 8)}</bdi>
      </td>
      <td>
        <Account address={trader} />
      </td>
    </tr>
  );
}
