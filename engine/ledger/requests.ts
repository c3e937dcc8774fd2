/**
 * The pending requests of one endpoint: a limited number in flight, each with a time-out, the rest in a queue.
 * The time-out adapts to the endpoint's response times, unless the command is known to take longer.
 */
import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import type { Json } from './node-messages.ts';
import { answers } from './page-text.ts';
import { ResponseTime } from './response-time.ts';
import { type NodeCommand, SourceError } from './source.ts';

/** Ids of requests for pages: no other number in a message is one of them. */
const FIRST_PAGE_ID = 1_000_000_000;
/** Smaller answers are parsed at once: errors among them. */
const TEXT_LEAST = 4096;

/** Sends a request. @param id of it */
type Write = (text: string, id: number) => void;

/** @property timeout minimum ms. @property follows see `Requests.sendForPage` */
export interface PageWait {
  readonly timeout: number;
  readonly follows: boolean;
}

/** An answer as it came. */
export interface TextAnswer {
  readonly text: string;
  /** The same parsed, where it is small. */
  readonly response: Json | undefined;
}

interface Pending {
  readonly answered: (response: Json | undefined, text: string) => void;
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
  #pageId = FIRST_PAGE_ID;
  /** Pending requests for pages. */
  readonly #pages = new Set<number>();

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
  send(command: NodeCommand, timeout: number | undefined, write: Write): Promise<Json> {
    return this.#send(this.#nextId++, command, timeout, write, (response) => response!);
  }

  /**
   * The same for a page of a snapshot: a large answer is not parsed.
   * @param follows it is the page after that of the last such request. Then it has the id after that one's, which no
   * other request has: a socket may have sent it already.
   */
  sendForPage(command: NodeCommand, { timeout, follows }: PageWait, write: Write): Promise<TextAnswer> {
    this.#pageId += follows ? 1 : 2;
    this.#pages.add(this.#pageId);
    return this.#send(this.#pageId, command, timeout, write, (response, text) => ({ text, response }));
  }

  #send<T>(
    id: number,
    command: NodeCommand,
    timeout: number | undefined,
    write: Write,
    answerOf: (response: Json | undefined, text: string) => T,
  ): Promise<T> {
    const { clock, name, onTimeout } = this.#context;
    const sent = clock.now();
    const usual = this.responseTime.timeout;
    return new Promise<T>((resolve, reject) => {
      const answered = (response: Json | undefined, text: string) => {
        if (timeout === undefined) this.responseTime.answered(clock.now() - sent);
        resolve(answerOf(response, text));
      };
      const cancel = clock.timer(Math.max(usual, timeout ?? 0), () => {
        this.#take(id)?.reject(new SourceError('timeout', `${name}: no answer to ${command.command}`));
        if (timeout === undefined) this.#expired(id, sent, usual);
        onTimeout(sent);
      });
      this.#pending.set(id, { answered, reject, cancel });
      try {
        write(JSON.stringify({ ...command, id }), id);
      } catch {
        this.#take(id)?.reject(new SourceError('unreachable', `${name} is down`));
      }
    });
  }

  /**
   * Hands over the text of a large answer to `sendForPage`. Where its id is not written as nodes write it, `answer` does.
   * @returns false when it is no such answer
   */
  answerText(text: unknown): boolean {
    if (this.#pages.size === 0 || typeof text !== 'string' || text.length < TEXT_LEAST) return false;
    for (const id of this.#pages) {
      if (!answers(text, id)) continue;
      this.#take(id)!.answered(undefined, text);
      return true;
    }
    return false;
  }

  /** @param text of the response. @returns false when no request has this id */
  answer(id: number, response: Json, text: string): boolean {
    const pending = this.#take(id);
    if (pending) {
      pending.answered(response, text);
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
    this.#pages.delete(id);
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
