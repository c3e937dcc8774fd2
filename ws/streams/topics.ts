/**
 * Channels by what they show: sockets that ask for the same thing share one channel and one frame. Jobs of a flush
 * are one per channel, so that many channels never hold the loop.
 */
import { Channel } from '../channel.ts';
import type { Connection } from '../connection.ts';
import type { Ids } from '../feed.ts';
import type { StreamContext } from '../stream.ts';

/** One shared subscription: what it shows, and the channel that carries it. */
export interface Topic<T> {
  readonly key: string;
  readonly subscription: T;
  readonly channel: Channel;
  /** In line for a job already. */
  queued: boolean;
}

export class Topics<T> {
  readonly #context: StreamContext;
  readonly #prefix: string;
  readonly #byKey = new Map<string, Topic<T>>();
  readonly #byToken = new Map<number, Set<Topic<T>>>();
  readonly #tokens: (subscription: T) => readonly number[];

  /** @param tokens the tokens whose changes concern a subscription. */
  constructor(context: StreamContext, prefix: string, tokens: (subscription: T) => readonly number[]) {
    this.#context = context;
    this.#prefix = prefix;
    this.#tokens = tokens;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Those that a token's change concerns. */
  of(token: number): Iterable<Topic<T>> {
    return this.#byToken.get(token) ?? [];
  }

  all(): Iterable<Topic<T>> {
    return this.#byKey.values();
  }

  find(key: string): Topic<T> | undefined {
    return this.#byKey.get(key);
  }

  join(connection: Connection, key: string, subscription: () => T, seq = 0): Topic<T> {
    let topic = this.#byKey.get(key);
    if (!topic) {
      const channel = new Channel(this.#context.transport, `${this.#prefix}:${key}`, seq);
      topic = { key, subscription: subscription(), channel, queued: false };
      this.#byKey.set(key, topic);
      for (const token of this.#tokens(topic.subscription)) this.#watch(token, topic);
    }
    topic.channel.join(connection);
    return topic;
  }

  leave(connection: Connection, topic: Topic<T>): void {
    topic.channel.leave(connection);
    this.drop(topic);
  }

  /** Forgets the topic when nobody is left. */
  drop(topic: Topic<T>): void {
    if (topic.channel.members.size > 0 || !this.#byKey.delete(topic.key)) return;
    topic.channel.release();
    for (const token of this.#tokens(topic.subscription)) {
      const set = this.#byToken.get(token);
      set?.delete(topic);
      if (set?.size === 0) this.#byToken.delete(token);
    }
  }

  /** Puts a job for the topic in line, once, however often it is asked for before the job runs. */
  queue(topic: Topic<T>, job: (topic: Topic<T>) => void): void {
    if (topic.queued) return;
    topic.queued = true;
    this.#context.scheduler.urgent(() => {
      topic.queued = false;
      if (topic.channel.members.size > 0) job(topic);
      else this.drop(topic);
    });
  }

  #watch(token: number, topic: Topic<T>): void {
    const set = this.#byToken.get(token);
    if (set) set.add(topic);
    else this.#byToken.set(token, new Set([topic]));
  }
}

/** Whether two sets of ids have one in common: as many looks as the smaller has ids. */
export function meet(a: Ids, b: Ids): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const id of few) if (many.has(id)) return true;
  return false;
}
