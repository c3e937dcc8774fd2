/**
 * The embedded network as one thing to start and stop: a node with its store, its people, its pace and its door.
 *
 *     population ──► transactions ──► Network ──► closed ledgers ──► store
 *                                        │
 *         strangers (xrpl clients, the engine, the faucet) ◄──► Listener
 *
 * Goals: to anyone outside it is a node like any other; the same seed and day give the same ledgers; a first start
 * has a market within seconds and its history within two minutes. Non-goals: consensus, peers, any network but its own.
 *
 * Time. The chain begins at midnight UTC, `days` days before the day of its first start. While the newest ledger is
 * behind the clock, ledgers are made as fast as the thread can, HISTORY_STEP seconds of close time apart; then one
 * every interval. A machine that slept catches up in the same way.
 *
 * Cost: a thread of its own. A turn of history takes at most TURN_MS, then requests are answered.
 */
import { hexOf } from '../engine/codec/bytes.ts';
import type { Clock } from '../engine/ledger/clock.ts';
import type { Log } from '../engine/log.ts';
import { DAY, RIPPLE_EPOCH } from '../engine/ripple-time.ts';
import type { SandboxStore } from './ledger/store.ts';
import { Faucet } from './node/faucet.ts';
import { Listener } from './node/listener.ts';
import { Network } from './node/network.ts';
import { Pace } from './node/pace.ts';
import { hasPopulation } from './population/ground-truth.ts';
import { Population } from './population/population.ts';
import { differenceOf, namesLacking, usualAmendments } from './protocol/amendment-choice.ts';
import type { Hex } from './protocol/asset.ts';
import { genesis, verify } from './protocol/keys.ts';

export interface SandboxOptions {
  readonly store: SandboxStore;
  /** Default: the embedded network's own. */
  readonly networkId?: number;
  /**
   * Amendments it is begun with: ids, ascending. One that goes on must have been begun with the same. Default: those of
   * the public network and what the built transaction types need, or those it was begun with.
   */
  readonly amendments?: readonly Hex[];
  /** What the people are grown from. */
  readonly seed: string;
  /** Days of history before today's midnight (UTC) that a first start makes. */
  readonly days: number;
  /** Seconds between ledgers; 0: only `ledger_accept` closes, and nobody lives there. */
  readonly interval: number;
  /** Loopback port; 0: any free one. */
  readonly port: number;
  /** Takes any free port where `port` is in use, instead of failing. Default: no. */
  readonly orFreePort?: boolean;
  /** Unix time in ms. */
  readonly now: () => number;
  readonly clock: Clock;
  /** 16 bytes nobody can guess: for key pairs that the faucet makes. */
  readonly entropy: () => Uint8Array;
  readonly log: Log;
  /** The network cannot go on (its store fails). */
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
  /** What nobody can guess: with it the process itself finds a place at the door however many strangers come. */
  readonly #ownKey: string;

  /** Goes on where the store ends. @throws Error when the store does not prove or no port can be had */
  constructor(options: SandboxOptions) {
    const { store, amendments, seed, interval, now, clock, log, onFault } = options;
    const lived = interval > 0;
    // Before anything is stored.
    if (lived && amendments !== undefined) checkPeoplesNeeds(amendments);
    this.network = new Network({
      store,
      now,
      verify,
      ...(options.networkId === undefined ? {} : { networkId: options.networkId }),
      ...(amendments === undefined ? {} : { amendments }),
      ...(lived ? { startTime: midnight(now(), options.days) } : {}),
    });
    if (amendments !== undefined) checkAmendments(this.network, amendments);
    if (lived && this.network.closed.index <= 2) checkPeoplesNeeds(this.network.amendments);
    const faucet = new Faucet(this.network, genesis(), options.entropy);
    const told = (fault: unknown, command: string) => log.error({ err: fault, command }, 'a command failed');
    if (lived) {
      if (this.network.closed.index > 2 && !hasPopulation(this.network))
        throw new Error(
          'nobody can live on this network, which was begun with --sandbox-interval 0: go on so, or start anew ' +
            'with --sandbox-reset',
        );
      const people = new Population({ network: this.network, seed });
      if (people.groundTruth.seed !== seed)
        log.warn(
          { seed: people.groundTruth.seed },
          'this network keeps the seed it was begun with; --sandbox-reset begins anew',
        );
      this.#pace = new Pace({ network: this.network, agents: people, interval, clock, log, onFault });
      // Before the door opens: the people's first XRP and the faucet's are the same account's, one sequence each.
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
        manual: !lived,
        onFault: told,
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

  /** The address for the process itself; not to be shown to others. */
  get ownUrl(): string {
    return `${this.url}/?own=${this.#ownKey}`;
  }

  /** Ends the door and the pace, and makes everything durable. The store stays open: it is the caller's. */
  async stop(): Promise<void> {
    await this.#listener.stop();
    this.#pace?.stop();
    this.network.flush();
  }
}

/** People do what the usual amendments allow, and need them all. */
function checkPeoplesNeeds(amendments: readonly Hex[]): void {
  const lacking = namesLacking(usualAmendments(), amendments);
  if (lacking !== '')
    throw new Error(
      `the people of this network need ${lacking}: name them in --sandbox-amendments too, or begin a network ` +
        'without people with --sandbox-interval 0',
    );
}

/**
 * A network keeps the amendments it was begun with: nobody votes here, and ledgers made under other rules than those
 * before them would be no test of either.
 */
function checkAmendments({ amendments }: Network, wanted: readonly Hex[]): void {
  const difference = differenceOf(amendments, wanted);
  if (difference !== undefined)
    throw new Error(
      `this network was begun ${difference}: leave --sandbox-amendments out, or start over with --sandbox-reset`,
    );
}

type Door = Omit<ConstructorParameters<typeof Listener>[0], 'port'>;

/** @throws Error that names the port when it is in use and no other will do. */
function listen(door: Door, port: number, orFreePort: boolean): Listener {
  try {
    return new Listener({ ...door, port });
  } catch (fault) {
    if ((fault as { code?: string }).code !== 'EADDRINUSE') throw fault;
    if (orFreePort) return new Listener({ ...door, port: 0 });
    throw new Error(`cannot listen on 127.0.0.1, port ${port}: another process listens there`, {
      cause: fault,
    });
  }
}
