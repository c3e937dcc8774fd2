/**
 * Who holds how much of a token, largest first.
 *
 *   lines:    Uint32Array   line ids by balance, largest first (ties: smaller line id first)
 *   balances: Float64Array  the same order
 *
 * Built when requested, kept until the token's lines change: a token that is never requested costs nothing. Building
 * costs one pass over its lines and a radix sort, about 0.4 ms for 1,000 holders; balances rank as floats, what is
 * shown is read exactly from the line.
 *
 * No reader blocks the others: what is larger than LINES_AT_ONCE is built in slices by `ready` and `figuresReady`,
 * which readers await; until then `concentration` answers what was last known (or nothing yet).
 */

import { decimalNumber } from '../engine/codec/amount.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { topShares } from '../engine/market/holders-history.ts';
import { gini } from '../engine/metrics/gini.ts';
import { hhi } from '../engine/metrics/hhi.ts';
import type { State } from '../engine/state/state.ts';
import { sortDescending } from './sorted-order.ts';

export interface Ranking {
  readonly lines: Uint32Array;
  readonly balances: Float64Array;
  /** Lines that the issuer froze, with or without balance. */
  readonly frozen: number;
}

export interface Concentration {
  readonly gini: number | undefined;
  readonly hhi: number | undefined;
  readonly top10: number | undefined;
}

/** Lines that all kept rankings may have together (12 bytes each); the one longest unused goes first. */
const LINES_KEPT = 4_000_000;
/** Lines ranked before other work may run: about 3 ms. */
const LINES_A_SLICE = 8000;
/** Tokens of at most this many lines are ranked at once. */
const LINES_AT_ONCE = 1000;
/**
 * Concentration figures of a token with n lines are computed again at most once in n / LINES_A_LEDGER ledgers:
 * that bounds the work of a row that is requested at every ledger.
 */
const LINES_A_LEDGER = 1000;
/** A ranking that ledgers overtake while it is built is started again this often. */
const TRIES_MAX = 3;

const UNKNOWN: Concentration = { gini: undefined, hhi: undefined, top10: undefined };

export class HolderRankings {
  readonly #state: State;
  readonly #onFigures: (token: number) => void;
  readonly #kept = new Map<number, Ranking>();
  #keptLines = 0;
  readonly #figures = new Map<number, { readonly ledger: number; readonly value: Concentration }>();
  readonly #stale = new Set<number>();
  readonly #building = new Map<number, Promise<void>>();
  /** Tokens whose lines changed since their building began. */
  readonly #overtaken = new Set<number>();

  /** @param onFigures called when figures of a token were made in the background. */
  constructor(state: State, onFigures: (token: number) => void = () => undefined) {
    this.#state = state;
    this.#onFigures = onFigures;
  }

  /** The token's lines changed. */
  markDirty(token: number): void {
    this.#forget(token);
    if (this.#figures.has(token)) this.#stale.add(token);
    if (this.#building.has(token)) this.#overtaken.add(token);
  }

  drop(): void {
    this.#kept.clear();
    this.#keptLines = 0;
    this.#figures.clear();
    this.#stale.clear();
    for (const token of this.#building.keys()) this.#overtaken.add(token);
  }

  /** The ranking as it is now. */
  of(token: number): Ranking {
    let ranking = this.#forget(token);
    if (!ranking) {
      const steps = ranked(this.#state, token);
      let step = steps.next();
      while (!step.done) step = steps.next();
      ranking = step.value;
    }
    this.#keep(token, ranking);
    return ranking;
  }

  /** Resolves when `of` costs nothing; undefined: it does already. */
  ready(token: number): Promise<void> | undefined {
    if (this.#kept.has(token) || this.#size(token) <= LINES_AT_ONCE) return undefined;
    return this.#build(token);
  }

  /** Rank of a line, 1 = largest; undefined for a line without balance. */
  rank(token: number, line: number): number | undefined {
    const { lines, balances } = this.of(token);
    const balance = this.#state.lines.balanceNumber(line, token);
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = balances[middle]!;
      if (other > balance || (other === balance && lines[middle]! < line)) low = middle + 1;
      else high = middle;
    }
    return lines[low] === line ? low + 1 : undefined;
  }

  /** Gini, HHI and share of the ten largest. @param ledger index of the newest ledger. */
  concentration(token: number, ledger: number): Concentration {
    if (!this.#isDue(token, ledger)) return this.#figures.get(token)!.value;
    if (this.#kept.has(token) || this.#size(token) <= LINES_AT_ONCE) return this.#measure(token, ledger);
    void this.#renew([token], ledger);
    return this.#figures.get(token)?.value ?? UNKNOWN;
  }

  /** Resolves when the figures of all these tokens are known; undefined: they are, or cost next to nothing. */
  figuresReady(tokens: readonly number[], ledger: number): Promise<void> | undefined {
    let lines = 0;
    const due = tokens.filter((token) => this.#isDue(token, ledger));
    for (const token of due) lines += this.#kept.has(token) ? 0 : this.#size(token);
    return lines <= LINES_A_SLICE ? undefined : this.#renew(due, ledger);
  }

  async #renew(tokens: readonly number[], ledger: number): Promise<void> {
    let lines = 0;
    for (const token of tokens) {
      if (!this.#isDue(token, ledger)) continue;
      await this.ready(token);
      this.#measure(token, ledger);
      this.#onFigures(token);
      lines += this.#size(token);
      if (lines < LINES_A_SLICE) continue;
      lines = 0;
      await yieldToLoop();
    }
  }

  #isDue(token: number, ledger: number): boolean {
    const known = this.#figures.get(token);
    const patience = Math.floor(this.#size(token) / LINES_A_LEDGER);
    return !known || (this.#stale.has(token) && ledger >= known.ledger + patience);
  }

  #measure(token: number, ledger: number): Concentration {
    const { balances } = this.of(token);
    const { top10 } = topShares(balances, decimalNumber(this.#state.lines.supply(token)));
    const value = {
      gini: gini(balances),
      hhi: hhi(balances),
      top10: balances.length > 0 ? top10 : undefined,
    };
    this.#figures.set(token, { ledger, value });
    this.#stale.delete(token);
    return value;
  }

  #size(token: number): number {
    return this.#state.lines.lineCount(token);
  }

  #build(token: number): Promise<void> {
    let building = this.#building.get(token);
    if (!building) {
      building = this.#inSlices(token).finally(() => this.#building.delete(token));
      this.#building.set(token, building);
    }
    return building;
  }

  async #inSlices(token: number): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      this.#overtaken.delete(token);
      const steps = ranked(this.#state, token);
      let step = steps.next();
      while (!step.done && !this.#overtaken.has(token)) {
        await yieldToLoop();
        step = steps.next();
      }
      if (!step.done || this.#overtaken.has(token)) continue;
      this.#keep(token, step.value);
      return;
    }
  }

  #keep(token: number, ranking: Ranking): void {
    this.#forget(token);
    this.#kept.set(token, ranking);
    this.#keptLines += ranking.lines.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptLines <= LINES_KEPT || oldest === token) return;
      this.#forget(oldest);
    }
  }

  #forget(token: number): Ranking | undefined {
    const ranking = this.#kept.get(token);
    if (!ranking) return undefined;
    this.#kept.delete(token);
    this.#keptLines -= ranking.lines.length;
    return ranking;
  }
}

/** Pauses after each slice of lines; void if the token's lines change before it ends. */
function* ranked(state: State, token: number): Generator<void, Ranking> {
  const { lines } = state;
  const list = lines.holders(token).slice();
  const ids = new Uint32Array(list.length);
  const keys = new Float64Array(list.length);
  let count = 0;
  let frozen = 0;
  for (let i = 0; i < list.length; i++) {
    if (i % LINES_A_SLICE === LINES_A_SLICE - 1) yield;
    const line = list[i]!;
    if (lines.frozenByIssuer(line, token)) frozen++;
    const balance = lines.balanceNumber(line, token);
    if (!(balance > 0)) continue;
    ids[count] = line;
    keys[count++] = balance;
  }
  if (count > LINES_A_SLICE) yield;
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) rows[i] = i;
  sortDescending(rows, keys);
  if (count > LINES_A_SLICE) yield;
  const ordered = new Uint32Array(count);
  const balances = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    ordered[i] = ids[rows[i]!]!;
    balances[i] = keys[rows[i]!]!;
  }
  sortTies(ordered, balances);
  return { lines: ordered, balances, frozen };
}

/** Lines of equal balance by id: the order in which the state lists them is no promise. */
function sortTies(lines: Uint32Array, balances: Float64Array): void {
  for (let start = 0; start < lines.length; ) {
    let stop = start + 1;
    while (stop < lines.length && balances[stop] === balances[start]) stop++;
    if (stop - start > 1) lines.subarray(start, stop).sort();
    start = stop;
  }
}
