/**
 * The service, started again in the same process where what was loaded of a network's first snapshot is of no use: its store
 * has been emptied then, and the state is taken from the beginning, from another node where there is one. Nothing could be
 * read of that network before; what the service itself owns (keys, payments) stays.
 */
import { UnusableSnapshotError } from '../engine/snapshot.ts';
import { type Service, type ServiceParts, serve } from './service.ts';

interface RestartingParts extends ServiceParts {
  /** Gets the service each time it is open. */
  readonly onOpened: (service: Service) => Promise<void> | void;
}

/** What ends with a service (threads, sockets, pages that are being made) holds its state for a while, ms; and how often that is looked at. */
const RELEASED_MAX_MS = 3_000;
const RELEASED_EVERY_MS = 100;

export class RestartingService {
  readonly #parts: RestartingParts;
  #service: Service | undefined;
  #isStopped = false;
  /** The one that runs is being stopped, to be started again. */
  #isRestarting = false;

  /** @throws Error when it cannot listen */
  constructor(parts: RestartingParts) {
    this.#parts = parts;
    this.#service = this.#start(parts.options.port);
  }

  /** The one that runs now; undefined between two. */
  get service(): Service | undefined {
    return this.#service;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#service?.stop();
  }

  #start(port: number): Service {
    const { options, onOpened } = this.#parts;
    const onFault = (fault: unknown) => this.#onFault(fault);
    const service = serve({ ...this.#parts, options: { ...options, port }, onFault });
    service.opened.then(() => onOpened(service)).catch(onFault);
    return service;
  }

  #onFault(fault: unknown): void {
    const { log, onFault } = this.#parts;
    if (!(fault instanceof UnusableSnapshotError)) {
      onFault(fault);
      return;
    }
    // Of another network, in the same turn.
    if (!this.#service || this.#isRestarting) return;
    log.warn(
      { reason: fault.message },
      'the first snapshot is of no use: it is removed, and taken from the beginning',
    );
    this.#again({ port: this.#service.port, stopped: this.#service.stop() }).catch(onFault);
  }

  /**
   * At the same address, also where any free port was asked for: clients come back to it. Before there is another state, the one
   * of before is released: it may be gigabytes, and where the address space is limited there is none for two.
   */
  async #again({ port, stopped }: { port: number; stopped: Promise<void> }): Promise<void> {
    this.#isRestarting = true;
    const before = new WeakRef(this.#service!);
    await stopped;
    this.#service = undefined;
    await released(before);
    this.#isRestarting = false;
    if (!this.#isStopped) this.#service = this.#start(port);
  }
}

async function released(service: WeakRef<Service>): Promise<void> {
  for (let waited = 0; waited < RELEASED_MAX_MS && service.deref(); waited += RELEASED_EVERY_MS) {
    await Bun.sleep(RELEASED_EVERY_MS);
    Bun.gc(true);
  }
}
