/**
 * Tokens that a launch platform brought out: the transaction that created the token's pool with XRP carries the
 * platform's SourceTag (platforms.ts), and came within LAUNCH_WITHIN of the ledger that first showed the token.
 *
 * Anybody may sign with any SourceTag, so this is a label and nothing rests on it. The time keeps it from being stuck on a
 * token that stood long before. The first launch counts, for good.
 */
import { DAY } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import type { StoreReads } from '../store.ts';
import { TableId } from '../table-ids.ts';
import { type Platform, platformByNumber } from './platforms.ts';
import { TRADE_BYTES, TradeReader, TradeType } from './trade-record.ts';

/** Seconds. Platforms open the pool within minutes; who waits longer has made a token like any other. */
const LAUNCH_WITHIN = 7 * DAY;

interface Appearances {
  /** Close time of the ledger that first showed a token, 0 = before the first one seen. */
  createdAt(token: number): number;
}

export class Launches {
  readonly table: Table;
  readonly #tokens: Uint32Array;
  readonly #platforms: Uint32Array;
  readonly #appearances: Appearances;
  readonly #rows = new Map<number, number>();

  /** @param tokens most tokens there are */
  constructor(tokens: number, appearances: Appearances) {
    this.table = new Table(TableId.launches, 'launches', tokens);
    this.#tokens = this.table.u32('token');
    this.#platforms = this.table.u32('platform');
    this.#appearances = appearances;
    this.table.onNew((store) => this.#readTrades(store));
  }

  /** The platform that launched a token. */
  platform(token: number): Platform | undefined {
    const row = this.#rows.get(token);
    return row === undefined ? undefined : platformByNumber(this.#platforms[row]!);
  }

  /** Takes in a liquidity event. */
  take(record: TradeReader): void {
    const { type, paidToken, gotToken, platform, closeTime } = record;
    if (type !== TradeType.create || (paidToken !== 0 && gotToken !== 0)) return;
    const token = paidToken || gotToken;
    const seen = this.#appearances.createdAt(token);
    if (platformByNumber(platform)?.launchpad === undefined || this.#rows.has(token)) return;
    if (seen === 0 || closeTime - seen > LAUNCH_WITHIN) return;
    const row = this.table.add();
    this.#tokens[row] = token;
    this.#platforms[row] = platform;
    this.#rows.set(token, row);
  }

  /** For a store that was written before launches were kept: from all that it has. */
  #readTrades(store: StoreReads): void {
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    store.trades({}, (_position, record) => {
      this.take(reader.load(record));
      return true;
    });
  }

  rebuild(): void {
    this.#rows.clear();
    for (let row = 1; row < this.table.count; row++) this.#rows.set(this.#tokens[row]!, row);
  }
}
