/**
 * Projects: the many tokens of a network beside those of the markets, so that lists, movers, platforms and profiles of
 * traders have something to show.
 *
 *     launches ──► opening.ts   issuer, creator, supply, pool (through a platform, by its source tag), keys given up
 *     each minute ─► trading.ts   a project by its popularity, one of its members: funded, trusting, trading
 *                  books.ts     makers of its book          mpt-payments.ts   units of MPTs between holders
 *
 * Goals: names of three letters and of forty hex digits; pools and books from shallow to deep; popular and hardly traded
 * tokens, gainers and losers, some that go quiet for good days before the week ends, some that were never distributed by a
 * pool; issuers with and without a domain and its xrp-ledger.toml (toml.ts), with and without their keys; several
 * platforms with different shares. Everything follows from seed and ledger, as for all agents (population.ts).
 * Non-goals: an end. Projects of the first week stay; later weeks bring launches by scenarios (scenarios/).
 *
 * Memory: a project that is complete stays so, which is remembered to spare the look; a restart looks again.
 *
 * Cost: by default two actions a minute, one or two books, three reads for each project that is being opened.
 */
import type { Agents } from '../agents.ts';
import type { SimulationStep } from '../simulation-step.ts';
import { EXTENTS, type PopulationSize } from '../size.ts';
import { makeBooks } from './books.ts';
import { Names } from './names.ts';
import { open } from './opening.ts';
import { Project } from './project.ts';
import { act } from './trading.ts';

/** Projects that are opened at the same time. */
const OPENING_MAX = 24;
/** How often a project that nobody can trade now is drawn before an action is left out. */
const DRAWS_MAX = 4;

export interface ProjectsOptions {
  readonly agents: Agents;
  readonly seed: string;
  readonly size: PopulationSize;
}

export class Projects {
  readonly all: readonly Project[];
  readonly #rate: number;
  /** Sums of the weights up to each project. */
  readonly #weights: Float64Array;
  /** Not known to be complete, by time of launch. */
  #incomplete: readonly Project[];
  readonly #complete = new Set<Project>();
  #books: readonly Project[] = [];

  constructor({ agents, seed, size }: ProjectsOptions) {
    const extent = EXTENTS[size];
    const names = new Names(seed);
    this.all = Array.from(
      { length: extent.projects },
      (_, n) => new Project(n, { agents, seed, extent, name: names.next() }),
    );
    this.#rate = extent.rate;
    let sum = 0;
    this.#weights = Float64Array.from(this.all, ({ weight }) => {
      sum += weight;
      return sum;
    });
    this.#incomplete = [...this.all].sort((a, b) => a.launchAt - b.launchAt || a.n - b.n);
  }

  run(step: SimulationStep): void {
    if (this.all.length === 0) return;
    this.#open(step);
    makeBooks(step, this.#books);
    const random = step.random('projects');
    for (let left = this.#rate * step.durationRatio; left > 0; left -= 1)
      if (random.chance(Math.min(1, left))) {
        const project = this.#traded(step, random.next.bind(random));
        if (project !== undefined) act(step, project, random);
      }
  }

  #open(step: SimulationStep): void {
    const now = step.now - step.epoch;
    const known = this.#complete.size;
    let opening = 0;
    for (const project of this.#incomplete) {
      if (project.launchAt > now || opening === OPENING_MAX) break;
      if (open(step, project)) this.#complete.add(project);
      else opening++;
    }
    if (this.#complete.size === known) return;
    this.#incomplete = this.#incomplete.filter((project) => !this.#complete.has(project));
    this.#books = this.all.filter((project) => project.book !== undefined && this.#complete.has(project));
  }

  /** A project by its weight, one that is complete and traded now. */
  #traded(step: SimulationStep, next: () => number): Project | undefined {
    const now = step.now - step.epoch;
    for (let i = 0; i < DRAWS_MAX; i++) {
      const at = next() * this.#weights.at(-1)!;
      let [low, high] = [0, this.#weights.length - 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#weights[middle]! > at) high = middle;
        else low = middle + 1;
      }
      const project = this.all[low]!;
      if (project.isTraded(now) && this.#complete.has(project)) return project;
    }
    return undefined;
  }
}
