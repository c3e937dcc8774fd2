import { wholeDrops } from '../codec/amount.ts';

/** Something that an account did with a pool. */
export interface PoolMove {
  readonly pool: number;
  readonly account: number;
  readonly kind: 'deposit' | 'withdraw' | 'trade';
  /** Worth. */
  readonly xrp: number;
}

export interface PoolSums {
  readonly deposits: number;
  readonly deposited: number;
  readonly withdrawals: number;
  readonly withdrawn: number;
  readonly trades: number;
  readonly volume: number;
  /** Worth of the trades of each account, the largest first. */
  readonly traders: readonly (readonly [account: number, xrp: number])[];
}

interface Sums {
  deposits: number;
  deposited: number;
  withdrawals: number;
  withdrawn: number;
  trades: number;
  volume: number;
  readonly byTrader: Map<number, number>;
}

/**
 * What went into pools and out of them, and who traded in them: sums of what was done with each. Making a pool is a deposit.
 *
 *     net flow = deposited - withdrawn          share of a trader = worth of its trades / volume
 *
 * In any order; the sums are those of the moves that were added.
 */
export class PoolMoves {
  readonly #pools = new Map<number, Sums>();

  add({ pool, account, kind, xrp }: PoolMove): void {
    let sums = this.#pools.get(pool);
    if (!sums) {
      const nothing = { deposits: 0, deposited: 0, withdrawals: 0, withdrawn: 0, trades: 0, volume: 0 };
      sums = { ...nothing, byTrader: new Map() };
      this.#pools.set(pool, sums);
    }
    if (kind === 'deposit') {
      sums.deposits++;
      sums.deposited += xrp;
    } else if (kind === 'withdraw') {
      sums.withdrawals++;
      sums.withdrawn += xrp;
    } else {
      sums.trades++;
      sums.volume += xrp;
      sums.byTrader.set(account, (sums.byTrader.get(account) ?? 0) + xrp);
    }
  }

  of(pool: number): PoolSums {
    const sums = this.#pools.get(pool);
    if (!sums)
      return { deposits: 0, deposited: 0, withdrawals: 0, withdrawn: 0, trades: 0, volume: 0, traders: [] };
    const { byTrader, ...rest } = sums;
    const traders = [...byTrader].map(([account, xrp]) => [account, wholeDrops(xrp)] as const);
    return {
      ...rest,
      volume: wholeDrops(rest.volume),
      traders: traders.sort((a, b) => b[1] - a[1]),
    };
  }
}
