/**
 * Puts the trade records of one transaction in the order in which the ledger executed them. Metadata lists nodes by
 * their index, which is a hash; but for one pair the ledger takes the best rate first. So: pairs as they first appear,
 * within a pair the taker's best rate first, ties as listed.
 *
 * Insertion sort on whole records: nearly every transaction has one to three.
 */
import { type AssetKind, rawNumber } from '../codec/amount.ts';
import { TRADE_BYTES, TradeAt, TradeFlag } from './trade-record.ts';

const RECORD_WORDS = TRADE_BYTES / 4;
/** Above any token id, so that two ids make one exact number. */
const PAIR = 2 ** 26;

export class ExecutionOrder {
  private readonly tokens: { kind(token: number): number };
  /** By record: where its pair first appears; the taker's rate, what is given for one unit received. */
  private readonly group: number[] = [];
  private readonly rate: number[] = [];

  constructor(tokens: { kind(token: number): number }) {
    this.tokens = tokens;
  }

  /** Sorts records `first` .. `end` - 1 of a buffer of records, seen as words. */
  sort(words: Uint32Array, first: number, end: number): void {
    const n = end - first;
    this.rank(words, first, n);
    const { group, rate } = this;
    for (let i = 1; i < n; i++) {
      for (let j = i; j > 0; j--) {
        const before = j - 1;
        if (group[before]! < group[j]!) break;
        if (group[before] === group[j] && !(rate[before]! > rate[j]!)) break;
        swapRecords(words, first + before, first + j);
        [group[before], group[j]] = [group[j]!, group[before]!];
        [rate[before], rate[j]] = [rate[j]!, rate[before]!];
      }
    }
  }

  private rank(words: Uint32Array, first: number, n: number): void {
    const { group, rate } = this;
    const pairs: number[] = [];
    for (let i = 0; i < n; i++) {
      const at = (first + i) * RECORD_WORDS;
      const amm = (words[at + TradeAt.flags / 4]! & TradeFlag.amm) !== 0;
      const paid = words[at + TradeAt.paidToken / 4]!;
      const got = words[at + TradeAt.gotToken / 4]!;
      const paidNumber = this.number(words, at + TradeAt.paidHi / 4, paid);
      const gotNumber = this.number(words, at + TradeAt.gotHi / 4, got);
      // From the taker's side; a pool's record is the other way round.
      pairs.push(amm ? got * PAIR + paid : paid * PAIR + got);
      rate[i] = amm ? gotNumber / paidNumber : paidNumber / gotNumber;
      group[i] = pairs.indexOf(pairs[i]!);
    }
  }

  private number(words: Uint32Array, at: number, token: number): number {
    return rawNumber(this.tokens.kind(token) as AssetKind, words[at]!, words[at + 1]!);
  }
}

function swapRecords(words: Uint32Array, a: number, b: number): void {
  for (let i = 0; i < RECORD_WORDS; i++) {
    const kept = words[a * RECORD_WORDS + i]!;
    words[a * RECORD_WORDS + i] = words[b * RECORD_WORDS + i]!;
    words[b * RECORD_WORDS + i] = kept;
  }
}
