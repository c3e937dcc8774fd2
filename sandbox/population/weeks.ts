/**
 * Weeks: the stories that something is to be found in come again for as long as the network lives.
 *
 *     week        0             1             2             3             4
 *     stories     told          told          told          told          told
 *     people of   0 stay        1 ....................... leave
 *                                             2 ....................... leave
 *
 * Goals: in any day and any week there is something new and true to find: launches with snipers, dumps, rug pulls,
 * scams, wash trading, a whale, holders who come and go, a drop of NFTs with its floor, escrows and checks that fall
 * due. Every week is told anew by the same stories, with other people, other tokens, other sizes and hours, all drawn
 * from seed and week; what happened is written down as it was in the first week. Nothing grows with the number of
 * weeks: people of a week give back what they have and close their accounts in the second week after it, and their
 * truth goes with them. Non-goals: stories that last longer than a week; the catalogue, which is told once.
 *
 * What is known: nothing but the week a ledger falls into. Stories of this week and the one before, and the people who
 * are to leave, follow from the seed; who has left and who has not, from the ledger. So a restart goes on exactly.
 *
 * The first week is as it always was and its people stay: whoever follows the catalogue's or its transactions' hashes
 * finds entries of every kind, whatever day it is.
 *
 * Cost: about four hundred people and a thousand steps a week, told at its first ledger (a few ms; keys are made when
 * somebody acts) and forgotten three weeks later; a search by halves in two lists a ledger; three people looked at a
 * minute while a week's leave. In the ledger some 450 entries a week, for three weeks.
 */
import { leave } from './leaving.ts';
import type { People, Person } from './people.ts';
import { scenarios } from './scenarios/scenarios.ts';
import { KEPT_WEEKS, type Scenario, Script, Stage, weekAt } from './script.ts';
import type { Economy } from './tokens.ts';
import type { Turn } from './turn.ts';

/** People looked at in a minute while they leave. */
const LOOKS = 3;

interface Week {
  readonly scenarios: readonly Scenario[];
  readonly script: Script;
  readonly cast: readonly Person[];
}

export interface WeeksOptions {
  readonly people: People;
  readonly economy: Economy;
  readonly seed: string;
}

export class Weeks {
  readonly #options: WeeksOptions;
  readonly #known = new Map<number, Week>();

  constructor(options: WeeksOptions) {
    this.#options = options;
  }

  play(turn: Turn): void {
    const now = weekAt(turn.now - turn.epoch);
    if (now > 0) this.#week(now - 1).script.play(turn);
    this.#week(now).script.play(turn);
    const leaving = now - KEPT_WEEKS + 1;
    if (leaving > 0) this.#leave(turn, this.#week(leaving).cast);
    for (const week of this.#known.keys()) if (week > 0 && week < leaving) this.#known.delete(week);
  }

  /** Scenarios of one week; times in seconds since the epoch. */
  scenarios(week: number): readonly Scenario[] {
    return this.#week(week).scenarios;
  }

  /** Scenarios that are told at a time: of the first week, and of the weeks kept those that have begun. */
  told(offset: number): Scenario[] {
    const now = weekAt(offset);
    const weeks = Array.from({ length: KEPT_WEEKS }, (_, n) => now - n).filter((week) => week > 0);
    return [0, ...weeks.reverse()].flatMap((week) =>
      this.scenarios(week).filter(({ from }) => week === 0 || from <= offset),
    );
  }

  #week(week: number): Week {
    let known = this.#known.get(week);
    if (known === undefined) {
      const stage = new Stage({ ...this.#options, week });
      const told = scenarios(stage);
      known = {
        scenarios: told,
        script: new Script(
          told.flatMap(({ steps }) => steps),
          told.flatMap(({ watches = [] }) => watches),
        ),
        cast: week === 0 ? [] : [...stage.cast.known().values()],
      };
      this.#known.set(week, known);
    }
    return known;
  }

  #leave(turn: Turn, cast: readonly Person[]): void {
    const chance = turn.chance('leaving');
    for (let i = 0; i < LOOKS; i++)
      if (chance.hit(turn.share)) leave(turn, cast[(turn.index * LOOKS + i) % cast.length]!);
  }
}
