/**
 * The market part of one engine: derives from each ledger's trades the prices, rolling windows, candles, fiat rates and
 * histories.
 *
 *   state.applyLedger(packed, changes)            first: the state knows accounts, tokens, pools, lines
 *   market.applyLedger(packed, changes, batch)
 *        windows age to the close time ........... tokens whose trades leave are marked as changed
 *        candles of intervals that have ended ..... RSI; their tokens are marked as changed
 *        trades are derived ....................... records
 *        the minute that has ended ................ candles in fiat
 *        each: worth -> price -> tick -> windows, candles, rates; record to the batch
 *        totals take over what changed ........... market cap, value locked, listed tokens
 *        hourly: global snapshot
 *   market.settling(...) ........................... hourly, after the frames: holders history, sentiment
 *
 * Same bytes in, same state out: close times are the only clock. What is not in `tables` follows from them and from
 * the store (`rebuild`).
 */
import { AssetKind, DROPS_PER_XRP, rawNumber } from '../codec/amount.ts';
import { type Changes, isSent, Tx } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import type { Counters } from '../counters.ts';
import { columnBytes, type Domain } from '../domain.ts';
import { type RowSteps, runToEnd } from '../event-loop.ts';
import { DAY } from '../ripple-time.ts';
import { isMemeMetadata } from '../state/mpt-metadata.ts';
import { persistTables, type TableBatch, type TableReads } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import type { Batch, Position, Store } from '../store.ts';
import { AccountCounts } from './account-counts.ts';
import { Activity } from './activity.ts';
import { AnchorTrades } from './anchor-trades.ts';
import { Anchors } from './anchors.ts';
import { Candles } from './candles.ts';
import { Columns } from './columns.ts';
import { digestOf } from './digest.ts';
import type { MarketEvents } from './events.ts';
import { FiatCandles } from './fiat-candles.ts';
import { Globals, type GlobalsState } from './globals.ts';
import { History } from './history.ts';
import { HolderChanges } from './holder-changes.ts';
import { HoldersHistory } from './holders-history.ts';
import { Launches } from './launches.ts';
import { MARKET_LIMITS, type MarketLimits } from './limits.ts';
import { Meta, Scalar } from './meta.ts';
import type { OracleSource } from './oracle-prices.ts';
import { PendingTrades } from './pending-trades.ts';
import { PriceSource, Prices } from './prices.ts';
import { Rates } from './rates.ts';
import { ReferenceAssets } from './reference-assets.ts';
import { RelativeStrength } from './relative-strength.ts';
import { Segments } from './segments.ts';
import { Sentiment } from './sentiment.ts';
import type { MarketState, TotalsState } from './state-view.ts';
import { NO_ACCOUNT, TickFlag } from './ticks.ts';
import { Totals } from './totals.ts';
import { TRADE_BYTES, TradeReader, TradeType } from './trade-record.ts';
import { Trades } from './trades.ts';
import { derivedDrops } from './valuation.ts';
import { Windows } from './windows.ts';
import { type DepthState, xrpDepth } from './xrp-depth.ts';

export type MarketStore = TableReads &
  Pick<Store, 'candles' | 'records' | 'trades' | 'tokenTrades' | 'accountTrades' | 'ledgerAt'>;

export class Market implements Domain<'market', MarketEvents> {
  readonly name = 'market';
  readonly prices: Prices;
  readonly windows: Windows;
  readonly candles: Candles;
  readonly strength: RelativeStrength;
  readonly anchors: Anchors;
  readonly rates: Rates;
  readonly fiatCandles: FiatCandles;
  readonly referenceAssets: ReferenceAssets;
  readonly activity: Activity;
  readonly holderChanges: HolderChanges;
  readonly totals: Totals;
  readonly launches: Launches;
  readonly segments: Segments;
  readonly sentiment: Sentiment;
  readonly globals: Globals;
  readonly history: History;
  readonly accountCounts: AccountCounts;
  readonly holdersHistory: HoldersHistory;
  readonly tables: readonly Table[];

  readonly #state: MarketState;
  readonly #meta = new Meta();
  readonly #columns: Columns;
  readonly #ledgerTrades: Trades;
  readonly #pending = new PendingTrades();
  readonly #reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  // Handed to the batch, which reads them at once.
  readonly #position: { -readonly [K in keyof Position]: Position[K] } = {
    ledger: 0,
    tx: 0,
    entry: 0,
  };
  readonly #tokenPair: [number, number] = [0, 0];
  readonly #accountPair: [number, number] = [0, 0];

  constructor(
    state: MarketState & GlobalsState & DepthState & TotalsState & { readonly oracles: OracleSource },
    store: MarketStore,
    limits: MarketLimits = MARKET_LIMITS,
  ) {
    this.#state = state;
    this.#ledgerTrades = new Trades(state);
    this.prices = new Prices(limits.tokens);
    this.#columns = new Columns(limits.tokens + 1);
    const onAged = (token: number) => {
      if (token >= 0) state.changed.tokens.add(token);
    };
    this.windows = new Windows(limits, this.#columns, this.#meta, this.prices, onAged);
    this.candles = new Candles(this.#columns, store);
    this.strength = new RelativeStrength(limits.tokens, this.prices, () => this.closeTime);
    const trades = new AnchorTrades();
    const { tokens, oracles, lines } = state;
    this.anchors = new Anchors(this.#columns, {
      tokens,
      oracles,
      trades,
      meta: this.#meta,
      holders: (token) => lines.holdersCount(token),
      traders: (token) => this.windows.uniqueTraders(token),
      depth: (token, time) => {
        const price = this.prices.direct(token, time, DAY);
        return xrpDepth(state, token, price, this.referenceAssets.poolDrops(token), time);
      },
      changed: (token) => state.changed.tokens.add(token),
    });
    this.rates = new Rates({ anchors: this.anchors, trades, oracles, store, prices: this.prices.last });
    this.fiatCandles = new FiatCandles(this.#columns, store, this.candles, this.rates);
    this.referenceAssets = new ReferenceAssets(state, this.prices, (token, time) =>
      this.rates.anchors(token, time),
    );
    this.activity = new Activity(limits.ledgers, this.#meta);
    this.holderChanges = new HolderChanges(limits.holderChanges, this.#columns, this.#meta, state, onAged);
    this.totals = new Totals(state, this.#columns, this);
    this.accountCounts = new AccountCounts(limits.accounts);
    this.accountCounts.table.onNew((from) => this.accountCounts.countAll(from, this.prices));
    this.history = new History(store, this.#pending, this.prices, this.accountCounts);
    this.holdersHistory = new HoldersHistory(state, this.prices, this.#meta, (token) =>
      this.windows.uniqueTraders(token),
    );
    this.launches = new Launches(limits.tokens, tokens);
    const isAnchor = (token: number, time: number) => this.anchors.isAnchor(token, time);
    const isMeme = (token: number) => this.isMeme(token);
    this.segments = new Segments({ isAnchor, isMeme }, this.windows.ticks);
    this.sentiment = new Sentiment({
      windows: this.windows,
      candles: this.candles,
      totals: this.totals,
      anchors: this.anchors,
      meta: this.#meta,
    });
    this.globals = new Globals(state, this, this.#meta);
    this.tables = [
      this.#meta.table,
      this.prices.table,
      this.windows.ticks.table,
      this.windows.hours.table,
      this.activity.table,
      this.holderChanges.table,
      this.globals.table,
      this.anchors.table,
      this.accountCounts.table,
      this.launches.table,
      this.segments.table,
      this.strength.table,
    ];
  }

  /** Records of the last applied ledger, TRADE_BYTES each; `tradeCount` of them count. Valid until the next one. */
  get trades(): Uint8Array {
    return this.#ledgerTrades.buffer.bytes.subarray(0, this.#ledgerTrades.buffer.count * TRADE_BYTES);
  }

  get tradeCount(): number {
    return this.#ledgerTrades.buffer.count;
  }

  get events(): MarketEvents {
    const { trades, tradeCount, rates, fiatCandles, strength } = this;
    const { changed: changedCandles } = this.candles;
    const revalued = { fiats: rates.changed, tokens: fiatCandles.revalued };
    return { trades, tradeCount, changedCandles, closedCandles: strength.closed, revalued };
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  count(counters: Counters): void {
    counters.tradesSeen += this.tradeCount;
    counters.tradesLeftOut = this.#ledgerTrades.leftOut;
  }

  /** Close time of the last applied ledger, 0 = none. */
  get closeTime(): number {
    return this.#meta.get(Scalar.closeTime);
  }

  get ledgerIndex(): number {
    return this.#meta.get(Scalar.ledgerIndex);
  }

  /** Applies a ledger that the state has applied already. */
  applyLedger(packed: PackedLedger, changes: Changes, batch: Batch): void {
    const { closeTime, ledgerIndex } = packed;
    const follows = ledgerIndex === this.ledgerIndex + 1;
    this.#meta.set(Scalar.closeTime, closeTime);
    this.#meta.set(Scalar.ledgerIndex, ledgerIndex);
    this.candles.begin();
    this.#countActivity(packed, changes);
    this.#reserve();
    this.fiatCandles.advance(ledgerIndex, closeTime, batch);
    this.windows.age(closeTime);
    this.strength.begin(closeTime);
    this.segments.begin(closeTime);
    this.holderChanges.apply(closeTime, follows);
    this.#ledgerTrades.read(packed, changes);
    const { count } = this.#ledgerTrades.buffer;
    if (count > 0) {
      this.#reader.load(this.#ledgerTrades.buffer.bytes);
      for (let i = 0; i < count; i++) this.#takeRecord(i, batch);
      this.#pending.append(this.#ledgerTrades.buffer.bytes, count);
      this.candles.write(batch);
      this.fiatCandles.record(this.candles.changed);
      for (const token of this.candles.changed) this.strength.open(token);
    }
    this.anchors.review(closeTime);
    this.rates.settle(ledgerIndex, closeTime, batch);
    this.holdersHistory.apply();
    this.totals.apply(closeTime);
    this.globals.keepSnapshot(closeTime);
    this.strength.findClosed();
  }

  /** What is done once an hour, and is long. */
  *settling({ closeTime }: PackedLedger, _changes: Changes, batch: Batch): RowSteps {
    yield* this.holdersHistory.settling(closeTime, batch);
    yield* this.sentiment.measuring(closeTime);
  }

  /** Whether a token is a meme: launched by a platform, or an MPT with that asset class. See segments.ts. */
  isMeme(token: number): boolean {
    if (token === XRP) return false;
    if (this.launches.platform(token) !== undefined) return true;
    const { tokens } = this.#state;
    return tokens.kind(token) === AssetKind.mpt && isMemeMetadata(tokens.metadata(token));
  }

  /** Makes room for every token and account of the state. Trades refer to no others. */
  #reserve(): void {
    const { tokens, accounts } = this.#state;
    const { count } = tokens;
    this.accountCounts.reserve(accounts.count);
    this.#columns.reserve(count + 1);
    this.prices.reserve(count);
  }

  #countActivity(packed: PackedLedger, changes: Changes): void {
    this.activity.ledger(packed.closeTime, changes.transactions);
    for (let row = 0; row < changes.transactions; row++) {
      if (isSent(changes, row))
        this.activity.active(this.#state.accounts.intern(packed.bytes, changes.tx(row, Tx.accountAt)));
    }
  }

  #takeRecord(i: number, batch: Batch): void {
    const record = this.#reader.at(i);
    if (record.isLiquidity) this.#takeLiquidity();
    else this.#takeTrade();
    this.accountCounts.add(record);
    if (record.hasXrp) this.prices.countXrp(record.isLiquidity);
    this.#position.ledger = record.ledger;
    this.#position.tx = record.tx;
    this.#position.entry = record.number;
    this.#tokenPair[0] = record.paidToken;
    this.#tokenPair[1] = record.gotToken;
    this.#accountPair[0] = record.maker;
    this.#accountPair[1] = record.taker;
    const bytes = this.#ledgerTrades.buffer.bytes.subarray(i * TRADE_BYTES, (i + 1) * TRADE_BYTES);
    batch.trade(this.#position, bytes, this.#tokenPair, this.#accountPair);
  }

  #takeTrade(): void {
    const record = this.#reader;
    const { paidToken, gotToken, isAMM } = record;
    const { tokens } = this.#state;
    const paid = tokens.number(paidToken, record.paidHi, record.paidLo);
    const got = tokens.number(gotToken, record.gotHi, record.gotLo);
    // The signer receives what a taker gets on a book, and what the pool gave.
    const received = isAMM ? paidToken : gotToken;
    if (paidToken === XRP || gotToken === XRP) {
      const drops = Math.round((paidToken === XRP ? paid : got) * DROPS_PER_XRP);
      record.setValueDrops(drops);
      this.segments.take(paidToken, gotToken, drops, record.closeTime);
      const worth = record.isDomain ? 0 : drops;
      if (paidToken !== XRP) this.#tick(paidToken, paid, drops, worth, received, true, false);
      if (gotToken !== XRP) this.#tick(gotToken, got, drops, worth, received, true, false);
      this.#state.changed.tokens.add(0);
      return;
    }
    const paidXrp = finite(paid * this.referenceAssets.price(paidToken, record.closeTime));
    const gotXrp = finite(got * this.referenceAssets.price(gotToken, record.closeTime));
    const drops = derivedDrops(paidXrp, gotXrp);
    record.setValueDrops(drops);
    this.segments.take(paidToken, gotToken, drops, record.closeTime);
    this.#tick(paidToken, paid, drops, this.#derivedWorth(paidToken, gotXrp), received, false, false);
    this.#tick(gotToken, got, drops, this.#derivedWorth(gotToken, paidXrp), received, false, true);
  }

  /** Drops by which a trade against a reference asset sets a token's price; 0 where rule 3 of prices.ts does not apply. */
  #derivedWorth(token: number, counterXrp: number): number {
    if (counterXrp === 0 || this.#reader.isDomain || this.referenceAssets.hasPool(token)) return 0;
    return counterXrp * DROPS_PER_XRP;
  }

  /**
   * One token's side of the reader's current trade. @param worth drops from which its price follows: the XRP leg, or
   * the counter amount at the price of the counter token; 0 when it must set no price
   */
  #tick(
    token: number,
    amount: number,
    drops: number,
    worth: number,
    received: number,
    withXrp: boolean,
    second: boolean,
  ): void {
    const { prices } = this;
    const record = this.#reader;
    const { ticks } = this.windows;
    const { closeTime } = record;
    const bought = token === received;
    const last = prices.last[token]!;
    this.strength.close(token, last);
    const source = withXrp ? PriceSource.trade : PriceSource.derived;
    const traded = prices.take(token, worth, amount, source, closeTime);
    const price = traded === 0 && withXrp && record.isAMM ? this.#quoteSwap(token) : traded;
    prices.tradeTime[token] = closeTime;
    prices.tradeCount[token]!++;
    prices.markDirty(token);
    const row = this.windows.append();
    ticks.time[row] = closeTime;
    ticks.token[row] = token;
    ticks.account[row] = record.account;
    ticks.maker[row] = record.isAMM ? NO_ACCOUNT : record.maker;
    ticks.flags[row] =
      (bought ? TickFlag.bought : 0) |
      (record.isAMM ? TickFlag.amm : 0) |
      (withXrp ? TickFlag.xrpLeg : 0) |
      (second ? TickFlag.second : 0) |
      (price === traded ? 0 : TickFlag.quoted);
    ticks.price[row] = price;
    ticks.drops[row] = drops;
    ticks.amount[row] = amount;
    this.windows.enter(row);
    this.candles.add(token, record.ledger, closeTime, price, last, drops, amount, bought);
    this.rates.take(ticks, row);
    this.#state.changed.tokens.add(token);
  }

  /** Liquidity counts its XRP leg for each token of the pool. */
  #takeLiquidity(): void {
    const record = this.#reader;
    const { paidToken, gotToken } = record;
    const withXrp = paidToken === XRP || gotToken === XRP;
    const drops = !withXrp
      ? 0
      : paidToken === XRP
        ? Math.round(rawNumber(0, record.paidHi, record.paidLo) * DROPS_PER_XRP)
        : Math.round(rawNumber(0, record.gotHi, record.gotLo) * DROPS_PER_XRP);
    record.setValueDrops(drops);
    this.launches.take(record);
    const out = record.type === TradeType.withdraw;
    const { ticks } = this.windows;
    for (let side = 0; side < 2; side++) {
      const token = side === 0 ? paidToken : gotToken;
      if (token === XRP) continue;
      const row = this.windows.append();
      ticks.time[row] = record.closeTime;
      ticks.token[row] = token;
      ticks.account[row] = record.account;
      ticks.maker[row] = NO_ACCOUNT;
      ticks.flags[row] =
        (out ? TickFlag.withdraw : TickFlag.deposit) |
        (withXrp ? TickFlag.xrpLeg : 0) |
        (side === 1 && paidToken !== XRP ? TickFlag.second : 0);
      ticks.price[row] = withXrp ? this.#quote(token) : 0;
      ticks.drops[row] = drops;
      ticks.amount[row] = 0;
      this.windows.enter(row);
      this.prices.liquidityCount[token]!++;
      this.prices.markDirty(token);
      this.#state.changed.tokens.add(token);
    }
  }

  /** The spot price of the token's XRP pool, where it sets the token's price; else 0. */
  #quote(token: number): number {
    const { prices, referenceAssets } = this;
    const record = this.#reader;
    const { ledger, closeTime } = record;
    const last = prices.last[token]!;
    this.strength.close(token, last);
    const drops = referenceAssets.poolDrops(token);
    const held = referenceAssets.poolTokens(token);
    const price = drops === 0 ? 0 : prices.takePool(token, drops, held, closeTime);
    if (price > 0) this.candles.quote(token, ledger, closeTime, price, last);
    return price;
  }

  /**
   * The same after a swap too small to set a price. Found by the pool's account, since the AMM entry of a pool older than
   * the first ledger read is unknown until its liquidity changes.
   */
  #quoteSwap(token: number): number {
    const { accounts, lines } = this.#state;
    const { taker, closeTime } = this.#reader;
    const line = lines.find(taker, token);
    if (line === undefined) return 0;
    const drops = Number(accounts.balanceDrops(taker));
    return this.prices.takePool(token, drops, lines.balanceNumber(line, token), closeTime);
  }

  gap(): void {
    runToEnd(this.snapshotTaken());
  }

  /** The state changed, but not by a ledger: a snapshot was loaded, or books were dropped. */
  *snapshotTaken(): RowSteps {
    this.#reserve();
    yield* this.holdersHistory.rebuilding();
    this.holderChanges.rebuild();
    yield 0;
    yield* this.totals.rebuilding(this.closeTime);
  }

  /** Everything up to this ledger is durable: reads may take it from the store. */
  durable(ledgerIndex: number): void {
    this.#pending.durable(ledgerIndex);
    this.candles.durable(ledgerIndex);
    this.fiatCandles.durable(ledgerIndex);
    this.rates.durable(ledgerIndex);
    this.history.durable(ledgerIndex);
  }

  /**
   * Puts the rows of the tables that changed since the last call into the batch.
   * @param openedAt index of the newest ledger the store had when it was opened; 0: it was empty
   */
  persist(batch: TableBatch, openedAt = 0): void {
    persistTables(batch, this.tables, openedAt);
  }

  /** Derives what is not in the tables, in steps. The state must have been restored before. */
  *restoring(store: TableReads): RowSteps {
    this.fiatCandles.restore(store, this.closeTime);
    yield* this.rebuilding();
  }

  /** Derives everything that is not in the tables, in steps; what is in the store counts as durable. */
  *rebuilding(): RowSteps {
    const { accounts } = this.#state;
    this.#reserve();
    yield 0;
    this.#pending.clear();
    this.durable(this.ledgerIndex);
    yield* this.windows.rebuilding();
    this.anchors.rebuild();
    this.launches.rebuild();
    yield* this.rates.rebuilding(this.windows.ticks, this.closeTime);
    this.fiatCandles.rebuild(this.windows.ticks, this.closeTime);
    yield* this.activity.rebuilding(this.closeTime, accounts.lastActive, accounts.count);
    yield* this.holdersHistory.rebuilding();
    this.holderChanges.rebuild();
    yield* this.totals.rebuilding(this.closeTime);
  }

  /** Equal for equal ledgers, whatever the number of workers or restarts between them. */
  digest(): string {
    return digestOf(this);
  }
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
