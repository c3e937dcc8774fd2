/**
 * The population of the embedded network: simulated agents that send all transactions no client sends.
 *
 *     seed, epoch, state of the parent, close time ──► SimulationStep ──► signed transactions of the next ledger
 *                                                           │
 *        setup (first ledgers) · makers · arbitrage · traders · holders · payments · providers · collectors · oracles
 *        projects (the other tokens, by size) · rebalancer · scheduled: the week's scenarios and the catalogue ──► ground truth, stored with the ledgers
 *
 * Goals: markets with trades in every hour, whose books, pools, holders and prices are consistent; for every analytic a
 * scenario with a known result, available as data; the same seed and close times give the same ledgers, byte for byte,
 * across restarts. Non-goals: clever agents. An agent has no memory: it reads the ledger, draws random numbers derived
 * from seed, ledger and purpose, and acts.
 *
 * Time: rates are per minute, the interval of ledgers of history. In shorter ledgers agents act less often and orders
 * are smaller, so that a day of live ledgers looks like a day of history.
 *
 * Cost: a few hundred reads of the state a step, and a signature (0.05 ms) a transaction. About a quarter of the time
 * that a ledger of history takes; the rest is applying, hashing and storing.
 */
import type { JsonObject } from '../../engine/codec/json.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from '../node/network.ts';
import type { TransactionSource } from '../node/pace.ts';
import { Agents } from './agents.ts';
import { arbitrage } from './arbitrage.ts';
import { catalogue } from './catalogue/catalogue.ts';
import type { CatalogueFamily } from './catalogue/family.ts';
import { collectors } from './collectors.ts';
import { exchanges } from './exchanges.ts';
import { fixtures } from './fixtures.ts';
import { GroundTruth } from './ground-truth.ts';
import { holders } from './holders.ts';
import { makers } from './makers.ts';
import { NftFiles } from './nft-files.ts';
import { oracles } from './oracles.ts';
import { payments } from './payments.ts';
import { Projects } from './projects/projects.ts';
import { providers } from './providers.ts';
import { Rebalancer } from './rebalancer.ts';
import { Schedule } from './scenario.ts';
import { MARKETS_OPEN, setup } from './setup.ts';
import { SimulationStep } from './simulation-step.ts';
import type { PopulationSize } from './size.ts';
import { TokenIcons } from './token-icons.ts';
import { Economy } from './tokens.ts';
import { TomlFiles } from './toml.ts';
import { traders } from './traders.ts';
import { Weeks } from './weeks.ts';

export interface PopulationOptions {
  readonly network: Network;
  /** For a new network, as is `size`; an existing one keeps those it was created with. */
  readonly seed: string;
  readonly size: PopulationSize;
}

export class Population implements TransactionSource {
  readonly agents: Agents;
  readonly economy: Economy;
  readonly groundTruth: GroundTruth;
  readonly projects: Projects;
  readonly weeks: Weeks;
  /** The catalogue, by families of transaction types. */
  readonly families: readonly CatalogueFamily[];
  readonly #network: Network;
  readonly #schedule: Schedule;
  readonly #rebalancer = new Rebalancer();

  constructor({ network, seed, size }: PopulationOptions) {
    this.#network = network;
    this.groundTruth = new GroundTruth(network, seed, size);
    this.agents = new Agents(this.groundTruth.seed);
    const { agents, groundTruth } = this;
    this.economy = new Economy(agents, groundTruth.seed, groundTruth.epoch);
    this.projects = new Projects({ agents, seed: groundTruth.seed, size: groundTruth.size });
    const { economy, projects } = this;
    this.weeks = new Weeks({ agents, economy, projects, seed: groundTruth.seed });
    this.families = catalogue(this.agents);
    network.fixtures = () => this.fixtures();
    const files = new TomlFiles({ agents, economy, projects });
    network.tomlOf = (domain) => files.of(domain);
    const media = new NftFiles(groundTruth.seed);
    const icons = new TokenIcons(groundTruth.seed, files);
    network.fileOf = (host, path) => media.of(host, path) ?? icons.of(host, path);
    this.#schedule = new Schedule(this.families.flatMap(({ actions }) => actions));
  }

  transactions(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[] {
    this.groundTruth.complete(parent);
    const step = this.#step(parent, closeTime);
    if (step.index < MARKETS_OPEN) setup(step);
    else this.#act(step);
    return step.transactions;
  }

  /** See {@link fixtures}. */
  fixtures(): JsonObject {
    const { agents, economy, projects, groundTruth, weeks, families } = this;
    const { validated } = this.#network;
    const step = this.#step(validated, validated.closeTime);
    return fixtures({
      network: this.#network,
      agents,
      economy,
      projects,
      groundTruth,
      weeks,
      families,
      step,
    });
  }

  #step(parent: ClosedLedger, closeTime: number): SimulationStep {
    return new SimulationStep({
      parent,
      closeTime,
      agents: this.agents,
      economy: this.economy,
      seed: this.groundTruth.seed,
      epoch: this.groundTruth.epoch,
      networkId: this.#network.networkId,
      groundTruth: this.groundTruth,
    });
  }

  #act(step: SimulationStep): void {
    makers(step, step.index === MARKETS_OPEN);
    if (step.index === MARKETS_OPEN) return;
    this.#rebalancer.run(step);
    arbitrage(step);
    traders(step);
    holders(step);
    payments(step);
    providers(step);
    collectors(step);
    oracles(step);
    this.projects.run(step);
    if (this.projects.all.length > 0) exchanges(step);
    this.#schedule.run(step);
    this.weeks.run(step);
  }
}
