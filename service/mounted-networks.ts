/**
 * Opens the networks of a service, each at its mount. One that fails or is stopped leaves the others serving.
 */
import type { Domain } from '../engine/domain.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { StateSenders } from '../engine/ledger/state-senders.ts';
import type { Log } from '../engine/log.ts';
import { UnusableSnapshotError } from '../engine/snapshot.ts';
import type { Mount, Progress } from '../views/mount.ts';
import type { DiskFigures } from '../views/network.ts';
import type { HeavyReadPool } from '../workers/heavy-reads.ts';
import type { QuoteThreads } from '../workers/quote-threads.ts';
import type { Hub } from '../ws/hub.ts';
import type { Hubs } from '../ws/hubs.ts';
import type { NetworkSources } from './metric-samples.ts';
import { type OpenNetwork, openNetwork } from './network.ts';
import type { Options } from './options.ts';

/** A network as the service is to open it. */
export interface NetworkPlan {
  /** What the path of its requests begins with, after `/v1`: '' for the first network, or `/test-network`. */
  readonly prefix: string;
  /** Those of this network: its folder, its source. What concerns the server is not read. */
  readonly options: Options;
  /** What is known of its nodes from before the service was started again. */
  readonly stateSenders?: StateSenders;
}

export interface NetworksParts {
  readonly networks: readonly NetworkPlan[];
  /** One for each plan. */
  readonly mounts: readonly Mount[];
  readonly hubs: Hubs;
  readonly preparer: Preparer;
  readonly heavyReads: HeavyReadPool | undefined;
  readonly quoteThreads: QuoteThreads | undefined;
  readonly log: Log;
  /**
   * No network can go on: called once, with the last one's fault. And with an UnusableSnapshotError of any network: its store
   * is emptied when it is closed.
   */
  readonly onFault: (fault: unknown) => void;
  /** Gets the way to close each network. */
  readonly opened: AsyncDisposableStack;
  /** Aborted: open no further. */
  readonly signal: AbortSignal;
}

/** A network that is open, and reached at its mount until it is stopped. */
export class MountedNetwork implements NetworkSources {
  readonly open: OpenNetwork;
  readonly hub: Hub;
  readonly #mount: Mount;
  readonly #hubs: Hubs;

  constructor(open: OpenNetwork, mount: Mount, hubs: Hubs) {
    this.open = open;
    this.#mount = mount;
    this.#hubs = hubs;
    mount.open(open.network);
    this.hub = hubs.open(mount);
  }

  get isMounted(): boolean {
    return this.#mount.network !== undefined;
  }

  get name(): string {
    return this.#mount.name;
  }

  get store() {
    return this.open.store;
  }

  get source(): Source | undefined {
    return this.open.network.source;
  }

  get disk(): DiskFigures | undefined {
    return this.open.network.disk?.();
  }

  get media() {
    return this.open.media;
  }

  get domains(): readonly Domain[] {
    return this.open.network.engine.domains;
  }

  /** Its requests are answered 503 and its sockets closed from now on; resolves when all is durable and closed. */
  async stop(): Promise<void> {
    this.#mount.close('The network was stopped');
    this.#hubs.closeMount(this.#mount);
    await this.open.close();
  }
}

/** Opens one after another, in the order of the plans. @throws Error when one cannot be opened */
export async function* openNetworks(parts: NetworksParts): AsyncGenerator<MountedNetwork, void> {
  const { networks: plans, mounts, hubs, preparer, heavyReads, quoteThreads, opened, signal } = parts;
  let failed = 0;
  for (const [i, { prefix, options, stateSenders }] of plans.entries()) {
    const mount = mounts[i]!;
    const log = plans.length > 1 ? withNetwork(parts.log, mount.name || 'main') : parts.log;
    const onFault = (fault: unknown) => {
      if (++failed === plans.length || fault instanceof UnusableSnapshotError) parts.onFault(fault);
      else log.error({ err: fault }, 'this network cannot go on; the others do');
    };
    const onProgress = (progress: Progress | undefined) => {
      mount.progress = progress;
    };
    const imagesAt = `${options.imagesUrl}${prefix}`;
    const common = { options, log, preparer, heavyReads, quoteThreads, imagesAt, signal, stateSenders };
    const open = await openNetwork({ ...common, onFault, onProgress });
    opened.defer(() => open.close());
    yield new MountedNetwork(open, mount, hubs);
  }
}

/** Names the network in each line. */
function withNetwork(log: Log, network: string): Log {
  return {
    debug: (fields, message) => log.debug({ network, ...fields }, message),
    info: (fields, message) => log.info({ network, ...fields }, message),
    warn: (fields, message) => log.warn({ network, ...fields }, message),
    error: (fields, message) => log.error({ network, ...fields }, message),
  };
}
