/**
 * Requests the pages of a snapshot one after another in the thread that has the socket: the next one is on its way
 * before the main thread knows that one has come.
 *
 *     main thread       request 7            request 8 (same text: it is on its way)
 *     this thread       send 7 ... answer 7 -> send 8, deliver 7 ...          answer 8 -> send 9, deliver 8
 *
 * Goal: the node never waits for a thread of ours that has other work. One request ahead of the main thread and no more:
 * an answer that the main thread has not requested yet is kept until it does. Ids: the request after the page of id n
 * has id n + 1, and every other request for a page, such as a repeated one, leaves one out (engine/ledger/requests.ts).
 */
import { answers, markerIn, nextPageRequest } from '../engine/ledger/page-text.ts';

/** Requests without an answer, at most: the answers to older ones are delivered, but nothing is requested ahead. */
const PENDING_MAX = 16;

export interface PageSocket {
  send(request: string): void;
  /** Hands an answer to the main thread. */
  deliver(answer: string): void;
  /** The main thread never requested what this answers. */
  drop(answer: string): void;
}

export class PageRequests {
  readonly #socket: PageSocket;
  /** Requests of the main thread by id. */
  readonly #pending = new Map<number, string>();
  #early: { readonly id: number; readonly request: string; answer?: string } | undefined;

  constructor(socket: PageSocket) {
    this.#socket = socket;
  }

  /** The main thread requests a page. */
  request(id: number, request: string): void {
    this.#pending.set(id, request);
    if (this.#pending.size > PENDING_MAX)
      for (const oldest of this.#pending.keys()) {
        this.#pending.delete(oldest);
        break;
      }
    const early = this.#early;
    if (early?.id !== id || early.request !== request) {
      this.#socket.send(request);
      return;
    }
    this.#early = undefined;
    if (early.answer !== undefined) this.#deliver(id, request, early.answer);
  }

  /** @returns false when it is not the answer to a request for a page */
  receive(answer: string): boolean {
    const early = this.#early;
    if (early && early.answer === undefined && answers(answer, early.id)) {
      early.answer = answer;
      return true;
    }
    for (const [id, request] of this.#pending) {
      if (!answers(answer, id)) continue;
      this.#deliver(id, request, answer);
      return true;
    }
    return false;
  }

  #deliver(id: number, request: string, answer: string): void {
    this.#pending.delete(id);
    const marker = markerIn(answer);
    if (marker !== undefined && !this.#pending.has(id + 1)) {
      if (this.#early?.answer !== undefined) this.#socket.drop(this.#early.answer);
      this.#early = { id: id + 1, request: nextPageRequest(request, marker, id + 1) };
      this.#socket.send(this.#early.request);
    }
    this.#socket.deliver(answer);
  }
}
