/**
 * A market for the tests of the pages: the embedded network with a small population, its node on a loopback port, and the
 * service that follows it. Ledgers close when the test says so, so that what a page shows and what a route answers can
 * be compared at the same ledger.
 *
 *     agents ──► network ──► node (ws, JSON-RPC, faucet) ──► service ──► browser
 *        close()──┘
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timerClock } from '../../engine/ledger/clock.ts';
import type { ClosedLedger } from '../../sandbox/ledger/ledger.ts';
import { Faucet } from '../../sandbox/node/faucet.ts';
import { Listener } from '../../sandbox/node/listener.ts';
import { genesis } from '../../sandbox/protocol/keys.ts';
import { readOptions } from '../../service/options.ts';
import { networksOf, type Service, startService } from '../../service/service.ts';
import { type Frame, RecordingLog, until } from '../live-rig.ts';
import { World } from '../sandbox/population/world.ts';
import { type Answer, ask } from '../sandbox-program.ts';

/** Ledgers of history, a minute each: the agents have settled in and trade. */
const HISTORY = 150;
/** Close time between two ledgers from then on, seconds. */
const LIVE_STEP = 4;
/** The network closes by hand and may be silent for any time: a week, ms. */
const SILENCE_MS = 7 * 86_400_000;

export interface MarketOptions {
  readonly seed?: string;
  readonly ledgers?: number;
  /** Further options of the service. */
  readonly options?: readonly string[];
}

export class Market implements AsyncDisposable {
  readonly world: World;
  readonly log = new RecordingLog();
  #listener: Listener;
  /** Of the node, the same when it is back. */
  readonly #nodePort: number;
  /** Folder of the service's data. */
  readonly data = mkdtempSync(join(tmpdir(), 'millrace-web-'));
  readonly #options: readonly string[];
  #service: Service | undefined;
  /** Of the service, the same after a restart: pages know it. */
  #port = 0;

  private constructor({ seed = 'pages', options = [] }: MarketOptions) {
    this.world = new World({ seed });
    this.#options = options;
    this.#listener = this.#listen(0);
    this.#nodePort = this.#listener.port;
  }

  /** Resolves when the service shows the newest ledger. */
  static async start(options: MarketOptions = {}): Promise<Market> {
    const market = new Market(options);
    market.world.until(options.ledgers ?? HISTORY);
    market.world.flush();
    market.world.network.ledgers.commitEvery = 1;
    await market.startService();
    return market;
  }

  get service(): Service {
    if (!this.#service) throw new Error('the service does not run');
    return this.#service;
  }

  /** `http://127.0.0.1:3000` */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The node, for JSON-RPC. */
  get node(): string {
    return `http://127.0.0.1:${this.#nodePort}`;
  }

  async startService(): Promise<void> {
    const urls = [`ws://127.0.0.1:${this.#nodePort}`];
    const flags = ['--port', String(this.#port), '--data', this.data, '--network', '52168', '--workers', '0'];
    const limits = ['--snapshot', 'no', '--history', '100000'];
    const options = {
      ...readOptions([...flags, ...limits, ...this.#options], {}),
      source: { kind: 'nodes', urls, silence: SILENCE_MS } as const,
    };
    this.#service = await startService({
      options,
      networks: networksOf(options),
      log: this.log,
      onFault: (fault) => this.log.faults.push(fault),
    });
    this.#port = this.#service.port;
    await this.#shown();
    await until(() => this.service.network.ready, 'a service that is ready');
  }

  /** The node goes away, with every connection. */
  async stopNode(): Promise<void> {
    await this.#listener.stop();
  }

  /** It is back at its old address. */
  startNode(): void {
    this.#listener = this.#listen(this.#nodePort);
  }

  /** As when the process ends: sockets close with 1001. */
  async stopService(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  /**
   * Closes ledgers with what the agents do and what was submitted. Resolves when the service shows the newest.
   * @param agents false: only what was submitted
   * @param step close time between two ledgers, seconds
   */
  async close(count = 1, { agents = true, step = LIVE_STEP } = {}): Promise<ClosedLedger> {
    const { network, population } = this.world;
    for (let i = 0; i < count; i++) {
      const closeTime = network.closed.closeTime + step;
      const theirs = agents ? population.transactions(network.closed, closeTime) : [];
      network.build([...theirs, ...network.open.transactions()], closeTime, { trusted: true });
      network.flush();
    }
    if (this.#service) await this.#shown();
    return network.closed;
  }

  /** Asks the node. @throws Error when the answer is one */
  ask(command: string, params: Answer = {}): Promise<Answer> {
    return ask(this.node, command, params);
  }

  /** A new account with XRP of the faucet, from the next ledger on. @param xrp at most 10,000 */
  async fund(xrp = 1_000): Promise<{ readonly address: string; readonly seed: string }> {
    const body = JSON.stringify({ xrpAmount: xrp });
    const response = await fetch(`${this.node}/accounts`, { method: 'POST', body });
    const { account, seed } = (await response.json()) as Answer;
    return { address: account.address, seed };
  }

  /**
   * Signs a transaction and submits it to the open ledger.
   * @returns its hash
   * @throws Error unless the result is tesSUCCESS
   */
  async submit(secret: string, tx_json: Answer): Promise<string> {
    const { engine_result, tx_json: signed } = await this.ask('submit', { secret, tx_json });
    if (engine_result !== 'tesSUCCESS') throw new Error(`${tx_json.TransactionType}: ${engine_result}`);
    return signed.hash;
  }

  /** Asks the service. @param path `/v1/tokens` @throws Error when the status is not 200 */
  async get(path: string): Promise<Frame> {
    const response = await fetch(this.url + path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Frame;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopService();
    await this.#listener.stop();
    rmSync(this.data, { recursive: true, force: true });
    if (this.log.faults.length > 0)
      throw new Error('the network or the service failed', { cause: this.log.faults[0] });
  }

  #listen(port: number): Listener {
    const { network } = this.world;
    const entropy = () => crypto.getRandomValues(new Uint8Array(16));
    return new Listener({
      network,
      faucet: new Faucet(network, genesis(), entropy),
      clock: timerClock(() => performance.now()),
      entropy,
      manual: true,
      port,
      onFault: (fault) => this.log.faults.push(fault),
    });
  }

  #shown(): Promise<void> {
    const { index } = this.world.network.closed;
    return until(() => this.service.engine.head?.index === index, `ledger ${index} in the service`);
  }
}
