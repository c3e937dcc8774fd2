/** Time for the ledger sources. It is passed in, so that tests run hours in milliseconds and can repeat any failure. */
export interface Clock {
  /** Milliseconds on a scale that never goes back; only differences mean anything. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds, unless the returned function is called first. */
  timer(ms: number, run: () => void): () => void;
}

/** A clock that uses the runtime's timers. The caller passes `now`: the engine itself never reads the time. */
export function timerClock(now: () => number): Clock {
  return {
    now,
    timer(ms, run) {
      const id = setTimeout(run, ms);
      return () => clearTimeout(id);
    },
  };
}

/** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.timer(ms, wake);
    signal?.addEventListener('abort', wake);
  });
}
