/** What one XRP is worth in fiat money, as the service takes it from the ledger. */
import * as format from '../../format.ts';
import { Value } from '../../parts/value.tsx';

type Rates = Readonly<Partial<Record<keyof typeof NAMES, number>>>;

const NAMES = { USD: 'US dollar', EUR: 'Euro', JPY: 'Japanese yen', CNY: 'Chinese yuan' } as const;
const CODES = Object.keys(NAMES) as (keyof typeof NAMES)[];

/** @param rates XRP for one unit; what is not known is absent */
export function Prices({ rates }: { readonly rates: Rates | undefined }) {
  return (
    <>
      <table class="prices" aria-labelledby="prices">
        <tbody>
          {CODES.map((code) => {
            const rate = rates?.[code];
            const price = rate ? 1 / rate : undefined;
            return (
              <tr key={code}>
                <th scope="row">{`${NAMES[code]} (${code})`}</th>
                <td class="number">
                  <Value of={price}>{format.price(price)}</Value>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p class="quiet">
        The median of the price oracles on the ledger where trades against issued money confirm it, else the
        price of those trades. A rate feed, where the operator named one, counts only while the ledger gives
        no price.
      </p>
    </>
  );
}
