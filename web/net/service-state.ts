/**
 * Whether the service shows the present, and if not, why and for how long still.
 *
 *     starting   it opens, restores, migrates, takes a snapshot or catches up: /health names the stage and the share
 *     history    ledgers come far faster than the clock: a history is being made, or caught up with
 *     no node    no node gives new ledgers
 *     stale      a node answers, and is behind itself
 *
 * /health has no stream. It is asked when the pages open, and again only while the service is not ready or no ledger has
 * come for a while; a history is seen in the frames of the ledgers themselves.
 */
import { signal } from '@preact/signals';
import { newestLedger } from './ledger.ts';
import { type Answer, get } from './rest.ts';
import { TimeLeft } from './time-left.ts';

export type Health = Answer<'/health'>;

export type ServiceState =
  | { readonly kind: 'present' }
  | Working<'starting'>
  | Working<'history'>
  | { readonly kind: 'no node' | 'stale'; readonly health: Health };

interface Working<Kind> {
  readonly kind: Kind;
  readonly stage: string;
  /** 0 to 1; undefined where it is not known. */
  readonly share: number | undefined;
  readonly secondsLeft: number | undefined;
}

export const serviceState = signal<ServiceState>({ kind: 'present' });

const ASK_EVERY_MS = 2_000;
/** A ledger closes every 3 to 5 seconds. */
const QUIET_MS = 20_000;
/** Older than this is not the present, ms; and how much faster than the clock ledgers of a history come. */
const OLD_MS = 120_000;
const FASTER = 20;
/** How long the speed of ledgers is measured, ms. */
const MEASURED_MS = 3_000;

/** Follows it until the returned function is called; once, by the shell. */
export function followServiceState(): () => void {
  const follower = new Follower();
  const unsubscribe = newestLedger.subscribe((frame) => {
    if (frame) follower.ledger(frame.close_time, performance.now());
  });
  const timer = setInterval(() => void follower.tick(), ASK_EVERY_MS);
  void follower.ask();
  return () => {
    unsubscribe();
    clearInterval(timer);
  };
}

/**
 * When the history that is held begins, Unix ms: the close time of its second ledger, because the first one of a network has
 * none.
 */
async function beginOfHistory(): Promise<number | undefined> {
  const first = (await get('/ledger/at', { query: { time: 0 } })).value?.ledger_index;
  if (first === undefined) return undefined;
  const { value } = await get('/ledger/{index}', { query: { index: first + 1, transactions: false } });
  return value && Date.parse(value.close_time_iso);
}

class Follower {
  readonly #timeLeft = new TimeLeft();
  #heardAt = performance.now();
  #isAsking = false;
  /** Close time of a ledger, and when it came: where the speed is measured from. */
  #measured: { closeTime: number; at: number } | undefined;
  /** When the history that the service holds begins, Unix ms. */
  #begin: number | undefined;

  /** @param closeTime Unix ms */
  ledger(closeTime: number, now: number): void {
    this.#heardAt = now;
    this.#measured ??= { closeTime, at: now };
    const since = this.#measured;
    if (now - since.at < MEASURED_MS) return;
    const speed = (closeTime - since.closeTime) / (now - since.at);
    this.#measured = { closeTime, at: now };
    if (Date.now() - closeTime > OLD_MS && speed > FASTER) void this.#showHistory(closeTime);
    else if (serviceState.value.kind !== 'present') void this.ask();
  }

  async tick(): Promise<void> {
    const isQuiet = performance.now() - this.#heardAt > QUIET_MS;
    const { kind } = serviceState.value;
    if (!document.hidden && (isQuiet || (kind !== 'present' && kind !== 'history'))) await this.ask();
  }

  async ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const { value: health } = await get('/health');
    this.#isAsking = false;
    if (health) serviceState.value = this.#stateOf(health);
  }

  #stateOf(health: Health): ServiceState {
    const isUp = health.services.rippled.status === 'up';
    // It is said to catch up from its start on, also where there is nobody to catch up with.
    if (health.progress && (isUp || health.progress.stage !== 'catching up')) {
      const { stage, share } = health.progress;
      return this.#working('starting', stage, share ?? undefined);
    }
    if (health.ready) return { kind: 'present' };
    return { kind: isUp ? 'stale' : 'no node', health };
  }

  async #showHistory(closeTime: number): Promise<void> {
    this.#begin ??= await beginOfHistory();
    if (this.#begin === undefined) return;
    const share = (closeTime - this.#begin) / Math.max(1, Date.now() - this.#begin);
    serviceState.value = this.#working('history', 'history', share);
  }

  #working<Kind extends 'starting' | 'history'>(
    kind: Kind,
    stage: string,
    share: number | undefined,
  ): Working<Kind> {
    if (share !== undefined) this.#timeLeft.add(performance.now(), share, stage);
    return { kind, stage, share, secondsLeft: share === undefined ? undefined : this.#timeLeft.seconds };
  }
}
