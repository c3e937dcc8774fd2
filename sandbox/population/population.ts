/**
 * The people of the embedded network: everything that happens on it by itself.
 *
 *     seed, epoch, state of the parent, close time ──► Turn ──► signed transactions of the next ledger
 *                                                       │
 *        setup (first ledgers) · makers · arbitrage · traders · holders · payments · providers · collectors · oracles
 *        upkeep · the week's scenarios and the catalogue by script ──► truth, kept with the ledgers
 *
 * Goals: markets that are alive in every hour, with books, pools, holders and prices that agree with each other; for
 * every analytic something true to find, told as data; the same seed and close times give the same ledgers, byte for
 * byte, whatever restarts lie between. Non-goals: cleverness. Nobody learns, nobody remembers: each reads the ledger,
 * draws his chance from seed, ledger and purpose, and acts.
 *
 * Time: what happens per time is told for a minute, the step of history; in shorter ledgers it happens as much rarer,
 * and orders are smaller, so that a day of live ledgers looks like a day of history.
 *
 * Cost: a few hundred reads of the state a turn, and a signature (0.05 ms) a transaction. About a quarter of the time
 * that a ledger of history takes; the rest is applying, hashing and storing.
 */
import type { JsonObject } from '../../engine/codec/json.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from '../node/network.ts';
import type { People as Actors } from '../node/pace.ts';
import { arbitrage } from './arbitrage.ts';
import type { Book } from './catalogue/book.ts';
import { catalogue } from './catalogue/catalogue.ts';
import { collectors } from './collectors.ts';
import { fixtures } from './fixtures.ts';
import { holders } from './holders.ts';
import { makers } from './makers.ts';
import { oracles } from './oracles.ts';
import { payments } from './payments.ts';
import { People } from './people.ts';
import { providers } from './providers.ts';
import { Script } from './script.ts';
import { OPEN, setup } from './setup.ts';
import { Economy } from './tokens.ts';
import { traders } from './traders.ts';
import { Truth } from './truth.ts';
import { Turn } from './turn.ts';
import { Upkeep } from './upkeep.ts';
import { Weeks } from './weeks.ts';

export interface PopulationOptions {
  readonly network: Network;
  /** For a network that has none yet; one that has lived keeps its own. */
  readonly seed: string;
}

export class Population implements Actors {
  readonly people: People;
  readonly economy: Economy;
  readonly truth: Truth;
  readonly weeks: Weeks;
  /** The catalogue, by families. */
  readonly books: readonly Book[];
  readonly #network: Network;
  readonly #script: Script;
  readonly #upkeep = new Upkeep();

  constructor({ network, seed }: PopulationOptions) {
    this.#network = network;
    this.truth = new Truth(network, seed);
    this.people = new People(this.truth.seed);
    this.economy = new Economy(this.people, this.truth.seed, this.truth.epoch);
    this.weeks = new Weeks({ people: this.people, economy: this.economy, seed: this.truth.seed });
    this.books = catalogue(this.people);
    network.fixtures = () => this.fixtures();
    this.#script = new Script(this.books.flatMap(({ steps }) => steps));
  }

  transactions(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[] {
    this.truth.seen(parent);
    const turn = this.#turn(parent, closeTime);
    if (turn.index < OPEN) setup(turn);
    else this.#live(turn);
    return turn.transactions;
  }

  /** See {@link fixtures}. */
  fixtures(): JsonObject {
    const { people, economy, truth, weeks, books } = this;
    const { validated } = this.#network;
    const turn = this.#turn(validated, validated.closeTime);
    return fixtures({ network: this.#network, people, economy, truth, weeks, books, turn });
  }

  #turn(parent: ClosedLedger, closeTime: number): Turn {
    return new Turn({
      parent,
      closeTime,
      people: this.people,
      economy: this.economy,
      seed: this.truth.seed,
      epoch: this.truth.epoch,
      networkId: this.#network.networkId,
      truth: this.truth,
    });
  }

  #live(turn: Turn): void {
    makers(turn, turn.index === OPEN);
    if (turn.index === OPEN) return;
    this.#upkeep.turn(turn);
    arbitrage(turn);
    traders(turn);
    holders(turn);
    payments(turn);
    providers(turn);
    collectors(turn);
    oracles(turn);
    this.#script.play(turn);
    this.weeks.play(turn);
  }
}
