/**
 * What one endpoint says of the ledgers it has, on one connection, and how far that is borne out.
 *
 *     announced, ranges ----> claims(index)          its word
 *     missed(index) --------> doubt at that index    asked for it, and it did not deliver
 *     lift(index, own) -----> doubt lifted           when it delivers that very ledger: what it delivers further on proves
 *                                                    nothing of the one that is missing
 *     lift(index, other) ---> doubt at the next one  somebody else delivered it: so it exists, and no more is known
 *
 * From the doubted ledger on it is asked for nothing but that one, with pauses that double. What this bounds: a claim
 * costs its hearers one request a pause, however far ahead it is.
 *
 * The time it spent in doubt is its debt, which it works off by being in none (`debtDecay`): who announces each ledger
 * long before he can deliver it gets deeper into debt with each, though he does deliver. In debt it is asked for one
 * ledger ahead.
 */
import { hexOf } from '../codec/bytes.ts';
import type { Limits } from './limits.ts';
import { type LedgerRange, type LedgerRef, SourceError } from './source.ts';

interface Doubt {
  /** The lowest ledger it did not deliver. */
  index: number;
  misses: number;
  /** When it may be asked for that ledger again, ms. */
  askAfter: number;
}

export class Claims {
  readonly #limits: Limits;
  /** Ledger index -> hash as announced, hex; bounded, oldest first. */
  readonly #announced = new Map<number, string>();
  #latest: number | undefined;
  #ranges: readonly LedgerRange[] = [];
  #delivered = 0;
  /** Newest ledger anyone delivered. */
  #settled = 0;
  #doubt: Doubt | undefined;
  /** ms in doubt, less what is worked off; as it was at `#debtAt` (ms). */
  #debt = 0;
  #debtAt = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Newest ledger index it announced. */
  get latest(): number | undefined {
    return this.#latest;
  }

  get ranges(): readonly LedgerRange[] {
    return this.#ranges;
  }

  set ranges(ranges: readonly LedgerRange[]) {
    this.#ranges = ranges;
  }

  /** Newest ledger it delivered; 0: none. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Newest ledger it announced that nothing speaks against. @param now ms */
  undoubted(now: number): number | undefined {
    if (this.#latest === undefined) return undefined;
    if (this.#doubt) return Math.min(this.#latest, this.#doubt.index - 1);
    return this.debt(now) > 0 ? Math.min(this.#latest, this.#settled + 1) : this.#latest;
  }

  /** ms that it was in doubt, less what is worked off. @param now ms */
  debt(now: number): number {
    const ms = now - this.#debtAt;
    return this.#doubt ? this.#debt + ms : Math.max(0, this.#debt - ms * this.#limits.debtDecay);
  }

  /** Hash it announced for a ledger, upper-case hex. */
  announced(index: number): string | undefined {
    return this.#announced.get(index);
  }

  announcements(): IterableIterator<[number, string]> {
    return this.#announced.entries();
  }

  /** Does it say that it has this ledger? */
  has(index: number): boolean {
    return (
      this.#latest !== undefined &&
      index <= this.#latest &&
      (this.#announced.has(index) || this.#ranges.some(({ first, last }) => index >= first && index <= last))
    );
  }

  /**
   * @returns 'known' for a repetition, 'newest' for a ledger above all before
   * @throws SourceError malformed when it announced another hash for it
   */
  announce(ref: Required<LedgerRef>): 'known' | 'newest' | 'older' {
    const hash = hexOf(ref.hash);
    const known = this.#announced.get(ref.index);
    if (known !== undefined && known !== hash)
      throw new SourceError('malformed', `two hashes for ledger ${ref.index}`);
    if (known !== undefined) return 'known';
    this.#announced.set(ref.index, hash);
    if (this.#announced.size > this.#limits.announcements)
      for (const oldest of this.#announced.keys()) {
        this.#announced.delete(oldest);
        break;
      }
    if (this.#latest !== undefined && ref.index <= this.#latest) return 'older';
    this.#latest = ref.index;
    return 'newest';
  }

  /** May it be asked for this ledger now? @param now ms */
  mayBeAsked(index: number, now: number): boolean {
    if (this.#latest === undefined || index > this.#latest) return false;
    const doubt = this.#doubt;
    if (!doubt) return index <= this.#settled + 1 || this.debt(now) === 0;
    return index < doubt.index || (index === doubt.index && now >= doubt.askAfter);
  }

  /** It lets wait for this ledger: until it comes, what it announces beyond is not counted on. */
  doubt(index: number, now: number): void {
    if (this.#doubt) {
      this.#doubt.index = Math.min(this.#doubt.index, index);
      return;
    }
    this.#book(now);
    this.#doubt = { index, misses: 0, askAfter: now };
  }

  /** It did not deliver this ledger. @returns how often it was asked since it is in doubt */
  missed(index: number, now: number): number {
    this.doubt(index, now);
    const doubt = this.#doubt!;
    // Answers to what was asked before the first miss say nothing new.
    if (now >= doubt.askAfter) {
      const { claimPauseFirst, claimPauseMost } = this.#limits;
      doubt.askAfter = now + Math.min(claimPauseMost, claimPauseFirst * 2 ** Math.min(doubt.misses++, 16));
    }
    return doubt.misses;
  }

  /** Somebody delivered this ledger. @param own this endpoint did @param now ms */
  lift(index: number, own: boolean, now: number): void {
    this.#settled = Math.max(this.#settled, index);
    if (own) this.#delivered = Math.max(this.#delivered, index);
    if (!this.#doubt || index < this.#doubt.index) return;
    if (!own) this.#doubt.index = index + 1;
    else if (index === this.#doubt.index) {
      this.#book(now);
      this.#doubt = undefined;
    }
  }

  /** Another node may answer at the next connection: nothing of what this one said is kept. */
  clear(): void {
    this.#announced.clear();
    this.#latest = undefined;
    this.#ranges = [];
    this.#delivered = 0;
    this.#settled = 0;
    this.#doubt = undefined;
    this.#debt = 0;
  }

  #book(now: number): void {
    this.#debt = this.debt(now);
    this.#debtAt = now;
  }
}
