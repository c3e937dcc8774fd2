/**
 * Puts the parts together and runs them: networks, what the service itself owns, HTTP, WebSockets.
 *
 *     options -> networks (network.ts), each at its mount -> api, hubs -> server
 */
import { createApi } from '../api/app.ts';
import { listen, stopServing } from '../api/serve.ts';
import { platformDir } from '../data/platform-check.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../data/platform-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../engine/log.ts';
import type { Collection } from '../platform/store.ts';
import { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import { heavyReadPool } from '../workers/heavy-reads.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { Hubs } from '../ws/hubs.ts';
import { metricSamples } from './metric-samples.ts';
import { type MountedNetwork, type NetworkPlan, openNetworks } from './mounted-networks.ts';
import type { OpenNetwork } from './network.ts';
import type { Options } from './options.ts';

/** What the service itself keeps, beside what follows from ledgers. */
const COLLECTIONS: readonly Collection<unknown>[] = [];
/** Running requests may end before the rest is cut off; the whole stop has 2 s. */
const REQUEST_GRACE_MS = 500;

/** The networks that the command line makes: one. */
export function networksOf(options: Options): readonly NetworkPlan[] {
  return [{ prefix: '', options }];
}

export interface ServiceParts {
  /** Those of the server. */
  readonly options: Options;
  /** The first has no prefix; what the service itself owns is kept beside its store. */
  readonly networks: readonly NetworkPlan[];
  readonly log: Log;
  /**
   * No network can go on (disk full, a ledger that cannot be read): called once, with the last one's fault. While
   * another goes on, the one that failed is not ready and shows what it has.
   */
  readonly onFault: (fault: unknown) => void;
}

export interface Service {
  /** In the order of the plans. */
  readonly networks: readonly MountedNetwork[];
  /** Those of the first network. */
  readonly engine: Engine;
  readonly network: Network;
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  readonly port: number;
  /** Resolves when no source has anything more to give (archives), or the service was stopped. */
  readonly followed: Promise<void>;
  stop(): Promise<void>;
}

/** @throws Error when it cannot start; what was opened until then is closed again */
export async function startService(parts: ServiceParts): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const started = await start(parts, opened);
  // From now on it is open until it is stopped.
  const all = opened.move();
  return {
    ...started,
    stop: async () => {
      await all.disposeAsync();
      parts.log.info({}, 'stopped');
    },
  };
}

/** @param opened gets the way to close each part, in the order in which they are opened */
async function start(parts: ServiceParts, opened: AsyncDisposableStack): Promise<Omit<Service, 'stop'>> {
  const { options, log } = parts;
  const mounts = parts.networks.map(({ prefix }) => new Mount(prefix));
  const hubs = new Hubs(mounts, {
    log,
    limits: { connections: options.sockets, connectionsPerIp: options.socketsPerIp },
  });
  const preparer = preparePool(options.workers);
  opened.defer(() => preparer.close());
  const heavyReads = heavyReadPool(options.workers);
  opened.defer(() => heavyReads?.close());
  const networks = await openNetworks({ ...parts, mounts, hubs, preparer, heavyReads, opened });
  const platform = await openPlatform(networks[0]!.open, log);
  opened.defer(() => platform.close());
  const api = createApi({
    mounts,
    log,
    name: options.name,
    sockets: () => hubs.connections,
    metricSamples: () =>
      metricSamples(
        networks.filter(({ isMounted }) => isMounted),
        platform,
      ),
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const server = listen({ api, hub: hubs, host: options.host, port: options.port, stopping: signal });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `http://${host}:${server.port}`;
  const { engine, source } = networks[0]!.open.network;
  log.info({ url, reference: `${url}/reference`, source: source?.name }, `listening on ${url}`);
  for (const { open } of networks) open.follow();
  opened.defer(async () => {
    stopping.abort();
    const following = networks.map(({ open }) => open.stop());
    await Promise.all([stopServing(server, hubs, REQUEST_GRACE_MS), ...following]);
  });
  const followed = Promise.all(networks.map(({ open }) => open.followed)).then(() => {});
  return { networks, engine, network: networks[0]!.open.network, url, port: server.port!, followed };
}

/** What the service itself owns, beside the store of the network whose ledger positions it names. */
async function openPlatform({ dir, networkId }: OpenNetwork, log: Log): Promise<LmdbPlatformStore> {
  const platform = await openPlatformStore({
    dir: platformDir(dir),
    network: networkId,
    collections: COLLECTIONS,
  });
  if (platform.upgraded.length > 0)
    log.info({ collections: platform.upgraded }, "the service's own data has been upgraded");
  return platform;
}
