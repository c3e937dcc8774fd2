/**
 * The pending requests of one endpoint: a limited number in flight, each with a time-out, the rest in a queue.
 * The time-out adapts to the endpoint's response times, unless the command is known to take longer.
 */
import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import type { Json } from './node-messages.ts';
import { ResponseTime } from './response-time.ts';
import { type NodeCommand, SourceError } from './source.ts';

interface Pending {
  readonly answered: (response: Json) => void;
  readonly reject: (error: SourceError) => void;
  readonly cancel: () => void;
}

export interface RequestsContext {
  /** Host of the endpoint, for errors. */
  readonly name: string;
  readonly clock: Clock;
  readonly limits: Limits;
  /** A request that was sent at `sent` (ms) got no answer in time. */
  onTimeout(sent: number): void;
}

export class Requests {
  readonly responseTime: ResponseTime;
  readonly #context: RequestsContext;
  readonly #pending = new Map<number, Pending>();
  /** Requests that timed out: id -> when they were sent, ms. Their late answers still update the response time. */
  readonly #late = new Map<number, number>();
  readonly #queue: (() => void)[] = [];
  #nextId = 1;

  constructor(context: RequestsContext) {
    this.#context = context;
    this.responseTime = new ResponseTime(context.limits);
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** Undefined when one more may be sent now; otherwise resolves when to check again. */
  full(): Promise<void> | undefined {
    if (this.#pending.size < this.#context.limits.requestsInFlight) return undefined;
    return new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  /**
   * @param timeout minimum ms to wait
   * @throws SourceError timeout, or what `end` is called with
   */
  send(command: NodeCommand, timeout: number | undefined, write: (text: string) => void): Promise<Json> {
    const id = this.#nextId++;
    const { clock, name, onTimeout } = this.#context;
    const sent = clock.now();
    const usual = this.responseTime.timeout;
    return new Promise<Json>((resolve, reject) => {
      const answered = (response: Json) => {
        if (timeout === undefined) this.responseTime.answered(clock.now() - sent);
        resolve(response);
      };
      const cancel = clock.timer(Math.max(usual, timeout ?? 0), () => {
        this.#take(id)?.reject(new SourceError('timeout', `${name}: no answer to ${command.command}`));
        if (timeout === undefined) this.#expired(id, sent, usual);
        onTimeout(sent);
      });
      this.#pending.set(id, { answered, reject, cancel });
      try {
        write(JSON.stringify({ ...command, id }));
      } catch {
        this.#take(id)?.reject(new SourceError('unreachable', `${name} is down`));
      }
    });
  }

  /** @returns false when no request has this id */
  answer(id: number, response: Json): boolean {
    const pending = this.#take(id);
    if (pending) {
      pending.answered(response);
      return true;
    }
    const sent = this.#late.get(id);
    if (sent === undefined) return false;
    this.#late.delete(id);
    this.responseTime.answered(this.#context.clock.now() - sent);
    return true;
  }

  /** The connection has ended: rejects all pending requests. */
  end(error: SourceError): void {
    this.#late.clear();
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
    for (const wake of this.#queue.splice(0)) wake();
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    pending.cancel();
    this.#pending.delete(id);
    this.#queue.shift()?.();
    return pending;
  }

  /** Requests that were sent in parallel expire together: that counts as one time-out. */
  #expired(id: number, sent: number, usual: number): void {
    if (usual === this.responseTime.timeout) this.responseTime.expired();
    this.#late.set(id, sent);
    if (this.#late.size <= this.#context.limits.requestsInFlight) return;
    for (const oldest of this.#late.keys()) {
      this.#late.delete(oldest);
      return;
    }
  }
}
