/**
 * One client at the gate: its address, behind the proxies that are believed, and the key that it sent.
 *
 * The headers that show how it stands are written once its request is admitted. They are most of the gate's cost: 0.3 us
 * each.
 */
import type { ApiKey } from '../../platform/api-keys.ts';
import type { CreditAccount } from '../../platform/credits.ts';
import type { KeyUsage } from '../../platform/key-usage.ts';
import { clientNetwork } from '../../requests/address.ts';
import type { AdmissionSettings } from '../../requests/admission-settings.ts';
import type { Proxies } from '../../requests/client-address.ts';
import type { AddressSource, Identity } from '../../requests/identity.ts';
import type { Standing } from '../../requests/rate-limits.ts';
import { keyOffered } from '../../requests/socket-protocol.ts';
import type { FixedHeaders, Stamp, StampedHeaders } from '../../requests/stamp.ts';
import type { Tier } from '../../requests/tiers.ts';

/** What the gate keeps of a key that was used. */
export interface KeyState {
  readonly key: ApiKey;
  /** undefined: the operator's own, whose credits are not counted. */
  readonly account: CreditAccount | undefined;
  readonly usage: KeyUsage;
  readonly windows: Int32Array;
}

/** What callers need of the gate. */
export interface CallerParts {
  readonly settings: AdmissionSettings;
  readonly proxies: Proxies;
  /** Unix ms. */
  readonly now: () => number;
  /** undefined: the secret does not work */
  keyOf(secret: string): KeyState | undefined;
}

/** A query with the key's name, as it is or with some of its letters escaped. */
const NAMES_KEY = /\?.*(?:apiKey|%)/s;

/** Of what is never limited. */
const CREDITS_ALONE: FixedHeaders = [];

export class Caller implements Identity, Stamp {
  kind: Identity['kind'] = 'anonymous';
  state: KeyState | undefined;
  /** Set when a request was admitted that has limits. */
  standing: Standing | undefined;
  /** Unix ms. */
  admittedAt = 0;
  readonly #gate: CallerParts;
  readonly #request: Request;
  readonly #server: AddressSource | undefined;
  #ip: string | undefined;
  #admin: ApiKey | undefined;

  constructor(gate: CallerParts, request: Request, server: AddressSource | undefined) {
    this.#gate = gate;
    this.#request = request;
    this.#server = server;
    const { headers } = request;
    const secret = headers.get('x-api-key');
    if (secret !== null) this.#known(secret);
    // The admin's own pages send the key that all pages share, too.
    const admin = headers.get('x-admin-key');
    if (admin !== null) this.#knownAdmin(gate.keyOf(admin)?.key);
  }

  get ip(): string {
    this.#ip ??= this.#address();
    return this.#ip;
  }

  get tier(): Tier {
    return this.tierAt(this.#gate.now());
  }

  get key(): Identity['key'] {
    return this.state && { id: this.state.key.id, wallet: this.state.key.wallet };
  }

  /** By which it is the admin. */
  get adminKey(): ApiKey | undefined {
    return this.#admin;
  }

  get isPaid(): boolean {
    if (this.state === undefined) return false;
    const tier = this.tierAt(this.admittedAt || this.#gate.now());
    return !this.#gate.settings.tiers[tier].showsAttribution;
  }

  /** Whether it sent what a wallet signs. */
  get isSigned(): boolean {
    const { headers } = this.#request;
    return headers.has('x-signature') && headers.has('x-wallet');
  }

  /** The operator's own keys are of the free tier, whose limits belong to addresses. */
  tierAt(now: number): Tier {
    if (!this.state) return 'anonymous';
    return this.state.account?.tier(now) ?? 'free';
  }

  /** Reads the key from the query, where no header has it. */
  readQuery(): void {
    if (this.state || this.kind !== 'anonymous') return;
    const { url } = this.#request;
    // Most addresses of pictures name no key: it is not worth reading their queries to learn that.
    if (!NAMES_KEY.test(url)) return;
    const secret = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('apiKey');
    if (secret !== null) this.#known(secret);
  }

  /** Reads the key that a page offers with a socket, as a protocol: it can send no headers. */
  readProtocols(): void {
    const offered = this.#request.headers.get('sec-websocket-protocol');
    const secret = offered === null ? undefined : keyOffered(offered);
    if (secret !== undefined && this.kind === 'anonymous') this.#known(secret);
  }

  usesKey(id: string): boolean {
    return this.state?.key.id === id || this.#admin?.id === id;
  }

  authenticate(secret: string): boolean {
    const state = this.#gate.keyOf(secret);
    if (!state || state.key.kind === 'admin') return false;
    this.state = state;
    this.kind = 'key';
    return true;
  }

  get stamp(): Stamp | undefined {
    return this.standing || this.#isMetered() ? this : undefined;
  }

  /** Read only where there is a stamp, as `write`. */
  get fixed(): FixedHeaders {
    if (!this.standing) return CREDITS_ALONE;
    const { fixed, fixedWithCredits } = this.standing;
    return this.state?.account ? fixedWithCredits : fixed;
  }

  write(to: StampedHeaders): void {
    if (this.standing) {
      const { remaining, reset, dailyRemaining, nearest, nearestRemaining, nearestReset } = this.standing;
      if (remaining !== undefined) to.window(remaining, reset);
      if (dailyRemaining !== undefined) to.day(dailyRemaining);
      to.nearest(nearest, nearestRemaining, nearestReset);
    }
    const account = this.state?.account;
    if (!account) return;
    const left = account.left(this.admittedAt);
    if (left === Number.POSITIVE_INFINITY) return;
    to.credits(account.used(this.admittedAt), left);
  }

  /** Whether it was admitted with credits that are counted. */
  #isMetered(): boolean {
    const account = this.state?.account;
    return (
      account !== undefined &&
      this.admittedAt > 0 &&
      account.left(this.admittedAt) !== Number.POSITIVE_INFINITY
    );
  }

  #known(secret: string): void {
    if (!this.authenticate(secret)) this.kind = 'wrong-key';
  }

  #knownAdmin(key: ApiKey | undefined): void {
    this.#admin = key?.kind === 'admin' ? key : undefined;
    this.kind = this.#admin ? 'admin' : 'wrong-key';
  }

  #address(): string {
    const remote = this.#server?.requestIP(this.#request)?.address ?? '';
    const { proxies } = this.#gate;
    if (proxies.isEmpty) return clientNetwork(remote);
    return clientNetwork(proxies.clientOf(remote, this.#request.headers.get('x-forwarded-for')));
  }
}
