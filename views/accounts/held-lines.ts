/**
 * What one account holds, by line: made once, and kept up to date from what happened to its lines since.
 *
 *     byAccount.of(account) --read, in slices--> | oldest ... newest |  <--events-- byAccount.follow(account)
 *                                                  line, token, balance
 *
 * Goal: a page of an account with 50,000 lines that many ledgers change costs what changed, not what there is. Non-goals: order
 * by value, prices (account lines have those, see lines.ts), accounts with more lines than LINES_MAX, which are read again.
 *
 * A line that goes leaves an empty place; a line that comes takes a place behind all others, as the newest. So places never move,
 * and walks may be interrupted. Cost: about 400 ns a line to read, 100 ns an event; 60 bytes a line.
 */
import type { CooperativeTask } from '../../engine/event-loop.ts';
import type { RowLog } from '../../engine/state/account-rows.ts';
import type { State } from '../../engine/state/state.ts';

/** Lines read before other work may run: about 2 ms. */
const LINES_A_SLICE = 4096;
/**
 * Lines of an account that are read, the newest first: about 200 ms, in slices, once. The issuer of the main network's largest
 * token has 258,000; with more than are read they are read again after each ledger.
 */
export const LINES_MAX = 400_000;
/** Balances of holdings are computed when they are needed: the scale of an MPT may be seen after its holdings. */
const LIVE = -1;
/** Part of the places that may be empty before all are read again. */
const EMPTY_MAX = 0.5;

/** What the account has of the token on a line. */
const Holding = { none: 0, zero: 1, some: 2 } as const;

export class HeldLines {
  readonly account: number;
  /** It has more lines than are read. */
  isPart = false;
  /** Lines with a balance. */
  count = 0;
  /** Lines without one. */
  zeros = 0;
  readonly #state: State;
  #log: RowLog | undefined;
  // By place, the oldest first.
  readonly #lines: number[] = [];
  readonly #tokens: number[] = [];
  readonly #balances: number[] = [];
  readonly #holdings: number[] = [];
  readonly #places = new Map<number, number>();
  #gone = 0;

  /** To be read with `reading`. */
  constructor(state: State, account: number) {
    this.#state = state;
    this.account = account;
  }

  /** Places that there are, empty ones included. */
  get places(): number {
    return this.#lines.length;
  }

  /** `update` brings it up to date; otherwise another one has to be made and read. */
  get isFollowing(): boolean {
    return this.#log !== undefined && !this.#log.isLost && this.#gone <= this.places * EMPTY_MAX;
  }

  line(place: number): number {
    return this.#lines[place]!;
  }

  token(place: number): number {
    return this.#tokens[place]!;
  }

  /** Tokens, as a double. */
  balance(place: number): number {
    const balance = this.#balances[place]!;
    return balance === LIVE
      ? this.#state.lines.balanceNumber(this.#lines[place]!, this.#tokens[place]!)
      : balance;
  }

  isHeld(place: number): boolean {
    return this.#holdings[place] === Holding.some;
  }

  /** Places with a balance, the newest line first; then, if wanted, those without. */
  *ordered(withZeros: boolean): Generator<number, void, undefined> {
    for (let place = this.places - 1; place >= 0; place--)
      if (this.#holdings[place] === Holding.some) yield place;
    if (withZeros) yield* this.zeroPlaces();
  }

  *zeroPlaces(): Generator<number, void, undefined> {
    for (let place = this.places - 1; place >= 0; place--)
      if (this.#holdings[place] === Holding.zero) yield place;
  }

  /** Reads all lines. The state must not change meanwhile. */
  *reading(): CooperativeTask<void> {
    const newestFirst: number[] = [];
    for (const line of this.#state.lines.byAccount.of(this.account)) {
      if (newestFirst.length === LINES_MAX) {
        this.isPart = true;
        break;
      }
      newestFirst.push(line);
      if (newestFirst.length % LINES_A_SLICE === 0) yield;
    }
    for (const [i, line] of newestFirst.reverse().entries()) {
      this.#append(line);
      if (i % LINES_A_SLICE === LINES_A_SLICE - 1) yield;
    }
  }

  /** Follows the account from now on: to be called as soon as all of its lines are read. */
  follow(): void {
    this.#log = this.#state.lines.byAccount.follow(this.account);
  }

  /** Takes over what happened since the last time. @returns the places that it concerned, some more than once */
  update(): readonly number[] {
    const changed: number[] = [];
    for (const event of this.#log?.take() ?? []) {
      const line = event < 0 ? -1 - event : event;
      const place = this.#places.get(line);
      if (place !== undefined) changed.push(place);
      else if (event >= 0) changed.push(this.places);
      if (event < 0) this.#remove(line, place);
      else if (place === undefined) this.#append(line);
      else this.#set(place, line);
    }
    return changed;
  }

  /** Follows the account no more. */
  close(): void {
    if (this.#log) this.#state.lines.byAccount.unfollow(this.account, this.#log);
    this.#log = undefined;
  }

  #append(line: number): void {
    const place = this.places;
    this.#lines.push(line);
    this.#tokens.push(0);
    this.#balances.push(0);
    this.#holdings.push(Holding.none);
    this.#places.set(line, place);
    this.#set(place, line);
  }

  #remove(line: number, place: number | undefined): void {
    if (place === undefined) return;
    this.#put(place, 0, Holding.none, 0);
    this.#places.delete(line);
    this.#gone++;
  }

  /** What it issued itself is no holding; a line that it trusts on is. */
  #set(place: number, line: number): void {
    const { lines } = this.#state;
    const [ofLow, ofHigh] = lines.tokensOf(line);
    const token = lines.lows[line] === this.account ? ofLow : ofHigh;
    if (token === 0) {
      this.#put(place, 0, Holding.none, 0);
      return;
    }
    const balance = lines.balanceNumber(line, token);
    const holding = balance > 0 ? Holding.some : balance === 0 ? Holding.zero : Holding.none;
    this.#put(place, token, holding, lines.highs[line] === 0 ? LIVE : balance);
  }

  #put(place: number, token: number, holding: number, balance: number): void {
    const before = this.#holdings[place];
    if (before === Holding.some) this.count--;
    else if (before === Holding.zero) this.zeros--;
    if (holding === Holding.some) this.count++;
    else if (holding === Holding.zero) this.zeros++;
    this.#tokens[place] = token;
    this.#holdings[place] = holding;
    this.#balances[place] = balance;
  }
}
