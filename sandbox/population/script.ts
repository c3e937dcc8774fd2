/**
 * Scripts: what is to happen at certain moments since the epoch. A moment belongs to exactly one ledger: the one after
 * the first that closed at it or later.
 */
import { MINUTE, WEEK } from '../../engine/ripple-time.ts';
import type { Asset } from '../protocol/asset.ts';
import type { Result } from '../protocol/results.ts';
import type { People, Person } from './people.ts';
import { Chance } from './random.ts';
import type { Economy } from './tokens.ts';
import type { Noted, Turn, Wish } from './turn.ts';

/** Weeks whose scenarios are told and whose people are there: this one and those before it. The first one always is. */
export const KEPT_WEEKS = 3;

/** The week of a time. @param offset seconds since the epoch */
export const weekAt = (offset: number): number => Math.max(0, Math.floor(offset / WEEK));

export interface Step {
  /** Seconds since the epoch; in a scenario as it is told, since the week began. */
  readonly at: number;
  act(turn: Turn): void;
}

/** What is looked at in every ledger for a while: for what must follow in the very next one. */
export interface Watch {
  /** Seconds, as of a step. */
  readonly from: number;
  readonly to: number;
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
  /** Seconds, as of a step. */
  readonly from: number;
  readonly to: number;
  /** Known before it happens; what is measured on the way is in the truth. */
  readonly expected: Readonly<Record<string, number | string>>;
  readonly steps: readonly Step[];
  readonly watches?: readonly Watch[];
}

const WEEK_ID = /^week-(\d+)\//;

/** The week that an id of a scenario belongs to. */
export const weekOfId = (id: string): number => Number(WEEK_ID.exec(id)?.[1] ?? 0);

const TICKERS = ['MOON', 'PUPPY', 'FROG', 'BOLT', 'ZEN', 'OTTER', 'LAVA', 'NEON', 'YETI', 'PIXEL'] as const;
/** How much later than in the first week a story may come in another, seconds. */
const SHIFT_MAX = 4 * 3_600;

/** What the stories of one week are told with. */
export class Stage {
  /** Those who are always there. */
  readonly people: People;
  /** Those who come for the stories of this week, and leave again; in the first week they stay. */
  readonly cast: People;
  readonly economy: Economy;
  /** From 0. */
  readonly week: number;
  readonly #seed: string;

  constructor({
    people,
    economy,
    seed,
    week,
  }: { people: People; economy: Economy; seed: string; week: number }) {
    this.people = people;
    this.economy = economy;
    this.week = week;
    this.cast = week === 0 ? people : people.within(`week-${week}/`);
    this.#seed = `${seed}/week/${week}`;
  }

  /** The id of a scenario: in the first week its name. */
  id(name: string): string {
    return this.week === 0 ? name : `week-${this.week}/${name}`;
  }

  /** A number that is the same in the first week and another in every other: up to `span` times as much or as little. */
  varied(name: string, value: number, span = 1.6): number {
    if (this.week === 0) return value;
    return Number((value * new Chance(`${this.#seed}/${name}`).skewed(span)).toPrecision(2));
  }

  /** What a token is called. */
  ticker(name: string): string {
    if (this.week === 0) return name;
    return `${new Chance(`${this.#seed}/ticker/${name}`).pick(TICKERS)}${this.week}`;
  }

  /** Seconds that a story comes later in this week than in the first, whole minutes. */
  shift(story: string): number {
    if (this.week === 0) return 0;
    return new Chance(`${this.#seed}/shift/${story}`).below(SHIFT_MAX / MINUTE) * MINUTE;
  }
}

export const noted = (id: string, step: string, meant?: Result): Noted =>
  meant === undefined ? { id, step } : { id, step, meant };

/** Accounts of a scenario that play the same part: `sniper 1`, `sniper 2`. */
export const named = (role: string, people: readonly Person[]): Record<string, Person> =>
  Object.fromEntries(people.map((person, n) => [`${role} ${n + 1}`, person]));

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

/** What a plot is told as. */
type Told = Omit<Scenario, 'id' | 'from' | 'to' | 'steps' | 'watches'> & { readonly minutes: number };
/** Undefined or empty: what it was to be about is not there, and nothing is sent. */
type Said = Wish | ((turn: Turn) => Wish | '' | undefined);

/** One scenario, written minute by minute. */
export class Plot {
  readonly id: string;
  readonly #from: number;
  readonly #steps: Step[] = [];
  readonly #watches: Watch[] = [];

  /** @param from seconds since the week began */
  constructor(stage: Stage, name: string, from: number) {
    this.id = stage.id(name);
    this.#from = from;
  }

  act(minute: number, act: (turn: Turn, plot: this) => void): this {
    this.#steps.push({ at: this.#from + minute * MINUTE, act: (turn) => act(turn, this) });
    return this;
  }

  /** Looks in every ledger of these minutes. */
  watch(minute: number, until: number, act: (turn: Turn) => void): this {
    const at = (count: number): number => this.#from + count * MINUTE;
    this.#watches.push({ from: at(minute), to: at(until), act });
    return this;
  }

  /** Steps that others have written. */
  steps(steps: readonly Step[]): this {
    this.#steps.push(...steps);
    return this;
  }

  fund(minute: number, people: readonly Person[], xrp: number): this {
    return this.steps([fund(this.#from + minute * MINUTE, people, xrp)]);
  }

  /** Somebody sends something, which is written down as this step. */
  say(minute: number, step: string, person: Person, said: Said, meant?: Result): this {
    return this.act(minute, (turn) => {
      const wish = typeof said === 'function' ? said(turn) : said;
      if (wish) turn.send(person, wish, this.noted(step, meant));
    });
  }

  /** All trust a token. */
  trust(minute: number, people: readonly Person[], asset: Asset, limit = 1e12): this {
    return this.act(minute, (turn) => {
      for (const person of people) turn.trust(person, asset, limit, {}, this.noted('trusts'));
    });
  }

  /** What is measured then, the same minute before anything of it is in a ledger. */
  fact(minute: number, name: string, value: (turn: Turn) => number | string): this {
    return this.act(minute, (turn) => turn.truth.fact(this.id, name, value(turn)));
  }

  noted(step: string, meant?: Result): Noted {
    return noted(this.id, step, meant);
  }

  told({ minutes, ...told }: Told): Scenario {
    return {
      id: this.id,
      ...told,
      from: this.#from,
      to: this.#from + minutes * MINUTE,
      steps: this.#steps,
      watches: this.#watches,
    };
  }
}

/** Steps in the order of their moments. */
export class Script {
  readonly #steps: readonly Step[];
  readonly #watches: readonly Watch[];

  constructor(steps: readonly Step[], watches: readonly Watch[] = []) {
    this.#steps = [...steps].sort((a, b) => a.at - b.at);
    this.#watches = watches;
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
    for (const { from, to, act } of this.#watches) if (from <= until && until <= to) act(turn);
  }
}
