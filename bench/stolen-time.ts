/**
 * What other machines took of the cores' time, where this one shares its processors with them: the hypervisor reports it to the
 * kernel (steal, proc_stat(5)). A thread that it stops does not wait for a core by the kernel's own count, so that absolute times,
 * and stalls without the time that a thread waited, contain it.
 */
import { readFileSync } from 'node:fs';

/** Fields of the line `cpu`: user, nice, system, idle, iowait, irq, softirq, steal. Those after them are parts of the former. */
const FIELDS = 8;

interface CoreTime {
  /** Ticks of all cores since the machine started. */
  readonly all: number;
  readonly stolen: number;
}

/** @param text of /proc/stat. @returns undefined where it does not say */
export function coreTimeOf(text: string): CoreTime | undefined {
  const ticks = /^cpu +(.+)$/m.exec(text)?.[1]?.split(' ').slice(0, FIELDS).map(Number);
  if (ticks?.length !== FIELDS || ticks.some(Number.isNaN)) return undefined;
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks.at(-1)! };
}

/** Since it was made. */
export class StolenTime {
  readonly #read: () => string;
  readonly #before: CoreTime | undefined;

  constructor(read = () => readFileSync('/proc/stat', 'utf8')) {
    this.#read = read;
    this.#before = this.#now();
  }

  /** Share of the time of all cores; undefined: not known, or no time has passed. */
  get share(): number | undefined {
    const [before, now] = [this.#before, this.#now()];
    if (!before || !now || now.all <= before.all) return undefined;
    return (now.stolen - before.stolen) / (now.all - before.all);
  }

  #now(): CoreTime | undefined {
    try {
      return coreTimeOf(this.#read());
    } catch {
      // Not Linux.
      return undefined;
    }
  }
}
