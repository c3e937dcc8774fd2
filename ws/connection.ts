/** One client's socket: its allowance of messages, its channels, and the ways to answer it. */
import type { ServerWebSocket } from 'bun';
import type { Identity } from '../requests/identity.ts';
import type { Channel, Transport } from './channel.ts';
import { CloseCode, type Refusal } from './limits.ts';
import type { Stream, StreamServer } from './stream.ts';

/** What is known when the socket is asked for. */
export interface Asked {
  readonly id: number;
  readonly stream: Stream;
  readonly identity: Identity;
  /** Whether the client asked for permessage-deflate. */
  readonly deflate: boolean;
  /** What the stream's parameters read. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly server: StreamServer | undefined;
  /** Set: the socket is opened only to say why not. */
  readonly refusal: Refusal | undefined;
}

export class Connection {
  readonly id: number;
  readonly stream: Stream;
  readonly identity: Identity;
  readonly deflate: boolean;
  readonly input: Asked['input'];
  readonly server: StreamServer | undefined;
  readonly refusal: Refusal | undefined;
  /** Closed, or closing by our own code: nothing more is sent. */
  closed = false;
  /** Set while it is closing and frames wait to be read before the close code. */
  #last: { readonly code: number; readonly reason: string } | undefined;
  readonly #transport: Transport;
  readonly #channels = new Set<Channel>();
  #socket: ServerWebSocket<Connection> | undefined;
  #allowance: number;
  #allowanceAt = 0;

  constructor(transport: Transport, asked: Asked) {
    this.#transport = transport;
    this.id = asked.id;
    this.stream = asked.stream;
    this.identity = asked.identity;
    this.deflate = asked.deflate;
    this.input = asked.input;
    this.server = asked.server;
    this.refusal = asked.refusal;
    this.#allowance = transport.limits.messageBurst;
  }

  attach(socket: ServerWebSocket<Connection>): void {
    this.#socket = socket;
  }

  /** Takes one message from the allowance. @param now monotonic milliseconds. */
  spend(now: number): boolean {
    const { messagesPerSecond, messageBurst } = this.#transport.limits;
    const grown = this.#allowance + ((now - this.#allowanceAt) * messagesPerSecond) / 1000;
    this.#allowance = Math.min(messageBurst, grown);
    this.#allowanceAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }

  /** Sends one frame to this socket only. A reader that is too far behind is closed instead. */
  send(text: string): void {
    if (!this.check()) return;
    const { limits, counters } = this.#transport;
    const sent = this.#socket!.sendText(text, this.deflate && text.length >= limits.deflateFrom);
    if (sent === 0) {
      this.slow();
      return;
    }
    counters.framesSent++;
    counters.bytesSent += text.length;
    this.#transport.sent(text.length);
  }

  reply(frame: Readonly<Record<string, unknown>>): void {
    this.send(JSON.stringify(frame));
  }

  /** An error frame; the connection stays open. */
  complain(errorCode: number, error: string): void {
    this.reply({ error, errorCode });
  }

  /** Closes with 4010 when too much waits. @returns whether the socket is still open. */
  check(): boolean {
    if (this.closed || !this.#socket) return false;
    if (this.queued <= this.#transport.limits.queueBytes) return true;
    this.slow();
    return false;
  }

  slow(): void {
    if (this.closed) return;
    this.#transport.counters.slowReaders++;
    this.close(CloseCode.rate, 'slow reader: frames waited too long to be read');
  }

  /**
   * An {error} frame, then the close. Frames queued before still arrive first: while any wait, the close does, too,
   * for a while. The transport could not be asked what waits, nor be cut off, once it closes by itself.
   */
  close(code: number, reason: string): void {
    if (this.closed || !this.#socket) return;
    this.closed = true;
    this.#socket.sendText(JSON.stringify({ error: reason, errorCode: code }));
    this.#leaveTopics();
    this.#last = { code, reason: closeReason(reason) };
    if (this.queued > 0) this.#transport.linger(this);
    else this.finish();
  }

  /** The close that waited. */
  finish(): void {
    if (this.#last) this.#socket?.close(this.#last.code, this.#last.reason);
  }

  /** Cuts it off (the reader sees 1006): what waits is thrown away. */
  cut(): void {
    this.closed = true;
    this.#leaveTopics();
    this.#socket?.terminate();
  }

  /** Bytes that wait to be read. */
  get queued(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  /** Close without an error frame. */
  end(code: number, reason: string): void {
    if (this.closed || !this.#socket) return;
    this.closed = true;
    this.leaveAll();
    this.#socket.close(code, closeReason(reason));
  }

  #leaveTopics(): void {
    for (const channel of this.#channels) this.#socket?.unsubscribe(channel.topic);
    this.leaveAll();
  }

  leaveAll(): void {
    for (const channel of this.#channels) channel.leave(this);
  }

  /** Called by the channel that is joined. */
  enter(channel: Channel): void {
    this.#channels.add(channel);
    this.#socket?.subscribe(channel.topic);
  }

  exit(channel: Channel): void {
    this.#channels.delete(channel);
    if (!this.closed) this.#socket?.unsubscribe(channel.topic);
  }
}

/** A close frame's reason holds 123 bytes. */
function closeReason(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 123);
}
