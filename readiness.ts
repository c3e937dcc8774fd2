/**
 * Whether what the service shows is the present, and whether its source is heard at all. It says so in `engine.ready` and
 * `engine.fed`, for /health and /metrics.
 *
 *     live source    rises when everything known is applied; falls when more than a moment's ledgers wait, when no
 *                    endpoint is up, or when none has told of a new ledger for a while
 *     recording      up to its end it is the past; from then on it is all there will be
 *
 * A ledger that is announced and still being fetched is the normal state of a second in every four: it does not make
 * readiness fall, or whoever routes by it would flap with every close.
 */
import type { Engine } from './engine/engine.ts';
import { LIMITS } from './engine/ledger/limits.ts';
import type { Source } from './engine/ledger/source.ts';

/** Ledgers that may wait while ready: the one being fetched, and one more that closed meanwhile. */
const WAITING_MAX = 2;
/** An endpoint that is silent for so many times what it may be has been asked again and left. */
const SILENCES = 2;
/** Sources die without a word: how often to look. */
const LOOK_EVERY_MS = 250;

export interface ReadinessParts {
  readonly engine: Engine;
  readonly source: Source;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** How long the source may tell of no new ledger, ms; undefined: as long as a public node. */
  readonly silence: number | undefined;
}

export class Readiness {
  readonly #parts: ReadinessParts;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #unsubscribe: () => void;
  #heardAt: number;
  #ended = false;
  #stopped = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
    this.#heardAt = parts.now();
    this.#unsubscribe = parts.source.onClosed(() => {
      this.#heardAt = parts.now();
    });
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** A recording has no further ledgers. */
  end(): void {
    this.#ended = true;
    this.look();
  }

  /** Not ready from now on. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.look();
  }

  /** Call after each ledger. */
  look(): void {
    const { engine, source } = this.#parts;
    engine.fed = !this.#stopped && this.#isHeard();
    engine.ready = !this.#stopped && (source.live ? this.#isPresent() : this.#ended || this.#isLast());
  }

  #isLast(): boolean {
    const { engine, source } = this.#parts;
    return engine.head !== undefined && engine.head.index >= (source.latest()?.index ?? 0);
  }

  /** Some endpoint is up and told of a new ledger a moment ago. */
  #isHeard(): boolean {
    const { source, now, silence = LIMITS.silence } = this.#parts;
    return source.latest() !== undefined && now() - this.#heardAt <= SILENCES * silence;
  }

  #isPresent(): boolean {
    const { engine } = this.#parts;
    if (!engine.head || !this.#isHeard()) return false;
    return engine.behind <= (engine.ready ? WAITING_MAX : 0);
  }
}
