/**
 * The traders: what each account bought and sold, at what cost and with what profit, by token, hour, day and source.
 *
 *     market.trades of a ledger -> copied -> ... frames go out ... -> settle: each trade, for both sides
 *                                                                        positions    account and token
 *                                                                        traders      account
 *                                                                        hours, days  position and time: windows
 *                                                                        sources      source tag
 *                                                                        market days  day of the market
 *
 * Goals: pages of a trader, of a token's traders and of the market by day from columns, without reading trades again; a
 * ledger's frames do not wait for it: trades are settled just before their batch goes to the store, or before the first
 * read. Non-goals: transfers (payments change balances, from which they follow: balance - bought + sold), lots (the cost
 * basis is the average), tokens that nobody traded.
 *
 * All follows from the trade records of the market, so a store of an earlier version is filled from those it holds.
 * Pools are traders too, marked as such: what their swaps buy and sell. A trade of an account with itself (a payment may
 * take an offer of its sender) counts in the market alone.
 *
 * Cost: about 1.5 us a trade; 96 bytes a position, 152 a trader, 80 for an hour or day of a position.
 */
import type { Changes } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import { TRADE_BYTES, TradeAt, TradeReader, TradeType } from '../market/trade-record.ts';
import { addWithRest } from '../metrics/rounding-of-sum.ts';
import { persistTables, type TableBatch } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import { PRUNED_TRADES_VALUE, type Store } from '../store.ts';
import { type Buckets, daysOf, hoursOf } from './buckets.ts';
import { type FunderAccounts, Funders } from './funders.ts';
import { TRADER_LIMITS, type TraderLimits } from './limits.ts';
import { type DayTrade, MarketDays, type MarketValue } from './market-days.ts';
import { Positions } from './positions.ts';
import { Rotations } from './rotations.ts';
import { TraderScalar, TraderScalars } from './scalars.ts';
import type { TraderParts, TradersDescription } from './shared-traders.ts';
import { Sources } from './sources.ts';
import { TraderTable, type TradeSide } from './trader-table.ts';

const FIRST_RECORDS = 256;
/** In a copied record, in place of its unused word: the fee of the pool, in 1/100000. */
const FEE_AT = 100;
const FEE_UNITS = 100_000;

/** What it needs of the state and of the market. */
export interface TradersState {
  readonly tokens: { number(token: number, hi: number, lo: number): number };
  readonly pools: { readonly fees: Uint16Array };
  readonly accounts: FunderAccounts;
}
export interface TradersMarket {
  readonly trades: Uint8Array;
  readonly tradeCount: number;
  readonly totals: MarketValue;
}

type FillReads = Pick<Store, 'trades' | 'value' | 'firstLedger' | 'cursor'>;

export class Traders implements Domain<'traders', undefined>, TraderParts {
  readonly name = 'traders';
  readonly events = undefined;
  readonly #scalars = new TraderScalars();
  readonly #positions: Positions;
  readonly #traders: TraderTable;
  readonly #hours: Buckets;
  readonly #days: Buckets;
  readonly #sources: Sources;
  readonly #rotations: Rotations;
  /** The transaction whose rotations were taken last. */
  #rotatedLedger = 0;
  #rotatedTx = 0;
  /** Who activated accounts; of the newest ledger at once. */
  readonly funders: Funders;
  readonly #marketDays: MarketDays;
  readonly #marketHours: MarketDays;
  readonly #periods: readonly MarketDays[];
  readonly tables: readonly Table[];

  readonly #state: TradersState;
  readonly #market: TradersMarket;
  /** Records that have not been settled. */
  #pending = new Uint8Array(FIRST_RECORDS * TRADE_BYTES);
  #pendingCount = 0;
  readonly #reader = new TradeReader(this.#pending);
  readonly #side: TradeSide = {
    time: 0,
    drops: 0,
    isPool: false,
    partner: 0,
    buys: false,
    sells: false,
    realised: 0,
  };
  readonly #dayTrade: { -readonly [K in keyof DayTrade]: DayTrade[K] } = {
    time: 0,
    drops: 0,
    isPool: false,
    platform: 0,
    feeDrops: 0,
  };

  constructor(state: TradersState, market: TradersMarket, limits: TraderLimits = TRADER_LIMITS) {
    this.#state = state;
    this.#market = market;
    const scalars = this.#scalars;
    this.#positions = new Positions(limits.positions);
    this.#traders = new TraderTable(limits.traders);
    this.#hours = hoursOf(limits, scalars);
    this.#days = daysOf(limits, scalars);
    this.#sources = new Sources(limits);
    this.#rotations = new Rotations(limits, scalars);
    this.funders = new Funders(limits.accounts, state.accounts);
    this.#marketDays = MarketDays.days(limits.marketDays, scalars);
    this.#marketHours = MarketDays.hours(limits.marketHours, scalars);
    this.#periods = [this.#marketDays, this.#marketHours];
    this.tables = [
      scalars.table,
      this.#positions.table,
      this.#traders.table,
      this.#hours.table,
      this.#days.table,
      this.#sources.table,
      this.#sources.ofTraders,
      this.funders.table,
      this.#rotations.table,
      this.#rotations.proceeds,
      ...this.#periods.flatMap(({ table, platforms }) => [table, platforms]),
    ];
    this.#positions.table.onNew((store) => this.#fill(store));
    this.#traders.table.onAdded('tokens', () => this.#countTokens());
    // The others are filled with it.
    this.#rotations.table.onNew((store) => this.#fillRotations(store));
    const filled = [this.#positions.table, this.funders.table, this.#rotations.table];
    for (const table of this.tables) if (!filled.includes(table)) table.onNew(() => undefined);
  }

  /** Each as of the newest ledger. */
  get positions(): Positions {
    this.settle();
    return this.#positions;
  }

  get traders(): TraderTable {
    this.settle();
    return this.#traders;
  }

  get hours(): Buckets {
    this.settle();
    return this.#hours;
  }

  get days(): Buckets {
    this.settle();
    return this.#days;
  }

  get sources(): Sources {
    this.settle();
    return this.#sources;
  }

  get rotations(): Rotations {
    this.settle();
    return this.#rotations;
  }

  get marketDays(): MarketDays {
    this.settle();
    return this.#marketDays;
  }

  get marketHours(): MarketDays {
    this.settle();
    return this.#marketHours;
  }

  /** Close time of the ledger from which on all trades were counted, Ripple epoch seconds; 0: none has been applied. */
  get since(): number {
    return this.#scalars.get(TraderScalar.since);
  }

  /** Describes the tables for `new SharedTraders` in another thread. */
  describe(): TradersDescription {
    this.settle();
    return {
      scalars: this.#scalars.table.describe(),
      positions: this.#positions.table.describe(),
      traders: this.#traders.table.describe(),
      hours: this.#hours.table.describe(),
      days: this.#days.table.describe(),
      funders: this.funders.table.describe(),
      rotations: this.#rotations.describe(),
    };
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** The market has applied the ledger. */
  applyLedger(packed: PackedLedger, changes: Changes): void {
    const { closeTime } = packed;
    if (this.since === 0) this.#scalars.set(TraderScalar.since, closeTime);
    this.funders.applyLedger(packed, changes);
    for (const period of this.#periods) period.begin(closeTime);
    const { totals, tradeCount } = this.#market;
    this.#marketDays.value(closeTime, totals);
    if (tradeCount > 0) this.#append(this.#market.trades, tradeCount);
  }

  /** Takes over the trades of the ledgers applied since the last time. Not while a ledger is being applied. */
  settle(): void {
    const count = this.#pendingCount;
    if (count === 0) return;
    for (const { lock } of this.tables) lock.beginWrite();
    try {
      this.#reader.load(this.#pending);
      for (let i = 0; i < count; i++) {
        this.#take(this.#reader.at(i), this.#feeOf(i));
        this.#rotate(this.#reader);
      }
      this.#rotations.transactionEnds();
      this.#pendingCount = 0;
    } finally {
      for (const { lock } of this.tables) lock.endWrite();
    }
  }

  gap(): void {
    // What was traded stays: positions are sums of the ledgers that were read.
  }

  persist(batch: TableBatch, openedAt = 0): void {
    this.settle();
    persistTables(batch, this.tables, openedAt);
  }

  restoring(): RowSteps {
    return this.rebuilding();
  }

  *rebuilding(): RowSteps {
    yield* this.#positions.rebuilding();
    yield* this.#traders.rebuilding();
    yield* this.#sources.rebuilding();
    this.#hours.rebuild();
    yield 0;
    this.#days.rebuild();
    yield 0;
  }

  digest(): string {
    this.settle();
    const digest = new Digest();
    for (const table of this.tables) digest.table(table);
    return digest.text;
  }

  #append(records: Uint8Array, count: number): void {
    const at = this.#pendingCount * TRADE_BYTES;
    const end = at + count * TRADE_BYTES;
    if (end > this.#pending.length) {
      const larger = new Uint8Array(Math.max(end, this.#pending.length * 2));
      larger.set(this.#pending.subarray(0, at));
      this.#pending = larger;
    }
    this.#pending.set(records.subarray(0, end - at), at);
    this.#pendingCount += count;
    // The fee may be another when the trade is settled.
    const view = new DataView(this.#pending.buffer);
    for (let to = at; to < end; to += TRADE_BYTES)
      view.setUint32(to + FEE_AT, this.#state.pools.fees[view.getUint32(to + TradeAt.pool, true)] ?? 0, true);
  }

  #feeOf(i: number): number {
    const at = i * TRADE_BYTES + FEE_AT;
    const bytes = this.#pending;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  }

  /** For a store of a version without traders: from the trades that it holds. */
  #fill(store: FillReads): void {
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    const { fees } = this.#state.pools;
    const first = store.firstLedger();
    if (first) {
      this.#scalars.set(TraderScalar.since, first.closeTime);
      for (const period of this.#periods) period.begin(first.closeTime);
    }
    let isPruned = store.value(PRUNED_TRADES_VALUE) !== undefined;
    store.trades({}, (_position, record) => {
      reader.load(record);
      if (isPruned) this.#scalars.set(TraderScalar.since, reader.closeTime);
      isPruned = false;
      for (const period of this.#periods) period.begin(reader.closeTime);
      this.#take(reader, reader.pool === undefined ? 0 : fees[reader.pool]!);
      return true;
    });
    if (store.cursor) for (const period of this.#periods) period.begin(store.cursor.closeTime);
  }

  /** For a store of a version that counted liquidity, too. */
  #countTokens(): void {
    const positions = this.#positions;
    const { table, newest, tokens } = this.#traders;
    for (let trader = 1; trader < table.count; trader++) {
      tokens[trader] = 0;
      for (let row = newest[trader]!; row !== 0; row = positions.next[row]!)
        if (positions.trades[row]! > 0) tokens[trader]!++;
    }
  }

  /** For a store of a version without rotations; the traders are known. */
  #fillRotations(store: Pick<Store, 'trades'>): void {
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    store.trades({}, (_position, record) => {
      this.#rotate(reader.load(record));
      return true;
    });
    this.#rotations.transactionEnds();
  }

  /** Both sides of a trade, but for pools. */
  #rotate(record: TradeReader): void {
    if (record.isLiquidity || record.isWithItself) return;
    const { closeTime, maker, taker, paidToken, gotToken, valueDrops, ledger, tx } = record;
    const rotations = this.#rotations;
    if (tx !== this.#rotatedTx || ledger !== this.#rotatedLedger) rotations.transactionEnds();
    this.#rotatedLedger = ledger;
    this.#rotatedTx = tx;
    if (maker !== 0) rotations.take(this.#traders.find(maker), closeTime, gotToken, paidToken, valueDrops);
    if (taker !== 0 && !record.isAMM)
      rotations.take(this.#traders.find(taker), closeTime, paidToken, gotToken, valueDrops);
  }

  /** @param fee of the pool, in 1/100000 */
  #take(record: TradeReader, fee: number): void {
    if (record.isLiquidity) this.#takeLiquidity(record);
    else this.#takeTrade(record, fee);
  }

  #takeTrade(record: TradeReader, fee: number): void {
    const { tokens } = this.#state;
    const { paidToken, gotToken, maker, taker, isAMM, closeTime, valueDrops } = record;
    const paid = paidToken === XRP ? 0 : tokens.number(paidToken, record.paidHi, record.paidLo);
    const got = gotToken === XRP ? 0 : tokens.number(gotToken, record.gotHi, record.gotLo);
    const side = this.#side;
    side.time = closeTime;
    side.drops = valueDrops;
    side.isPool = isAMM;
    if (!record.isWithItself) {
      // In a pool the maker is who signed, and the taker is the pool's account.
      this.#takeSide(maker, taker, paidToken, paid, gotToken, got, false);
      this.#takeSide(taker, maker, gotToken, got, paidToken, paid, isAMM);
      const trader = this.#traders.find(record.account);
      this.#sources.take(this.#traders, trader, record.sourceTag, valueDrops, isAMM, closeTime);
    }
    const day = this.#dayTrade;
    day.time = closeTime;
    day.drops = valueDrops;
    day.isPool = isAMM;
    day.platform = record.platform;
    day.feeDrops = isAMM ? Math.round((valueDrops * fee) / FEE_UNITS) : 0;
    for (const period of this.#periods) period.trade(day);
  }

  /** One account's side of the trade in `#side`: it received `inAmount` of one token for `outAmount` of the other. */
  #takeSide(
    account: number,
    partner: number,
    inToken: number,
    inAmount: number,
    outToken: number,
    outAmount: number,
    isPoolAccount: boolean,
  ): void {
    if (account === 0) return;
    const side = this.#side;
    const traders = this.#traders;
    const row = traders.findOrAdd(account);
    if (isPoolAccount) traders.isPool[row] = 1;
    else this.#countTrader(row);
    side.partner = partner;
    side.buys = inToken !== XRP;
    side.sells = outToken !== XRP;
    side.realised = 0;
    if (side.sells) side.realised = this.#sell(row, account, outToken, outAmount);
    if (side.buys) this.#buy(row, account, inToken, inAmount);
    traders.take(row, side);
  }

  #countTrader(row: number): void {
    const { time, isPool } = this.#side;
    const traders = this.#traders;
    if (traders.tradedToday(row, time, isPool)) return;
    this.#marketDays.trader(time, isPool, !traders.tradedToday(row, time, !isPool));
  }

  #sell(trader: number, account: number, token: number, amount: number): number {
    const { time, drops } = this.#side;
    const positions = this.#positions;
    const row = this.#position(trader, account, token);
    const before = positions.realised[row]!;
    const cost = positions.cost[row]!;
    const realised = positions.sell(row, amount, drops);
    this.#traded(trader, row, time);
    this.#traders.cost[trader]! += positions.cost[row]! - cost;
    this.#traders.settled(trader, before, positions.realised[row]!);
    for (const ring of [this.#hours, this.#days]) {
      const at = this.#bucket(ring, row, trader, time);
      addWithRest(ring.sold, ring.soldRest, at, amount);
      ring.received[at]! += drops;
      ring.realised[at]! += realised;
      ring.trades[at]!++;
      ring.ownTrades[at]!++;
      ring.ownDrops[at]! += drops;
    }
    return realised;
  }

  #buy(trader: number, account: number, token: number, amount: number): void {
    const { time, drops, isPool, sells } = this.#side;
    const positions = this.#positions;
    const row = this.#position(trader, account, token);
    positions.buy(row, amount, drops, isPool);
    this.#traded(trader, row, time);
    this.#traders.cost[trader]! += drops;
    for (const ring of [this.#hours, this.#days]) {
      const at = this.#bucket(ring, row, trader, time);
      addWithRest(ring.bought, ring.boughtRest, at, amount);
      ring.spent[at]! += drops;
      ring.trades[at]!++;
      if (sells) continue;
      ring.ownTrades[at]!++;
      ring.ownDrops[at]! += drops;
    }
  }

  #traded(trader: number, row: number, time: number): void {
    const positions = this.#positions;
    if (positions.trades[row] === 0) this.#traders.tokens[trader]!++;
    positions.traded(row, time);
  }

  #bucket(ring: Buckets, position: number, trader: number, time: number): number {
    const { latestHour, latestDay } = this.#traders;
    return ring.row(position, trader, time, ring === this.#hours ? latestHour : latestDay);
  }

  #position(trader: number, account: number, token: number): number {
    const found = this.#positions.find(account, token);
    if (found !== 0) return found;
    const traders = this.#traders;
    const row = this.#positions.add(account, token, traders.newest[trader]!);
    traders.newest[trader] = row;
    traders.table.markDirty(trader);
    return row;
  }

  #takeLiquidity(record: TradeReader): void {
    const { tokens } = this.#state;
    const { account, paidToken, gotToken, type } = record;
    for (const period of this.#periods) period.liquidity(record.closeTime, type, record.valueDrops);
    const trader = this.#traders.findOrAdd(account);
    const sign = type === TradeType.withdraw ? 1 : -1;
    if (paidToken !== XRP) {
      const paid = tokens.number(paidToken, record.paidHi, record.paidLo);
      this.#positions.provide(this.#position(trader, account, paidToken), sign * paid);
    }
    if (gotToken !== XRP) {
      const got = tokens.number(gotToken, record.gotHi, record.gotLo);
      this.#positions.provide(this.#position(trader, account, gotToken), sign * got);
    }
  }
}
