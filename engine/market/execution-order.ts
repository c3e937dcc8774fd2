/**
 * Puts the trade records of one transaction in the order in which the ledger executed them. Metadata lists nodes by
 * their index, which is a hash, but within one pair the ledger executes the best rate first. So the order is: pairs by their first
 * record, within a pair the taker's best rate first, ties as listed.
 *
 * Nearly every transaction has one to three records; one that takes a thousand offers must not cost a thousand times as
 * much for each, so ranks are sorted and records moved once.
 */
import { type AssetKind, rawNumber } from '../codec/amount.ts';
import { TRADE_BYTES, TradeAt, TradeFlag } from './trade-record.ts';

const RECORD_WORDS = TRADE_BYTES / 4;
/** Above any token id, so that two ids make one exact number. */
const PAIR = 2 ** 26;

export class ExecutionOrder {
  readonly #tokens: { kind(token: number): number };
  /** By record: the first record of its pair; the taker's rate: units given for one unit received. */
  readonly #group: number[] = [];
  readonly #rate: number[] = [];
  readonly #order: number[] = [];
  readonly #compare = (a: number, b: number): number => {
    const groups = this.#group[a]! - this.#group[b]!;
    if (groups !== 0) return groups;
    const [rateA, rateB] = [this.#rate[a]!, this.#rate[b]!];
    return rateA === rateB ? a - b : rateA < rateB ? -1 : 1;
  };

  constructor(tokens: { kind(token: number): number }) {
    this.#tokens = tokens;
  }

  /** Sorts records `first` .. `end` - 1 of a buffer of records, seen as words. */
  sort(words: Uint32Array, first: number, end: number): void {
    const n = end - first;
    this.#rank(words, first, n);
    const order = this.#order;
    order.length = n;
    for (let i = 0; i < n; i++) order[i] = i;
    order.sort(this.#compare);
    if (order.every((from, to) => from === to)) return;
    const records = words.slice(first * RECORD_WORDS, end * RECORD_WORDS);
    for (let to = 0; to < n; to++) {
      const from = order[to]! * RECORD_WORDS;
      words.set(records.subarray(from, from + RECORD_WORDS), (first + to) * RECORD_WORDS);
    }
  }

  #rank(words: Uint32Array, first: number, n: number): void {
    const group = this.#group;
    const rate = this.#rate;
    const pairs = new Map<number, number>();
    for (let i = 0; i < n; i++) {
      const at = (first + i) * RECORD_WORDS;
      const amm = (words[at + TradeAt.flags / 4]! & TradeFlag.amm) !== 0;
      const paid = words[at + TradeAt.paidToken / 4]!;
      const got = words[at + TradeAt.gotToken / 4]!;
      const paidNumber = this.#number(words, at + TradeAt.paidHi / 4, paid);
      const gotNumber = this.#number(words, at + TradeAt.gotHi / 4, got);
      // From the taker's side; in a pool's record the sides are exchanged.
      const pair = amm ? got * PAIR + paid : paid * PAIR + got;
      // 0 / 0 is sorted like an infinitely bad rate: last.
      const taken = amm ? gotNumber / paidNumber : paidNumber / gotNumber;
      rate[i] = Number.isNaN(taken) ? Number.POSITIVE_INFINITY : taken;
      const known = pairs.get(pair);
      group[i] = known ?? i;
      if (known === undefined) pairs.set(pair, i);
    }
  }

  #number(words: Uint32Array, at: number, token: number): number {
    return rawNumber(this.#tokens.kind(token) as AssetKind, words[at]!, words[at + 1]!);
  }
}
