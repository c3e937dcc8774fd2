/**
 * Whether what the service shows is the present, and whether its source is heard at all. It says so in `network.ready` and
 * `network.sourceAlive`, for /health and /metrics, and writes each change into the log, with its reason.
 *
 *     live source    one rule: the present is shown when the source stands where the engine does, or at most a moment's
 *                    ledgers further, and the head has moved a while ago. That does not hold for FALL_AFTER_MS: not
 *                    ready. It holds again for RISE_AFTER_MS: ready.
 *     recording      up to its end it is the past; from then on it is all there will be
 *
 * A ledger that is announced and still being fetched is the normal state of a second in every four, and a network that
 * makes its history closes hundreds a second: readiness does not follow each of them, or whoever routes by it would flap.
 */

import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../engine/ledger/clock.ts';
import { LIMITS } from '../engine/ledger/limits.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { Log } from '../engine/log.ts';
import type { Network } from '../views/network.ts';

/** Ledgers that may wait while ready: the one being fetched, and one more that closed meanwhile. */
const WAITING_MAX = 2;
/** A ledger that is known for longer than one takes to close (3 to 5 s) is late. */
export const FALL_AFTER_MS = 5_000;
/** A service that has not been ready for so long logs once what it waits for. */
const NOTICE_AFTER_MS = 60_000;
/** Once it fell, it must hold for so long again: half the time in which the next ledger comes. */
export const RISE_AFTER_MS = 2_000;
/** An endpoint that is silent for so many times what it may be has been asked again and left. */
const SILENCES = 2;
/** Sources die without a word: how often to look. */
const LOOK_EVERY_MS = 250;

export interface ReadinessParts {
  readonly network: Pick<Network, 'behind' | 'ready' | 'sourceAlive'> & {
    readonly engine: Pick<Engine, 'head'>;
  };
  readonly source: Pick<Source, 'live' | 'latest' | 'onClosed'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the source may tell of no new ledger, ms; undefined: as long as a public node. */
  readonly silence: number | undefined;
}

/** Why what is shown is not the present. */
interface Lack {
  readonly reason: string;
  /** Ledger index the engine stands at, and the newest of the source. */
  readonly ours: number | undefined;
  readonly source: number | undefined;
}

export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #unsubscribe: () => void;
  #cancelTimer: () => void = () => {};
  /** When an endpoint was last up, the source last told of a ledger, and the head last moved, ms. */
  #upAt = Number.NEGATIVE_INFINITY;
  #heardAt: number;
  #movedAt: number;
  #head: number | undefined;
  /** Since when the rule says otherwise than `ready` does, ms. */
  #differsSince: number | undefined;
  #wasReady = false;
  readonly #startedAt: number;
  #isNoticed = false;
  #ended = false;
  #stopped = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.#heardAt = this.#startedAt;
    this.#movedAt = this.#heardAt;
    this.#unsubscribe = parts.source.onClosed(() => {
      this.#heardAt = parts.clock.now();
    });
    this.#arm();
  }

  /** A recording has no further ledgers. */
  end(): void {
    this.#ended = true;
    this.look();
  }

  /** Not ready from now on. */
  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#unsubscribe();
    this.look();
  }

  /** Call after each ledger. */
  look(): void {
    const { network, source, clock } = this.#parts;
    const { head } = network.engine;
    if (head?.index !== this.#head) this.#movedAt = clock.now();
    this.#head = head?.index;
    if (source.latest() !== undefined) this.#upAt = clock.now();
    network.sourceAlive = !this.#stopped && this.#isHeard();
    if (this.#stopped) network.ready = false;
    else if (source.live) this.#follow();
    else network.ready = this.#ended || this.#isLast();
  }

  #arm(): void {
    this.#cancelTimer = this.#parts.clock.timer(LOOK_EVERY_MS, () => {
      this.look();
      this.#arm();
    });
  }

  #isLast(): boolean {
    const { network, source } = this.#parts;
    const { engine } = network;
    return engine.head !== undefined && engine.head.index >= (source.latest()?.index ?? 0);
  }

  /** Some endpoint is up, or was a moment ago, and told of a new ledger lately. */
  #isHeard(): boolean {
    return this.#parts.clock.now() - this.#upAt < FALL_AFTER_MS && this.#isRecent(this.#heardAt);
  }

  #isRecent(at: number): boolean {
    const { clock, silence = LIMITS.silence } = this.#parts;
    return clock.now() - at <= SILENCES * silence;
  }

  /** Makes `ready` follow the rule once it has said otherwise for long enough. */
  #follow(): void {
    const { network, clock, log } = this.#parts;
    const { engine } = network;
    const lack = this.#lack();
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
      return lack(`the source stands at ledger ${theirs}, behind ledger ${ours} that is held already`);
    if (theirs - ours > WAITING_MAX) return lack(`ledgers ${ours + 1} to ${theirs} are waiting`);
    if (latest?.hash && theirs === ours && latest.hash.toHex().toUpperCase() !== engine.head?.hash)
      return lack(`the source has another ledger ${ours} than the one that is held`);
    if (!this.#isRecent(this.#movedAt)) return lack(`no ledger came after ledger ${ours}`);
    return undefined;
  }
}
