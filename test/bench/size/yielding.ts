/** How long a computation in slices keeps the thread between two yields to the event loop. */
import { spyOn } from 'bun:test';
import { onCore } from '../../../bench/stall-meter.ts';

export interface Yielding {
  /** Milliseconds on a core between two yields, longest; waiting for a core does not count. */
  readonly longest: number;
  /** Milliseconds on a core in all. */
  readonly total: number;
  readonly yields: number;
}

/** Runs something that yields to the event loop now and then, with nothing else to do on this thread. */
export async function yielding(run: () => Promise<unknown>): Promise<Yielding> {
  const immediate = globalThis.setImmediate;
  const began = onCore();
  let resumed = began;
  let longest = 0;
  let yields = 0;
  const end = () => {
    longest = Math.max(longest, onCore() - resumed);
  };
  const spy = spyOn(globalThis, 'setImmediate').mockImplementation(((callback: () => void) => {
    end();
    yields++;
    return immediate(() => {
      resumed = onCore();
      callback();
    });
  }) as unknown as typeof setImmediate);
  try {
    await run();
    end();
  } finally {
    spy.mockRestore();
  }
  return { longest, total: onCore() - began, yields };
}

const EVERY_MS = 2;

/** The longest CPU time of this thread between two runs of a 2 ms timer, ms, and all of it, whatever else it does meanwhile. */
export async function coreBetweenTimers(run: () => Promise<unknown>): Promise<Omit<Yielding, 'yields'>> {
  const began = onCore();
  let last = began;
  let longest = 0;
  const look = () => {
    const now = onCore();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    await run();
    look();
  } finally {
    clearInterval(timer);
  }
  return { longest, total: last - began };
}
