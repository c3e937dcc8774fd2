/** Who held more or less afterwards, to the last digit. */

import { balanceChanges } from '../../../explain/effects.ts';
import type { Meta } from '../../../explain/json.ts';
import { Account } from '../../parts/account.tsx';
import { Value } from '../../parts/ledger-amount.tsx';

export function Balances({ meta }: { readonly meta: Meta }) {
  const changes = balanceChanges(meta);
  return (
    <section aria-labelledby="balances">
      <h2 id="balances">Balances</h2>
      {changes.length === 0 ? (
        <p class="quiet">No balance changed.</p>
      ) : (
        <table class="balances" aria-labelledby="balances">
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col" class="number">
                Change
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ account, asset, change }) => (
              <tr>
                <td>
                  <Account address={account} />
                </td>
                <td class={`number ${change.startsWith('-') ? 'down' : 'up'}`}>
                  <Value value={change} asset={asset} signed />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
