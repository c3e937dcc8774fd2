/**
 * Calls of tools that go on after their answer: `background: true` is answered with the id of a job, and `get_job` tells what
 * became of it.
 *
 *     start --> running --> done, or failed --> forgotten after KEPT_MS
 *                  `------> cancelled ------------^
 *
 * Goal: clients with short patience get long answers. Non-goals: durability (a restart forgets), queues (too many at once are
 * refused; of those that have ended the oldest make room), threads of their own: what a job calls runs where it always does, in slices or in worker threads. A job is its
 * caller's alone: the id is random, and only the same key, or the same address without one, is told of it.
 */
import { ApiError } from '../../requests/errors.ts';
import type { Identity } from '../../requests/identity.ts';
import type { JsonObject } from './json-rpc.ts';

/** Jobs that run or are kept, of all callers; and those of one caller that run, and that are kept after their end. */
const JOBS_MAX = 200;
const RUNNING_MAX = 3;
const ENDED_MAX = 20;
/** For how long what became of a job can be asked for. */
export const KEPT_MS = 600_000;

export type JobState = 'running' | 'done' | 'failed' | 'cancelled';

interface Job {
  readonly owner: string;
  readonly tool: string;
  readonly startedAt: number;
  state: JobState;
  endedAt: number | undefined;
  answer: JsonObject | undefined;
  error: string | undefined;
}

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  readonly #now: () => number;

  /** @param now ms of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * @param run gets a function that throws once the job has been cancelled
   * @param publicly what its caller is told of an error; faults are logged there @throws ApiError 503 for too many
   */
  start(
    identity: Identity,
    tool: string,
    run: (check: () => void) => Promise<JsonObject>,
    publicly: (error: unknown) => ApiError = withoutDetails,
  ): string {
    this.#forget();
    const owner = ownerOf(identity);
    const own = [...this.#jobs.values()].filter((job) => job.owner === owner);
    const running = own.filter(({ state }) => state === 'running');
    if (own.length - running.length >= ENDED_MAX) this.#forgetOldest(owner);
    if (this.#jobs.size >= JOBS_MAX) this.#forgetOldest();
    if (running.length >= RUNNING_MAX || this.#jobs.size >= JOBS_MAX)
      throw new ApiError('unavailable', 'Too many jobs', { hint: 'get_job with cancel: true ends one' });
    const id = crypto.randomUUID();
    const job: Job = {
      owner,
      tool,
      startedAt: this.#now(),
      state: 'running',
      endedAt: undefined,
      answer: undefined,
      error: undefined,
    };
    this.#jobs.set(id, job);
    const check = () => {
      if (job.state === 'cancelled') throw new ApiError('unavailable', 'The job was cancelled');
    };
    run(check).then(
      (answer) => this.#end(job, 'done', { answer }),
      // What was cancelled ends itself with an error that is none.
      (error: unknown) =>
        job.state === 'running' && this.#end(job, 'failed', { error: publicly(error).message }),
    );
    return id;
  }

  /** @throws ApiError 404 where it is not the caller's, or has been forgotten */
  of(identity: Identity, id: string): JsonObject {
    const { tool, state, startedAt, endedAt, answer, error } = this.#find(identity, id);
    return {
      job: id,
      tool,
      state,
      seconds: ((endedAt ?? this.#now()) - startedAt) / 1000,
      ...(answer !== undefined && { answer }),
      ...(error !== undefined && { error }),
    };
  }

  /** What it had found is not kept. @throws ApiError 404 as `of` */
  cancel(identity: Identity, id: string): void {
    const job = this.#find(identity, id);
    if (job.state === 'running') this.#end(job, 'cancelled', {});
  }

  #find(identity: Identity, id: string): Job {
    this.#forget();
    const job = this.#jobs.get(id);
    if (!job || job.owner !== ownerOf(identity))
      throw new ApiError('not_found', 'There is no such job', {
        hint: 'Jobs are forgotten 10 minutes after their end. Call the tool again',
      });
    return job;
  }

  #end(job: Job, state: JobState, { answer, error }: { answer?: JsonObject; error?: string }): void {
    if (job.state !== 'running') return;
    job.state = state;
    job.endedAt = this.#now();
    job.answer = answer;
    job.error = error;
  }

  /** The job that ended first, if any has. @param owner whose; undefined: anybody's */
  #forgetOldest(owner?: string): void {
    let oldest: { readonly id: string; readonly endedAt: number } | undefined;
    for (const [id, { endedAt, owner: of }] of this.#jobs)
      if (endedAt !== undefined && (owner === undefined || of === owner))
        if (!oldest || endedAt < oldest.endedAt) oldest = { id, endedAt };
    if (oldest) this.#jobs.delete(oldest.id);
  }

  #forget(): void {
    const before = this.#now() - KEPT_MS;
    for (const [id, { endedAt }] of this.#jobs)
      if (endedAt !== undefined && endedAt <= before) this.#jobs.delete(id);
  }
}

const withoutDetails = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('internal', 'Internal server error');

/** Whose a call is: the same key, or the same address without one. */
export const ownerOf = ({ kind, key, ip }: Identity): string => (key ? `key ${key.id}` : `${kind} ${ip}`);
