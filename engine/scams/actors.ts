/**
 * Accounts that a rule follows: who does something to how many others, and since when it is too many.
 *
 *     act(rule, account, other) -> candidate --- threshold within the window ---> listed, for good
 *                                      `-- window over before that --> begins again; forgotten when nothing follows
 *
 * A window begins with the first act, and the next one with the first act after its end. Each pair of a candidate and
 * another account is kept once, so that others are counted exactly; those of listed accounts stay. The first acts are
 * the evidence: their transactions are in the row.
 *
 * All of it follows from the ledgers. Accounts are the state's numbers, since the state has interned who signed; others are
 * the first 8 of their 20 bytes, which are a hash: two that share them would count as one.
 *
 * Cost: an act is two look-ups and at most two rows. Rows and pairs are bounded: see limits.ts for what happens then.
 */
import { readU32 } from '../codec/bytes.ts';
import { HASH_BYTES } from '../codec/hash.ts';
import type { RowSteps } from '../event-loop.ts';
import { hash2, hash3 } from '../state/hash.ts';
import type { RowIndex } from '../state/row-index.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { ScamLimits } from './limits.ts';
import type { ScamRule } from './rule.ts';

/** Transactions that are kept as evidence. */
export const EVIDENCE = 4;
/** Rows that are looked at in each ledger for candidates to forget: all of a full table in half a day. */
const SWEPT_A_LEDGER = 32;

export interface Act {
  readonly rule: ScamRule;
  readonly actor: number;
  /** Where the 20 bytes of the other account are. */
  readonly bytes: Uint8Array;
  readonly otherAt: number;
  readonly closeTime: number;
  /** XRP that it took, drops. */
  readonly drops?: number;
  hash(): Uint8Array;
}

export class ScamActors {
  readonly table: Table;
  readonly pairs: Table;
  /** Number of its rule; 0: the row is free. */
  readonly rule: Uint8Array;
  readonly actor: Uint32Array;
  /** Close time of its first act, and of its last. */
  readonly begun: Uint32Array;
  readonly last: Uint32Array;
  /** Close time of the ledger that listed it; 0: a candidate. */
  readonly listed: Uint32Array;
  readonly transactions: Uint32Array;
  /** Different accounts that it acted on, since it is listed also those before. */
  readonly others: Uint32Array;
  readonly drops: Float64Array;
  /** Rows of listed accounts, in the order in which they were listed. Derived. */
  readonly listedRows: number[] = [];
  readonly #evidenceCount: Uint8Array;
  readonly #evidence: Uint8Array;
  readonly #firstPair: Uint32Array;
  readonly #index: RowIndex;
  readonly #pairRow: Uint32Array;
  readonly #pairHi: Uint32Array;
  readonly #pairLo: Uint32Array;
  readonly #pairNext: Uint32Array;
  readonly #pairIndex: RowIndex;
  /** Listed rows of each account. Derived. */
  readonly #ofActor = new Map<number, number[]>();
  #freeRows: number;
  #freePairs: number;

  constructor(limits: Pick<ScamLimits, 'actors' | 'pairs'>) {
    const table = new Table(TableId.scamActors, 'scam accounts', limits.actors);
    const pairs = new Table(TableId.scamPairs, 'scam pairs', limits.pairs);
    this.table = table;
    this.pairs = pairs;
    this.rule = table.u8('rule');
    this.actor = table.u32('actor');
    this.begun = table.u32('begun');
    this.last = table.u32('last');
    this.listed = table.u32('listed');
    this.transactions = table.u32('transactions');
    this.others = table.u32('others');
    this.drops = table.f64('drops');
    this.#evidenceCount = table.u8('evidenceCount');
    this.#evidence = table.u8('evidence', EVIDENCE * HASH_BYTES);
    this.#firstPair = table.u32('firstPair');
    table.linkThrough(this.#firstPair);
    this.#index = table.index('scam accounts', (row) => hash2(this.rule[row]!, this.actor[row]!));
    this.#pairRow = pairs.u32('row');
    this.#pairHi = pairs.u32('otherHi');
    this.#pairLo = pairs.u32('otherLo');
    this.#pairNext = pairs.u32('next');
    pairs.linkThrough(this.#pairNext);
    this.#pairIndex = pairs.index('scam pairs', (pair) => this.#pairHash(pair));
    this.#freeRows = table.capacity - 1;
    this.#freePairs = pairs.capacity - 1;
  }

  /** Rows of an account that is listed, by every rule that lists it. */
  of(actor: number): readonly number[] {
    return this.#ofActor.get(actor) ?? [];
  }

  /** Hashes of the transactions that show it, 32 bytes each. */
  evidence(row: number): Uint8Array[] {
    const base = row * EVIDENCE * HASH_BYTES;
    return Array.from({ length: this.#evidenceCount[row]! }, (_, i) =>
      this.#evidence.subarray(base + i * HASH_BYTES, base + (i + 1) * HASH_BYTES),
    );
  }

  /** @returns its row, where this act lists the account or it is listed; 0: it is a candidate, or there is no room */
  act(act: Act): number {
    const { rule, closeTime } = act;
    const row = this.#find(rule.number, act.actor) || this.#begin(act);
    if (row === 0) return 0;
    if (this.listed[row] === 0 && closeTime - this.begun[row]! > rule.window)
      this.#beginAgain(row, closeTime);
    this.transactions[row]!++;
    this.last[row] = closeTime;
    this.drops[row]! += act.drops ?? 0;
    this.#addOther(row, act);
    if (this.#evidenceCount[row]! < EVIDENCE) this.addEvidence(row, act.hash());
    this.table.markDirty(row);
    if (this.listed[row] === 0 && this.others[row]! >= rule.accounts) this.list(row, closeTime);
    return this.listed[row] === 0 ? 0 : row;
  }

  /** The row of a candidate or listed account; 0: none. */
  find(rule: ScamRule, actor: number): number {
    return this.#find(rule.number, actor);
  }

  /** The first of the pairs of a row; 0: it has none. */
  newestPair(row: number): number {
    return this.#firstPair[row]!;
  }

  /** The other account as a number of 53 bits of its 8 bytes, and the pair that is next of the same row. */
  pair(pair: number): { readonly other: number; readonly next: number } {
    const other = this.#pairHi[pair]! * 2 ** 21 + (this.#pairLo[pair]! >>> 11);
    return { other, next: this.#pairNext[pair]! };
  }

  addEvidence(row: number, hash: Uint8Array): void {
    const count = this.#evidenceCount[row]!;
    if (count === EVIDENCE) return;
    this.#evidence.set(hash, (row * EVIDENCE + count) * HASH_BYTES);
    this.#evidenceCount[row] = count + 1;
    this.table.markDirty(row);
  }

  /** The account is listed from now on. */
  list(row: number, closeTime: number): void {
    if (this.listed[row] !== 0) return;
    this.listed[row] = closeTime;
    this.table.markDirty(row);
    this.#remember(row);
  }

  /** Forgets candidates whose window is over. @param windowOf seconds, by number of the rule */
  sweep(ledgerIndex: number, closeTime: number, windowOf: (rule: number) => number): void {
    const { count } = this.table;
    if (count <= 1) return;
    const first = (ledgerIndex * SWEPT_A_LEDGER) % count;
    for (let i = 0; i < Math.min(SWEPT_A_LEDGER, count); i++) {
      const row = (first + i) % count;
      const rule = this.rule[row]!;
      if (rule === 0 || this.listed[row] !== 0) continue;
      if (closeTime - this.begun[row]! <= windowOf(rule)) continue;
      this.#dropPairs(row);
      this.#index.remove(row);
      this.table.remove(row);
      this.#freeRows++;
    }
  }

  *rebuilding(): RowSteps {
    const { count } = this.table;
    this.#index.reset(count);
    this.#pairIndex.reset(this.pairs.count);
    this.#ofActor.clear();
    this.listedRows.length = 0;
    let used = 0;
    const listed: number[] = [];
    for (let row = 1; row < count; row++) {
      if (this.rule[row] === 0) continue;
      used++;
      this.#index.add(row);
      if (this.listed[row] !== 0) listed.push(row);
    }
    yield count;
    listed.sort((a, b) => this.listed[a]! - this.listed[b]! || a - b);
    for (const row of listed) this.#remember(row);
    this.#freeRows = this.table.capacity - 1 - used;
    used = 0;
    for (let pair = 1; pair < this.pairs.count; pair++) {
      if (this.#pairRow[pair] === 0) continue;
      used++;
      this.#pairIndex.add(pair);
      if (used % 4096 === 0) yield 4096;
    }
    this.#freePairs = this.pairs.capacity - 1 - used;
  }

  #remember(row: number): void {
    const actor = this.actor[row]!;
    const rows = this.#ofActor.get(actor);
    if (rows) rows.push(row);
    else this.#ofActor.set(actor, [row]);
    // Of one ledger by row, so that the order is the same after a restart.
    let at = this.listedRows.length;
    const time = this.listed[row]!;
    while (at > 0 && this.listed[this.listedRows[at - 1]!] === time && this.listedRows[at - 1]! > row) at--;
    this.listedRows.splice(at, 0, row);
  }

  #find(rule: number, actor: number): number {
    const index = this.#index;
    for (let slot = index.first(hash2(rule, actor)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0 || (this.rule[row] === rule && this.actor[row] === actor)) return row;
    }
  }

  #begin({ rule, actor, closeTime }: Act): number {
    if (this.#freeRows === 0) return 0;
    this.#freeRows--;
    const row = this.table.add();
    this.rule[row] = rule.number;
    this.actor[row] = actor;
    this.begun[row] = closeTime;
    this.#index.add(row);
    return row;
  }

  #beginAgain(row: number, closeTime: number): void {
    this.#dropPairs(row);
    this.begun[row] = closeTime;
    this.transactions[row] = 0;
    this.others[row] = 0;
    this.drops[row] = 0;
    this.#evidenceCount[row] = 0;
    this.#evidence.fill(0, row * EVIDENCE * HASH_BYTES, (row + 1) * EVIDENCE * HASH_BYTES);
  }

  #addOther(row: number, { bytes, otherAt }: Act): void {
    const hi = readU32(bytes, otherAt);
    const lo = readU32(bytes, otherAt + 4);
    const index = this.#pairIndex;
    for (let slot = index.first(hash3(row, hi, lo)); ; slot = index.next(slot)) {
      const pair = index.at(slot);
      if (pair === 0) break;
      if (this.#pairRow[pair] === row && this.#pairHi[pair] === hi && this.#pairLo[pair] === lo) return;
    }
    if (this.#freePairs === 0) return;
    this.#freePairs--;
    const pair = this.pairs.add();
    this.#pairRow[pair] = row;
    this.#pairHi[pair] = hi;
    this.#pairLo[pair] = lo;
    this.#pairNext[pair] = this.#firstPair[row]!;
    this.#firstPair[row] = pair;
    index.add(pair);
    this.pairs.markDirty(pair);
    this.others[row]!++;
  }

  #dropPairs(row: number): void {
    for (let pair = this.#firstPair[row]!; pair !== 0; ) {
      const next = this.#pairNext[pair]!;
      this.#pairIndex.remove(pair);
      this.pairs.remove(pair);
      this.#freePairs++;
      pair = next;
    }
    this.#firstPair[row] = 0;
  }

  #pairHash(pair: number): number {
    return hash3(this.#pairRow[pair]!, this.#pairHi[pair]!, this.#pairLo[pair]!);
  }
}
