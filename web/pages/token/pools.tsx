/** The pools that hold the token. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Scroller } from '../../parts/scroller.tsx';
import { linkTo } from '../../router.ts';
import type { TokenProps } from './token-row.ts';

interface Asset {
  readonly name: string;
  readonly md5: string;
}

/** As `/amm` answers it; liquidity, volume and fees in XRP. */
interface Pool {
  readonly ammAccount: string;
  readonly asset1: Asset;
  readonly asset2: Asset;
  /** Of 100,000. */
  readonly tradingFee: number;
  readonly lpHolderCount: number;
  readonly apy24h?: { readonly apy: number; readonly volume: number; readonly liquidity: number };
}

export function Pools({ token, version }: TokenProps) {
  const { value, failure } = useAnswer(
    '/amm',
    { token: token.md5, sort: 'liquidity', limit: 20 },
    { version },
  );
  const pools: readonly Pool[] = value?.pools ?? [];
  const xrp = (amount: number | undefined) => format.amount(format.inCurrency(amount));
  return (
    <section class="card pools-card">
      <h2>Pools</h2>
      <FailureLine of={failure} />
      <Scroller label="Pools">
        <table aria-label="Pools">
          <thead>
            <tr>
              <th scope="col">Pair</th>
              <th scope="col" class="number">
                Liquidity
              </th>
              <th scope="col" class="number">
                Volume 24 h
              </th>
              <th scope="col" class="number">
                Fee
              </th>
              <th scope="col" class="number">
                APY
              </th>
            </tr>
          </thead>
          <tbody>
            {pools.map(({ ammAccount, asset1, asset2, apy24h, tradingFee }) => (
              <tr key={ammAccount}>
                <td>
                  <a href={linkTo(['account', ammAccount])} title={ammAccount}>
                    <bdi>{format.text(asset1.name, 16)}</bdi> / <bdi>{format.text(asset2.name, 16)}</bdi>
                  </a>
                </td>
                <td class="number">{xrp(apy24h?.liquidity)}</td>
                <td class="number">{xrp(apy24h?.volume)}</td>
                <td class="number">{format.percent(tradingFee / 1000, 3)}</td>
                <td class="number">{format.percent(apy24h?.apy, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {value && pools.length === 0 && <p class="empty">No pool holds it.</p>}
      </Scroller>
    </section>
  );
}
