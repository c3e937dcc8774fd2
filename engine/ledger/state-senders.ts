/**
 * Which endpoints may send the state of a snapshot, by what came of earlier ones. Only the end of a snapshot shows whether the
 * state is true, and then not which part of it is false:
 *
 *     false, of one sender      -> it is asked for no other snapshot, unless every endpoint has sent a false one
 *     false, of several senders -> from then on one endpoint sends the whole of a snapshot: the next false one has one sender
 *     false, of every endpoint  -> none is asked for a while, which doubles each time: the next one is likely to be false, too
 */
import { SourceError } from './source.ts';

/** First and longest time in which none is asked, ms. */
const PAUSE_MS = 2_000;
const PAUSE_MAX_MS = 10 * 60_000;

export class StateSenders {
  readonly #current = new Set<string>();
  readonly #refused = new Set<string>();
  #isAlone = false;
  #pause = 0;
  /** None is asked before this time, ms. */
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** A new connection to the endpoints: who sent what is in the store so far is not known. */
  begin(): void {
    this.#current.clear();
  }

  /** @param now ms. @throws SourceError while no endpoint is to be asked for a new snapshot */
  checkPause(now: number): void {
    if (now >= this.#pausedUntil) return;
    const seconds = Math.round(this.#pause / 1000);
    throw new SourceError(
      'unreachable',
      `every node that is named sent false state: asked again after ${seconds} s; name others with --source`,
    );
  }

  /** @throws SourceError when this endpoint may not send, or continue, a snapshot */
  check(name: string, continues: boolean): void {
    if (this.#refused.has(name)) throw new SourceError('missing', `${name} sent false state before`);
    const [first] = this.#current;
    if (continues && this.#isAlone && first !== undefined && first !== name)
      throw new SourceError('unreachable', `waiting for ${first}, which sent the state so far`);
  }

  /** It sends a snapshot, or continues one. */
  add(name: string, continues: boolean): void {
    if (!continues) this.#current.clear();
    this.#current.add(name);
  }

  /** What they sent was false. @param all names of all endpoints. @param now ms. @returns names of the senders */
  refuse(all: readonly string[], now: number): readonly string[] {
    const senders = [...this.#current];
    this.#current.clear();
    if (senders.length > 1) this.#isAlone = true;
    else for (const name of senders) this.#refused.add(name);
    if (all.every((name) => this.#refused.has(name))) {
      this.#refused.clear();
      this.#pause = Math.min(Math.max(2 * this.#pause, PAUSE_MS), PAUSE_MAX_MS);
      this.#pausedUntil = now + this.#pause;
    }
    return senders;
  }
}
