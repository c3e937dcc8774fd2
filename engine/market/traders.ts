/**
 * Counts distinct traders, buyers and sellers of each token in a window: open addressing over (token, account) with
 * the number of buys and sells that are still in the window. An entry is removed when both are zero; the rest of its
 * cluster moves back, so there are no tombstones. 16 bytes a slot, at most 3/4 full, doubling.
 *
 * A slot is empty when both counters are zero. Nothing is persisted: the window's ticks rebuild it.
 */
import { hash2 } from '../state/hash.ts';
import type { Columns } from './columns.ts';

const FIRST_SLOTS = 1024;

export class Traders {
  #tokens = new Uint32Array(FIRST_SLOTS);
  #accounts = new Uint32Array(FIRST_SLOTS);
  #buyCounts = new Uint32Array(FIRST_SLOTS);
  #sellCounts = new Uint32Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #size = 0;
  readonly #traderTotals: Uint32Array;
  readonly #buyerTotals: Uint32Array;
  readonly #sellerTotals: Uint32Array;

  constructor(columns: Columns) {
    this.#traderTotals = columns.u32();
    this.#buyerTotals = columns.u32();
    this.#sellerTotals = columns.u32();
  }

  traders(token: number): number {
    return this.#traderTotals[token] ?? 0;
  }

  buyers(token: number): number {
    return this.#buyerTotals[token] ?? 0;
  }

  sellers(token: number): number {
    return this.#sellerTotals[token] ?? 0;
  }

  /** A trade enters the window. */
  add(token: number, account: number, bought: boolean): void {
    let slot = this.#find(token, account);
    if (this.#isEmpty(slot)) {
      if ((this.#size + 1) * 4 > this.#tokens.length * 3) {
        this.#grow();
        slot = this.#find(token, account);
      }
      this.#tokens[slot] = token;
      this.#accounts[slot] = account;
      this.#size++;
      this.#traderTotals[token]!++;
    }
    const counts = bought ? this.#buyCounts : this.#sellCounts;
    if (counts[slot]!++ === 0) (bought ? this.#buyerTotals : this.#sellerTotals)[token]!++;
  }

  /** The same trade leaves it. */
  remove(token: number, account: number, bought: boolean): void {
    const slot = this.#find(token, account);
    const counts = bought ? this.#buyCounts : this.#sellCounts;
    if (counts[slot] === 0) throw new Error('trader counter: a trade is removed that was never added');
    if (--counts[slot]! === 0) (bought ? this.#buyerTotals : this.#sellerTotals)[token]!--;
    if (!this.#isEmpty(slot)) return;
    this.#traderTotals[token]!--;
    this.#size--;
    this.#closeGap(slot);
  }

  clear(): void {
    this.#buyCounts.fill(0);
    this.#sellCounts.fill(0);
    this.#size = 0;
    for (const totals of [this.#traderTotals, this.#buyerTotals, this.#sellerTotals]) totals.fill(0);
  }

  #isEmpty(slot: number): boolean {
    return this.#buyCounts[slot] === 0 && this.#sellCounts[slot] === 0;
  }

  #find(token: number, account: number): number {
    let slot = hash2(token, account) & this.#mask;
    while (!this.#isEmpty(slot) && (this.#tokens[slot] !== token || this.#accounts[slot] !== account))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  #closeGap(start: number): void {
    let gap = start;
    for (let slot = (gap + 1) & this.#mask; !this.#isEmpty(slot); slot = (slot + 1) & this.#mask) {
      const home = hash2(this.#tokens[slot]!, this.#accounts[slot]!) & this.#mask;
      if (((slot - home) & this.#mask) < ((slot - gap) & this.#mask)) continue;
      this.#move(slot, gap);
      gap = slot;
    }
  }

  #move(from: number, to: number): void {
    this.#tokens[to] = this.#tokens[from]!;
    this.#accounts[to] = this.#accounts[from]!;
    this.#buyCounts[to] = this.#buyCounts[from]!;
    this.#sellCounts[to] = this.#sellCounts[from]!;
    this.#buyCounts[from] = 0;
    this.#sellCounts[from] = 0;
  }

  #grow(): void {
    const tokens = this.#tokens;
    const accounts = this.#accounts;
    const buyCounts = this.#buyCounts;
    const sellCounts = this.#sellCounts;
    const slots = tokens.length * 2;
    this.#tokens = new Uint32Array(slots);
    this.#accounts = new Uint32Array(slots);
    this.#buyCounts = new Uint32Array(slots);
    this.#sellCounts = new Uint32Array(slots);
    this.#mask = slots - 1;
    for (let i = 0; i < tokens.length; i++) {
      if (buyCounts[i] === 0 && sellCounts[i] === 0) continue;
      const slot = this.#find(tokens[i]!, accounts[i]!);
      this.#tokens[slot] = tokens[i]!;
      this.#accounts[slot] = accounts[i]!;
      this.#buyCounts[slot] = buyCounts[i]!;
      this.#sellCounts[slot] = sellCounts[i]!;
    }
  }
}
