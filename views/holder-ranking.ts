/**
 * Who holds how much of a token, largest first, and how unequally: rankings that are made when they are requested and
 * then follow the ledgers.
 *
 *     requested      small: here, at once     more: in slices     large: in another thread (engine/heavy-reads.ts)
 *     while it is made, and as long as it is kept: lines that ledgers change are gathered
 *     read           those are removed and inserted at their new places (engine/state/holder-ranking.ts)
 *
 * Goal: a token that is never requested costs nothing; the readers of a token with 300,000 holders wait once, and no read
 * blocks the others: what is larger than LINES_AT_ONCE is made by `ready` and `figuresReady`, which readers await, and
 * `concentration` answers what was last known (or nothing yet) meanwhile. Balances rank as floats; what is shown is read
 * exactly from the line. Gini and HHI of a token that was ranked once follow the ledgers without a ranking
 * (holder-spreads.ts).
 *
 * Cost: 12 bytes a holder; about 0.4 ms for 1,000 holders where a token is ranked here; 1 ms for 300,000 after a ledger.
 */
import { type CooperativeTask, runInSlices, runToEnd, yieldToLoop } from '../engine/event-loop.ts';
import { type HeavyReads, HeavyReadsBusyError } from '../engine/heavy-reads.ts';
import { gini } from '../engine/metrics/gini.ts';
import { hhi } from '../engine/metrics/hhi.ts';
import type { BalanceLog } from '../engine/state/balance-log.ts';
import { type HolderColumns, HolderGathering, HolderRanking } from '../engine/state/holder-ranking.ts';
import { OvertakenError } from '../engine/state/sequence-lock.ts';
import type { State } from '../engine/state/state.ts';
import { HolderSpreads } from './holder-spreads.ts';

export interface Concentration {
  readonly gini: number | undefined;
  readonly hhi: number | undefined;
}

/** Lines that all kept rankings may have room for together (12 bytes each); the one longest unused goes first. */
const LINES_KEPT = 4_000_000;
/** What a ranking takes beside its lines, in lines: most tokens have few, and there are hundreds of thousands of tokens. */
const LINES_BESIDE = 64;
/** Lines ranked before other work may run: about 3 ms. */
const LINES_A_SLICE = 8000;
/** Tokens of so many holders follow the ledgers; of fewer, all balances cost less than what changed. */
const FOLLOWED_FROM = 32;
/** Tokens of at most this many lines are ranked at once. */
const LINES_AT_ONCE = 1000;
/** Tokens of more lines are ranked in another thread: the sort alone, which cannot be cut, takes longer than a slice. */
const LINES_HERE_MAX = 8000;
/**
 * Where they do not follow the ledgers, figures of a token with n lines are computed again at most once in n / LINES_A_LEDGER ledgers:
 * that bounds the work of a row that is requested at every ledger.
 */
const LINES_A_LEDGER = 1000;
/** A ranking of which more than one line in this many has changed is made again. */
const CHANGED_PART = 4;
/** ... but not for fewer changed lines than this. */
const CHANGED_MIN = 1000;
/** A ranking that ledgers outdate while it is made is made again this often. */
const TRIES_MAX = 3;

const UNKNOWN: Concentration = { gini: undefined, hhi: undefined };

/** A ranking, and the lines that may have changed since it was up to date. */
interface Kept {
  readonly ranking: HolderRanking;
  readonly changed: Set<number>;
}

interface Building {
  readonly done: Promise<void>;
  /** Lines that changed since it began. */
  changed: Set<number>;
  /** All was forgotten since it began. */
  isVoid: boolean;
}

export interface RankingOptions {
  /** Called when figures of a token have been computed after its readers were answered. */
  readonly onFigures?: ((token: number) => void) | undefined;
  /** Where large tokens are ranked; undefined: here, in slices. */
  readonly heavy?: HeavyReads | undefined;
  /** Default: LINES_KEPT. */
  readonly linesKept?: number | undefined;
}

export class HolderRankings {
  readonly #state: State;
  readonly #onFigures: (token: number) => void;
  readonly #heavy: HeavyReads | undefined;
  readonly #linesKept: number;
  readonly #kept = new Map<number, Kept>();
  readonly #spreads: HolderSpreads;
  #keptLines = 0;
  readonly #figures = new Map<number, { readonly ledger: number; readonly value: Concentration }>();
  readonly #stale = new Set<number>();
  readonly #building = new Map<number, Building>();

  constructor(state: State, { onFigures, heavy, linesKept = LINES_KEPT }: RankingOptions = {}) {
    this.#linesKept = linesKept;
    this.#state = state;
    this.#onFigures = onFigures ?? (() => undefined);
    this.#heavy = heavy;
    this.#spreads = new HolderSpreads(state);
  }

  /**
   * A ledger changed lines. @param pairs token, line, token, line, ...; see `Changed.holderLines`
   * @param balances what it did to their balances; undefined: not known
   */
  applied(pairs: readonly number[], balances?: BalanceLog): void {
    if (balances) this.#spreads.applied(balances);
    else this.#spreads.clear();
    for (let i = 0; i < pairs.length; i += 2) {
      const token = pairs[i]!;
      const line = pairs[i + 1]!;
      if (this.#figures.has(token)) this.#stale.add(token);
      this.#building.get(token)?.changed.add(line);
      const kept = this.#kept.get(token);
      if (!kept) continue;
      kept.changed.add(line);
      if (isOutdated(kept.changed, kept.ranking.length)) this.#forget(token);
    }
  }

  drop(): void {
    this.#kept.clear();
    this.#keptLines = 0;
    this.#figures.clear();
    this.#stale.clear();
    this.#spreads.clear();
    for (const building of this.#building.values()) building.isVoid = true;
  }

  /** Rankings that are kept, and the lines that these have room for. */
  get kept(): { readonly rankings: number; readonly lines: number } {
    return { rankings: this.#kept.size, lines: this.#keptLines - this.#kept.size * LINES_BESIDE };
  }

  /** The ranking as it is now; views, valid until the next ledger. */
  of(token: number): HolderColumns {
    return this.#current(token).columns;
  }

  /** Resolves when `of` costs next to nothing; undefined: it does already. @throws HeavyReadsBusyError */
  ready(token: number): Promise<void> | undefined {
    if (this.#kept.has(token) || this.#size(token) <= LINES_AT_ONCE) return undefined;
    return this.#build(token);
  }

  /** Rank of a line, 1 = largest; undefined for a line without balance. */
  rank(token: number, line: number): number | undefined {
    const place = this.#current(token).placeOf(line, this.#state.lines.balanceNumber(line, token));
    return place === undefined ? undefined : place + 1;
  }

  /** Gini and HHI. @param ledger index of the newest ledger. */
  concentration(token: number, ledger: number): Concentration {
    if (!this.#isDue(token, ledger)) return this.#figures.get(token)!.value;
    if (this.#isAtHand(token)) return this.#measure(token, ledger);
    // A fault shows to those who request the ranking itself.
    this.#renew([token], ledger).catch(() => undefined);
    return this.#figures.get(token)?.value ?? UNKNOWN;
  }

  /** Resolves when the figures of all these tokens are known; undefined: they are, or cost next to nothing. */
  figuresReady(tokens: readonly number[], ledger: number): Promise<void> | undefined {
    let lines = 0;
    const due = tokens.filter((token) => this.#isDue(token, ledger));
    for (const token of due) lines += this.#isAtHand(token) ? 0 : this.#size(token);
    return lines <= LINES_A_SLICE ? undefined : this.#renew(due, ledger);
  }

  /** Where no ranking can be made now, the figures stay as they are: rows do not wait for them. */
  async #renew(tokens: readonly number[], ledger: number): Promise<void> {
    let lines = 0;
    for (const token of tokens) {
      if (!this.#isDue(token, ledger)) continue;
      try {
        if (!this.#isAtHand(token)) await this.ready(token);
      } catch (fault) {
        if (fault instanceof HeavyReadsBusyError) return;
        throw fault;
      }
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
    if (!known || !this.#stale.has(token)) return !known;
    const patience = this.#spreads.of(token) ? 0 : Math.floor(this.#size(token) / LINES_A_LEDGER);
    return ledger >= known.ledger + patience;
  }

  /** Whether measuring the token costs next to nothing. */
  #isAtHand(token: number): boolean {
    return this.#kept.has(token) || this.#size(token) <= LINES_AT_ONCE || !!this.#spreads.of(token);
  }

  #measure(token: number, ledger: number): Concentration {
    const value = this.#spreads.of(token)?.measure() ?? this.#measureAll(token);
    this.#figures.set(token, { ledger, value });
    this.#stale.delete(token);
    return value;
  }

  /** From now on it follows the ledgers, unless it is small. */
  #measureAll(token: number): Concentration {
    const { balances } = this.of(token);
    if (balances.length >= FOLLOWED_FROM) this.#spreads.keep(token, balances);
    return { gini: gini(balances), hhi: hhi(balances) };
  }

  #size(token: number): number {
    return this.#state.lines.lineCount(token);
  }

  #current(token: number): HolderRanking {
    const kept = this.#forget(token);
    const ranking = kept
      ? this.#updated(token, kept)
      : new HolderRanking(runToEnd(ranked(this.#state, token)));
    this.#keep(token, ranking);
    return ranking;
  }

  /** Brings a ranking to what the lines are now. */
  #updated(token: number, { ranking, changed }: Kept): HolderRanking {
    const { lines } = this.#state;
    if (changed.size > 0) ranking.update([...changed], (line) => lines.heldNow(line, token));
    changed.clear();
    return ranking;
  }

  #build(token: number): Promise<void> {
    const running = this.#building.get(token);
    if (running) return running.done;
    const started = Promise.withResolvers<void>();
    const building: Building = { done: started.promise, changed: new Set(), isVoid: false };
    this.#building.set(token, building);
    this.#attempt(token, building)
      .finally(() => this.#building.delete(token))
      .then(started.resolve, started.reject);
    return building.done;
  }

  async #attempt(token: number, building: Building): Promise<void> {
    for (let tries = 1; ; tries++) {
      building.changed = new Set();
      building.isVoid = false;
      const ranking = new HolderRanking(await this.#made(token));
      const isLast = tries === TRIES_MAX;
      if ((building.isVoid || isOutdated(building.changed, ranking.length)) && !isLast) continue;
      if (!building.isVoid) this.#keep(token, this.#updated(token, { ranking, changed: building.changed }));
      return;
    }
  }

  /** Of the state at the call, or of a later ledger. */
  async #made(token: number): Promise<HolderColumns> {
    if (this.#heavy && this.#size(token) > LINES_HERE_MAX) {
      try {
        return (await this.#heavy.run('rankHolders', { token })).value;
      } catch (fault) {
        // Ledgers are applied without a pause; on this thread none is applied during a slice.
        if (!(fault instanceof OvertakenError)) throw fault;
      }
    }
    return runInSlices(ranked(this.#state, token));
  }

  #keep(token: number, ranking: HolderRanking): void {
    this.#forget(token);
    this.#kept.set(token, { ranking, changed: new Set() });
    this.#keptLines += ranking.room + LINES_BESIDE;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptLines <= this.#linesKept || oldest === token) return;
      this.#forget(oldest);
    }
  }

  #forget(token: number): Kept | undefined {
    const kept = this.#kept.get(token);
    if (!kept) return undefined;
    this.#kept.delete(token);
    this.#keptLines -= kept.ranking.room + LINES_BESIDE;
    return kept;
  }
}

function isOutdated(changed: ReadonlySet<number>, holders: number): boolean {
  return changed.size > Math.max(CHANGED_MIN, holders / CHANGED_PART);
}

/** Pauses after each slice of lines. Lines that change before it ends must be brought up to date by the caller. */
function* ranked(state: State, token: number): CooperativeTask<HolderColumns> {
  const list = state.lines.holders(token).slice();
  const gathering = new HolderGathering(list.length);
  for (let from = 0; from < list.length; from += LINES_A_SLICE) {
    if (from > 0) yield;
    gathering.add(state, token, list, from, Math.min(list.length, from + LINES_A_SLICE));
  }
  if (list.length > LINES_A_SLICE) yield;
  return gathering.ordered();
}
