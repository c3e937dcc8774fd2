/**
 * Which ledgers one endpoint claims to have, on one connection, and how far it has confirmed that by delivering them.
 *
 *     announced, ranges --------> claimed ledgers        not confirmed yet
 *     missed(index) ------------> doubt at that index    the ledger was requested and not delivered
 *     onDelivered(index, own) --> no doubt               when this endpoint delivers that same ledger; a later ledger
 *                                                        proves nothing about the missing one
 *     onDelivered(index, other) > doubt at index + 1     another endpoint delivered it: it exists, more is not known
 *
 * While an endpoint is in doubt, no ledger above the doubted one is requested from it, and the doubted one only with
 * pauses that double. So a false claim, however far ahead, costs one request per pause.
 *
 * The time spent in doubt is counted as debt; time without doubt reduces it (`debtDecay`). An endpoint that announces
 * each ledger long before it can deliver it accumulates debt although it delivers. While it has debt, only one ledger
 * ahead is requested from it.
 */
import { hexOf } from '../codec/bytes.ts';
import type { Limits } from './limits.ts';
import { type LedgerRange, type LedgerRef, SourceError } from './source.ts';

/** Announcements that overtake each other are so far apart at most. */
const OUT_OF_ORDER_MAX = 2;

interface Doubt {
  /** The lowest ledger it did not deliver. */
  index: number;
  misses: number;
  /** When that ledger may be requested again, ms. */
  requestAfter: number;
}

export class Claims {
  readonly #limits: Limits;
  /** Ledger index -> hash as announced, hex; bounded, oldest first. */
  readonly #announced = new Map<number, string>();
  #latest: number | undefined;
  #ranges: readonly LedgerRange[] = [];
  #delivered = 0;
  /** Newest ledger that any endpoint delivered. */
  #newestDelivered = 0;
  #doubt: Doubt | undefined;
  /** ms in doubt minus the reduction, as of `#debtAt` (ms). */
  #debt = 0;
  #debtAt = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Newest ledger index it announced and has not taken back. */
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

  /** Newest ledger it announced that is not in doubt. @param now ms */
  undoubted(now: number): number | undefined {
    if (this.#latest === undefined) return undefined;
    if (this.#doubt) return Math.min(this.#latest, this.#doubt.index - 1);
    return this.debt(now) > 0 ? Math.min(this.#latest, this.#newestDelivered + 1) : this.#latest;
  }

  /** ms that it was in doubt, minus the reduction. @param now ms */
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

  /** Whether it claims to have this ledger. */
  has(index: number): boolean {
    return (
      this.#latest !== undefined &&
      index <= this.#latest &&
      (this.#announced.has(index) || this.#ranges.some(({ first, last }) => index >= first && index <= last))
    );
  }

  /**
   * @returns 'known' for a repetition, 'newest' for a ledger above all earlier ones
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
    if (this.#latest !== undefined && ref.index <= this.#latest && !this.#takesBack(ref.index, this.#latest))
      return 'older';
    this.#latest = ref.index;
    return 'newest';
  }

  /**
   * Ledgers close one after another: an endpoint that announced one far ahead, and then goes on after those that were
   * delivered, has taken the former back. One that lacks the ledgers between would go on after the former.
   */
  #takesBack(index: number, latest: number): boolean {
    if (index < this.#newestDelivered || latest - index <= OUT_OF_ORDER_MAX) return false;
    for (const ahead of this.#announced.keys()) if (ahead > index) this.#announced.delete(ahead);
    return true;
  }

  /** Whether this ledger may be requested from it now. @param now ms */
  mayRequest(index: number, now: number): boolean {
    if (this.#latest === undefined || index > this.#latest) return false;
    const doubt = this.#doubt;
    if (!doubt) return index <= this.#newestDelivered + 1 || this.debt(now) === 0;
    return index < doubt.index || (index === doubt.index && now >= doubt.requestAfter);
  }

  /** It is late with this ledger: until it delivers it, its later announcements do not count. */
  doubt(index: number, now: number): void {
    if (this.#doubt) {
      this.#doubt.index = Math.min(this.#doubt.index, index);
      return;
    }
    this.#updateDebt(now);
    this.#doubt = { index, misses: 0, requestAfter: now };
  }

  /** It did not deliver this ledger. @returns number of requests since the doubt began */
  missed(index: number, now: number): number {
    this.doubt(index, now);
    const doubt = this.#doubt!;
    // Requests sent before the first miss fail for the same reason; they are not counted again.
    if (now >= doubt.requestAfter) {
      const { claimPauseFirst, claimPauseMax } = this.#limits;
      doubt.requestAfter = now + Math.min(claimPauseMax, claimPauseFirst * 2 ** Math.min(doubt.misses++, 16));
    }
    return doubt.misses;
  }

  /** An endpoint delivered this ledger. @param own it was this endpoint @param now ms */
  onDelivered(index: number, own: boolean, now: number): void {
    this.#newestDelivered = Math.max(this.#newestDelivered, index);
    if (own) this.#delivered = Math.max(this.#delivered, index);
    if (!this.#doubt || index < this.#doubt.index) return;
    if (!own) this.#doubt.index = index + 1;
    else if (index === this.#doubt.index) {
      this.#updateDebt(now);
      this.#doubt = undefined;
    }
  }

  /** Forgets all claims: on the next connection another node may answer. */
  clear(): void {
    this.#announced.clear();
    this.#latest = undefined;
    this.#ranges = [];
    this.#delivered = 0;
    this.#newestDelivered = 0;
    this.#doubt = undefined;
    this.#debt = 0;
  }

  #updateDebt(now: number): void {
    this.#debt = this.debt(now);
    this.#debtAt = now;
  }
}
