/**
 * Scripts: what is to happen at certain moments since the epoch. A moment belongs to exactly one ledger: the one after
 * the first that closed at it or later.
 */
import type { Asset } from '../protocol/asset.ts';
import type { Result } from '../protocol/results.ts';
import type { People, Person } from './people.ts';
import type { Economy } from './tokens.ts';
import type { Noted, Turn } from './turn.ts';

export interface Step {
  /** Seconds since the epoch. */
  readonly at: number;
  act(turn: Turn): void;
}

/** A story that something is to be found in. */
export interface Scenario {
  readonly id: string;
  readonly kind: string;
  readonly about: string;
  /** Who plays what. */
  readonly accounts: Readonly<Record<string, Person>>;
  readonly token?: Asset;
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Known before it happens; what is measured on the way is in the truth. */
  readonly expected: Readonly<Record<string, number | string>>;
  readonly steps: readonly Step[];
}

export interface Stage {
  readonly people: People;
  readonly economy: Economy;
}

export const noted = (id: string, step: string, meant?: Result): Noted =>
  meant === undefined ? { id, step } : { id, step, meant };

export const MINUTE = 60;

/** Gives people XRP from the treasury. */
export function fund(at: number, people: readonly Person[], xrp: number | ((n: number) => number)): Step {
  return {
    at,
    act(turn) {
      const treasury = turn.people.get('treasury');
      people.forEach((person, n) => {
        turn.pay(treasury, person.account, 'XRP', typeof xrp === 'number' ? xrp : xrp(n));
      });
    },
  };
}

/** Steps in the order of their moments. */
export class Script {
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = [...steps].sort((a, b) => a.at - b.at);
  }

  play(turn: Turn): void {
    const until = turn.now - turn.epoch;
    const after = turn.parent.header.parentCloseTime - turn.epoch;
    let low = 0;
    let high = this.#steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#steps[middle]!.at > after) high = middle;
      else low = middle + 1;
    }
    for (; low < this.#steps.length && this.#steps[low]!.at <= until; low++) this.#steps[low]!.act(turn);
  }
}
