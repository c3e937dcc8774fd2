/**
 * The people of the embedded network and what they do.
 */
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from '../node/network.ts';
import type { People as Actors } from '../node/pace.ts';
import { arbitrage } from './arbitrage.ts';
import { makers } from './makers.ts';
import { People } from './people.ts';
import { OPEN, setup } from './setup.ts';
import { Economy } from './tokens.ts';
import { traders } from './traders.ts';
import { Turn } from './turn.ts';

export interface PopulationOptions {
  readonly network: Network;
  readonly seed: string;
}

export class Population implements Actors {
  readonly people: People;
  readonly economy: Economy;
  readonly epoch: number;
  readonly #network: Network;
  readonly #seed: string;

  constructor({ network, seed }: PopulationOptions) {
    this.#network = network;
    this.#seed = seed;
    this.people = new People(seed);
    this.epoch = network.ledgers.byIndex(2)!.closeTime;
    this.economy = new Economy(this.people, seed, this.epoch);
  }

  transactions(parent: ClosedLedger, closeTime: number): readonly ParsedTransaction[] {
    const turn = new Turn({
      parent,
      closeTime,
      people: this.people,
      economy: this.economy,
      seed: this.#seed,
      epoch: this.epoch,
      networkId: this.#network.networkId,
      note: () => {},
    });
    if (turn.index < OPEN) setup(turn);
    else {
      makers(turn, turn.index === OPEN);
      if (turn.index > OPEN) {
        arbitrage(turn);
        traders(turn);
      }
    }
    return turn.transactions;
  }
}
