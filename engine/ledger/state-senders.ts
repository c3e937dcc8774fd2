/**
 * Which endpoints may send the state of a snapshot, by what came of earlier ones. Only the end of a snapshot shows whether the
 * state is true, and then not which part of it is false:
 *
 *     false, of one sender      -> it is asked for no other snapshot, unless every endpoint has sent a false one
 *     false, of several senders -> from then on one endpoint sends the whole of a snapshot: the next false one has one sender
 */
import { SourceError } from './source.ts';

export class StateSenders {
  readonly #current = new Set<string>();
  readonly #refused = new Set<string>();
  #isAlone = false;

  /** A new connection to the endpoints: who sent what is in the store so far is not known. */
  begin(): void {
    this.#current.clear();
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

  /** What they sent was false. @param all names of all endpoints. @returns names of the senders */
  refuse(all: readonly string[]): readonly string[] {
    const senders = [...this.#current];
    this.#current.clear();
    if (senders.length > 1) this.#isAlone = true;
    else for (const name of senders) this.#refused.add(name);
    if (all.every((name) => this.#refused.has(name))) this.#refused.clear();
    return senders;
  }
}
