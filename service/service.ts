/**
 * Puts the parts together and runs them: networks, what the service itself owns, HTTP, WebSockets.
 *
 *     options -> listen -> opening.ts is loaded -> networks (network.ts), one after another, each at its mount -> follow
 *                  `- api, hubs: 503 for a network that is not open yet; /health shows how far it is
 *
 * It listens first, because opening takes seconds with a large store, and far more where it must be migrated.
 */
import { createApi } from '../api/app.ts';
import { listen, listenAnew, stopServing } from '../api/serve.ts';
import type { WebPages } from '../api/web-pages.ts';
import { platformDir } from '../data/platform-check.ts';
import type { LmdbPlatformStore } from '../data/platform-store.ts';
import type { Engine } from '../engine/engine.ts';
import { StateSenders } from '../engine/ledger/state-senders.ts';
import type { Log } from '../engine/log.ts';
import type { Billing } from '../platform/billing/billing.ts';
import { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import { ProcessImageEncoder } from '../workers/image-encoder.ts';
import { Hubs } from '../ws/hubs.ts';
import { Admission } from './admission.ts';
import { makeBilling } from './billing.ts';
import { CertificateFiles } from './certificate.ts';
import { COLLECTIONS } from './collections.ts';
import { LoopDelay } from './loop-delay.ts';
import type { MountedNetwork, NetworkPlan } from './mounted-networks.ts';
import type { OpenNetwork } from './network.ts';
import type { Options } from './options.ts';
import { CLOSED, edgeOf, hasAdmission, tlsOf } from './server-settings.ts';
import { testMountOf, testNetworkPlan } from './test-network.ts';

/** Running requests may end before the rest is cut off; the whole stop has 2 s. */
const REQUEST_GRACE_MS = 500;

/** As /health says it. */
const UNSTORED =
  'what the service itself keeps (keys, credits, invoices) cannot be stored now: the log says why';

/** The networks that the command line makes: one, and a test network where that is asked for. */
export function networksOf(options: Options): readonly NetworkPlan[] {
  const test = testNetworkPlan(options);
  const plans = [{ prefix: '', options }, ...(test ? [test] : [])];
  return plans.map((plan) => ({ ...plan, stateSenders: new StateSenders() }));
}

export interface ServiceParts {
  /** Those of the server. */
  readonly options: Options;
  /** The first has no prefix. */
  readonly networks: readonly NetworkPlan[];
  readonly log: Log;
  /**
   * No network can go on (disk full, a ledger that cannot be read): called once, with the last one's fault. While
   * another goes on, the one that failed is not ready and shows what it has.
   */
  readonly onFault: (fault: unknown) => void;
}

export interface Service {
  /** Those that are open, in the order of the plans. */
  readonly networks: readonly MountedNetwork[];
  /** Those of the first network. */
  readonly engine: Engine;
  readonly network: Network;
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  readonly port: number;
  /** WebSockets that are open. */
  readonly sockets: number;
  /** What browsers see. */
  readonly pages: WebPages;
  /** Resolves when another certificate, if its file has one, is in use. */
  renewCertificate(): Promise<void>;
  /** Resolves when every network is open, or the service was stopped. Rejects when one cannot be, with everything closed. */
  readonly opened: Promise<void>;
  /** Resolves when no source has anything more to give (archives), or the service was stopped. */
  readonly followed: Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when every network is open. @throws Error when it cannot start; what was opened until then is closed again */
export async function startService(parts: ServiceParts): Promise<Service> {
  const service = serve(parts);
  await service.opened;
  return service;
}

/** Listens, and begins to open the networks. @throws Error when it cannot listen */
export function serve(parts: ServiceParts): Service {
  return new RunningService(parts);
}

class RunningService implements Service {
  readonly networks: MountedNetwork[] = [];
  readonly url: string;
  readonly port: number;
  readonly opened: Promise<void>;
  readonly followed: Promise<void>;
  readonly pages: WebPages;
  readonly #parts: ServiceParts;
  readonly #mounts: readonly Mount[];
  readonly #hubs: Hubs;
  readonly #admission: Admission;
  readonly #billing: Billing;
  #server: ReturnType<typeof listen>;
  readonly #certificate: CertificateFiles | undefined;
  readonly #stopping = new AbortController();
  /** Gets the way to close each part, in the order in which they are opened. */
  readonly #all = new AsyncDisposableStack();
  /** That of the first network. */
  #platform: LmdbPlatformStore | undefined;
  /** Loaded once the service listens. */
  #opening: typeof import('./opening.ts') | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: ServiceParts) {
    const { options, networks, log } = parts;
    this.#parts = parts;
    this.#mounts = networks.map(({ prefix }) => new Mount(prefix));
    const limits = {
      connections: options.sockets,
      connectionsPerIp: options.socketsPerIp,
      connectionsPerKey: options.socketsPerKey,
      messageBytes: options.messageBytes,
    };
    this.#admission = new Admission(options, log);
    const { gate, proofs, customers, settings, pagesKey } = this.#admission;
    const { identify, admit } = gate;
    this.#billing = makeBilling(options, customers, log);
    this.#hubs = new Hubs(this.#mounts, { log, limits, identify, admit });
    customers.keys.onRevoked((id) => this.#hubs.keyRevoked(id));
    const delay = new LoopDelay();
    this.#all.defer(() => delay.stop());
    const images = new ProcessImageEncoder();
    this.#all.defer(() => images.close());
    const api = createApi({
      mounts: this.#mounts,
      testMount: testMountOf(networks, this.#mounts),
      log,
      name: options.name,
      isTls: options.tlsCert !== undefined,
      images,
      identify,
      admit,
      proofs,
      customers,
      billing: this.#billing,
      admission: settings,
      pagesKey,
      sockets: () => this.#hubs.connections,
      metricSamples: () => {
        const mounted = this.networks.filter(({ isMounted }) => isMounted);
        const ofNetworks = this.#opening?.metricSamples(mounted, this.#platform) ?? [];
        return [...ofNetworks, ...delay.samples()];
      },
    });
    this.pages = api.service.pages;
    const { host } = options;
    const listening = {
      api,
      hub: this.#hubs,
      host,
      edge: edgeOf(options, () => customers.keys.hasAdminKey),
      maxRequestBodySize: options.bodyBytes,
      stopping: this.#stopping.signal,
    };
    const certificate = tlsOf(options);
    this.#server = listen({ ...listening, port: options.port, tls: certificate?.pem });
    if (certificate)
      this.#certificate = new CertificateFiles(options, log, certificate, async (tls) => {
        const before = this.#server;
        this.#server = await listenAnew(before, { ...listening, tls });
        this.#all.defer(() => before.stop(true));
      });
    this.port = this.#server.port!;
    this.url = `${options.tlsCert ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
    log.info({ url: this.url, reference: `${this.url}/reference` }, `listening on ${this.url}`);
    this.opened = this.#open();
    this.followed = this.opened
      .catch(() => {})
      .then(() => Promise.all(this.networks.map(({ open }) => open.followed)))
      .then(() => {});
  }

  get network(): Network {
    return this.networks[0]!.open.network;
  }

  get sockets(): number {
    return this.#hubs.connections;
  }

  get engine(): Engine {
    return this.network.engine;
  }

  async renewCertificate(): Promise<void> {
    await this.#certificate?.check();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #open(): Promise<void> {
    const started = performance.now();
    const { signal } = this.#stopping;
    try {
      const { options, log } = this.#parts;
      this.#opening = await import('./opening.ts');
      signal.throwIfAborted();
      const { preparePool, heavyReadPool, quoteThreads, warmUp, loadRest, openNetworks } = this.#opening;
      const preparer = preparePool(options.workers, undefined, {
        onFault: (fault) =>
          log.warn({ err: fault }, 'a thread that proves ledgers has failed: the main one does what it left'),
      });
      this.#all.defer(() => preparer.close());
      const heavyReads = heavyReadPool(options.workers);
      this.#all.defer(() => heavyReads?.close());
      const quotes = quoteThreads(options.workers);
      this.#all.defer(() => quotes?.close());
      const common = {
        mounts: this.#mounts,
        hubs: this.#hubs,
        preparer,
        heavyReads,
        quoteThreads: quotes,
        opened: this.#all,
        signal,
      };
      const warmedUp = warmUp(log, signal).then(loadRest);
      // Where opening fails, nothing waits for it.
      warmedUp.catch(() => {});
      for await (const mounted of openNetworks({ ...this.#parts, ...common })) {
        this.networks.push(mounted);
        const platform = await this.#openPlatform(mounted.open);
        const { network } = mounted.open;
        const { tokenData, accountData, collectionData, scamReports, faucet, pins, scamLists } = network;
        tokenData.attach(platform, network.engine.head?.closeTime);
        accountData.attach(platform);
        collectionData.attach(platform);
        await scamReports.attach(platform);
        scamLists.attach(platform);
        faucet?.attach(platform);
        network.issuerFiles?.attach(platform);
        network.issuerIcons?.attach(platform);
        pins?.attach(platform);
        this.#all.defer(() => tokenData.views.save());
        if (!this.#platform) {
          this.#platform = platform;
          this.#all.defer(() => this.#admission.close());
          await this.#admission.attach(platform);
          this.#all.defer(() => this.#billing.stop());
          this.#billing.attach(platform, mounted.open.network);
          const { keys } = this.#admission.customers;
          if (hasAdmission(options) && !keys.hasAdminKey) log.warn({}, CLOSED);
        }
        signal.throwIfAborted();
        await warmedUp;
        mounted.open.follow();
      }
      const sources = this.networks.map(({ source }) => source?.name);
      const seconds = Math.round(performance.now() - started) / 1000;
      log.info({ sources, seconds }, 'open: every address is served');
    } catch (fault) {
      if (signal.aborted) return;
      await this.#end();
      await this.#all.disposeAsync();
      throw fault;
    }
  }

  /** What the service keeps that does not follow from a network's ledgers, beside the store of these. */
  async #openPlatform({ dir, networkId, network }: OpenNetwork): Promise<LmdbPlatformStore> {
    const { log } = this.#parts;
    const platform = await this.#opening!.openPlatformStore({
      dir: platformDir(dir),
      network: networkId,
      collections: COLLECTIONS,
      onFailing: (fault) => {
        network.unstored = fault === undefined ? undefined : UNSTORED;
        if (fault === undefined) log.info({}, "the service's own data is stored again");
        else log.error({ err: fault }, "the service's own data cannot be stored now; it is tried again");
      },
      onThreadEnded: (fault) =>
        log.warn(
          { err: fault },
          "the thread that stores the service's own data has ended: another one takes its place",
        ),
    });
    this.#all.defer(() => platform.close());
    if (platform.upgraded.length > 0)
      log.info({ collections: platform.upgraded }, "the service's own data has been upgraded");
    return platform;
  }

  async #stop(): Promise<void> {
    await this.#end();
    // What is being opened notices it at its next step, and closes itself.
    await this.opened.catch(() => {});
    await this.#all.disposeAsync();
    this.#parts.log.info({}, 'stopped');
  }

  /** Ends opening and following, sockets and requests. */
  async #end(): Promise<void> {
    this.#stopping.abort();
    await this.#certificate?.stop();
    const following = this.networks.map(({ open }) => open.stop());
    await Promise.all([stopServing(this.#server, this.#hubs, REQUEST_GRACE_MS), ...following]);
  }
}
