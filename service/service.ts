/**
 * Puts the parts together and runs them: the network, what the service itself owns, HTTP, WebSockets.
 *
 *     options -> network (network.ts) -> api, hub -> server
 */
import { createApi } from '../api/app.ts';
import { listen, stopServing } from '../api/serve.ts';
import { platformDir } from '../data/platform-check.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../data/platform-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../engine/log.ts';
import type { Collection } from '../platform/store.ts';
import type { Network } from '../views/network.ts';
import { preparePool } from '../workers/pool.ts';
import { Hub } from '../ws/hub.ts';
import { metricSamples } from './metric-samples.ts';
import { type OpenNetwork, openNetwork } from './network.ts';
import type { Options } from './options.ts';

/** What the service itself keeps, beside what follows from ledgers. */
const COLLECTIONS: readonly Collection<unknown>[] = [];
/** Running requests may end before the rest is cut off; the whole stop has 2 s. */
const REQUEST_GRACE_MS = 500;

export interface ServiceParts {
  readonly options: Options;
  readonly log: Log;
  /** The service cannot go on (disk full, a ledger that cannot be read): called once. */
  readonly onFault: (fault: unknown) => void;
}

export interface Service {
  readonly engine: Engine;
  readonly network: Network;
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  readonly port: number;
  /** Resolves when the source has nothing more to give (archives), or the service was stopped. */
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
async function start(
  { options, log, onFault }: ServiceParts,
  opened: AsyncDisposableStack,
): Promise<Omit<Service, 'stop'>> {
  const preparer = preparePool(options.workers);
  opened.defer(() => preparer.close());
  const running = await openNetwork({ options, log, preparer, onFault });
  opened.defer(() => running.close());
  const platform = await openPlatform(running, log);
  opened.defer(() => platform.close());
  const { network, store } = running;
  const { engine, source } = network;
  const hub = new Hub(network, {
    log,
    limits: { connections: options.sockets, connectionsPerIp: options.socketsPerIp },
  });
  const api = createApi({
    network,
    log,
    name: options.name,
    sockets: () => hub.connections,
    metricSamples: () => metricSamples({ store, platform, source, hub, domains: engine.domains }),
  });
  const stopping = new AbortController();
  const server = listen({ api, hub, host: options.host, port: options.port, stopping: stopping.signal });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `http://${host}:${server.port}`;
  log.info({ url, reference: `${url}/reference`, source: source?.name }, `listening on ${url}`);
  running.follow();
  opened.defer(async () => {
    stopping.abort();
    await Promise.all([stopServing(server, hub, REQUEST_GRACE_MS), running.stop()]);
  });
  return { engine, network, url, port: server.port!, followed: running.followed };
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
