/** What decides who may use the service: settings from the options, customers from the store, the gate over both. */
import { Gate } from '../api/gate/gate.ts';
import { WalletProofs } from '../api/gate/wallet-proofs.ts';
import { LISTING } from '../api/mcp/methods.ts';
import { routes } from '../api/routes/index.ts';
import type { Log } from '../engine/log.ts';
import { makeKey } from '../platform/api-keys.ts';
import { Customers } from '../platform/customers.ts';
import { DayJournal } from '../platform/day-windows.ts';
import type { PlatformStore } from '../platform/store.ts';
import { type AdmissionSettings, DEFAULT_ADMISSION } from '../requests/admission-settings.ts';
import { SignatureThread } from '../workers/signatures.ts';
import { streams } from '../ws/streams/index.ts';
import { takeNewKeys } from './new-keys.ts';
import type { Options } from './options.ts';
import { hasAdmission } from './server-settings.ts';

/** Id and name of the key that the pages share. */
const PAGES = 'pages';

/** How often keys made on the command line are looked for, ms. */
const NEW_KEYS_MS = 1000;

export const admissionSettings = (options: Options): AdmissionSettings => ({
  ...DEFAULT_ADMISSION,
  mode: hasAdmission(options) ? 'keys' : 'open',
  adminWallets: options.adminWallets,
  proxies: options.proxies,
  tiers: options.tiers,
  endpoints: options.endpoints,
  packages: options.packages,
});

export class Admission {
  readonly settings: AdmissionSettings;
  readonly customers: Customers;
  readonly gate: Gate;
  readonly proofs: WalletProofs;
  /** Of the pages, another one after each start: they read it again. undefined: they need none. */
  readonly pagesKey: string | undefined;
  readonly #options: Options;
  readonly #log: Log;
  readonly #days: DayJournal;
  readonly #signatures = new SignatureThread();
  #timer: Timer | undefined;
  #taking: Promise<void> = Promise.resolve();
  /** What the command line left could not be done the last time. */
  #isHeldUp = false;

  constructor(options: Options, log: Log) {
    this.#options = options;
    this.#log = log;
    this.settings = admissionSettings(options);
    const { tiers } = this.settings;
    this.customers = new Customers((tier) => tiers[tier].creditsPerMonth);
    this.gate = new Gate({
      settings: this.settings,
      customers: this.customers,
      rows: [...routes, ...streams, LISTING],
      now: Date.now,
    });
    this.pagesKey = this.settings.mode === 'keys' ? keyForPages(this.customers, Date.now()) : undefined;
    this.#days = new DayJournal(this.gate.rates.days, Date.now);
    this.proofs = new WalletProofs({
      verify: this.#signatures.verify,
      seen: this.customers.signatures,
    });
  }

  /** Resolves when the keys that are there are known. */
  async attach(store: PlatformStore): Promise<void> {
    this.#days.attach(store);
    this.customers.attach(store);
    await this.#takeKeys(true);
    this.#timer = setInterval(() => {
      this.#taking = this.#taking.then(() => this.#takeKeys());
    }, NEW_KEYS_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#taking;
    await Promise.all([this.customers.close(), this.#days.close(), this.#signatures.close()]);
  }

  async #takeKeys(isFirst = false): Promise<void> {
    try {
      const { keys } = this.customers;
      for (const line of await takeNewKeys(this.#options.data, keys, Date.now(), isFirst))
        this.#log.info({}, line);
      this.#isHeldUp = false;
    } catch (err) {
      // It is tried again each second, and said once until it is done.
      const level = this.#isHeldUp ? 'debug' : 'warn';
      this.#isHeldUp = true;
      this.#log[level]({ err }, 'what the command line left for keys cannot be done now; trying again');
    }
  }
}

/** Always of the same id, so that what the pages are used for is counted together. @param now Unix ms */
function keyForPages({ keys }: Customers, now: number): string {
  const { secret, row } = makeKey({ kind: 'browser', wallet: '', name: PAGES }, now);
  keys.lend({ id: PAGES, row });
  return secret;
}
