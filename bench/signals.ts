/**
 * Signals kept current against the same computed again: RSI of many tokens after a ledger, Gini and HHI of a large token
 * after 100 changes. `bun bench/signals.ts`.
 */
import { RelativeStrength, RSI_FRAMES, RSI_SECONDS } from '../engine/market/relative-strength.ts';
import { BalanceSpread } from '../engine/metrics/balance-spread.ts';
import { gini } from '../engine/metrics/gini.ts';
import { hhi } from '../engine/metrics/hhi.ts';
import { rsi } from '../engine/metrics/rsi.ts';
import { sortDescending } from '../engine/metrics/sort-descending.ts';
import type { Figure } from './budgets.ts';

const TOKENS = 20_000;
/** Closing prices from which the other side computes: as few as leave older ones a weight below 0.2 %. */
const CLOSES = 100;
const HOLDERS = 1_000_000;
const CHANGES = 100;
const ROUNDS = 9;

/** Uses the results, so that the JIT does not remove the work. */
let sink = 0;
let state = 20_261_123;
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

/** Median milliseconds. */
function timed(run: (round: number) => void): number {
  run(-1);
  return median(
    Array.from({ length: ROUNDS }, (_, round) => {
      const started = performance.now();
      run(round);
      return performance.now() - started;
    }),
  );
}

function rsiFigure(): Figure {
  const quarter = RSI_SECONDS['15m'];
  const last = new Float64Array(TOKENS + 1).fill(1);
  const strength = new RelativeStrength(TOKENS + 1, { last, end: TOKENS + 1 }, () => 0);
  let time = 830_044_800;
  const ledger = () => {
    time += quarter;
    strength.begin(time);
    for (let token = 1; token <= TOKENS; token++) {
      strength.close(token, last[token]!);
      last[token] = last[token]! * (0.98 + 0.04 * random());
      strength.open(token);
    }
  };
  for (let i = 0; i < 20; i++) ledger();
  const ours = timed(() => {
    time += quarter;
    strength.begin(time);
    for (let token = 1; token <= TOKENS; token++) {
      strength.close(token, last[token]!);
      strength.open(token);
    }
    strength.findClosed();
    sink += strength.closed.size;
    for (const frame of RSI_FRAMES)
      for (let token = 1; token <= TOKENS; token++) sink += strength.of(token, frame) ?? 0;
  });
  const closes = Array.from({ length: TOKENS }, () => {
    const prices = new Float64Array(CLOSES);
    let price = 1;
    for (let i = 0; i < CLOSES; i++) prices[i] = price *= 0.98 + 0.04 * random();
    return prices;
  });
  const other = timed(() => {
    for (let frame = 0; frame < RSI_FRAMES.length; frame++)
      for (const prices of closes) sink += rsi(prices) ?? 0;
  });
  return {
    name: 'signals.rsi',
    value: other / ours,
    ours: `${ours.toFixed(2)} ms`,
    other: `${other.toFixed(1)} ms`,
  };
}

function spreadFigure(): Figure {
  const balances = Float64Array.from({ length: HOLDERS }, () => 10 ** (random() * 9 - 3));
  const spread = new BalanceSpread(Float64Array.from(balances).sort().reverse());
  sink += spread.measure().gini ?? 0;
  const ours = timed(() => {
    for (let i = 0; i < CHANGES; i++) {
      const holder = Math.floor(random() * HOLDERS);
      const balance = balances[holder]! * (0.5 + random());
      if (!spread.remove(balances[holder]!)) throw new Error('a balance is missing');
      spread.add(balance);
      balances[holder] = balance;
    }
    const { gini: g = 0, hhi: h = 0 } = spread.measure();
    sink += g + h;
  });
  const other = timed(() => {
    const order = Uint32Array.from(balances.keys());
    sortDescending(order, balances);
    const ranked = new Float64Array(HOLDERS);
    for (let i = 0; i < HOLDERS; i++) ranked[i] = balances[order[i]!]!;
    sink += (gini(ranked) ?? 0) + (hhi(ranked) ?? 0);
  });
  return {
    name: 'signals.spread',
    value: other / ours,
    ours: `${ours.toFixed(3)} ms`,
    other: `${other.toFixed(1)} ms`,
  };
}

const figures = [rsiFigure(), spreadFigure()];
for (const { name, value, ours, other } of figures)
  console.log(`${name} ${value.toFixed(1)} x (${ours} against ${other})`);
if (sink === Infinity) console.log(sink);
console.log(`figures ${JSON.stringify(figures)}`);
process.exit(0);
