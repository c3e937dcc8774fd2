/**
 * Gini and HHI of large tokens from ledger to ledger: each has its balances in blocks (engine/metrics/balance-spread.ts),
 * and follows what ledgers did to the state's balances (engine/state/balance-log.ts). One that does not have as many balances as
 * the token has holders is dropped, and made again from a ranking.
 */
import { BalanceSpread } from '../engine/metrics/balance-spread.ts';
import { type BalanceLog, BalanceLogReader } from '../engine/state/balance-log.ts';
import { isZeroIssued, SIGN } from '../engine/state/line-fields.ts';
import type { State } from '../engine/state/state.ts';

/** Balances that all have together, at most 16 bytes each; the token first asked for goes first. */
const BALANCES_KEPT = 4_000_000;

export class HolderSpreads {
  readonly #state: State;
  readonly #spreads = new Map<number, BalanceSpread>();
  #balances = 0;

  constructor(state: State) {
    this.#state = state;
  }

  /** The token's balances as they are now; undefined: not kept. */
  of(token: number): BalanceSpread | undefined {
    const spread = this.#spreads.get(token);
    if (!spread || spread.count === this.#state.lines.holdersCount(token)) return spread;
    this.forget(token);
    return undefined;
  }

  /** @param descending every balance of the token, largest first */
  keep(token: number, descending: Float64Array): void {
    this.forget(token);
    this.#spreads.set(token, new BalanceSpread(descending));
    this.#balances += descending.length;
    for (const [oldest] of this.#spreads) {
      if (this.#balances <= BALANCES_KEPT || oldest === token) return;
      this.forget(oldest);
    }
  }

  forget(token: number): void {
    const spread = this.#spreads.get(token);
    if (!spread) return;
    this.#spreads.delete(token);
    this.#balances -= spread.count;
  }

  clear(): void {
    this.#spreads.clear();
    this.#balances = 0;
  }

  /** A ledger changed balances. */
  applied(log: BalanceLog): void {
    if (this.#spreads.size === 0) return;
    const { tokens } = this.#state;
    const entries = new BalanceLogReader(log);
    while (entries.next()) {
      const { low, high, code, stateHi, stateLo, afterHi, afterLo } = entries;
      if (high === 0) {
        const number = (hi: number, lo: number) => tokens.number(code, hi, lo);
        if (this.#spreads.has(code)) this.#move(code, number(stateHi, stateLo), number(afterHi, afterLo));
        continue;
      }
      // A line can carry two tokens, and its sign says whose it holds.
      for (const sign of [SIGN, 0]) {
        const token = tokens.findPair(sign === SIGN ? high : low, code);
        if (!this.#spreads.has(token)) continue;
        const held = (hi: number, lo: number) => {
          const isHeld = !isZeroIssued(hi, lo) && (hi & SIGN) >>> 0 === sign >>> 0;
          return isHeld ? tokens.number(token, (hi | SIGN) >>> 0, lo) : 0;
        };
        this.#move(token, held(stateHi, stateLo), held(afterHi, afterLo));
      }
    }
  }

  #move(token: number, before: number, after: number): void {
    const spread = this.#spreads.get(token);
    if (!spread || before === after) return;
    const { count } = spread;
    if (before > 0 && !spread.remove(before)) {
      this.forget(token);
      return;
    }
    if (after > 0) spread.add(after);
    this.#balances += spread.count - count;
  }
}
