/** The order book against XRP: what is funded at the best prices, and how much that makes together. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { DepthChart } from './depth-chart.tsx';
import { type Level, levelsOf } from './levels.ts';
import type { TokenProps } from './token-row.ts';

const ASKED = 200;
const SHOWN = 10;

export function Book({ token, version }: TokenProps) {
  const { value, failure } = useAnswer(
    '/orderbook',
    { base: token.md5, quote: 'XRP', limit: ASKED },
    { version },
  );
  const bids = levelsOf(value?.bids ?? []);
  const asks = levelsOf(value?.asks ?? []);
  const most = Math.max(
    bids[SHOWN - 1]?.sum ?? bids.at(-1)?.sum ?? 0,
    asks[SHOWN - 1]?.sum ?? asks.at(-1)?.sum ?? 0,
  );
  const [bid, ask] = [bids[0], asks[0]];
  const spread = bid && ask ? (Number(ask.price) / Number(bid.price) - 1) * 100 : undefined;
  const noSpread = value ? 'no spread' : '\u00a0';
  return (
    <section class="card book-card">
      <div class="card-title">
        <h2>Order book</h2>
        <span class="quiet">in XRP</span>
      </div>
      <FailureLine of={failure} />
      <DepthChart bids={bids} asks={asks} />
      <table class="book" aria-label="Order book">
        <thead>
          <tr>
            <th scope="col">Price</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              Together
            </th>
          </tr>
        </thead>
        <tbody class="down">
          {filled(asks)
            .toReversed()
            .map((level) => (
              <LevelRow level={level} most={most} />
            ))}
        </tbody>
        <tbody>
          <tr class="spread">
            <td colSpan={3}>{spread === undefined ? noSpread : `spread ${format.percent(spread, 3)}`}</td>
          </tr>
        </tbody>
        <tbody class="up">
          {filled(bids).map((level) => (
            <LevelRow level={level} most={most} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Always the same number of rows, so that nothing below moves. */
const filled = (levels: readonly Level[]): readonly (Level | undefined)[] =>
  Array.from({ length: SHOWN }, (_, at) => levels[at]);

function LevelRow({ level, most }: { level: Level | undefined; most: number }) {
  if (!level)
    return (
      <tr class="none">
        <td colSpan={3}>&nbsp;</td>
      </tr>
    );
  return (
    <tr style={{ '--share': `${((level.sum / most) * 100).toFixed(1)}%` }}>
      <td title={format.exact(level.price)}>{format.price(level.price)}</td>
      <td class="number">{format.amount(level.amount)}</td>
      <td class="number">{format.amount(level.sum)}</td>
    </tr>
  );
}
