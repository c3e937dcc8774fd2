/** What traders sold to buy something else, by pair of tokens; see engine/traders/rotations.ts. XRP, Unix ms. */
import type { Engine } from '../../engine/engine.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import { DAY_HOURS, HOUR, unixMs } from '../../engine/ripple-time.ts';
import { ROTATION_HOURS, type RotationSum, sumRotations } from '../../engine/traders/rotations.ts';
import { assetObject } from '../identity.ts';
import type { TraderOrders } from './trader-orders.ts';
import { xrpOf } from './trader-rows.ts';

export const ROTATION_PERIODS = { '24h': DAY_HOURS, '7d': ROTATION_HOURS } as const;
export type RotationPeriod = keyof typeof ROTATION_PERIODS;

export class RotationViews {
  readonly #engine: Engine;
  readonly #orders: TraderOrders;

  constructor(engine: Engine, orders: TraderOrders) {
    this.#engine = engine;
    this.#orders = orders;
  }

  /** Of all traders, largest first. */
  async all(period: RotationPeriod) {
    const { value } = await this.#orders.rotations(ROTATION_PERIODS[period]);
    return value;
  }

  /** Into a token, and out of it. */
  async ofToken(token: number, period: RotationPeriod) {
    const { value } = await this.#orders.rotations(ROTATION_PERIODS[period], token);
    return {
      into: value.filter(({ to }) => to === token),
      outOf: value.filter(({ from }) => from === token),
    };
  }

  /** Of one trader. */
  ofTrader(address: string, period: RotationPeriod): RotationSum[] {
    const account = this.#engine.state.accounts.findText(address);
    const { traders, rotations } = this.#engine.traders;
    const trader = account === undefined ? 0 : traders.find(account);
    if (trader === 0) return [];
    const now = this.#engine.head?.closeTime ?? 0;
    return runToEnd(sumRotations(rotations, rotations.rowsOf(trader, now, ROTATION_PERIODS[period])));
  }

  row({ from, to, drops, count, traders, lastHour }: RotationSum) {
    const { state } = this.#engine;
    return {
      from: assetObject(state, from),
      to: assetObject(state, to),
      volume: xrpOf(drops),
      count,
      traders,
      lastSeen: unixMs(Math.min((lastHour + 1) * HOUR - 1, this.#engine.head?.closeTime ?? 0)),
    };
  }
}
