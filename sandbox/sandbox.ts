/**
 * The embedded network as a whole, to start and stop: a node with its store, its population, its pace and its listener.
 *
 *     population ──► transactions ──► Network ──► closed ledgers ──► store
 *                                        │
 *         clients (xrpl libraries, the engine, the faucet) ◄──► Listener
 *
 * Goals: to clients it is a node like any other; the same seed and day give the same ledgers; a first start
 * has a market within seconds and its history within two minutes. Non-goals: consensus, peers, any network but its own.
 *
 * Time. The chain begins at midnight UTC, `days` days before the day of its first start. While the newest ledger is
 * behind the clock, ledgers are made as fast as the thread can, HISTORY_STEP seconds of close time apart; then one
 * every interval. A machine that slept catches up in the same way.
 *
 * Cost: a thread of its own. A time slice of history takes at most TIME_SLICE_MS, then requests are answered.
 */

import type { Hex } from '../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import { verify } from '../engine/codec/signatures.ts';
import type { Clock } from '../engine/ledger/clock.ts';
import type { Log } from '../engine/log.ts';
import { DAY, RIPPLE_EPOCH } from '../engine/ripple-time.ts';
import type { SandboxStore } from './ledger/store.ts';
import { Faucet } from './node/faucet.ts';
import { Listener } from './node/listener.ts';
import { Network } from './node/network.ts';
import { Pace } from './node/pace.ts';
import { hasPopulation } from './population/ground-truth.ts';
import { Population, type PopulationOptions } from './population/population.ts';
import type { PopulationSize } from './population/size.ts';
import { differenceOf, namesLacking, usualAmendments } from './protocol/amendment-choice.ts';
import { genesis } from './protocol/keys.ts';

export interface SandboxOptions {
  readonly store: SandboxStore;
  /** Default: the embedded network's own. */
  readonly networkId?: number;
  /**
   * Amendments of a new network: ids, ascending. An existing one must have been created with the same. Default: those of
   * the public network and those that the implemented transaction types need, or those it was created with.
   */
  readonly amendments?: readonly Hex[];
  /** Seed of the population. */
  readonly seed: string;
  /** Of the population. */
  readonly size: PopulationSize;
  /** Days of history before today's midnight (UTC) that a first start makes. */
  readonly days: number;
  /** Seconds between ledgers; 0: only `ledger_accept` closes a ledger, and a population does not act; a new network has none. */
  readonly interval: number;
  /** Loopback port; 0: any free one. */
  readonly port: number;
  /** Takes any free port where `port` is in use, instead of failing. Default: no. */
  readonly orFreePort?: boolean;
  /** Unix time in ms. */
  readonly now: () => number;
  readonly clock: Clock;
  /** 16 unpredictable bytes: for key pairs that the faucet makes. */
  readonly entropy: () => Uint8Array;
  readonly log: Log;
  /** Called when the network cannot go on (its store fails). */
  readonly onFault: (fault: unknown) => void;
}

/** Ripple epoch seconds of the midnight (UTC) `days` days before the day of `unixMs`. */
export function midnight(unixMs: number, days: number): number {
  const day = Math.floor(unixMs / 1000 / DAY) - days;
  return day * DAY - RIPPLE_EPOCH;
}

export class Sandbox {
  readonly network: Network;
  readonly #listener: Listener;
  readonly #pace: Pace | undefined;
  /** Secret with which the process itself gets a reserved connection, however many other clients there are. */
  readonly #ownKey: string;

  /** Continues from the end of the store. @throws Error when the store fails its proof or no port is free */
  constructor(options: SandboxOptions) {
    const { store, amendments, seed, size, interval, now, clock, log, onFault } = options;
    const isPopulated = interval > 0;
    // Before anything is stored.
    if (isPopulated && amendments !== undefined) checkPopulationAmendments(amendments);
    this.network = new Network({
      store,
      now,
      verify,
      ...(options.networkId === undefined ? {} : { networkId: options.networkId }),
      ...(amendments === undefined ? {} : { amendments }),
      ...(isPopulated ? { startTime: midnight(now(), options.days) } : {}),
    });
    if (amendments !== undefined) checkAmendments(this.network, amendments);
    if (isPopulated && this.network.closed.index <= 2) checkPopulationAmendments(this.network.amendments);
    const faucet = new Faucet(this.network, genesis(), options.entropy);
    const onCommandFault = (fault: unknown, command: string) =>
      log.error({ err: fault, command }, 'a command failed');
    const hadPopulation = hasPopulation(this.network);
    if (isPopulated && this.network.closed.index > 2 && !hadPopulation)
      throw new Error(
        'this network has no population, because it was created with --sandbox-interval 0: continue so, or start over ' +
          'with --sandbox-reset',
      );
    // Without a pace it does not act, and its fixtures and files are there as before.
    const population =
      isPopulated || hadPopulation ? populationOf({ network: this.network, seed, size }, log) : undefined;
    if (isPopulated && population) {
      this.#pace = new Pace({ network: this.network, agents: population, interval, clock, log, onFault });
      // Before the listener starts: the agents' first XRP and the faucet's payments use sequences of the same account.
      this.#pace.begin();
    }
    this.#ownKey = hexOf(options.entropy());
    this.#listener = listen(
      {
        network: this.network,
        faucet,
        clock,
        entropy: options.entropy,
        ownKey: this.#ownKey,
        manual: !isPopulated,
        onFault: onCommandFault,
      },
      options.port,
      options.orFreePort ?? false,
    );
    this.#pace?.start();
  }

  get port(): number {
    return this.#listener.port;
  }

  /** `ws://127.0.0.1:6006` */
  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** The address for the process itself; contains the secret. */
  get ownUrl(): string {
    return `${this.url}/?own=${this.#ownKey}`;
  }

  /** Stops the listener and the pace, and makes everything durable. The store stays open: the caller closes it. */
  async stop(): Promise<void> {
    await this.#listener.stop();
    this.#pace?.stop();
    this.network.flush();
  }
}

/** Says where it is not what the options ask for. */
function populationOf(options: PopulationOptions, log: Log): Population {
  const population = new Population(options);
  const { seed, size } = population.groundTruth;
  if (seed !== options.seed)
    log.warn({ seed }, 'this network keeps the seed it was created with; --sandbox-reset starts over');
  // Not a warning: a network that is older than sizes meets a default that nobody chose.
  if (size !== options.size)
    log.info({ size }, 'this network keeps the size it was created with; --sandbox-reset starts over');
  return population;
}

/** The agents use everything that the usual amendments allow, and need them all. */
function checkPopulationAmendments(amendments: readonly Hex[]): void {
  const lacking = namesLacking(usualAmendments(), amendments);
  if (lacking !== '')
    throw new Error(
      `the population of this network needs ${lacking}: name them in --sandbox-amendments too, or start a network ` +
        'without a population with --sandbox-interval 0',
    );
}

/**
 * A network keeps the amendments it was created with: there is no voting here, and a chain with a change of rules would
 * be a valid test of neither rule set.
 */
function checkAmendments({ amendments }: Network, wanted: readonly Hex[]): void {
  const difference = differenceOf(amendments, wanted);
  if (difference !== undefined)
    throw new Error(
      `this network was created ${difference}: leave --sandbox-amendments out, or start over with --sandbox-reset`,
    );
}

type ListenOptions = Omit<ConstructorParameters<typeof Listener>[0], 'port'>;

/** @throws Error that names the port when it is in use and no other may be taken. */
function listen(options: ListenOptions, port: number, orFreePort: boolean): Listener {
  try {
    return new Listener({ ...options, port });
  } catch (fault) {
    if ((fault as { code?: string }).code !== 'EADDRINUSE') throw fault;
    if (orFreePort) return new Listener({ ...options, port: 0 });
    throw new Error(
      `cannot listen on 127.0.0.1, port ${port}: another process listens there. Choose another with --sandbox-port`,
      {
        cause: fault,
      },
    );
  }
}
