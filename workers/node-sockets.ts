/**
 * Sockets to nodes in a thread of their own, which receives, parses and packs ledgers.
 *
 *     main thread                                        socket thread
 *     NodeSource -> NodeSocket.send -- texts ---------->  WebSocket.send
 *                   onmessage  <-- packed ledgers, texts  onmessage: JSON -> packed ledger, on shared memory
 *
 * Goals: a ledger costs the main thread neither a system call, nor JSON, nor hex; what many events of one round of either
 * event loop have to say goes over in one message. Non-goals: judging a node. The thread packs what has the shape of a
 * ledger and hands over the text of everything else unread; the source (engine/ledger) refuses, and the proof comes later.
 *
 * The runtime cannot pause a socket. While the main thread is busy, messages add up here instead of at the sender, so
 * a connection whose messages wait in too large a number ends (`Limits.unreadMessages`, `unreadBytes`).
 *
 * Cost of a ledger of 8 transactions: 30 us in this thread, a few us on the main thread.
 */
import { Worker } from 'node:worker_threads';
import { PackedLedger } from '../engine/codec/packed.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Expected, NodeSocket, NodeSockets } from '../engine/ledger/endpoint.ts';
import { LIMITS, type Limits } from '../engine/ledger/limits.ts';
import { PackedAnswer } from '../engine/ledger/node-messages.ts';

export type ToSockets =
  | {
      readonly kind: 'open';
      readonly socket: number;
      readonly url: string;
      readonly unread: SharedArrayBuffer;
    }
  | {
      readonly kind: 'send';
      readonly socket: number;
      readonly text: string;
      readonly expects: Expected | undefined;
    }
  | { readonly kind: 'end'; readonly socket: number };

export type FromSockets =
  | { readonly kind: 'open'; readonly socket: number }
  | { readonly kind: 'lost'; readonly socket: number }
  /** undefined: a binary frame. */
  | { readonly kind: 'text'; readonly socket: number; readonly text: string | undefined }
  /** `size`: characters of the text it was packed from. */
  | {
      readonly kind: 'ledger';
      readonly socket: number;
      readonly id: number;
      readonly buffer: SharedArrayBuffer;
      readonly size: number;
    };

/** What one connection has received and the main thread has not read, in memory that both threads count in. */
export class Unread {
  /** Messages, and kilobytes of their text. */
  readonly #counts: Int32Array;

  constructor(memory = new SharedArrayBuffer(8)) {
    this.#counts = new Int32Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#counts.buffer as SharedArrayBuffer;
  }

  /** A message has come. @param size characters. @returns false when too much waits */
  add(size: number, { unreadMessages, unreadBytes }: Limits): boolean {
    const messages = Atomics.add(this.#counts, 0, 1);
    const kilobytes = Atomics.add(this.#counts, 1, kilobytesOf(size));
    return messages < unreadMessages && kilobytes * 1024 < unreadBytes;
  }

  /** The main thread has read it. */
  remove(size: number): void {
    Atomics.sub(this.#counts, 0, 1);
    Atomics.sub(this.#counts, 1, kilobytesOf(size));
  }
}

const kilobytesOf = (size: number): number => (size + 1023) >>> 10;

/** Requests handed over without waiting for the end of the round: a quarter of what the follow loop requests ahead. */
const SENT_AT_ONCE = 8;

class ThreadSocket implements NodeSocket {
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  readonly unread = new Unread();
  readonly #id: number;
  readonly #hand: (item: ToSockets) => void;

  constructor(id: number, hand: (item: ToSockets) => void) {
    this.#id = id;
    this.#hand = hand;
  }

  send(text: string, expects?: Expected): void {
    this.#hand({ kind: 'send', socket: this.#id, text, expects });
  }

  terminate(): void {
    this.#hand({ kind: 'end', socket: this.#id });
  }
}

/** The thread; started with the first socket, and again with the next one after it has ended by a fault. */
export class NodeSocketThread implements NodeSockets {
  readonly #limits: Limits;
  readonly #sockets = new Map<number, ThreadSocket>();
  #worker: Worker | undefined;
  #outgoing: ToSockets[] = [];
  #isScheduled = false;
  #nextId = 1;

  constructor(limits: Limits = LIMITS) {
    this.#limits = limits;
  }

  connect(url: string): NodeSocket {
    this.#worker ??= this.#start();
    const id = this.#nextId++;
    const socket = new ThreadSocket(id, (item) => this.#handOver(item));
    this.#sockets.set(id, socket);
    this.#handOver({ kind: 'open', socket: id, url, unread: socket.unread.memory });
    return socket;
  }

  /** Ends the thread with all its sockets. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#sockets.clear();
    this.#outgoing = [];
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./node-sockets.worker.ts', import.meta.url), {
      workerData: this.#limits,
    });
    worker.on('message', (items: readonly FromSockets[]) => {
      for (const item of items) this.#receive(item);
    });
    worker.on('error', () => this.#lost(worker));
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #receive(item: FromSockets): void {
    const socket = this.#sockets.get(item.socket);
    if (!socket) return;
    switch (item.kind) {
      case 'open':
        socket.onopen?.();
        break;
      case 'lost':
        this.#sockets.delete(item.socket);
        socket.onclose?.();
        break;
      case 'text':
        socket.unread.remove(item.text?.length ?? 0);
        socket.onmessage?.({ data: item.text });
        break;
      case 'ledger': {
        socket.unread.remove(item.size);
        const packed = new PackedLedger(new Uint8Array(item.buffer));
        socket.onmessage?.({ data: new PackedAnswer(item.id, packed) });
      }
    }
  }

  #handOver(item: ToSockets): void {
    if (item.kind === 'end') this.#sockets.delete(item.socket);
    this.#outgoing.push(item);
    const isPage = item.kind === 'send' && item.expects?.kind === 'page';
    if (isPage || this.#outgoing.length >= SENT_AT_ONCE) this.#flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      void yieldToLoop().then(() => {
        this.#isScheduled = false;
        this.#flush();
      });
    }
  }

  #flush(): void {
    if (this.#outgoing.length > 0) this.#worker?.postMessage(this.#outgoing);
    this.#outgoing = [];
  }

  /** The thread has ended by itself, and all connections with it. */
  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#outgoing = [];
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    for (const socket of sockets) socket.onclose?.();
  }
}
