/** What the trades and liquidity events of one day add up to. */
import type { TradeReader } from '../../engine/market/trade-record.ts';
import { TradeType } from '../../engine/market/trade-record.ts';
import { XRP } from '../../engine/state/tokens.ts';

/** How often, and what it was worth. */
export interface DaySum {
  trades: number;
  drops: number;
}

/** What a creator did with a token of its own. */
export type CreatorAction = 'buy' | 'sell' | 'deposit' | 'withdraw' | 'amm_create';

const LIQUIDITY: Readonly<Partial<Record<TradeType, CreatorAction>>> = {
  [TradeType.deposit]: 'deposit',
  [TradeType.withdraw]: 'withdraw',
  [TradeType.create]: 'amm_create',
};

export class DaySums {
  trades = 0;
  drops = 0;
  readonly traders = new Set<number>();
  readonly tokens = new Map<number, DaySum>();
  /** By number of the platform. */
  readonly platforms = new Map<number, DaySum>();
  readonly creators = new Map<CreatorAction, DaySum>();
  readonly #creatorOf: (token: number) => number;

  /** @param creatorOf account that created a token */
  constructor(creatorOf: (token: number) => number) {
    this.#creatorOf = creatorOf;
  }

  take(record: TradeReader): void {
    const { account, paidToken, gotToken, valueDrops } = record;
    if (record.isLiquidity) {
      const action = LIQUIDITY[record.type];
      for (const token of [paidToken, gotToken]) if (action) this.#act(action, token, account, valueDrops);
      return;
    }
    this.trades++;
    this.drops += valueDrops;
    this.traders.add(account);
    for (const token of [paidToken, gotToken]) if (token !== XRP) add(this.tokens, token, valueDrops);
    add(this.platforms, record.platform, valueDrops);
    // Who got what the taker paid is the maker; of a pool trade the pool is the taker.
    const { maker, taker } = record;
    for (const [buyer, bought] of [
      [maker, paidToken],
      [taker, gotToken],
    ] as const) {
      this.#act('buy', bought, buyer, valueDrops);
      this.#act('sell', bought, buyer === maker ? taker : maker, valueDrops);
    }
  }

  #act(action: CreatorAction, token: number, account: number, drops: number): void {
    if (token !== XRP && this.#creatorOf(token) === account) add(this.creators, action, drops);
  }
}

function add<K>(sums: Map<K, DaySum>, key: K, drops: number): void {
  const row = sums.get(key) ?? { trades: 0, drops: 0 };
  sums.set(key, row);
  row.trades++;
  row.drops += drops;
}
