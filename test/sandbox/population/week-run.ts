/**
 * A week of people in the time of seconds: ledgers are a minute apart where its scripts need it and a quarter of an hour
 * elsewhere. What the truth tells of is read from the ledgers with the reference codec. On the way the network may end
 * without a word and go on from what was durable.
 */
import { expect } from 'bun:test';
import type { Agents } from '../../../sandbox/population/agents.ts';
import type { GroundTruth } from '../../../sandbox/population/ground-truth.ts';
import { AIRDROP_ENDS } from '../../../sandbox/population/holders.ts';
import type { Population } from '../../../sandbox/population/population.ts';
import { type Scenario, ScenarioContext } from '../../../sandbox/population/scenario.ts';
import { XRP } from '../../../sandbox/protocol/asset.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { EarlierStore, type ReadTransaction, read, STEP, World } from './world.ts';

const WEEK = 7 * 86_400;
const LONG_STEP = 900;
const AIRDROP_STEP = 180;
/** Ledgers of the set-up, before anybody acts. */
const SETUP = 30;
/** Ledgers that share a commit where the network ends now and then. */
const COMMIT_EVERY = 16;

export interface WeekRunOptions {
  readonly seed: string;
  /** The week to tell; its first day is the network's first. */
  readonly week: number;
  /** Days of it. */
  readonly days: number;
  /** The network ends after so many ledgers, again and again. */
  readonly endsEvery?: number;
}

export class WeekRun {
  world: World;
  readonly #options: WeekRunOptions;
  /** Transactions of the ledgers that something is told of, by hash. */
  readonly kept = new Map<string, ReadTransaction>();
  readonly #hashes = new Map<number, string>();
  /** Dollars for one stablecoin in its pool, in the middle of the hour without a peg, ledger by ledger. */
  readonly pegs: number[] = [];
  readonly refused: string[] = [];
  ends = 0;

  constructor(options: WeekRunOptions) {
    this.#options = options;
    const { seed, week } = options;
    this.world = new World({ seed, store: new EarlierStore(week, seed), commitEvery: COMMIT_EVERY });
    this.#tell();
    this.groundTruth.complete(this.world.network.closed);
    this.world.flush();
    this.refused.push(...this.world.refused);
  }

  get week(): number {
    return this.#options.week;
  }

  get population(): Population {
    return this.world.population;
  }

  get groundTruth(): GroundTruth {
    return this.population.groundTruth;
  }

  get scenarios(): readonly Scenario[] {
    return this.population.weeks.scenarios(this.#options.week);
  }

  /** Those of this week's stories. */
  get actors(): Agents {
    const { agents, economy } = this.population;
    return new ScenarioContext({ agents, economy, seed: this.groundTruth.seed, week: this.#options.week })
      .actors;
  }

  /** Seconds since the epoch. */
  get now(): number {
    return this.world.network.closed.closeTime - this.groundTruth.epoch;
  }

  #moments(): number[] {
    const { week } = this.#options;
    const scripts = [...this.scenarios, ...(week === 0 ? this.population.families : [])];
    const watched = this.scenarios
      .flatMap(({ watches = [] }) => watches)
      .flatMap(({ from, to }) => Array.from({ length: (to - from) / STEP + 1 }, (_, i) => from + i * STEP));
    const actions = scripts.flatMap(({ actions }) => actions.flatMap(({ at }) => [at, at + STEP]));
    return [...new Set([...watched, ...actions])].sort((a, b) => a - b);
  }

  #tell(): void {
    const { week, days, endsEvery = Infinity } = this.#options;
    const begin = week * WEEK;
    const depeg = this.population.economy.depeg(week);
    const moments = this.#moments();
    let made = 0;
    for (let next = 0; this.now < begin + days * 86_400; ) {
      const { now } = this;
      while (moments[next]! <= now) next++;
      const market = now >= begin + depeg.from && now < begin + depeg.to;
      const quiet = week === 0 && now < AIRDROP_ENDS + LONG_STEP ? AIRDROP_STEP : LONG_STEP;
      const setup = this.world.network.closed.index < SETUP;
      this.#ledger(setup || market ? STEP : Math.min(quiet, (moments[next] ?? Infinity) - now), market);
      if (++made % endsEvery === 0) {
        this.#end();
        next = 0;
      }
    }
  }

  #ledger(seconds: number, market: boolean): void {
    const before = this.groundTruth.rows.length;
    const ledger = this.world.step(seconds);
    // A ledger that was lost comes again as it was.
    expect(ledger.hash).toBe(this.#hashes.get(ledger.index) ?? ledger.hash);
    this.#hashes.set(ledger.index, ledger.hash);
    if (market) this.#watchPeg();
    if (this.groundTruth.rows.length === before) return;
    for (const transaction of read(ledger)) this.kept.set(transaction.hash, transaction);
  }

  /** Ends without making anything durable, and goes on from the last commit. */
  #end(): void {
    const { store, refused } = this.world;
    this.refused.push(...refused);
    this.world = new World({ seed: 'not asked for', store, commitEvery: COMMIT_EVERY });
    this.ends++;
  }

  /** What the pool asks for a stablecoin, times XRP in dollars. */
  #watchPeg(): void {
    const { economy } = this.population;
    const { from, to } = economy.depeg(this.#options.week);
    const into = this.now - this.#options.week * WEEK - from;
    if (into < (to - from) / 3 || into > ((to - from) * 2) / 3) return;
    const { closed } = this.world.network;
    const { asset, issuer } = economy.token('USDM');
    const pool = closed.view().read(keylets.amm(asset, XRP))!.Account!;
    const line = closed.view().read(keylets.line(pool, issuer.account, asset.slice(0, 40)))!;
    const xrp = Number(closed.view().read(keylets.account(pool))!.Balance!.drops) / 1e6;
    const tokens = Math.abs(Number(line.Balance!.text()));
    this.pegs.push((xrp / tokens) * economy.xrpUsd(closed.closeTime));
  }
}
