/** One client's socket: its message allowance, its channels, and how frames are sent to it. */
import type { ServerWebSocket, WebSocketHandler } from 'bun';
import type { Identity } from '../requests/identity.ts';
import type { Channel, Transport } from './channel.ts';
import type { Client } from './client.ts';
import type { Place } from './connection-counts.ts';
import { CloseCode, type Refusal } from './limits.ts';
import type { Stream, StreamServer } from './stream.ts';

/** What is known when a client requests the socket. */
export interface ConnectionRequest {
  readonly id: number;
  /** What its hub does with the socket. */
  readonly handler: WebSocketHandler<Connection>;
  readonly stream: Stream;
  readonly identity: Identity;
  /** Whether the client asked for permessage-deflate. */
  readonly deflate: boolean;
  /** Values of the stream's parameters. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly server: StreamServer | undefined;
  /** If set, the socket is opened only to report why it is refused. */
  readonly refusal: Refusal | undefined;
}

/** What connections need of the hub. */
export interface ConnectionTransport extends Transport {
  /** Closes a socket as soon as it has read what waits for it. */
  drain(connection: Connection): void;
}

export class Connection implements Client {
  readonly id: number;
  readonly handler: ConnectionRequest['handler'];
  readonly stream: Stream;
  readonly identity: Identity;
  readonly deflate: boolean;
  readonly input: ConnectionRequest['input'];
  readonly server: StreamServer | undefined;
  readonly refusal: Refusal | undefined;
  /** Closed, or closing with one of our codes: nothing more is sent. */
  closed = false;
  /** What it counts as, while it is counted. */
  place: Place | undefined;
  /** Messages that wait for the first frame: set from when its stream makes what that needs until they are answered. */
  early: (string | Buffer)[] | undefined;
  /** Bytes of messages that came and are not answered yet. */
  waitingBytes = 0;
  /** Set while the socket is closing and frames still wait to be read before the close code. */
  #pendingClose: { readonly code: number; readonly reason: string } | undefined;
  readonly #transport: ConnectionTransport;
  readonly #channels = new Set<Channel>();
  #socket: ServerWebSocket<Connection> | undefined;
  #allowance: number;
  #allowanceAt = 0;

  constructor(transport: ConnectionTransport, request: ConnectionRequest) {
    this.#transport = transport;
    this.id = request.id;
    this.handler = request.handler;
    this.stream = request.stream;
    this.identity = request.identity;
    this.deflate = request.deflate;
    this.input = request.input;
    this.server = request.server;
    this.refusal = request.refusal;
    this.#allowance = transport.limits.messageBurst;
  }

  attach(socket: ServerWebSocket<Connection>): void {
    this.#socket = socket;
  }

  /** Uses one message of the allowance; false if none is left. @param now monotonic milliseconds. */
  spend(now: number): boolean {
    const { messagesPerSecond, messageBurst } = this.#transport.limits;
    const grown = this.#allowance + ((now - this.#allowanceAt) * messagesPerSecond) / 1000;
    this.#allowance = Math.min(messageBurst, grown);
    this.#allowanceAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }

  /** Sends one frame to this socket only. A reader that is too slow is closed instead. */
  send(text: string): void {
    if (!this.check()) return;
    const { limits, counters } = this.#transport;
    const sent = this.#socket!.sendText(text, this.deflate && text.length >= limits.deflateFrom);
    if (sent === 0) {
      this.closeSlowReader();
      return;
    }
    const bytes = Buffer.byteLength(text);
    counters.framesSent++;
    counters.bytesSent += bytes;
    this.#transport.sent(bytes);
  }

  reply(frame: Readonly<Record<string, unknown>>): void {
    this.send(JSON.stringify(frame));
  }

  /** An error frame; the connection stays open. */
  sendError(errorCode: number, error: string): void {
    this.reply({ error, errorCode });
  }

  /** Closes with 4010 if too many bytes wait. @returns whether the socket is still open. */
  check(): boolean {
    if (this.closed || !this.#socket) return false;
    if (this.queued <= this.#transport.limits.queueBytes) return true;
    this.closeSlowReader();
    return false;
  }

  closeSlowReader(): void {
    if (this.closed) return;
    this.#transport.counters.slowReaders++;
    this.close(CloseCode.rate, 'slow reader: frames waited too long to be read');
  }

  /**
   * Sends an {error} frame, then closes. Frames that are queued already arrive first, so the close is delayed while any
   * of them waits, for a limited time. Once the transport is closing, its queue can neither be read nor discarded.
   */
  close(code: number, reason: string): void {
    if (this.closed || !this.#socket) return;
    this.closed = true;
    this.#socket.sendText(JSON.stringify({ error: reason, errorCode: code }));
    this.#leaveTopics();
    this.#pendingClose = { code, reason: closeReason(reason) };
    if (this.queued > 0) this.#transport.drain(this);
    else this.finish();
  }

  /** Performs the delayed close. */
  finish(): void {
    if (this.#pendingClose) this.#socket?.close(this.#pendingClose.code, this.#pendingClose.reason);
  }

  /** Ends the socket at once (the reader sees 1006) and discards the waiting frames. */
  terminate(): void {
    this.closed = true;
    this.#leaveTopics();
    this.#socket?.terminate();
  }

  /** Bytes that the client has not read yet. */
  get queued(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  /** Closes without an error frame. */
  end(code: number, reason: string): void {
    if (this.closed || !this.#socket) return;
    this.closed = true;
    this.#leaveTopics();
    this.#socket.close(code, closeReason(reason));
  }

  #leaveTopics(): void {
    for (const channel of this.#channels) this.#socket?.unsubscribe(channel.topic);
    this.leaveAll();
  }

  leaveAll(): void {
    for (const channel of this.#channels) channel.leave(this);
  }

  /** Called by the channel that the connection joins. */
  enter(channel: Channel): void {
    this.#channels.add(channel);
    this.#socket?.subscribe(channel.topic);
  }

  exit(channel: Channel): void {
    this.#channels.delete(channel);
    if (!this.closed) this.#socket?.unsubscribe(channel.topic);
  }
}

/** The reason of a close frame holds at most 123 bytes. */
function closeReason(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 123);
}
