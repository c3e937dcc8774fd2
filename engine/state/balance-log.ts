/**
 * The balances that the last ledger changed: one entry for each line or holding that a transaction changed, with what it
 * was before and after, raw, in the order of the ledger. What the transaction found is what its node says; only an MPT amount of
 * zero, which nodes leave out, is the state's to know. What the state had is another amount where ledgers are missing: sums
 * over the state go by that.
 *
 *     words   | transaction row | low | high | code | before hi, lo | after hi, lo | the state's hi, lo |      10 an entry
 *
 * `low`, `high` and `code` are those of the line (lines.ts): of an MPT holding, `high` is 0 and `code` the token.
 */
import { readU32 } from '../codec/bytes.ts';
import { NodeAction } from '../codec/changes.ts';
import { growTo } from '../columns.ts';

const ENTRY_WORDS = 10;
const FIRST_ENTRIES = 512;

/** A line, as its row names it. */
interface LineKey {
  readonly low: number;
  readonly high: number;
  readonly code: number;
}

export class BalanceLog {
  /** ENTRY_WORDS an entry. */
  words = new Uint32Array(FIRST_ENTRIES * ENTRY_WORDS);
  count = 0;
  #hi = 0;
  #lo = 0;
  #stateHi = 0;
  #stateLo = 0;

  clear(): void {
    this.count = 0;
  }

  /** What the state has of a line that is about to change; zero: it does not know the line. */
  had(hi: number, lo: number): void {
    this.#stateHi = hi;
    this.#stateLo = lo;
  }

  /**
   * What the transaction found.
   * @param action see NodeAction. @param prevAt, finalAt offsets of the raw balance, 0 = absent. @param zeroHi upper word of zero
   */
  before(bytes: Uint8Array, action: number, prevAt: number, finalAt: number, zeroHi: number): void {
    const at = action === NodeAction.created ? 0 : prevAt || finalAt;
    this.#hi = at === 0 ? zeroHi : readU32(bytes, at);
    this.#lo = at === 0 ? 0 : readU32(bytes, at + 4);
  }

  /** The line has this raw balance now. @param tx transaction row */
  after(tx: number, { low, high, code }: LineKey, hi: number, lo: number): void {
    const isMoved = hi !== this.#hi || lo !== this.#lo;
    if (!isMoved && hi === this.#stateHi && lo === this.#stateLo) return;
    const to = this.count++ * ENTRY_WORDS;
    this.words = growTo(this.words, to + ENTRY_WORDS);
    const { words } = this;
    words[to] = tx;
    words[to + 1] = low;
    words[to + 2] = high;
    words[to + 3] = code;
    words[to + 4] = this.#hi;
    words[to + 5] = this.#lo;
    words[to + 6] = hi;
    words[to + 7] = lo;
    words[to + 8] = this.#stateHi;
    words[to + 9] = this.#stateLo;
  }
}

/** Reads the entries of a log one after another. */
export class BalanceLogReader {
  readonly #log: BalanceLog;
  #at = -ENTRY_WORDS;

  constructor(log: BalanceLog) {
    this.#log = log;
  }

  /** Moves to the first entry that `next` gives. */
  restart(): this {
    this.#at = -ENTRY_WORDS;
    return this;
  }

  /** Moves on; false: there are no more. */
  next(): boolean {
    this.#at += ENTRY_WORDS;
    return this.#at < this.#log.count * ENTRY_WORDS;
  }

  get tx(): number {
    return this.#log.words[this.#at]!;
  }
  get low(): number {
    return this.#log.words[this.#at + 1]!;
  }
  get high(): number {
    return this.#log.words[this.#at + 2]!;
  }
  get code(): number {
    return this.#log.words[this.#at + 3]!;
  }
  get beforeHi(): number {
    return this.#log.words[this.#at + 4]!;
  }
  get beforeLo(): number {
    return this.#log.words[this.#at + 5]!;
  }
  get afterHi(): number {
    return this.#log.words[this.#at + 6]!;
  }
  get afterLo(): number {
    return this.#log.words[this.#at + 7]!;
  }
  get stateHi(): number {
    return this.#log.words[this.#at + 8]!;
  }
  get stateLo(): number {
    return this.#log.words[this.#at + 9]!;
  }
  /** Whether the transaction moved something; false: only the state had another amount. */
  get isMoved(): boolean {
    return this.beforeHi !== this.afterHi || this.beforeLo !== this.afterLo;
  }
}
