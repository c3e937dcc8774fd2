/**
 * Tokens issued through a launch platform: the transaction that created the token's pool with XRP has the platform's
 * SourceTag (platforms.ts), and came within LAUNCH_WITHIN of the ledger that first showed the token.
 *
 * Anyone may sign with any SourceTag, so this is a label and no figure depends on it. The time limit prevents labels on
 * tokens that existed long before. The first launch counts, permanently.
 */
import { DAY } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import type { StoreReads } from '../store.ts';
import { TableId } from '../table-ids.ts';
import { type Platform, platformByNumber } from './platforms.ts';
import { TRADE_BYTES, TradeReader, TradeType } from './trade-record.ts';

/** Seconds. Platforms open the pool within minutes; after that it is a token like any other. */
const LAUNCH_WITHIN = 7 * DAY;

interface Appearances {
  /** Close time of the ledger that first showed a token, 0 = before the first ledger read. */
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

  /** Processes a liquidity event. */
  take(record: TradeReader): void {
    const { type, paidToken, gotToken, platform, closeTime } = record;
    if (type !== TradeType.create || (paidToken !== XRP && gotToken !== XRP)) return;
    const token = paidToken || gotToken;
    const created = this.#appearances.createdAt(token);
    if (platformByNumber(platform)?.launchpad === undefined || this.#rows.has(token)) return;
    if (created === 0 || closeTime - created > LAUNCH_WITHIN) return;
    const row = this.table.add();
    this.#tokens[row] = token;
    this.#platforms[row] = platform;
    this.#rows.set(token, row);
  }

  /** For a store of a version without this table: from all trades that it has. */
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
