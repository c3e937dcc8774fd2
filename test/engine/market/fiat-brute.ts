/** The oracle of candles in fiat: plain lists, no store, no columns. And rates that a test sets. */
import { FIATS } from '../../../engine/market/figures.ts';
import type { OracleSource } from '../../../engine/market/oracle-prices.ts';
import type { Random } from './stream.ts';

const QUOTES = ['USD', 'EUR', 'JPY', 'CNY'];
/** XRP per unit to begin with. */
const FIRST = [0.5, 0.55, 0.0035, 0.07];

/** As Candle: start, open, high, low, close, volume, token volume, trades, buys, buy volume. */
export type FiatRow = number[];

/** Rate of each minute that had a ledger, in order: [start of the minute, XRP per unit at its end; 0 = unknown]. */
export type RateHistory = [number, number][];

/** Price oracles under the hand of a test: three owners that agree, or none. */
export class DrivenRates {
  readonly history: RateHistory[] = FIATS.map(() => []);
  /** Whether a rate may become unknown in a minute that had one: its candles go away then. */
  readonly #losesLate: boolean;
  readonly #prices: (number | undefined)[] = FIRST.map((rate) => 1 / rate);

  constructor({ losesLate = true } = {}) {
    this.#losesLate = losesLate;
  }

  /** Puts a rig's rates under this hand. */
  drive<T extends { readonly state: { readonly oracles: OracleSource } }>(rig: T): T {
    const latest: OracleSource['latest'] = (quote) => {
      const price = this.#prices[QUOTES.indexOf(quote)];
      if (price === undefined) return [];
      return [1, 2, 3].map((owner) => ({ owner, price, lastUpdate: 2 ** 40 }));
    };
    Object.defineProperty(rig.state.oracles, 'latest', { value: latest });
    return rig;
  }

  /** Sets the rates of the ledger that is applied next. */
  move(random: Random, closeTime: number): void {
    for (let fiat = 0; fiat < FIATS.length; fiat++) {
      const dice = random();
      const price = this.#prices[fiat];
      const isNewMinute = this.history[fiat]!.at(-1)?.[0] !== closeTime - (closeTime % 60);
      if (dice < 0.04 && (isNewMinute || this.#losesLate)) this.#prices[fiat] = undefined;
      else if (dice < 0.6)
        this.#prices[fiat] = (price ?? 1 / FIRST[fiat]!) * Math.exp((random() - 0.5) * 0.3);
      this.#record(fiat, closeTime - (closeTime % 60));
    }
  }

  #record(fiat: number, minute: number): void {
    const price = this.#prices[fiat];
    const rate = price === undefined ? 0 : 1 / price;
    const history = this.history[fiat]!;
    const last = history.at(-1);
    if (last?.[0] === minute) last[1] = rate;
    else history.push([minute, rate]);
  }
}

/** Candles of minutes in XRP at the rate of their minute; those without one left out. */
export function brutePath(minutes: readonly number[][], history: RateHistory): FiatRow[] {
  const rows: FiatRow[] = [];
  for (const minute of minutes) {
    const rate = history.findLast(([start]) => start <= minute[0]!)?.[1] ?? 0;
    if (rate === 0) continue;
    rows.push(
      minute.map((value, column) => {
        if (column >= 1 && column <= 4) return value / rate;
        return column === 5 || column === 9 ? value / 1e6 / rate : value;
      }),
    );
  }
  return rows;
}

/** XRP's own minutes: those at whose end the rate was another than at the end of the minute before. */
export function xrpMinutes(history: RateHistory): FiatRow[] {
  const rows: FiatRow[] = [];
  let before = 0;
  for (const [minute, rate] of history) {
    if (rate !== 0 && rate !== before)
      rows.push([minute, 1 / rate, 1 / rate, 1 / rate, 1 / rate, 0, 0, 0, 0, 0]);
    before = rate;
  }
  return rows;
}

/** Monday by the calendar of Date, else a multiple of the interval. */
function startOf(seconds: number, time: number): number {
  if (seconds !== 604_800) return time - (time % seconds);
  const date = new Date((time + 946_684_800) * 1000);
  date.setUTCHours(0, 0, 0, 0);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.getTime() / 1000 - 946_684_800;
}

export function fiatFold(minutes: readonly FiatRow[], seconds: number): FiatRow[] {
  const byStart = Map.groupBy(minutes, (row) => startOf(seconds, row[0]!));
  return [...byStart].map(([start, rows]) => {
    const of = (column: number) => rows.map((row) => row[column]!);
    const sum = (column: number) => of(column).reduce((a, b) => a + b, 0);
    const prices = [rows[0]![1]!, Math.max(...of(2)), Math.min(...of(3)), rows.at(-1)![4]!];
    return [start, ...prices, sum(5), sum(6), sum(7), sum(8), sum(9)];
  });
}
