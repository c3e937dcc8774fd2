/**
 * Whether what a network shows is the present, and whether its source is alive at all. Sets `network.ready` and
 * `network.sourceAlive`, for /health and /metrics, and writes each change into the log, with its reason.
 *
 *     live source    one rule: the present is shown when the source is at the ledger of the engine, or at most
 *                    WAITING_MAX ledgers further, and the head has moved lately. Not ready: the rule has not held for
 *                    FALL_AFTER_MS. Ready: it has held again for RISE_AFTER_MS.
 *     recording      up to its end it is the past; from then on it is all there will be
 *
 * A ledger that is announced and still being fetched is the normal state of a second in every four, and a network that
 * makes its history closes hundreds a second: readiness does not follow each of them, or load balancers would flap.
 */

import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../engine/ledger/clock.ts';
import { LIMITS } from '../engine/ledger/limits.ts';
import type { LedgerRange, Source } from '../engine/ledger/source.ts';
import type { Log } from '../engine/log.ts';
import type { Network } from '../views/network.ts';

/** Ledgers that may wait while ready: the one being fetched, and one more that closed meanwhile. */
const WAITING_MAX = 2;
/** A ledger that is known for longer than one takes to close (3 to 5 s) is late. */
export const FALL_AFTER_MS = 5_000;
/** A service that has not been ready for so long logs once what it waits for. */
const NOTICE_AFTER_MS = 60_000;
/** Once it does not hold, it must hold for this long again: half the time in which the next ledger comes. */
export const RISE_AFTER_MS = 2_000;
/** An endpoint that is silent for this many times the limit has been asked again and given up. */
const SILENCES = 2;
/** Sources may end without an event: how often to look. */
const UPDATE_EVERY_MS = 250;

export interface ReadinessParts {
  readonly network: Pick<Network, 'behind' | 'ready' | 'sourceAlive' | 'lack'> & {
    readonly engine: Pick<Engine, 'head'>;
  };
  readonly source: Pick<Source, 'live' | 'latest' | 'range' | 'onClosed'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the source may announce no new ledger, ms; undefined: as long as a public node. */
  readonly silence: number | undefined;
}

/** Why what is shown is not the present. */
interface Lack {
  readonly reason: string;
  /** Newest ledger index of the engine, and of the source. */
  readonly ours: number | undefined;
  readonly source: number | undefined;
}

export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #unsubscribe: () => void;
  #cancelTimer: () => void = () => {};
  /** When an endpoint was last up, the source last announced a ledger, and the head last moved, ms. */
  #upAt = Number.NEGATIVE_INFINITY;
  #announcedAt: number;
  #movedAt: number;
  #head: number | undefined;
  /** Since when the rule and `ready` differ, ms. */
  #differsSince: number | undefined;
  #wasReady = false;
  readonly #startedAt: number;
  #isNoticed = false;
  #ended = false;
  #stopped = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.#announcedAt = this.#startedAt;
    this.#movedAt = this.#announcedAt;
    this.#unsubscribe = parts.source.onClosed(() => {
      this.#announcedAt = parts.clock.now();
    });
    this.#arm();
  }

  /** A recording has no further ledgers. */
  end(): void {
    this.#ended = true;
    this.update();
  }

  /** Not ready from now on. */
  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#unsubscribe();
    this.update();
  }

  /** Call after each ledger. */
  update(): void {
    const { network, source, clock } = this.#parts;
    const { head } = network.engine;
    if (head?.index !== this.#head) this.#movedAt = clock.now();
    this.#head = head?.index;
    if (source.latest() !== undefined) this.#upAt = clock.now();
    network.sourceAlive = !this.#stopped && this.#isSourceAlive();
    if (this.#stopped) {
      network.ready = false;
      network.lack = 'it follows no further: the log says why';
    } else if (source.live) this.#follow();
    else network.ready = this.#ended || this.#isLast();
  }

  #arm(): void {
    this.#cancelTimer = this.#parts.clock.timer(UPDATE_EVERY_MS, () => {
      this.update();
      this.#arm();
    });
  }

  #isLast(): boolean {
    const { network, source } = this.#parts;
    const { engine } = network;
    return engine.head !== undefined && engine.head.index >= (source.latest()?.index ?? 0);
  }

  /** Some endpoint is up, or was a moment ago, and has announced a new ledger lately. */
  #isSourceAlive(): boolean {
    return this.#parts.clock.now() - this.#upAt < FALL_AFTER_MS && this.#isRecent(this.#announcedAt);
  }

  #isRecent(at: number): boolean {
    const { clock, silence = LIMITS.silence } = this.#parts;
    return clock.now() - at <= SILENCES * silence;
  }

  /** Makes `ready` follow the rule once they have differed for long enough. */
  #follow(): void {
    const { network, clock, log } = this.#parts;
    const { engine } = network;
    const lack = this.#lack();
    network.lack = lack?.reason;
    if (lack) this.#noticeOnce(lack);
    if ((lack === undefined) === network.ready) {
      this.#differsSince = undefined;
      return;
    }
    const now = clock.now();
    this.#differsSince ??= now;
    if (now - this.#differsSince < this.#patience()) return;
    this.#differsSince = undefined;
    network.ready = lack === undefined;
    if (lack) log.warn(lack, 'not ready: what is shown is not the present');
    else if (this.#wasReady) log.info({ ledger: engine.head?.index }, 'ready again');
    else log.info({ ledger: engine.head?.index }, 'ready');
    this.#wasReady = true;
  }

  #noticeOnce(lack: Lack): void {
    const { clock, log } = this.#parts;
    if (this.#wasReady || this.#isNoticed || clock.now() - this.#startedAt < NOTICE_AFTER_MS) return;
    this.#isNoticed = true;
    log.info(lack, 'not ready yet: what is shown is not the present');
  }

  /** How long the rule must differ from `ready`, ms. The first time, with nothing waiting, there is nothing to flap from. */
  #patience(): number {
    const { network } = this.#parts;
    if (network.ready) return FALL_AFTER_MS;
    return this.#wasReady || network.behind > 0 ? RISE_AFTER_MS : 0;
  }

  #lack(): Lack | undefined {
    const { network, source } = this.#parts;
    const { engine } = network;
    const latest = source.latest();
    const [ours, theirs] = [engine.head?.index, latest?.index];
    const lack = (reason: string): Lack => ({ reason, ours, source: theirs });
    if (ours === undefined) return lack('no ledger is held yet');
    if (theirs === undefined) return lack('no endpoint is up');
    if (theirs < ours)
      return lack(`the source is at ledger ${theirs}, behind ledger ${ours} that is held already`);
    if (theirs - ours > WAITING_MAX) return lack(waiting(ours + 1, theirs, source.range()));
    if (latest?.hash && theirs === ours && latest.hash.toHex().toUpperCase() !== engine.head?.hash)
      return lack(`the source has another ledger ${ours} than the one that is held`);
    if (!this.#isRecent(this.#movedAt)) return lack(`no ledger came after ledger ${ours}`);
    return undefined;
  }
}

/** Why the ledgers from `next` on do not come. @param range what the endpoints say that they have */
function waiting(next: number, newest: number, range: LedgerRange | undefined): string {
  return range && range.first > next
    ? `no endpoint says that it has ledger ${next}: they have ${range.first} to ${range.last}`
    : `ledgers ${next} to ${newest} are waiting`;
}
