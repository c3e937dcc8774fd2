/**
 * Runs one week of a population within seconds: ledgers are a minute apart where scheduled actions need it and a quarter
 * of an hour elsewhere. Annotated transactions are read from the ledgers with the reference codec. On the way the network
 * can be stopped without a flush and restarted from its last commit.
 */
import { expect } from 'bun:test';
import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import type { GroundTruth } from '../../../sandbox/population/ground-truth.ts';
import { AIRDROP_ENDS } from '../../../sandbox/population/holders.ts';
import type { Population } from '../../../sandbox/population/population.ts';
import type { Scenario } from '../../../sandbox/population/scenario.ts';
import type { PopulationSize } from '../../../sandbox/population/size.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { EarlierStore, type ReadTransaction, read, STEP, World } from './world.ts';

const WEEK = 7 * 86_400;
const LONG_STEP = 900;
export const LONGEST_STEP = 3_600;
const AIRDROP_STEP = 180;
/** Ledgers that include the setup. */
const SETUP = 30;
/** Ledgers in one commit: a stop loses those after the last commit. */
const COMMIT_EVERY = 16;

export interface WeekRunOptions {
  readonly seed: string;
  /** The week to run; its first day is the network's first. */
  readonly week: number;
  /** Days of the week to run. */
  readonly days: number;
  /** Default: small. */
  readonly size?: PopulationSize;
  /** Only these scenarios run ledger by ledger; in the others' ledgers, actions may come together and fail. Default: all. */
  readonly only?: (scenario: Scenario) => boolean;
  /** Called with every ledger. */
  readonly onLedger?: (ledger: ClosedLedger) => void;
  /** The network is stopped and restarted after every so many ledgers. Default: never. */
  readonly restartEvery?: number;
}

export class WeekRun {
  world: World;
  readonly #options: WeekRunOptions;
  /** The transactions of the ground truth, by hash. */
  readonly transactions = new Map<string, ReadTransaction>();
  readonly #hashes = new Map<number, string>();
  /** Price of the stablecoin in its pool in USD, in the middle third of the hour without its peg, ledger by ledger. */
  readonly pegs: number[] = [];
  readonly refused: string[] = [];
  restarts = 0;

  constructor(options: WeekRunOptions) {
    this.#options = options;
    const { seed, week, size = 'small' } = options;
    const store = new EarlierStore(week, seed, size);
    this.world = new World({ seed, size, store, commitEvery: COMMIT_EVERY });
    this.#run();
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

  /** Seconds since the epoch. */
  get now(): number {
    return this.world.network.closed.closeTime - this.groundTruth.epoch;
  }

  #moments(): number[] {
    const { week, only } = this.#options;
    const chosen = only ? this.scenarios.filter(only) : this.scenarios;
    const schedules = [...chosen, ...(week === 0 && !only ? this.population.families : [])];
    const watched = chosen
      .flatMap(({ watches = [] }) => watches)
      .flatMap(({ from, to }) => Array.from({ length: (to - from) / STEP + 1 }, (_, i) => from + i * STEP));
    const actions = schedules.flatMap(({ actions }) =>
      actions.flatMap(({ at }) => (only ? [at] : [at, at + STEP])),
    );
    return [...new Set([...watched, ...actions])].sort((a, b) => a - b);
  }

  #run(): void {
    const { week, days, only, restartEvery = Infinity } = this.#options;
    const begin = week * WEEK;
    const depeg = this.population.economy.depeg(week);
    const moments = this.#moments();
    let made = 0;
    for (let next = 0; this.now < begin + days * 86_400; ) {
      const { now } = this;
      while (moments[next]! <= now) next++;
      const market = !only && now >= begin + depeg.from && now < begin + depeg.to;
      const airdrop = week === 0 && !only && now < AIRDROP_ENDS + LONG_STEP;
      const quiet = airdrop ? AIRDROP_STEP : only ? LONGEST_STEP : LONG_STEP;
      const setup = this.world.network.closed.index < SETUP;
      this.#ledger(setup || market ? STEP : Math.min(quiet, (moments[next] ?? Infinity) - now), market);
      if (++made % restartEvery === 0) {
        this.#restart();
        next = 0;
      }
    }
  }

  #ledger(seconds: number, market: boolean): void {
    const before = this.groundTruth.rows.length;
    const ledger = this.world.step(seconds);
    // A ledger that a stop has lost is made again with the same hash.
    expect(ledger.hash).toBe(this.#hashes.get(ledger.index) ?? ledger.hash);
    this.#hashes.set(ledger.index, ledger.hash);
    if (market) this.#recordPeg();
    this.#options.onLedger?.(ledger);
    const hashes = new Set(this.groundTruth.rows.slice(before).map(({ hash }) => hash));
    const { index, closeTime } = ledger;
    const transactions = ledger.transactions.filter(({ hashText }) => hashes.has(hashText));
    for (const one of read({ index, closeTime, transactions })) this.transactions.set(one.hash, one);
  }

  /** Stops without a flush, and continues from the last commit. */
  #restart(): void {
    const { store, refused } = this.world;
    this.refused.push(...refused);
    this.world = new World({ seed: 'not asked for', store, commitEvery: COMMIT_EVERY });
    this.restarts++;
  }

  /** Records the stablecoin's price in the pool, in USD. */
  #recordPeg(): void {
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
