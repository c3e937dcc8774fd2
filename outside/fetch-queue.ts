/**
 * What is to be fetched from hosts of strangers, and in which order: what was asked for last comes first, what nobody asked
 * for last of all.
 *
 *     ask --> waiting, bounded: the oldest is dropped --> newest whose host has room --> run
 *                                                              `- a host that fails is left alone for longer each time
 *
 * What nobody waited for comes first, too, from when somebody asks for it.
 *
 * Goals: a host that is slow or gone costs a few places for a while, and none of the others; no host gets more
 * requests at a time than the limits say. Non-goals: keeping what waits over a restart: what is wanted is asked for again.
 */
import { HOUR_MS } from '../engine/ripple-time.ts';

export interface QueueLimits {
  readonly atOnce: number;
  readonly atOncePerHost: (host: string) => number;
  readonly waiting: number;
}

interface Host {
  running: number;
  /** In a row. */
  failures: number;
  /** ms of the clock; it is asked nothing before. */
  restsUntil: number;
}

export interface FetchJob {
  /** What is fetched: it waits or runs once. */
  readonly key: string;
  readonly host: string;
}

const HOSTS_MAX = 2_000;
const REST_MS = 30_000;
const REST_MS_MAX = HOUR_MS;

export class FetchQueue<J extends FetchJob> {
  readonly #limits: QueueLimits;
  readonly #now: () => number;
  readonly #run: (job: J) => Promise<boolean>;
  /** The last is the next. */
  readonly #waiting: J[] = [];
  /** Of what waits or runs. */
  readonly #jobs = new Map<string, J>();
  readonly #hosts = new Map<string, Host>();
  #running = 0;
  #closed = false;

  /**
   * @param run fetches it, and never rejects; false: its host did not answer
   * @param now ms of a clock that never goes back
   */
  constructor(limits: QueueLimits, now: () => number, run: (job: J) => Promise<boolean>) {
    this.#limits = limits;
    this.#now = now;
    this.#run = run;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#running;
  }

  /** What is fetched under this key, where it waits or runs. */
  find(key: string): J | undefined {
    return this.#jobs.get(key);
  }

  /** @param isLast nobody waits for it. @returns whether it waits or runs now */
  ask(job: J, isLast = false): boolean {
    const known = this.#jobs.get(job.key);
    if (known) {
      if (!isLast) this.#putFirst(known);
      return true;
    }
    if (this.#closed || this.#rests(job.host)) return false;
    if (this.#waiting.length >= this.#limits.waiting) {
      if (isLast) return false;
      this.#jobs.delete(this.#waiting.shift()!.key);
    }
    this.#jobs.set(job.key, job);
    if (isLast) this.#waiting.unshift(job);
    else this.#waiting.push(job);
    this.#fill();
    return true;
  }

  /** Where it waits. */
  #putFirst(job: J): void {
    const at = this.#waiting.lastIndexOf(job);
    if (at >= 0) this.#waiting.push(...this.#waiting.splice(at, 1));
  }

  /** Whether a host is left alone for now. */
  #rests(host: string): boolean {
    return (this.#hosts.get(host)?.restsUntil ?? 0) > this.#now();
  }

  /** Starts nothing more. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#jobs.clear();
  }

  #fill(): void {
    const { atOnce, atOncePerHost } = this.#limits;
    for (let at = this.#waiting.length - 1; at >= 0 && this.#running < atOnce; at--) {
      const job = this.#waiting[at]!;
      if (this.#rests(job.host)) {
        this.#waiting.splice(at, 1);
        this.#jobs.delete(job.key);
      } else if ((this.#hosts.get(job.host)?.running ?? 0) < atOncePerHost(job.host)) {
        this.#waiting.splice(at, 1);
        void this.#start(job);
      }
    }
  }

  async #start(job: J): Promise<void> {
    const host = this.#host(job.host);
    host.running++;
    this.#running++;
    const hasAnswered = await this.#run(job);
    this.#running--;
    host.running--;
    this.#jobs.delete(job.key);
    host.failures = hasAnswered ? 0 : host.failures + 1;
    if (!hasAnswered)
      host.restsUntil = this.#now() + Math.min(REST_MS * 2 ** (host.failures - 1), REST_MS_MAX);
    this.#fill();
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    if (this.#hosts.size >= HOSTS_MAX) this.#forgetHosts();
    const host: Host = { running: 0, failures: 0, restsUntil: 0 };
    this.#hosts.set(name, host);
    return host;
  }

  /** Those that run nothing; of the ones that rest the ones seen first. */
  #forgetHosts(): void {
    for (const [name, { running }] of this.#hosts) {
      if (running === 0) this.#hosts.delete(name);
      if (this.#hosts.size <= HOSTS_MAX / 2) return;
    }
  }
}
