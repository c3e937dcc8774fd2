/**
 * What each account did over all tokens: one row for an account that has a position. Drops are whole numbers.
 *
 * Wash score. Two accounts that trade with each other to show volume leave two marks: most of what each trades on books
 * is with one counterparty, and what it buys it sells again. The counterparty is found with the majority vote of Boyer and
 * Moore (1981), by value: a candidate gains what is traded with it and loses what is traded with others, and is replaced
 * when nothing is left; so what it has in the end is at most what was traded with it, and its share of all that the account
 * traded (pools included, where anybody is the counterparty) at most their share. The score is the smaller of the shares of
 * both, times how far purchases and sales balance (the smaller by the larger), times 100; and 0 unless each is the other's
 * counterparty. So a customer who only meets one maker scores 0: the maker trades with many.
 *
 * Cost: 152 bytes a trader, and 5 to 7 of the index.
 */
import type { RowSteps } from '../event-loop.ts';
import { DAY } from '../ripple-time.ts';
import { hashWord } from '../state/hash.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import type { TableDescription } from '../state/table-memory.ts';
import { TableId } from '../table-ids.ts';

/** One side of a trade, as an account sees it. */
export interface TradeSide {
  time: number;
  drops: number;
  isPool: boolean;
  /** Account on the other side. */
  partner: number;
  /** Tokens were bought, and tokens were sold: both, in a trade of two tokens. */
  buys: boolean;
  sells: boolean;
  /** Drops gained by the sale. */
  realised: number;
}

export class TraderTable {
  readonly table: Table;
  readonly accounts: Uint32Array;
  /** Newest position. */
  readonly newest: Uint32Array;
  /** Tokens that it traded: liquidity makes a position, too, and is no trade. */
  readonly tokens: Uint32Array;
  /** Newest row in traderSources. */
  readonly newestSource: Uint32Array;
  /** Pools are traders too. */
  readonly isPool: Uint8Array;
  readonly trades: Uint32Array;
  readonly buys: Uint32Array;
  readonly sells: Uint32Array;
  readonly bookDrops: Float64Array;
  readonly poolDrops: Float64Array;
  /** Drops paid for tokens, and received for tokens. */
  readonly spent: Float64Array;
  readonly received: Float64Array;
  /** What the tokens bought and not sold cost, over all positions. */
  readonly cost: Float64Array;
  /** Realised profit by where the sale was made. */
  readonly bookRealised: Float64Array;
  readonly poolRealised: Float64Array;
  /** The largest gain and loss of a sale. */
  readonly maxGain: Float64Array;
  readonly maxLoss: Float64Array;
  readonly winningTrades: Uint32Array;
  readonly losingTrades: Uint32Array;
  /** Tokens with a realised profit above zero, and below. */
  readonly winningTokens: Uint32Array;
  readonly losingTokens: Uint32Array;
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  /** Day of the last trade in a pool, and on a book. */
  readonly poolDay: Uint16Array;
  readonly bookDay: Uint16Array;
  readonly partner: Uint32Array;
  readonly partnerDrops: Float64Array;
  /** Sequence + 1 of its newest rows in the rings of hours and days. */
  readonly latestHour: Float64Array;
  readonly latestDay: Float64Array;
  readonly #index: RowIndex;

  constructor(capacity: number, attached?: TableDescription) {
    const table = attached
      ? Table.attach(attached)
      : new Table(TableId.traders, 'accounts that trade', capacity);
    this.table = table;
    this.accounts = table.u32('accounts');
    this.newest = table.u32('newest');
    this.tokens = table.u32('tokens');
    this.newestSource = table.u32('newestSource');
    this.isPool = table.u8('isPool');
    this.trades = table.u32('trades');
    this.buys = table.u32('buys');
    this.sells = table.u32('sells');
    this.bookDrops = table.f64('bookDrops');
    this.poolDrops = table.f64('poolDrops');
    this.spent = table.f64('spent');
    this.received = table.f64('received');
    this.cost = table.f64('cost');
    this.bookRealised = table.f64('bookRealised');
    this.poolRealised = table.f64('poolRealised');
    this.maxGain = table.f64('maxGain');
    this.maxLoss = table.f64('maxLoss');
    this.winningTrades = table.u32('winningTrades');
    this.losingTrades = table.u32('losingTrades');
    this.winningTokens = table.u32('winningTokens');
    this.losingTokens = table.u32('losingTokens');
    this.first = table.u32('first');
    this.last = table.u32('last');
    this.poolDay = table.u16('poolDay');
    this.bookDay = table.u16('bookDay');
    this.partner = table.u32('partner');
    this.partnerDrops = table.f64('partnerDrops');
    this.latestHour = table.f64('latestHour');
    this.latestDay = table.f64('latestDay');
    this.#index = table.index('traders', (row) => hashWord(this.accounts[row]!));
  }

  /** The row of an account; 0: it has none. */
  find(account: number): number {
    const index = this.#index;
    for (let slot = index.first(hashWord(account)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || this.accounts[row] === account) return row;
    }
  }

  /** @throws TableFullError */
  findOrAdd(account: number): number {
    const found = this.find(account);
    if (found !== 0) return found;
    const row = this.table.add();
    this.accounts[row] = account;
    this.#index.add(row);
    return row;
  }

  /** Counts a trade. */
  take(row: number, side: TradeSide): void {
    const { time, drops, isPool, realised } = side;
    if (this.trades[row]!++ === 0) this.first[row] = time;
    this.last[row] = time;
    if (isPool) {
      this.poolDrops[row]! += drops;
      this.poolRealised[row]! += realised;
      this.poolDay[row] = Math.floor(time / DAY);
    } else {
      this.bookDrops[row]! += drops;
      this.bookRealised[row]! += realised;
      this.bookDay[row] = Math.floor(time / DAY);
      this.#vote(row, side.partner, drops);
    }
    if (side.buys) {
      this.buys[row]!++;
      this.spent[row]! += drops;
    }
    if (side.sells) {
      this.sells[row]!++;
      this.received[row]! += drops;
    }
    if (realised > 0) this.winningTrades[row]!++;
    else if (realised < 0) this.losingTrades[row]!++;
    if (realised > this.maxGain[row]!) this.maxGain[row] = realised;
    if (realised < this.maxLoss[row]!) this.maxLoss[row] = realised;
    this.table.markDirty(row);
  }

  /** The realised profit of a position changed. */
  settled(row: number, before: number, after: number): void {
    if (before > 0 !== after > 0) this.winningTokens[row]! += after > 0 ? 1 : -1;
    if (before < 0 !== after < 0) this.losingTokens[row]! += after < 0 ? 1 : -1;
  }

  /** Whether the account traded in pools (on books) on the day of `time` already. */
  tradedToday(row: number, time: number, isPool: boolean): boolean {
    return (isPool ? this.poolDay : this.bookDay)[row] === Math.floor(time / DAY);
  }

  /** Drops gained by sales. */
  realised(row: number): number {
    return this.bookRealised[row]! + this.poolRealised[row]!;
  }

  /** Drops traded; each trade once. */
  volume(row: number): number {
    return this.bookDrops[row]! + this.poolDrops[row]!;
  }

  /** 0 to 100, see above. */
  washScore(row: number): number {
    const [spent, received] = [this.spent[row]!, this.received[row]!];
    const larger = Math.max(spent, received);
    const share = this.#partnerShare(row);
    if (share === 0 || larger === 0) return 0;
    const partner = this.find(this.partner[row]!);
    if (this.partner[partner] !== this.accounts[row]) return 0;
    return (100 * Math.min(share, this.#partnerShare(partner)) * Math.min(spent, received)) / larger;
  }

  #partnerShare(row: number): number {
    const volume = this.volume(row);
    return volume > 0 ? this.partnerDrops[row]! / volume : 0;
  }

  rebuilding(): RowSteps {
    return this.#index.filling(this.table.count);
  }

  #vote(row: number, partner: number, drops: number): void {
    const has = this.partnerDrops[row]!;
    if (this.partner[row] === partner) this.partnerDrops[row] = has + drops;
    else if (drops <= has) this.partnerDrops[row] = has - drops;
    else {
      this.partner[row] = partner;
      this.partnerDrops[row] = drops - has;
    }
  }
}
