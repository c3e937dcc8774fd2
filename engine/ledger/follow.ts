/**
 * The follow loop: from a source's claims to proved ledgers, strictly in order, each exactly once.
 *
 *     source.ledger(n+k) -> preparer (proof, change set)  |  window of ledgers in flight, any order
 *     ----------------------------------------------------+--------------------------------------
 *     take n -> parent link -> onLedger(n) -> n+1         |  one at a time, in order
 *
 * Goals: never emit a ledger that is not proved or does not link to its parent; never skip a ledger that may still
 * come; request missed ledgers as soon as the source knows of any later one (all indices up to it at once).
 * Non-goals: choosing endpoints (the source does that), keeping state (the caller's cursor is the place to continue).
 *
 * A ledger that does not link is refused, and with it every ledger in the window that descends from it or came from the
 * same sender. Otherwise each of them would be detected separately, each time followed by a pause.
 *
 * When a live source fails, requests are repeated without limit. When a source is not live, a missing range is a gap
 * (reported and skipped; the link across it cannot be checked, but same-chain.ts) and a false ledger ends the follower.
 */
import { hexOf, sameBytes } from '../codec/bytes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import type { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import type { Cursor } from '../store.ts';
import { type Clock, sleep } from './clock.ts';
import { FOLLOW_LIMITS } from './limits.ts';
import type { Prepared, Preparer } from './prepare.ts';
import { type FollowProgress, Progress } from './progress.ts';
import { type ChainPoint, cannotFollow, chainPoint, ofOtherNetwork } from './same-chain.ts';
import { type LedgerRange, type Source, SourceError } from './source.ts';

export interface FollowOptions {
  readonly source: Source;
  readonly preparer: Preparer;
  /** Last ledger of the durable state; undefined: nothing is stored yet. */
  readonly from: Cursor | undefined;
  /** When nothing is stored: begin this many ledgers before the newest. Infinity: at the oldest of the source. */
  readonly history: number;
  /** Maximum number of ledgers requested or prepared ahead of the one being emitted. */
  readonly window: number;
  /** Id of the network that a source which is not live must be of, as far as transactions show it; undefined: any. */
  readonly networkId?: number | undefined;
  /** Called in order, once per ledger; each call is awaited before the next. An error it throws ends the follower. */
  onLedger(prepared: Prepared): Promise<void> | void;
  /** The source will never have the ledgers `from` to `to` (both inclusive); called before the ledger after them. */
  onGap?(from: number, to: number): void;
  onProgress?(progress: FollowProgress): void;
  readonly log: Log;
  readonly counters: Counters;
  readonly clock: Clock;
  /** A fraction from 0 to 1, for jitter. */
  random(): number;
  /** Ends the follower after the current ledger. */
  readonly signal?: AbortSignal;
}

export interface FollowEnd {
  /** Ledgers emitted. */
  readonly done: number;
  /** Index of the last one, undefined when there was none. */
  readonly last: number | undefined;
}

/**
 * Follows a source until it ends (not live) or the signal aborts. The source must be open.
 * @throws RangeError for a window below 1; SourceError when a source that is not live has a false ledger; errors of
 * `onLedger` and of the preparer
 */
export async function follow(options: FollowOptions): Promise<FollowEnd> {
  return new Follower(options).run();
}

class Aborted extends Error {}

interface Slot {
  readonly ready: PromiseWithResolvers<Prepared>;
  /** Set when it is ready. */
  prepared?: Prepared;
}

class Follower {
  readonly #options: FollowOptions;
  readonly #stop = new AbortController();
  readonly #progress: Progress;
  readonly #slots = new Map<number, Slot>();
  /** Index to emit next, since when (ms), and the last one requested. */
  #next = 0;
  #nextSince = 0;
  #requested = 0;
  /** Hash of the ledger before `#next`; undefined when it is not known (at the start, after a gap). */
  #parent: Uint8Array | undefined;
  /** The last ledger before `#next`; undefined at the start. */
  #before: ChainPoint | undefined;
  #done = 0;
  #last: number | undefined;
  #refusals = 0;
  #wake: () => void = () => {};
  #hasNewLedger = false;
  /** Functions that end the running pauses between attempts. */
  readonly #pauses = new Set<() => void>();
  /** Newest index when the follower had last emitted everything known, and its value when ledgers were last missed. */
  #caughtUpAt: number | undefined;
  #missedAt: number | undefined;
  #gapLoggedAt = Number.NEGATIVE_INFINITY;
  #gapsNotLogged = 0;

  constructor(options: FollowOptions) {
    if (!(options.window >= 1)) throw new RangeError(`follow: window ${options.window}; at least 1`);
    this.#options = options;
    this.#progress = new Progress(options.clock, options.onProgress?.bind(options));
  }

  async run(): Promise<FollowEnd> {
    const { source, signal } = this.#options;
    const abort = () => this.#abort();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    const unsubscribe = source.onClosed(({ index }) => this.#onClosed(index));
    try {
      await this.#begin();
      while (!this.#stop.signal.aborted && (await this.#step()));
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
    } finally {
      unsubscribe();
      signal?.removeEventListener('abort', abort);
      this.#abort();
    }
    return { done: this.#done, last: this.#last };
  }

  /** Finds where to start, waiting until the source knows its newest ledger. */
  async #begin(): Promise<void> {
    const { source, from, history } = this.#options;
    if (from) {
      this.#next = from.index + 1;
      this.#parent = from.hash;
      this.#before = { index: from.index, closeTime: from.closeTime };
    } else {
      while (!source.latest() && source.live) await this.#idle();
      const range = source.range();
      if (!range) return;
      this.#next = Math.max(range.first, range.last - history);
    }
    this.#requested = this.#next - 1;
  }

  /** Emits one ledger, or waits for a new one. @returns false when the source has ended. */
  async #step(): Promise<boolean> {
    const { source } = this.#options;
    const newest = source.latest()?.index ?? 0;
    const first = this.#atOrAfter(this.#next);
    if (first === undefined || (first > newest && !this.#slots.has(first))) {
      if (!source.live) return false;
      this.#caughtUpAt = this.#next - 1;
      this.#progress.report(this.#done, 0, true);
      await this.#idle();
      return true;
    }
    if (first > this.#next) this.#skipGap(first);
    this.#countMissed(newest);
    this.#requestAhead(newest);
    if (!this.#slots.has(this.#next)) this.#request(this.#next);
    const prepared = await this.#slots.get(this.#next)!.ready.promise;
    const fault = this.#linkFault(prepared);
    if (fault !== undefined) {
      await this.#refuseLink(prepared, fault);
      return true;
    }
    await this.#emit(prepared, newest);
    return true;
  }

  async #emit(prepared: Prepared, newest: number): Promise<void> {
    const { packed } = prepared;
    this.#slots.delete(this.#next);
    await this.#options.onLedger(prepared);
    this.#parent = packed.hash;
    this.#before = chainPoint(packed);
    this.#last = this.#next++;
    this.#nextSince = this.#options.clock.now();
    this.#done++;
    this.#refusals = 0;
    this.#progress.report(this.#done, this.#remaining(newest), false);
  }

  /**
   * Requests as many ledgers as the window has room for, once it has room for a part of it: those that are requested
   * together come together, and cost each thread on their way one message.
   */
  #requestAhead(newest: number): void {
    const { window } = this.#options;
    if ((window - this.#slots.size) * FOLLOW_LIMITS.requestedAtOnce < window) return;
    while (this.#slots.size < window) {
      const index = this.#atOrAfter(Math.max(this.#requested + 1, this.#next));
      if (index === undefined || index > newest) break;
      if (!this.#slots.has(index)) this.#request(index);
      this.#requested = index;
    }
  }

  #request(index: number): void {
    const slot: Slot = { ready: Promise.withResolvers<Prepared>() };
    this.#slots.set(index, slot);
    // It may fail before it is awaited.
    slot.ready.promise.catch(() => {});
    this.#fetch(index).then((prepared) => {
      slot.prepared = prepared;
      slot.ready.resolve(prepared);
    }, slot.ready.reject);
  }

  /** Fetches and proves one ledger; tries until it succeeds. */
  async #fetch(index: number): Promise<Prepared> {
    const { source, preparer, counters, log, clock } = this.#options;
    const since = clock.now();
    let warnAfter: number = FOLLOW_LIMITS.warnAfter;
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) await this.#pause(attempt);
      if (this.#stop.signal.aborted) throw new Aborted();
      try {
        const packed = await this.#packed(index);
        const isNewest = source.live && index >= (source.latest()?.index ?? 0);
        const prepared = await preparer.prepare(packed, isNewest);
        if (prepared.fault === undefined && !source.refused?.(packed)) return prepared;
        if (prepared.fault !== undefined) {
          counters.ledgersRefused++;
          source.refuse(packed, prepared.fault);
        }
        throw new SourceError('false', `ledger ${index}: ${prepared.fault ?? 'its sender was refused'}`);
      } catch (error) {
        if (!(error instanceof SourceError) || !source.live || error.code === 'closed') throw error;
        const fields = { ledger: index, attempt, reason: error.message, range: source.range() };
        // Only for the next ledger to emit: requests ahead of it fail for the same reason. And only for the time in which
        // it was that one: a ledger may be requested long before it closes, because an endpoint announced it too early.
        if (index === this.#next && clock.now() - Math.max(since, this.#nextSince) >= warnAfter) {
          warnAfter *= 2;
          log.warn(fields, 'ledger still not delivered; requesting it again');
        } else log.debug(fields, 'ledger not delivered; requesting it again');
      }
    }
  }

  #packed(index: number): Promise<PackedLedger> {
    const { source } = this.#options;
    const isFirst = !this.#before && index === this.#next;
    return isFirst && source.firstLedger ? source.firstLedger(index) : source.ledger(index);
  }

  /** Why a ledger that passes the proof is not the next one; undefined: it is. */
  #linkFault({ packed }: Prepared): string | undefined {
    const { source, networkId } = this.#options;
    if (this.#parent && !sameBytes(packed.parentHash, 0, this.#parent, 0, 32))
      return `it is not the child of ledger ${this.#next - 1}`;
    const gapFault = !this.#parent && this.#before && cannotFollow(packed, this.#before);
    // Nodes say of which network they are.
    return (
      gapFault || (source.live || networkId === undefined ? undefined : ofOtherNetwork(packed, networkId))
    );
  }

  /** Refuses a ledger that passes the proof but is not the next one: of another chain, or invented. */
  async #refuseLink(prepared: Prepared, reason: string): Promise<void> {
    const { source, counters, log } = this.#options;
    counters.ledgersRefused++;
    // The source logs it at a higher level: it knows the sender.
    const parent = this.#parent && hexOf(this.#parent);
    log.debug({ ledger: this.#next, parent, times: ++this.#refusals }, reason);
    source.refuse(prepared.packed, reason);
    if (!source.live) throw new SourceError('false', `${source.name}: ledger ${this.#next}: ${reason}`);
    this.#dropRefused(prepared);
    await this.#pause(this.#refusals);
  }

  /** Drops the refused ledger, and the ready ones that descend from it or came from the same sender. */
  #dropRefused({ packed: { hash } }: Prepared): void {
    this.#slots.delete(this.#next);
    let parent = hash;
    for (let index = this.#next + 1; index <= this.#requested; index++) {
      const packed = this.#slots.get(index)?.prepared?.packed;
      if (!packed) continue;
      const descends = sameBytes(packed.parentHash, 0, parent, 0, 32);
      if (!descends && !this.#options.source.refused?.(packed)) continue;
      parent = packed.hash;
      this.#slots.delete(index);
    }
    this.#requested = this.#next - 1;
  }

  #skipGap(first: number): void {
    this.#options.onGap?.(this.#next, first - 1);
    this.#next = first;
    this.#parent = undefined;
  }

  /** The first index at or above `index` that the source can ever have. */
  #atOrAfter(index: number): number | undefined {
    const ranges = this.#ranges();
    if (!ranges) return index;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ranges[middle]!.last < index) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low];
    return range && Math.max(range.first, index);
  }

  #ranges(): readonly LedgerRange[] | undefined {
    return this.#options.source.ranges?.();
  }

  #remaining(newest: number): number {
    const ranges = this.#ranges();
    if (!ranges) return Math.max(0, newest - this.#next + 1);
    return ranges.reduce(
      (sum, { first, last }) => sum + Math.max(0, last - Math.max(first, this.#next) + 1),
      0,
    );
  }

  /** More than one new ledger since everything was emitted: announcements were lost; the ledgers are requested now. */
  #countMissed(newest: number): void {
    if (this.#caughtUpAt === undefined) return;
    // A source that connects and disconnects would count the same missed ledgers repeatedly.
    if (newest > this.#caughtUpAt + 1 && this.#caughtUpAt !== this.#missedAt) {
      this.#missedAt = this.#caughtUpAt;
      this.#options.counters.gapsRepaired++;
      this.#logGap(this.#caughtUpAt + 1, newest);
    }
    this.#caughtUpAt = undefined;
  }

  /** `others`: gaps since the last line that have none of their own. */
  #logGap(from: number, to: number): void {
    const { clock, log } = this.#options;
    const now = clock.now();
    const isShown = now - this.#gapLoggedAt >= FOLLOW_LIMITS.gapLineEvery;
    const others = isShown && this.#gapsNotLogged > 0 ? { others: this.#gapsNotLogged } : {};
    log[isShown ? 'info' : 'debug']({ from, to, ...others }, 'gap: requesting all ledgers in it');
    this.#gapsNotLogged = isShown ? 0 : this.#gapsNotLogged + 1;
    if (isShown) this.#gapLoggedAt = now;
  }

  #onClosed(index: number): void {
    if (this.#last !== undefined && index <= this.#last) this.#options.counters.duplicatesDropped++;
    this.#hasNewLedger = true;
    this.#wake();
    // The next ledger is requested while the previous one is awaited; so even a slow node can be followed.
    if (this.#slots.size > 0) this.#requestAhead(this.#options.source.latest()?.index ?? 0);
    // A ledger that no endpoint had a moment ago may be available now.
    for (const wake of [...this.#pauses]) wake();
  }

  /** Waits for a closed ledger, at most `FOLLOW_LIMITS.idle`. */
  async #idle(): Promise<void> {
    if (!this.#hasNewLedger && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.clock.timer(FOLLOW_LIMITS.idle, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#hasNewLedger = false;
  }

  #pause(attempt: number): Promise<void> {
    const { clock, random } = this.#options;
    const longest = Math.min(
      FOLLOW_LIMITS.retryMax,
      FOLLOW_LIMITS.retryFirst * 2 ** Math.min(attempt - 1, 10),
    );
    const wake = new AbortController();
    const end = () => wake.abort();
    this.#pauses.add(end);
    return sleep(clock, longest * (0.5 + random() / 2), wake.signal).finally(() => this.#pauses.delete(end));
  }

  #abort(): void {
    this.#stop.abort();
    for (const { ready } of this.#slots.values()) ready.reject(new Aborted());
    for (const wake of [...this.#pauses]) wake();
    this.#wake();
  }
}
