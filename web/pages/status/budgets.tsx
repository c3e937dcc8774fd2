/** What this version has been measured to do, against what it must: each budget of the benchmark over its runs. */
import * as format from '../../format.ts';
import { useLoaded } from '../../net/use-loaded.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Scroller } from '../../parts/scroller.tsx';

interface Figure {
  readonly at: string;
  readonly cores: number;
  readonly value: number;
}

interface Budget {
  readonly name: string;
  readonly what: string;
  readonly against: string;
  readonly rule: 'least' | 'most';
  readonly budget: number;
  readonly unit: string;
  readonly figures: readonly Figure[];
}

/** Runs that are drawn, the newest. */
const DRAWN = 20;

export function Budgets() {
  // A file of its own: it is of no use to other pages.
  const { value, failure } = useLoaded('budgets', () => import('./history.json'));
  const budgets = (value?.default.budgets ?? []) as readonly Budget[];
  return (
    <section class="card budgets" aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <p class="quiet">
        Measured by <code>npm run bench</code> on machines of the developers, each figure beside its
        alternative in the same run; x is a ratio to that.
      </p>
      <Scroller label="Budgets and their runs" isFlat>
        <table aria-labelledby="budgets">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" class="number">
                Must
              </th>
              <th scope="col" class="number">
                Newest
              </th>
              <th scope="col">Runs</th>
            </tr>
          </thead>
          <tbody>
            {budgets.map((budget) => (
              <Row key={budget.name} budget={budget} />
            ))}
          </tbody>
        </table>
      </Scroller>
      <FailureLine of={failure} />
    </section>
  );
}

const holds = ({ rule, budget }: Budget, value: number) =>
  rule === 'least' ? value >= budget : value <= budget;

function Row({ budget }: { readonly budget: Budget }) {
  const { name, what, against, rule, budget: bound, unit, figures } = budget;
  const newest = figures.at(-1)!;
  const isHeld = holds(budget, newest.value);
  return (
    <tr>
      <th scope="row" title={`${name}, against ${against}`}>
        {what}
      </th>
      <td class="number">{`${rule === 'least' ? '≥' : '≤'} ${format.price(bound)} ${unit}`}</td>
      <td class={`number ${isHeld ? 'up' : 'down'}`} title={format.time(Date.parse(newest.at))}>
        {`${format.price(newest.value)} ${unit} ${isHeld ? '✓' : '✗'}`}
      </td>
      <td>
        <Line budget={budget} />
      </td>
    </tr>
  );
}

const WIDTH = 120;
const HEIGHT = 24;

/** The runs as a line, the budget as a dashed one; both from the lower edge, which is nothing. */
function Line({ budget: { budget, figures, unit } }: { readonly budget: Budget }) {
  const shown = figures.slice(-DRAWN);
  const top = Math.max(budget, ...shown.map(({ value }) => value)) * 1.05 || 1;
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const x = (i: number) => (shown.length === 1 ? WIDTH : (i * WIDTH) / (shown.length - 1));
  const values = shown.map(({ value }) => `${format.price(value)} ${unit}`).join(', ');
  return (
    <svg class="history-line" width={WIDTH} height={HEIGHT} role="img" aria-label={`Runs: ${values}`}>
      <line x1={0} x2={WIDTH} y1={y(budget)} y2={y(budget)} class="bound" />
      <polyline points={shown.map(({ value }, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ')} />
      <circle cx={x(shown.length - 1)} cy={y(shown.at(-1)!.value)} r={2.5} />
    </svg>
  );
}
