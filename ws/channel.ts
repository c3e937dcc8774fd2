/**
 * A channel: one topic, its members, the seq of its last frame, and the latest frames for clients that resume.
 *
 * Goal: a frame is built once and handed to the transport once, for one or 20,000 members. A member either gets
 * every frame in order or a close code. Non-goals: the content of frames (streams), who may join (streams).
 *
 *     frame -> ring (for checkSeq) -> publish(topic) -> each member's queue in the transport
 *                                         ^ every `sweepBytes`: queue above `queueBytes`? 4010
 *
 * Why there is never a gap: the transport drops frames only if a queue exceeds `transportQueueBytes`. A queue holds
 * at most `queueBytes` at a sweep and grows by at most `sweepBytes` and one frame until the next sweep, for each
 * channel that a socket belongs to (ten at most), which is far less. A reader that is closed still gets all frames
 * that were queued, then the code. Cost: about 0.7 us a member and frame, nearly all of it in the transport.
 */
import type { Limits } from './limits.ts';

/** A socket in a channel. */
export interface Member {
  /** Closed, or closing with one of our codes: nothing more is sent. */
  readonly closed: boolean;
  /** Whether it negotiated permessage-deflate. */
  readonly deflate: boolean;
  /** Called by the channel that it joins, and by the one that it leaves. */
  enter(channel: Channel): void;
  exit(channel: Channel): void;
  /** Hands it a frame that belongs to it alone. */
  send(text: string): void;
  /** Closes it if too many bytes wait. @returns whether it is still open */
  check(): boolean;
}

/** What channels need of the hub. */
export interface Transport {
  readonly limits: Limits;
  /** Begins every topic: the server's topics are those of all networks. */
  readonly topicPrefix: string;
  readonly counters: StreamCounters;
  /** Bytes kept in rings by all channels. */
  ringBytes: number;
  /** Counts bytes that were handed to sockets. */
  sent(bytes: number): void;
  publish(topic: string, text: string, compress: boolean): void;
}

/** Running totals, for /metrics. */
export class StreamCounters {
  opened = 0;
  closed = 0;
  /** Refused when they opened: limits and invalid parameters. */
  refused = 0;
  messagesIn = 0;
  /** Frames built (once per topic) and frames handed to sockets. */
  framesBuilt = 0;
  framesSent = 0;
  bytesSent = 0;
  slowReaders = 0;
  /** Terminated with unread frames: they took too long to close, or too many bytes waited in total. */
  terminated = 0;
  rateLimited = 0;
  faults = 0;
}

interface RingEntry {
  readonly seq: number;
  readonly text: string;
  readonly bytes: number;
}

export class Channel {
  readonly topic: string;
  readonly members = new Set<Member>();
  /** Seq of the last frame. The first frame of a new member carries a higher seq, and this one as its prevSeq. */
  seq: number;
  readonly #transport: Transport;
  readonly #keep: boolean;
  #ring: RingEntry[] = [];
  #ringBytes = 0;
  /** Frames after this seq are in the ring. */
  #floor: number;
  #unswept = 0;
  #deflating = 0;

  /** @param keep whether frames are kept for `since`. */
  constructor(transport: Transport, topic: string, seq = 0, keep = false) {
    this.#transport = transport;
    this.topic = transport.topicPrefix + topic;
    this.seq = seq;
    this.#floor = seq;
    this.#keep = keep;
  }

  /** Frames after this seq are kept. */
  get floor(): number {
    return this.#floor;
  }

  join(connection: Member): void {
    if (this.members.has(connection) || connection.closed) return;
    this.members.add(connection);
    if (connection.deflate) this.#deflating++;
    connection.enter(this);
  }

  leave(connection: Member): void {
    if (!this.members.delete(connection)) return;
    if (connection.deflate) this.#deflating--;
    connection.exit(this);
  }

  /** Sends a frame to every member. @param seq its seq, where the stream has one. */
  publish(text: string, seq = this.seq): void {
    const { limits, counters } = this.#transport;
    const bytes = Buffer.byteLength(text);
    counters.framesBuilt++;
    this.#retain(text, bytes, seq);
    this.seq = seq;
    if (this.members.size === 0) return;
    this.#unswept += bytes;
    if (this.#unswept >= limits.sweepBytes) this.sweep();
    const compress =
      this.#deflating > 0 &&
      bytes >= limits.deflateFrom &&
      bytes * this.#deflating <= limits.deflateBytesPerPublish;
    this.#transport.publish(this.topic, text, compress);
    counters.framesSent += this.members.size;
    counters.bytesSent += bytes * this.members.size;
    this.#transport.sent(bytes * this.members.size);
  }

  /**
   * The same for few members, without seq: each is written to as this is called, while the transport keeps what is published until
   * the event loop turns.
   */
  publishNow(text: string): void {
    this.#transport.counters.framesBuilt++;
    this.#retain(text, Buffer.byteLength(text), this.seq);
    for (const member of this.members) member.send(text);
  }

  /** Closes the members whose queue is too long. */
  sweep(): void {
    this.#unswept = 0;
    for (const member of this.members) member.check();
  }

  /**
   * The frames after `seq`, in order; undefined if some of them are no longer kept, or if they are more than may wait for a socket:
   * they are sent at once, and would close the socket of a client that reads as fast as its network lets it.
   */
  since(seq: number): readonly string[] | undefined {
    if (seq < this.#floor || seq > this.seq) return undefined;
    const missed = this.#ring.filter((kept) => kept.seq > seq);
    const bytes = missed.reduce((sum, kept) => sum + kept.bytes, 0);
    return bytes > this.#transport.limits.queueBytes ? undefined : missed.map((kept) => kept.text);
  }

  /** Frees the ring; call it when the channel is dropped. */
  release(): void {
    this.#forget(this.#ring.length);
  }

  #retain(text: string, bytes: number, seq: number): void {
    if (!this.#keep) return;
    const { limits } = this.#transport;
    this.#ring.push({ seq, text, bytes });
    this.#ringBytes += bytes;
    this.#transport.ringBytes += bytes;
    let drop = 0;
    let left = this.#ringBytes;
    let inAll = this.#transport.ringBytes;
    while (
      this.#ring.length - drop > limits.ringFrames ||
      (drop < this.#ring.length && (left > limits.ringBytes || inAll > limits.ringBytesInAll))
    ) {
      const { bytes: freed } = this.#ring[drop++]!;
      left -= freed;
      inAll -= freed;
    }
    if (drop > 0) this.#forget(drop);
  }

  #forget(count: number): void {
    for (const kept of this.#ring.splice(0, count)) {
      this.#ringBytes -= kept.bytes;
      this.#transport.ringBytes -= kept.bytes;
      this.#floor = kept.seq;
    }
  }
}
