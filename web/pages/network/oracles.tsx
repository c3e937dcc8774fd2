/** What each price oracle on the ledger says that XRP is worth; anybody can publish one. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';

const SHOWN = 8;

export function Oracles() {
  const { value, failure } = useAnswer('/stats/oracles', { quote: 'USD', limit: SHOWN }, { follow: 5 });
  return (
    <section class="card oracles-card" aria-labelledby="oracles">
      <h2 id="oracles">Price oracles, USD for 1 XRP</h2>
      <FailureLine of={failure} />
      <table class="oracles" aria-labelledby="oracles">
        <thead>
          <tr>
            <th scope="col">Owner</th>
            <th scope="col" class="number">
              Price
            </th>
            <th scope="col">Published</th>
          </tr>
        </thead>
        <tbody>
          {value?.oracles.map(({ account, document_id, price, last_update }) => (
            <tr key={`${account} ${document_id}`}>
              <td>
                <Account address={account} />
              </td>
              <td class="number">{format.price(price)}</td>
              <td class="when">{format.time(last_update)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {value?.total === 0 && <p class="empty">The ledger has none.</p>}
      {value && value.total > value.count && (
        <p class="quiet">{`The newest ${value.count} of ${format.whole(value.total)}.`}</p>
      )}
    </section>
  );
}
