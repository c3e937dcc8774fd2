/** The gate over the whole route table, with customers on a real store, wallets that sign, and a clock of the test. */
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { type Api, type ApiOptions, createApi } from '../../../api/app.ts';
import { Gate } from '../../../api/gate/gate.ts';
import { WalletProofs } from '../../../api/gate/wallet-proofs.ts';
import { LISTING } from '../../../api/mcp/methods.ts';
import type { Route } from '../../../api/route.ts';
import { routes as allRoutes } from '../../../api/routes/index.ts';
import { Engine } from '../../../engine/engine.ts';
import { type KeyKind, makeKey } from '../../../platform/api-keys.ts';
import type { GrantedTier, PlanTier } from '../../../platform/plans.ts';
import type { SoldTier } from '../../../platform/terms.ts';
import { type AdmissionSettings, DEFAULT_ADMISSION } from '../../../requests/admission-settings.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { streams } from '../../../ws/streams/index.ts';
import { quiet } from '../../live-rig.ts';
import { CustomerRig } from '../../platform/store-rig.ts';
import { momentOf } from '../../platform/term-model.ts';

export interface GateOptions {
  readonly settings?: Partial<AdmissionSettings>;
  readonly routes?: readonly Route[];
  readonly api?: Partial<ApiOptions>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Json = any;

export class GateRig extends CustomerRig {
  readonly engine = new Engine({ store: new MemoryStore(), log: quiet });
  readonly network = new Network({ engine: this.engine });
  readonly admin = Wallet.generate();
  readonly settings: AdmissionSettings;
  /** Unix ms. */
  now = 1_900_000_000_000;
  /** Address of the client. */
  client = '192.0.2.1';
  api!: Api;
  gate!: Gate;
  readonly #options: GateOptions;
  #signed = 0;

  constructor(options: GateOptions = {}) {
    super();
    this.#options = options;
    const adminWallets = new Set([this.admin.classicAddress]);
    this.settings = { ...DEFAULT_ADMISSION, mode: 'keys', adminWallets, ...options.settings };
  }

  override async open() {
    const customers = await super.open();
    const routes = this.#options.routes ?? allRoutes;
    const now = () => this.now;
    this.gate = new Gate({
      settings: this.settings,
      customers,
      rows: [...routes, ...streams, LISTING],
      now,
      tableSizes: [4096, 4096],
    });
    this.api = createApi({
      mounts: [Mount.of(this.network)],
      log: quiet,
      routes,
      now,
      customers,
      admission: this.settings,
      identify: this.gate.identify,
      admit: this.gate.admit,
      proofs: new WalletProofs({ seen: customers.signatures }),
      ...this.#options.api,
    });
    this.api.callers.server = { requestIP: () => ({ address: this.client }) };
    return customers;
  }

  /** The secret of a new key. */
  async key(kind: KeyKind, wallet = ''): Promise<string> {
    const made = makeKey({ kind, wallet, name: kind }, this.now);
    if (wallet !== '') await this.customers.credits.open(wallet, this.now);
    await this.customers.keys.add(made, 100);
    return made.secret;
  }

  /** The secret of a new key of a new wallet of this tier. */
  async keyOfTier(tier: PlanTier): Promise<string> {
    const wallet = Wallet.generate().classicAddress;
    await this.give(wallet, tier);
    return this.key('user', wallet);
  }

  async give(wallet: string, tier: PlanTier): Promise<void> {
    const { plans } = this.customers;
    if (tier === 'partner' || tier === 'enterprise') await plans.grant(wallet, tier as GrantedTier);
    else if (tier !== 'free') {
      const purchase = { type: 'tier', tier: tier as SoldTier, billing: 'monthly' } as const;
      const change = await this.store.transaction((transaction) =>
        plans.deliver(transaction, wallet, purchase, momentOf(this.now)),
      );
      change.applied();
    }
  }

  /** What a wallet signs a request with; no two are the same. */
  signed(by: Wallet, changed: Record<string, string> = {}): Record<string, string> {
    this.#signed = Math.max(this.#signed + 1, this.now);
    const timestamp = changed['X-Timestamp'] ?? String(this.#signed);
    const message = Buffer.from(`${by.classicAddress}:${timestamp}`).toString('hex');
    return {
      'X-Wallet': by.classicAddress,
      'X-Timestamp': timestamp,
      'X-Public-Key': by.publicKey,
      'X-Signature': sign(message, by.privateKey),
      ...changed,
    };
  }

  /** @param path below /v1 */
  async ask(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const request = new Request(`http://localhost/v1${path}`, init);
    const response = this.api.cached(request) ?? (await this.api.fetch(request));
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text.startsWith('{') ? JSON.parse(text) : text) as Json,
    };
  }
}
