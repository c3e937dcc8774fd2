/** A network whose store of the service's own data is on disk, with a token of a wallet of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { createApi } from '../../../api/app.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../../../data/platform-store.ts';
import { accountBytes } from '../../../engine/codec/base58.ts';
import { Engine } from '../../../engine/engine.ts';
import type { ImageEncoder } from '../../../platform/images.ts';
import { TOKEN_COLLECTIONS } from '../../../platform/token-metadata.ts';
import { DEFAULT_ADMISSION } from '../../../requests/admission-settings.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { applyAll } from '../../views/world.ts';
import type { Json } from './ask.ts';

export class TokenWrites {
  readonly engine = new Engine({ store: new MemoryStore(), log: quiet });
  readonly wallet = Wallet.generate();
  readonly admin = Wallet.generate();
  readonly #world = new World({ seed: 'metadata' });
  readonly #dir = mkdtempSync(join(tmpdir(), 'millrace-token-writes-'));
  readonly #images: ImageEncoder | undefined;
  #api: ReturnType<typeof createApi> | undefined;
  #signed = 0;
  platform!: LmdbPlatformStore;
  network!: Network;
  /** Address of the client. */
  client = '192.0.2.1';
  /** Unix ms; the API reads it. */
  now = 1_800_000_000_000;
  /** Account id of the wallet. */
  account = 0;
  /** A token that the wallet has created, and one of another issuer that it has not. */
  token = 0;
  other = 0;

  constructor(images?: ImageEncoder) {
    this.#images = images;
  }

  async start(): Promise<void> {
    for (let i = 0; i < 6; i++) await this.ledger();
    const { tokens, accounts } = this.engine.state;
    // Every issuer of the population has a domain on the ledger.
    accounts.domain = () => undefined;
    const listed = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1).filter(
      (id) => this.engine.market.totals.isListed(id) && tokens.tokenType(id) === 'trustline',
    );
    this.token = listed[0]!;
    this.other = listed.find((id) => tokens.issuer(id) !== tokens.issuer(this.token))!;
    this.account = accounts.intern(accountBytes(this.wallet.classicAddress)!, 0);
    await this.#open();
  }

  /** Applies a ledger that closes so many seconds after the last one. */
  async ledger(seconds = 600): Promise<void> {
    await applyAll(this.engine, [this.#world.step(seconds).packed()]);
    await this.engine.drain();
  }

  async restart(): Promise<void> {
    await this.platform.close();
    await this.#open();
  }

  async stop(): Promise<void> {
    await this.platform.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #open(): Promise<void> {
    this.platform = await openPlatformStore({ dir: this.#dir, network: 0, collections: TOKEN_COLLECTIONS });
    this.#api = this.apiOf(this.platform);
  }

  /** @param platform undefined: the network keeps nothing */
  apiOf(platform?: LmdbPlatformStore, images = this.#images): ReturnType<typeof createApi> {
    const network = new Network({ engine: this.engine });
    if (platform) network.tokenData.attach(platform);
    // The population keeps its keys to itself: an account with the test's key stands for the creator.
    const { figures } = network.views.tokens;
    const { creator } = figures;
    figures.creator = (id) => (id === this.token ? this.account : creator.call(figures, id));
    this.network = network;
    const parts = {
      mounts: [Mount.of(network)],
      log: quiet,
      now: () => this.now,
      admission: { ...DEFAULT_ADMISSION, adminWallets: new Set([this.admin.classicAddress]) },
      identify: () => ({ kind: 'anonymous' as const, ip: this.client }),
    };
    return createApi({ ...parts, ...(images && { images }) });
  }

  get md5(): string {
    return this.engine.state.tokens.md5(this.token);
  }

  headersOf(by: Wallet, changed: Record<string, string> = {}): Record<string, string> {
    // No signature may be used twice.
    this.#signed = Math.max(this.#signed + 1, this.now);
    const timestamp = String(this.#signed);
    const message = Buffer.from(`${by.classicAddress}:${timestamp}`).toString('hex');
    return {
      'X-Wallet': by.classicAddress,
      'X-Timestamp': timestamp,
      'X-Public-Key': by.publicKey,
      'X-Signature': sign(message, by.privateKey),
      ...changed,
    };
  }

  /** @param what 'metadata' or 'image' */
  async post(
    what: string,
    body: object,
    headers = this.headersOf(this.wallet),
    id = this.md5,
    api = this.#api!,
  ) {
    const init = { method: 'POST', body: JSON.stringify(body), headers };
    const response = await api.fetch(new Request(`http://localhost/v1/token/${id}/${what}`, init));
    return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
  }

  /** @param path with its prefix */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#api!.fetch(new Request(`http://localhost${path}`, init));
  }

  async get(path: string): Promise<Json> {
    return (await this.fetch(`/v1${path}`)).json();
  }

  /** The token of the wallet. */
  async shown(): Promise<Json> {
    return (await this.get(`/token/${this.md5}?desc=yes`)).token;
  }
}
