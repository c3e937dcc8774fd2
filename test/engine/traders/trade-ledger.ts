/**
 * A ledger of trades in exact arithmetic, kept by the tests: the oracle of positions, traders, windows and days. It takes
 * the trade records that a store holds, oldest first, and counts them with decimals of any length, in maps by account and token.
 */
import { addDecimal, compareDecimal, type Decimal, subDecimal, ZERO } from '../../../engine/codec/amount.ts';
import type { Engine } from '../../../engine/engine.ts';
import { TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import type { Store } from '../../../engine/store.ts';

export interface ExactPosition {
  account: number;
  token: number;
  bought: Decimal;
  sold: Decimal;
  held: Decimal;
  liquidity: Decimal;
  cost: bigint;
  spent: bigint;
  received: bigint;
  realised: bigint;
  trades: number;
  first: number;
  last: number;
  /** Gains of its sales, drops. */
  gains: bigint[];
}

export interface ExactEvent {
  account: number;
  token: number;
  time: number;
  amount: Decimal;
  drops: bigint;
  bought: boolean;
  isPool: boolean;
  gain: bigint;
}

export interface ExactTrade {
  /** Of its transaction, which is the same for all its trades. */
  transaction: string;
  time: number;
  signer: number;
  maker: number;
  taker: number;
  drops: bigint;
  paidToken: number;
  gotToken: number;
  isPool: boolean;
  tag: number | undefined;
}

const key = (account: number, token: number) => `${account} ${token}`;

/** cost * part / whole of two decimals, rounded half up. */
function partOf(drops: bigint, part: Decimal, whole: Decimal): bigint {
  const e = Math.min(part.e, whole.e);
  const [a, b] = [part, whole].map((d) => d.m * 10n ** BigInt(d.e - e)) as [bigint, bigint];
  return (2n * drops * a + b) / (2n * b);
}

export class TradeLedger {
  readonly positions = new Map<string, ExactPosition>();
  readonly events: ExactEvent[] = [];
  /** All, and those between two accounts. */
  readonly allTrades: ExactTrade[] = [];
  readonly trades: ExactTrade[] = [];
  readonly liquidity: { type: number; drops: bigint; time: number }[] = [];

  constructor(engine: Engine, store: Pick<Store, 'trades'>) {
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    const { tokens } = engine.state;
    store.trades({}, (_position, record) => {
      reader.load(record);
      const paid = tokens.decimal(reader.paidToken, reader.paidHi, reader.paidLo);
      const got = tokens.decimal(reader.gotToken, reader.gotHi, reader.gotLo);
      const drops = BigInt(reader.valueDrops);
      const { closeTime: time, isAMM: isPool, maker, taker } = reader;
      if (reader.isLiquidity) {
        this.liquidity.push({ type: reader.type, drops, time });
        for (const [token, amount] of [
          [reader.paidToken, paid],
          [reader.gotToken, got],
        ] as const) {
          if (token === 0) continue;
          const position = this.#of(reader.account, token);
          const move = reader.type === 2 ? addDecimal : subDecimal;
          position.liquidity = move(position.liquidity, amount);
        }
        return true;
      }
      const { account: signer, paidToken, gotToken, sourceTag: tag } = reader;
      const transaction = `${reader.ledger} ${reader.tx}`;
      const trade = { transaction, time, signer, maker, taker, drops, paidToken, gotToken, isPool, tag };
      this.allTrades.push(trade);
      // Between an account and itself nothing changes hands.
      if (maker === taker) return true;
      this.trades.push(trade);
      // The maker receives what was paid and gives what was got; in a pool the maker is who signed.
      for (const [account, gives, given, takes, taken] of [
        [maker, reader.gotToken, got, reader.paidToken, paid],
        [taker, reader.paidToken, paid, reader.gotToken, got],
      ] as const) {
        if (gives !== 0) this.#sell(account, gives, given, drops, time, isPool);
        if (takes !== 0) this.#buy(account, takes, taken, drops, time, isPool);
      }
      return true;
    });
  }

  #of(account: number, token: number): ExactPosition {
    const found = this.positions.get(key(account, token));
    if (found) return found;
    const made: ExactPosition = {
      account,
      token,
      bought: ZERO,
      sold: ZERO,
      held: ZERO,
      liquidity: ZERO,
      cost: 0n,
      spent: 0n,
      received: 0n,
      realised: 0n,
      trades: 0,
      first: 0,
      last: 0,
      gains: [],
    };
    this.positions.set(key(account, token), made);
    return made;
  }

  #traded(position: ExactPosition, time: number): void {
    if (position.trades++ === 0) position.first = time;
    position.last = time;
  }

  #buy(account: number, token: number, amount: Decimal, drops: bigint, time: number, isPool: boolean): void {
    const position = this.#of(account, token);
    this.#traded(position, time);
    position.bought = addDecimal(position.bought, amount);
    if (drops > 0n) {
      position.spent += drops;
      position.cost += drops;
      position.held = addDecimal(position.held, amount);
    }
    this.events.push({ account, token, time, amount, drops, bought: true, isPool, gain: 0n });
  }

  #sell(account: number, token: number, amount: Decimal, drops: bigint, time: number, isPool: boolean): void {
    const position = this.#of(account, token);
    this.#traded(position, time);
    position.sold = addDecimal(position.sold, amount);
    position.received += drops;
    let gain = 0n;
    if (position.held.m > 0n && amount.m > 0n) {
      const isAll = compareDecimal(amount, position.held) >= 0;
      const covered = isAll ? position.held : amount;
      const cost = isAll ? position.cost : partOf(position.cost, covered, position.held);
      const proceeds = partOf(drops, covered, amount);
      position.held = subDecimal(position.held, covered);
      position.cost -= cost;
      if (drops > 0n) gain = proceeds - cost;
    }
    position.realised += gain;
    position.gains.push(gain);
    this.events.push({ account, token, time, amount, drops, bought: false, isPool, gain });
  }
}
