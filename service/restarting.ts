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

  /** @throws Error when it cannot listen */
  constructor(parts: RestartingParts) {
    this.#parts = parts;
    this.#service = this.#start();
  }

  /** The one that runs now. */
  get service(): Service {
    return this.#service;
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#service.stop();
  }

  #start(): Service {
    const { onOpened } = this.#parts;
    const service = serve({ ...this.#parts, onFault: (fault) => this.#onFault(fault) });
    service.opened.then(() => onOpened(service)).catch((fault) => this.#onFault(fault));
    return service;
  }

  #onFault(fault: unknown): void {
    const { log, onFault } = this.#parts;
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

  async #again(): Promise<void> {
    await this.#service.stop();
    if (!this.#isStopped) this.#service = this.#start();
  }
}
