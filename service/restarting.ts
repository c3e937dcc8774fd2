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

export class RestartingService {
  readonly #parts: RestartingParts;
  #service: Service;
  #isStopped = false;
  /** The one that runs is being stopped, to be started again. */
  #isRestarting = false;

  /** @throws Error when it cannot listen */
  constructor(parts: RestartingParts) {
    this.#parts = parts;
    this.#service = this.#start(parts.options.port);
  }

  /** The one that runs now. */
  get service(): Service {
    return this.#service;
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#service.stop();
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
    // Of another network, in the same turn.
    if (this.#isRestarting && fault instanceof UnusableSnapshotError) return;
    if (!(fault instanceof UnusableSnapshotError)) {
      onFault(fault);
      return;
    }
    log.warn(
      { reason: fault.message },
      'the first snapshot is of no use: it is removed, and taken from the beginning',
    );
    this.#again().catch(onFault);
  }

  /** At the same address, also where any free port was asked for: clients come back to it. */
  async #again(): Promise<void> {
    const { port } = this.#service;
    this.#isRestarting = true;
    await this.#service.stop();
    this.#isRestarting = false;
    if (!this.#isStopped) this.#service = this.#start(port);
  }
}
