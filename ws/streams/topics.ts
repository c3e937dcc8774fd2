/**
 * Channels by subscription: sockets with equal subscriptions share one channel and one frame. A flush schedules one job
 * per channel, so that many channels never block the event loop.
 */
import { Channel } from '../channel.ts';
import type { Client } from '../client.ts';
import type { StreamContext } from '../stream.ts';

/** Topics of a job of `queueAll`: at most about half a millisecond. */
const TOPICS_A_JOB = 64;

/** A subscription that sockets share, and its channel. */
export interface Topic<T> {
  readonly key: string;
  readonly subscription: T;
  readonly channel: Channel;
  /** A job for it is scheduled and has not run yet. */
  queued: boolean;
}

/** Builds and publishes frames; some wait for what they show. */
type Job<T> = (topic: Topic<T>) => void | Promise<void>;

export interface TopicOptions<T> {
  /** The tokens (or accounts) whose changes concern a subscription. */
  readonly tokens?: (subscription: T) => readonly number[];
  /**
   * Publishes what changed since the topic's last frame. Called before another socket joins: its first frame has that already, and
   * what its next one differs from must be what all members have. Left out where first frames show what was published last.
   */
  readonly settle?: (topic: Topic<T>) => void;
  /** Topics kept with their frames after the last member has left; 0: of streams without seq. */
  readonly idleMax?: number;
}

export class Topics<T> {
  readonly #context: StreamContext;
  readonly #prefix: string;
  readonly #byKey = new Map<string, Topic<T>>();
  readonly #byToken = new Map<number, Set<Topic<T>>>();
  readonly #tokens: (subscription: T) => readonly number[];
  readonly #settle: ((topic: Topic<T>) => void) | undefined;
  /** Without members, kept for those that reconnect; the one that was left first comes first. */
  readonly #idle = new Set<Topic<T>>();
  readonly #idleMax: number;
  /**
   * Above that of every channel that is gone: numbers are not used again for other frames of the same topic, and what a topic
   * missed while there was none is a gap to those who resume.
   */
  #seq = 0;

  constructor(context: StreamContext, prefix: string, options: TopicOptions<T> = {}) {
    const { tokens = () => [], settle, idleMax = 0 } = options;
    this.#context = context;
    this.#prefix = prefix;
    this.#tokens = tokens;
    this.#settle = settle;
    this.#idleMax = idleMax;
  }

  /** Topics with members. */
  get size(): number {
    return this.#byKey.size - this.#idle.size;
  }

  /** The topics that a change of the token concerns. */
  of(token: number): Iterable<Topic<T>> {
    return this.#byToken.get(token) ?? [];
  }

  all(): Iterable<Topic<T>> {
    return this.#byKey.values();
  }

  find(key: string): Topic<T> | undefined {
    return this.#byKey.get(key);
  }

  join(connection: Client, key: string, subscription: () => T): Topic<T> {
    let topic = this.#byKey.get(key);
    if (topic) {
      this.#settle?.(topic);
    } else {
      const name = `${this.#prefix}:${key}`;
      const channel = new Channel(this.#context.transport, name, this.#seq, this.#idleMax > 0);
      topic = { key, subscription: subscription(), channel, queued: false };
      this.#byKey.set(key, topic);
      for (const token of this.#tokens(topic.subscription)) this.#watch(token, topic);
    }
    this.#idle.delete(topic);
    topic.channel.join(connection);
    return topic;
  }

  leave(connection: Client, topic: Topic<T>): void {
    topic.channel.leave(connection);
    this.drop(topic);
  }

  /**
   * Removes the topic if it has no members, or keeps it in place of another that has been without for longer. A topic that was
   * removed before may have a successor with the same key.
   */
  drop(topic: Topic<T>): void {
    if (topic.channel.members.size > 0 || this.#byKey.get(topic.key) !== topic) return;
    if (this.#idleMax === 0) {
      this.#remove(topic);
      return;
    }
    this.#idle.add(topic);
    if (this.#idle.size <= this.#idleMax) return;
    const [longest] = this.#idle;
    this.#idle.delete(longest!);
    this.#remove(longest!);
  }

  #remove(topic: Topic<T>): void {
    this.#byKey.delete(topic.key);
    this.#seq = Math.max(this.#seq, topic.channel.seq + 1);
    topic.channel.release();
    for (const token of this.#tokens(topic.subscription)) {
      const set = this.#byToken.get(token);
      set?.delete(topic);
      if (set?.size === 0) this.#byToken.delete(token);
    }
  }

  /** Schedules a job for the topic. Further calls before the job runs have no effect. */
  queue(topic: Topic<T>, job: Job<T>): void {
    if (topic.queued || this.#idle.has(topic)) return;
    topic.queued = true;
    this.#context.scheduler.urgent(() => this.#run(topic, job));
  }

  /** The same for many topics, some in one job: for frames that take a few microseconds, less than a job of their own. */
  queueAll(topics: readonly Topic<T>[], job: Job<T>): void {
    const waiting = topics.filter((topic) => !topic.queued && !this.#idle.has(topic));
    for (const topic of waiting) topic.queued = true;
    for (let from = 0; from < waiting.length; from += TOPICS_A_JOB)
      this.#context.scheduler.urgent(() => {
        for (const topic of waiting.slice(from, from + TOPICS_A_JOB)) this.#run(topic, job);
      });
  }

  #run(topic: Topic<T>, job: Job<T>): void {
    topic.queued = false;
    if (topic.channel.members.size === 0) {
      this.drop(topic);
      return;
    }
    const rest = job(topic);
    if (rest) this.#context.scheduler.watch(rest);
  }

  #watch(token: number, topic: Topic<T>): void {
    const set = this.#byToken.get(token);
    if (set) set.add(topic);
    else this.#byToken.set(token, new Set([topic]));
  }
}

/** Topics of a stream on which each connection has at most one. */
export class SingleTopics<T> extends Topics<T> {
  readonly #byConnection = new Map<Client, Topic<T>>();

  joined(connection: Client): Topic<T> | undefined {
    return this.#byConnection.get(connection);
  }

  /** Joins a topic and leaves the previous one. */
  override join(connection: Client, key: string, subscription: () => T): Topic<T> {
    const previous = this.#byConnection.get(connection);
    const topic = super.join(connection, key, subscription);
    this.#byConnection.set(connection, topic);
    if (previous && previous !== topic) super.leave(connection, previous);
    return topic;
  }

  /** The connection has ended. */
  forget(connection: Client): void {
    const topic = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    if (topic) super.leave(connection, topic);
  }
}

/** Whether two sets of ids have an id in common. Cost: one lookup per id of the smaller set. */
export function intersects(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const id of few) if (many.has(id)) return true;
  return false;
}
