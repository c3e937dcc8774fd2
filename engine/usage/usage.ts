/**
 * Usage: what is done through each platform, by the SourceTag of transactions (market/platforms.ts).
 *
 *     transactions of a ledger -> tag, account ---> hours (platform), accounts of platforms
 *     market.trades of it      -> side, value  ---> hours, accounts, tokens of platforms
 *
 * Volume is what trades were worth in XRP: their XRP leg, else derived. Bought: who signed gave XRP for a token; sold: the
 * opposite. Active wallets are accounts that signed a transaction of any type and result. Windows are whole hours of close
 * time, the present one included: 24, 168 and 720. Anyone may sign with any tag, so these are claims of who signed.
 *
 * All of it follows from the ledgers, but only those read since this domain is there: `since` says from when. Non-goals:
 * NFT trades; platforms without a name. Cost: 0.1 us a transaction without tag, a table row or two with one.
 */
import { readU32 } from '../codec/bytes.ts';
import { type Changes, isSent, Tx } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import { platformNumber } from '../market/platforms.ts';
import { TRADE_BYTES, TradeReader } from '../market/trade-record.ts';
import { HOUR } from '../ripple-time.ts';
import { persistTables, type TableBatch } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import { USAGE_LIMITS, type UsageLimits } from './limits.ts';
import { PlatformAccounts } from './platform-accounts.ts';
import { PlatformHours } from './platform-hours.ts';
import { PlatformTokens } from './platform-tokens.ts';
import { UsageScalar, UsageScalars } from './scalars.ts';
import { sideOf } from './sides.ts';

const SINCE_OPENED = 'stores of earlier versions have it only since this version opened them';

interface UsageState {
  readonly accounts: { intern(bytes: Uint8Array, at: number): number };
}

interface UsageMarket {
  readonly trades: Uint8Array;
  readonly tradeCount: number;
}

export class Usage implements Domain<'usage', undefined> {
  readonly name = 'usage';
  readonly events = undefined;
  readonly hours = new PlatformHours();
  readonly accounts: PlatformAccounts;
  readonly tokens: PlatformTokens;
  readonly tables: readonly Table[];
  readonly #scalars = new UsageScalars();
  readonly #state: UsageState;
  readonly #market: UsageMarket;
  readonly #reader = new TradeReader(new Uint8Array(TRADE_BYTES));

  constructor(state: UsageState, market: UsageMarket, limits: UsageLimits = USAGE_LIMITS) {
    this.#state = state;
    this.#market = market;
    this.accounts = new PlatformAccounts(limits.accounts, limits.signers);
    this.tokens = new PlatformTokens(limits.tokens, this.#scalars);
    this.tables = [
      this.#scalars.table,
      this.hours.table,
      this.accounts.table,
      this.accounts.signers,
      this.tokens.table,
    ];
    for (const table of this.tables)
      for (const { name } of table.columns) table.excludeFromDigest(name, SINCE_OPENED);
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** Close time from which on every ledger was read, Ripple epoch seconds; 0: from the network's first one on; undefined: none was. */
  get since(): number | undefined {
    return this.#scalars.get(UsageScalar.ledgerIndex) === 0
      ? undefined
      : this.#scalars.get(UsageScalar.since);
  }

  applyLedger(packed: PackedLedger, changes: Changes): void {
    const { closeTime, ledgerIndex } = packed;
    this.hours.begin();
    const follows = ledgerIndex === this.#scalars.get(UsageScalar.ledgerIndex) + 1;
    if (!follows) this.#scalars.set(UsageScalar.since, closeTime);
    this.#scalars.set(UsageScalar.ledgerIndex, ledgerIndex);
    for (let row = 0; row < changes.transactions; row++)
      if (isSent(changes, row)) this.#takeTransaction(packed, changes, row);
    this.#reader.load(this.#market.trades);
    for (let i = 0; i < this.#market.tradeCount; i++) {
      const record = this.#reader.at(i);
      if (!record.isLiquidity) this.#takeTrade(record);
    }
  }

  /** The next ledger does not follow: it begins what is known. */
  gap(): void {}

  persist(batch: TableBatch, openedAt = 0): void {
    persistTables(batch, this.tables, openedAt);
  }

  restoring(): RowSteps {
    return this.rebuilding();
  }

  *rebuilding(): RowSteps {
    yield* this.accounts.rebuilding();
    this.tokens.rebuild();
    yield 0;
  }

  /** Without the tables of accounts: how many rows they have depends on when this version opened the store, too. */
  digest(): string {
    const digest = new Digest();
    for (const table of this.tables)
      if (table !== this.accounts.table && table !== this.accounts.signers) digest.table(table);
    return digest.text;
  }

  #takeTransaction({ bytes, closeTime }: PackedLedger, changes: Changes, row: number): void {
    const at = changes.tx(row, Tx.sourceTagAt);
    const platform = at === 0 ? 0 : platformNumber(readU32(bytes, at));
    if (platform === 0) {
      this.hours.transaction(0, closeTime, false);
      return;
    }
    const account = this.#state.accounts.intern(bytes, changes.tx(row, Tx.accountAt));
    const before = this.accounts.signed(platform, account, closeTime);
    this.hours.transaction(platform, closeTime, isEarlier(before, closeTime));
  }

  #takeTrade(record: TradeReader): void {
    const { platform, account, closeTime, valueDrops, paidToken, gotToken, isAMM } = record;
    const before = this.accounts.traded(platform, account, closeTime);
    const isFirst = platform !== 0 && isEarlier(before, closeTime);
    this.hours.trade(platform, closeTime, sideOf(record), valueDrops, isFirst);
    if (platform === 0) return;
    // In a pool `paid` is what the pool gave.
    if (paidToken !== XRP) this.tokens.trade(platform, paidToken, closeTime, valueDrops, isAMM);
    if (gotToken !== XRP) this.tokens.trade(platform, gotToken, closeTime, valueDrops, !isAMM);
  }
}

/** Whether a close time lies in an earlier hour. */
function isEarlier(before: number, now: number): boolean {
  return Math.floor(before / HOUR) < Math.floor(now / HOUR);
}
