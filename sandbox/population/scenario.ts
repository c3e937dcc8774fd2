/**
 * Scenarios: sequences of transactions with a known outcome, each action scheduled at a moment since the epoch. An
 * action runs in exactly one ledger: the one after the first ledger that closed at its moment or later.
 */

import type { Asset } from '../../engine/codec/arithmetic/asset.ts';
import { MINUTE } from '../../engine/ripple-time.ts';
import type { Result } from '../protocol/results.ts';
import type { Agent, Agents } from './agents.ts';
import type { Project } from './projects/project.ts';
import { RandomStream } from './random.ts';
import type { Annotation, SimulationStep, TransactionTemplate } from './simulation-step.ts';
import type { Economy } from './tokens.ts';

export interface ScheduledAction {
  /** Seconds since the epoch; seconds since the week began while the scenario is being built. */
  readonly at: number;
  run(step: SimulationStep): void;
}

/** Runs in every ledger of a period: for transactions that must follow another one in the very next ledger. */
export interface Watch {
  /** Seconds, as in `ScheduledAction.at`. */
  readonly from: number;
  readonly to: number;
  run(step: SimulationStep): void;
}

/** A sequence of transactions that an analytic is expected to find. */
export interface Scenario {
  readonly id: string;
  readonly kind: string;
  readonly about: string;
  /** Its agents by role. */
  readonly accounts: Readonly<Record<string, Agent>>;
  readonly token?: Asset;
  /** Seconds, as in `ScheduledAction.at`. */
  readonly from: number;
  readonly to: number;
  /** Figures known before it runs; those measured while it runs are facts of the ground truth. */
  readonly expected: Readonly<Record<string, number | string>>;
  readonly actions: readonly ScheduledAction[];
  readonly watches?: readonly Watch[];
}

const TICKERS = ['MOON', 'PUPPY', 'FROG', 'BOLT', 'ZEN', 'OTTER', 'LAVA', 'NEON', 'YETI', 'PIXEL'] as const;
/** How much later than in week 0 a group of scenarios may begin in another week, seconds. */
const SHIFT_MAX = 4 * 3_600;

export interface ScenarioContextOptions {
  readonly agents: Agents;
  readonly economy: Economy;
  readonly projects: { readonly all: readonly Project[] };
  readonly seed: string;
  readonly week: number;
}

/** What the scenarios of one week are built from. */
export class ScenarioContext {
  /** Permanent agents. */
  readonly agents: Agents;
  /** Agents created for the scenarios of this week. They close their accounts later, except those of week 0. */
  readonly actors: Agents;
  readonly economy: Economy;
  /** Empty in networks of size `small`. */
  readonly projects: readonly Project[];
  /** From 0. */
  readonly week: number;
  readonly #seed: string;

  constructor({ agents, economy, projects, seed, week }: ScenarioContextOptions) {
    this.agents = agents;
    this.economy = economy;
    this.projects = projects.all;
    this.week = week;
    this.actors = week === 0 ? agents : agents.within(`week-${week}/`);
    this.#seed = `${seed}/week/${week}`;
  }

  /** The id of a scenario: in week 0 its name. */
  id(name: string): string {
    return this.week === 0 ? name : `week-${this.week}/${name}`;
  }

  /** A number that differs from week to week: `value` in week 0, else from `value / span` to `value * span`. */
  varied(name: string, value: number, span = 1.6): number {
    if (this.week === 0) return value;
    return Number((value * new RandomStream(`${this.#seed}/${name}`).skewed(span)).toPrecision(2));
  }

  /** The currency name of a token: `name` in week 0. */
  ticker(name: string): string {
    if (this.week === 0) return name;
    return `${new RandomStream(`${this.#seed}/ticker/${name}`).pick(TICKERS)}${this.week}`;
  }

  /** How much later than in week 0 a group of scenarios begins in this week: seconds, whole minutes. */
  shift(group: string): number {
    if (this.week === 0) return 0;
    return new RandomStream(`${this.#seed}/shift/${group}`).below(SHIFT_MAX / MINUTE) * MINUTE;
  }
}

export const annotate = (id: string, label: string, expectedResult?: Result): Annotation =>
  expectedResult === undefined ? { id, label } : { id, label, expectedResult };

/** Accounts of a scenario that have the same role: `sniper 1`, `sniper 2`. */
export const numberedRoles = (role: string, agents: readonly Agent[]): Record<string, Agent> =>
  Object.fromEntries(agents.map((agent, n) => [`${role} ${n + 1}`, agent]));

/** Pays XRP from the treasury to agents. */
export function fund(
  at: number,
  agents: readonly Agent[],
  xrp: number | ((n: number) => number),
): ScheduledAction {
  return {
    at,
    run(step) {
      const treasury = step.agents.get('treasury');
      agents.forEach((agent, n) => {
        step.pay(treasury, agent.account, 'XRP', typeof xrp === 'number' ? xrp : xrp(n));
      });
    },
  };
}

/** What a scenario is, without its actions. */
type ScenarioDescription = Omit<Scenario, 'id' | 'from' | 'to' | 'actions' | 'watches'> & {
  readonly minutes: number;
};
/** A function may give undefined or an empty string: an entry that it needs does not exist, and nothing is sent. */
type TemplateSource = TransactionTemplate | ((step: SimulationStep) => TransactionTemplate | '' | undefined);

/** Builds one scenario; times are in minutes since it begins. */
export class ScenarioBuilder {
  readonly id: string;
  readonly #from: number;
  readonly #actions: ScheduledAction[] = [];
  readonly #watches: Watch[] = [];

  /** @param from seconds since the week began */
  constructor(context: ScenarioContext, name: string, from: number) {
    this.id = context.id(name);
    this.#from = from;
  }

  schedule(minute: number, run: (step: SimulationStep) => void): this {
    this.#actions.push({ at: this.#from + minute * MINUTE, run });
    return this;
  }

  /** Runs in every ledger of these minutes. */
  watch(minute: number, until: number, run: (step: SimulationStep) => void): this {
    const at = (count: number): number => this.#from + count * MINUTE;
    this.#watches.push({ from: at(minute), to: at(until), run });
    return this;
  }

  /** Adds actions that were built elsewhere; their times are in seconds since the week began. */
  scheduleAll(actions: readonly ScheduledAction[]): this {
    this.#actions.push(...actions);
    return this;
  }

  fund(minute: number, agents: readonly Agent[], xrp: number): this {
    return this.scheduleAll([fund(this.#from + minute * MINUTE, agents, xrp)]);
  }

  /** An agent sends a transaction, which is recorded in the ground truth with this label. */
  send(minute: number, label: string, agent: Agent, source: TemplateSource, expectedResult?: Result): this {
    return this.schedule(minute, (step) => {
      const template = typeof source === 'function' ? source(step) : source;
      if (template) step.send(agent, template, this.annotate(label, expectedResult));
    });
  }

  /** Every agent opens a trust line for a token. */
  trust(minute: number, agents: readonly Agent[], asset: Asset, limit = 1e12): this {
    return this.schedule(minute, (step) => {
      for (const agent of agents) step.trust(agent, asset, limit, {}, this.annotate('trusts'));
    });
  }

  /** Records a figure measured at this minute, before the transactions of the same minute are in a ledger. */
  fact(minute: number, name: string, value: (step: SimulationStep) => number | string): this {
    return this.schedule(minute, (step) => step.groundTruth.fact(this.id, name, value(step)));
  }

  annotate(label: string, expectedResult?: Result): Annotation {
    return annotate(this.id, label, expectedResult);
  }

  build({ minutes, ...description }: ScenarioDescription): Scenario {
    return {
      id: this.id,
      ...description,
      from: this.#from,
      to: this.#from + minutes * MINUTE,
      actions: this.#actions,
      watches: this.#watches,
    };
  }
}

/** Actions in the order of their moments. */
export class Schedule {
  readonly #actions: readonly ScheduledAction[];
  readonly #watches: readonly Watch[];

  constructor(actions: readonly ScheduledAction[], watches: readonly Watch[] = []) {
    this.#actions = [...actions].sort((a, b) => a.at - b.at);
    this.#watches = watches;
  }

  /** Runs the actions whose moment came with the parent ledger, found by binary search, then the open watches. */
  run(step: SimulationStep): void {
    const until = step.now - step.epoch;
    const after = step.parent.header.parentCloseTime - step.epoch;
    let low = 0;
    let high = this.#actions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#actions[middle]!.at > after) high = middle;
      else low = middle + 1;
    }
    for (; low < this.#actions.length && this.#actions[low]!.at <= until; low++)
      this.#actions[low]!.run(step);
    for (const { from, to, run } of this.#watches) if (from <= until && until <= to) run(step);
  }
}
