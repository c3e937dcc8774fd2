/** What rose and fell most, and the relative strength of the market as a map. */
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Choices } from '../parts/choices.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { TokenName } from '../parts/token-name.tsx';
import { Change, Value } from '../parts/value.tsx';
import { linkTo, type PageProps, replaceQuery } from '../router.ts';

/** As `/rsi` answers it. */
interface Row {
  readonly md5: string;
  readonly name: string;
  readonly exch?: string;
  readonly vol24hxrp?: number;
  readonly [figure: string]: number | string | undefined;
}

const TIMEFRAMES = ['15m', '1h', '4h', '24h', '7d', '30d', '90d'] as const;
type Timeframe = (typeof TIMEFRAMES)[number];
const CHANGES = ['pro24h', 'pro7d', 'pro30d'] as const;
const TITLES = { pro24h: '24 h', pro7d: '7 days', pro30d: '30 days' } as const;
const SHOWN = 12;
const TILES = 100;
/** Tokens that hardly trade move by any percentage; XRP a day. */
const LEAST_VOLUME = 100;
/** Wilder's own bounds. */
const OVERBOUGHT = 70;
const OVERSOLD = 30;

export default function Movers({ place: { query } }: PageProps) {
  const change = CHANGES.find((one) => one === query.get('change')) ?? 'pro24h';
  const timeframe = TIMEFRAMES.find((one) => one === query.get('rsi')) ?? '4h';
  return (
    <section class="movers">
      <h1>Movers</h1>
      <div class="filters">
        <Choices
          label="Change over"
          values={CHANGES}
          value={change}
          titleOf={(one) => TITLES[one]}
          onChoose={(one) => replaceQuery({ change: one })}
        />
        <span class="quiet">tokens that traded at least {LEAST_VOLUME} XRP in 24 h</span>
      </div>
      <div class="movers-columns">
        <Moved title="Rose most" change={change} order="desc" />
        <Moved title="Fell most" change={change} order="asc" />
      </div>
      <HeatMap timeframe={timeframe} />
    </section>
  );
}

interface MovedProps {
  readonly title: string;
  readonly change: (typeof CHANGES)[number];
  readonly order: 'asc' | 'desc';
}

function Moved({ title, change, order }: MovedProps) {
  const { value, failure } = useAnswer('/rsi', {
    sort: change,
    order,
    minVolume24h: LEAST_VOLUME,
    limit: SHOWN,
  });
  const rows = ((value?.tokens ?? []) as unknown as readonly Row[]).filter((row) =>
    order === 'desc' ? Number(row[change]) > 0 : Number(row[change]) < 0,
  );
  return (
    <section class="card">
      <h2>{title}</h2>
      <FailureLine of={failure} />
      <table class="moved" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col" class="number">
              Price
            </th>
            <th scope="col" class="number">
              Change
            </th>
            <th scope="col" class="number">
              Vol. 24 h
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.md5}>
              <td>
                <TokenName token={row as never} />
              </td>
              <td class="number">
                <Value of={row.exch}>{format.price(format.inCurrency(row.exch))}</Value>
              </td>
              <td class="number">
                <Change of={Number(row[change])}>{format.change(row[change])}</Change>
              </td>
              <td class="number">
                <Value of={row.vol24hxrp}>{format.amount(format.inCurrency(row.vol24hxrp))}</Value>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {value && rows.length === 0 && <p class="empty">None did.</p>}
    </section>
  );
}

function HeatMap({ timeframe }: { timeframe: Timeframe }) {
  const figure = `rsi${timeframe}`;
  const { value, failure } = useAnswer('/rsi', { timeframe, sort: 'marketcap', order: 'desc', limit: TILES });
  const rows = ((value?.tokens ?? []) as unknown as readonly Row[]).filter(
    (row) => row[figure] !== undefined,
  );
  return (
    <section class="card">
      <div class="card-title">
        <h2>Relative strength (RSI 14)</h2>
        <Choices
          label="Candles"
          values={TIMEFRAMES}
          value={timeframe}
          onChoose={(rsi) => replaceQuery({ rsi })}
        />
      </div>
      <p class="quiet">
        The largest tokens by market cap. Above {OVERBOUGHT}: bought fast, below {OVERSOLD}: sold fast.
      </p>
      <FailureLine of={failure} />
      <ul class="heat-map">
        {rows.map((row) => (
          <Tile key={row.md5} row={row} rsi={Number(row[figure])} />
        ))}
      </ul>
      {value && rows.length === 0 && <p class="empty">No token has 15 closed candles of this length yet.</p>}
    </section>
  );
}

function Tile({ row, rsi }: { row: Row; rsi: number }) {
  const state = rsi >= OVERBOUGHT ? 'overbought' : rsi <= OVERSOLD ? 'oversold' : 'neutral';
  // How far from the middle, 0 to 100 %: the colour's strength.
  const strength = Math.min(100, Math.abs(rsi - 50) * 2.5);
  return (
    <li>
      <a
        class={`tile ${rsi >= 50 ? 'hot' : 'cold'}`}
        style={{ '--strength': `${strength.toFixed(0)}%` }}
        href={linkTo(['token', row.md5])}
      >
        <bdi class="cut">{format.text(row.name, 20)}</bdi>
        <Value of={rsi}>{rsi.toFixed(1)}</Value>
        <span class={state === 'neutral' ? 'visually-hidden' : 'tile-state'}>{state}</span>
      </a>
    </li>
  );
}
