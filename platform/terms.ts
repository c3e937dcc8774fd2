/**
 * The paid terms of a wallet, one after another without a gap from the running one on. The higher tier runs first: buying
 * it suspends a lower one, whose rest follows. Buying a tier again makes its term longer. No paid day is ever lost.
 *
 *     developer |=====|            buy business:  business |=======| developer |===|
 *               ^ now                                      ^ now
 *
 * Nothing happens when a term ends: which one runs follows from the time alone.
 */
import { DAY_MS } from '../engine/ripple-time.ts';

/** Tiers that are sold, the lowest first. */
export const SOLD_TIERS = ['developer', 'business', 'professional'] as const;
export type SoldTier = (typeof SOLD_TIERS)[number];

/** Days of a term (section 8.3 of the contract). */
export const TERM_DAYS = { monthly: 30, yearly: 365 } as const;
export type Billing = keyof typeof TERM_DAYS;

/** A plan has room for no more than some twenty terms. */
const ENDED_BY_CLOCK_MAX = 6;

/** Ledgers may close some seconds ahead of the clock, or behind it; one that is so far from those of the present is wrong. */
const WRONG_MS = 3_600_000;

/**
 * The time that terms and cycles of credits run by, Unix ms: the clock, or, where that is wrong, the newest ledger. A clock that is ahead
 * would end terms that run, until it is right again.
 * @param present when the newest ledger closed, of a network that shows the present; undefined: none does
 */
export const termTime = (clock: number, present: number | undefined): number =>
  present !== undefined && Math.abs(clock - present) > WRONG_MS ? present : clock;

/**
 * When a term begins that is bought now, Unix ms: by the clock, which it runs by. A cycle of credits that began in the future would
 * begin again when its time has come. By the newest ledger where the clock is far behind: the term would be over once it is right.
 */
export const beginningAt = (clock: number, closedAt: number): number =>
  closedAt - clock > WRONG_MS ? closedAt : clock;

/** When something is bought or given back. */
export interface Moment {
  /** Unix ms. */
  readonly now: number;
  /** Unix ms that has certainly gone by, where the clock may be ahead: what is over by then is over for good. */
  readonly past: number;
}

export interface Term {
  readonly tier: SoldTier;
  /** As it was bought last. */
  readonly billing: Billing;
  /** Unix ms. */
  readonly start: number;
  /** Unix ms: the first at which it does not run. */
  readonly end: number;
}

/** There is no gap before the first one that has not ended: its start may be later where the clock was set back. @param now Unix ms */
export function runningTerm(terms: readonly Term[], now: number): Term | undefined {
  return terms.find(({ end }) => now < end);
}

/** The terms after one more has been bought; those that have ended are left out. */
export function withTerm(
  terms: readonly Term[],
  tier: SoldTier,
  billing: Billing,
  at: Moment,
): readonly Term[] {
  const left = terms.filter(({ end }) => end > at.now);
  return [...endedByClock(terms, at), ...joined(left, tier, billing, at.now)];
}

/**
 * Terms that have ended by the clock, and not yet when the newest ledger closed: the clock may be ahead. They stay, and run
 * again where it was.
 */
const endedByClock = (terms: readonly Term[], { now, past }: Moment): readonly Term[] =>
  terms.filter(({ end }) => end <= now && end > past).slice(-ENDED_BY_CLOCK_MAX);

/** @param left terms that have not ended */
function joined(left: readonly Term[], tier: SoldTier, billing: Billing, now: number): readonly Term[] {
  const ms = TERM_DAYS[billing] * DAY_MS;
  const same = left.findIndex((term) => term.tier === tier);
  if (same >= 0) {
    const longer = { ...left[same]!, billing, end: left[same]!.end + ms };
    return [...left.slice(0, same), longer, ...later(left.slice(same + 1), ms)];
  }
  const rank = SOLD_TIERS.indexOf(tier);
  const found = left.findIndex((term) => SOLD_TIERS.indexOf(term.tier) < rank);
  const at = found < 0 ? left.length : found;
  const start = at === 0 ? now : left[at - 1]!.end;
  // What has run of the first one is over.
  const rest = left.slice(at).map((term, i) => (at + i === 0 ? { ...term, start: now } : term));
  return [...left.slice(0, at), { tier, billing, start, end: start + ms }, ...later(rest, ms)];
}

/** The terms after one was given back, as far as it has not run; those behind it begin sooner. */
export function withoutTerm(
  terms: readonly Term[],
  tier: SoldTier,
  billing: Billing,
  at: Moment,
): readonly Term[] {
  const { now } = at;
  const ended = endedByClock(terms, at);
  const left = terms.filter(({ end }) => end > now);
  const place = left.findIndex((term) => term.tier === tier);
  const term = left[place];
  if (!term) return [...ended, ...left];
  const from = Math.max(term.start, now);
  const ms = Math.min(TERM_DAYS[billing] * DAY_MS, term.end - from);
  const rest = term.end - ms > from ? [{ ...term, end: term.end - ms }] : [];
  return [...ended, ...left.slice(0, place), ...rest, ...later(left.slice(place + 1), -ms)];
}

const later = (terms: readonly Term[], ms: number): Term[] =>
  terms.map((term) => ({ ...term, start: term.start + ms, end: term.end + ms }));
