/**
 * Weeks: the scenarios run again in every week of the network's life.
 *
 *     week        0             1             2             3             4
 *     scenarios   run           run           run           run           run
 *     actors of   0 stay        1 ....................... close their accounts
 *                                             2 ....................... close their accounts
 *
 * Goals: on every day of every week there is something new to find, with a known result: launches with snipers, dumps,
 * rug pulls, scams, wash trading, a whale, holders who buy and sell, an NFT drop with its floor price, escrows and
 * checks with deadlines. Every week runs the same scenarios with other actors, tokens, sizes and hours, all derived from
 * seed and week, and is recorded in the ground truth. Nothing grows with the number of weeks: the actors of a week
 * return what they have and close their accounts in the second week after it, and its ground truth is dropped.
 * Non-goals: scenarios that last longer than a week; repeating the catalogue, which runs once.
 *
 * State: none but the week that a ledger falls into. The scenarios of this week and the one before, and the actors that
 * are closing their accounts, follow from the seed; which accounts are closed already, from the ledger. So a restart
 * continues exactly.
 *
 * The actors of week 0 keep their accounts: at any time, the hashes of the catalogue and of week 0 lead to ledger
 * entries of every type.
 *
 * Cost: about four hundred actors and a thousand actions a week, built at its first ledger (a few ms; keys are derived
 * when an actor acts) and dropped three weeks later; two binary searches a ledger; three accounts checked a minute while
 * the actors of a week close theirs. In the ledger some 450 entries a week, for three weeks.
 */

import type { Agent, Agents } from './agents.ts';
import { closeAccount } from './close-account.ts';
import type { Projects } from './projects/projects.ts';
import { type Scenario, ScenarioContext, Schedule } from './scenario.ts';
import { scenarios } from './scenarios/scenarios.ts';
import type { SimulationStep } from './simulation-step.ts';
import type { Economy } from './tokens.ts';
import { KEPT_WEEKS, weekAt } from './week.ts';

/** Accounts checked in a minute while the actors of a week close theirs. */
const CHECKS = 3;

interface Week {
  readonly scenarios: readonly Scenario[];
  readonly schedule: Schedule;
  readonly actors: readonly Agent[];
}

export interface WeeksOptions {
  readonly agents: Agents;
  readonly economy: Economy;
  readonly projects: Projects;
  readonly seed: string;
}

export class Weeks {
  readonly #options: WeeksOptions;
  readonly #weeks = new Map<number, Week>();

  constructor(options: WeeksOptions) {
    this.#options = options;
  }

  run(step: SimulationStep): void {
    const now = weekAt(step.now - step.epoch);
    if (now > 0) this.#week(now - 1).schedule.run(step);
    this.#week(now).schedule.run(step);
    const closing = now - KEPT_WEEKS + 1;
    if (closing > 0) this.#closeAccount(step, this.#week(closing).actors);
    for (const week of this.#weeks.keys()) if (week > 0 && week < closing) this.#weeks.delete(week);
  }

  /** Scenarios of one week; times in seconds since the epoch. */
  scenarios(week: number): readonly Scenario[] {
    return this.#week(week).scenarios;
  }

  /** Scenarios listed at a time: all of week 0, and those of the kept weeks that have started. */
  listed(offset: number): Scenario[] {
    const now = weekAt(offset);
    const weeks = Array.from({ length: KEPT_WEEKS }, (_, n) => now - n).filter((week) => week > 0);
    return [0, ...weeks.reverse()].flatMap((week) =>
      this.scenarios(week).filter(({ from }) => week === 0 || from <= offset),
    );
  }

  #week(week: number): Week {
    let found = this.#weeks.get(week);
    if (found === undefined) {
      const context = new ScenarioContext({ ...this.#options, week });
      const built = scenarios(context);
      found = {
        scenarios: built,
        schedule: new Schedule(
          built.flatMap(({ actions }) => actions),
          built.flatMap(({ watches = [] }) => watches),
        ),
        actors: week === 0 ? [] : [...context.actors.known().values()],
      };
      this.#weeks.set(week, found);
    }
    return found;
  }

  #closeAccount(step: SimulationStep, actors: readonly Agent[]): void {
    const random = step.random('leaving');
    for (let i = 0; i < CHECKS; i++)
      if (random.chance(step.durationRatio))
        closeAccount(step, actors[(step.index * CHECKS + i) % actors.length]!);
  }
}
