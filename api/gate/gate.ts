/**
 * The gate: who asks, what it costs, how fast it may. It is the `identify` and the `admit` of requests and sockets, driven
 * by the rows of the route table and of the streams; handlers know nothing of it.
 *
 *     request -> Caller (address, key) -> rates (requests/rate-limits.ts) -> credential and tier of the row -> credits
 *                                            429                                401, 403                       402
 *
 * A request that is refused for its rate uses nothing up; one that lacks a credential has used its place in the windows, so
 * that guessing is limited. Everything is in memory and synchronous: it stands before the kept answers. Signatures of
 * wallets, which take time, are proved after it (wallet-proofs.ts).
 *
 * Modes: see AdmissionSettings. Where it is open, only what belongs to somebody needs a credential.
 *
 * Cost: about 1.5 us for a client without a key, 2 us with one; what headers cost is in `caller.ts`.
 */

import type { ApiKey } from '../../platform/api-keys.ts';
import { TENTHS } from '../../platform/credits.ts';
import type { Customers } from '../../platform/customers.ts';
import {
  type Act,
  type Admit,
  BURST_BUCKET,
  type Guarded,
  NO_ROW,
  STREAM_BUCKET,
} from '../../requests/admission.ts';
import type { AdmissionSettings } from '../../requests/admission-settings.ts';
import { Proxies } from '../../requests/client-address.ts';
import { ApiError, notOpen, rateLimited } from '../../requests/errors.ts';
import type { Identify } from '../../requests/identity.ts';
import { isFull, RateLimits } from '../../requests/rate-limits.ts';
import { TIERS, type Tier } from '../../requests/tiers.ts';
import { Caller, type CallerParts, type KeyState } from './caller.ts';

/** Tenths of a credit for a message on a socket (section 8.2). */
const MESSAGE_TENTHS = 1;

export interface GateParts {
  readonly settings: AdmissionSettings;
  readonly customers: Customers;
  /** Of all routes and streams. */
  readonly rows: readonly Guarded[];
  /** Unix ms. */
  readonly now: () => number;
  /** Entries of the tables of addresses; default: those of rate-limits.ts. */
  readonly tableSizes?: readonly [number, number];
}

export class Gate implements CallerParts {
  readonly settings: AdmissionSettings;
  readonly rates: RateLimits;
  readonly proxies: Proxies;
  readonly now: () => number;
  readonly #parts: GateParts;
  readonly #states = new WeakMap<ApiKey, KeyState>();

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.settings = parts.settings;
    this.now = parts.now;
    this.proxies = new Proxies(parts.settings.proxies);
    const buckets = [...parts.rows, NO_ROW].map((row) => this.#windowOf(row));
    this.rates = new RateLimits(parts.settings, [...buckets, STREAM_BUCKET, BURST_BUCKET], parts.tableSizes);
  }

  readonly identify: Identify = (request, server) => new Caller(this, request, server);

  readonly admit: Admit = (act, row, identity) => {
    const caller = identity as Caller;
    if (row.keyInQuery) caller.readQuery();
    if (act === 'connection') caller.readProtocols();
    const admin = caller.kind === 'admin' ? caller.adminKey : undefined;
    if (admin) return this.#works(admin) ? undefined : wrongKey();
    if (this.settings.mode === 'open') return this.#isOpenFor(act, row, caller);
    const now = this.now();
    return act === 'message' ? this.#message(row, caller, now) : this.#request(row, caller, now);
  };

  /** The key of a secret, with what is kept of it. undefined: it does not work */
  keyOf(secret: string): KeyState | undefined {
    const key = this.#parts.customers.keys.find(secret);
    return key && this.stateOf(key);
  }

  stateOf(key: ApiKey): KeyState {
    const known = this.#states.get(key);
    if (known) return known;
    const { credits, usage } = this.#parts.customers;
    const state = {
      key,
      account: key.kind === 'user' ? credits.of(key.wallet) : undefined,
      usage: usage.of(key.id),
      windows: this.rates.keyWindows(key.id),
    };
    this.#states.set(key, state);
    return state;
  }

  /** Whether it works still: a socket may be open, and a batch be answered, for longer than their key works. */
  #works(key: ApiKey): boolean {
    return this.#parts.customers.keys.byId(key.id) === key;
  }

  #request(row: Guarded, caller: Caller, now: number): ApiError | undefined {
    // Who signs is known only later; until then a wallet counts as one of the free tier.
    const own = caller.tierAt(now);
    const isFree = row.auth === 'wallet' || row.isDocument === true;
    const tier = isFree && own === 'anonymous' ? 'free' : own;
    const { state, ip } = caller;
    const taken = this.rates.take(this.#windowOf(row), tier, ip, state?.windows, now, row.times);
    if (taken !== undefined && isFull(taken)) {
      caller.state?.usage.called(row.path, 1, now);
      return rateLimited(taken);
    }
    caller.standing = taken;
    caller.admittedAt = now;
    const refused = this.#refused(row, caller, own);
    if (refused) {
      caller.state?.usage.called(row.path, 3, now);
      return refused;
    }
    const tenths = Math.round((row.cost ?? 0) * TENTHS);
    const isPaid = this.#spend(caller, tenths, now);
    // What is never capped is paid for while there are credits, and then free.
    if (!isPaid && taken !== undefined) {
      caller.state?.usage.called(row.path, 2, now);
      return noCredits();
    }
    this.#used(row, caller, isPaid ? tenths : 0, now);
    return undefined;
  }

  /** Where only reads are never limited (section 8.1), what changes something has a window of its own. */
  #windowOf({ method = 'GET', bucket = STREAM_BUCKET, hasBurstAlone }: Guarded): string {
    if (hasBurstAlone) return BURST_BUCKET;
    return method !== 'GET' && this.settings.unlimited.includes(bucket) ? `${method} ${bucket}` : bucket;
  }

  #message(row: Guarded, caller: Caller, now: number): ApiError | undefined {
    if (caller.state && !this.#works(caller.state.key)) return wrongKey();
    if (!this.#spend(caller, MESSAGE_TENTHS, now)) return noCredits();
    this.#used(row, caller, MESSAGE_TENTHS, now);
    return undefined;
  }

  #spend({ state }: Caller, tenths: number, now: number): boolean {
    if (!state?.account || tenths === 0) return true;
    return state.account.spend(tenths, now);
  }

  #used({ path, bucket }: Guarded, { state }: Caller, tenths: number, now: number): void {
    if (!state) return;
    state.usage.admitted(path, bucket ?? STREAM_BUCKET, tenths, now);
    this.#parts.customers.usage.changed(state.usage);
  }

  /** What a row needs that the caller has not. */
  #refused(row: Guarded, caller: Caller, tier: Tier): ApiError | undefined {
    if (caller.kind === 'wrong-key')
      return this.#parts.customers.keys.isAttached ? wrongKey() : notOpen('Keys are not read yet');
    // It may have been revoked since: the messages of a batch are admitted one after another.
    if (caller.state && !this.#works(caller.state.key)) return wrongKey();
    const missing = this.#missing(row, caller);
    if (missing) return missing;
    if (row.tier !== 'anonymous' && TIERS.indexOf(tier) < TIERS.indexOf(row.tier))
      return tooLow(row.tier, tier);
    return undefined;
  }

  /** Where everybody is answered: what belongs to a key, a wallet or the admin still does. */
  #isOpenFor(act: Act, row: Guarded, caller: Caller): ApiError | undefined {
    if (act === 'message' || row.keyInQuery || row.opensWithoutKey) return undefined;
    return this.#missing(row, caller);
  }

  #missing(row: Guarded, { state, isSigned }: Caller): ApiError | undefined {
    switch (row.auth) {
      case 'key':
        if (!state) return noKey(row);
        return row.refusesBrowserKey && state.key.kind === 'browser' ? sharedKey() : undefined;
      case 'platform':
        return state?.key.kind === 'platform'
          ? undefined
          : notAllowed('Only the platform itself may do that');
      case 'admin':
        return isSigned ? undefined : noAdmin();
      default:
        return undefined;
    }
  }
}

const noKey = ({ keyInQuery }: Guarded) =>
  new ApiError('unauthorized', 'This needs an API key', {
    hint: `Send it as X-Api-Key${keyInQuery ? ', or as apiKey in the query' : ''}; POST /keys makes one`,
    headers: { 'WWW-Authenticate': 'ApiKey' },
  });

const wrongKey = () =>
  new ApiError('unauthorized', 'The API key does not work', {
    hint: 'It was revoked, or is not complete, or is an admin’s, which is sent as X-Admin-Key; POST /keys makes one',
    headers: { 'WWW-Authenticate': 'ApiKey' },
  });

const noAdmin = () =>
  new ApiError('unauthorized', 'This needs the admin of the service', {
    hint: 'Send X-Admin-Key, or the signature of an admin wallet',
  });

const notAllowed = (text: string, hint?: string) => new ApiError('forbidden', text, hint ? { hint } : {});

const sharedKey = () => notAllowed('The key that all pages share cannot do that', 'Make a key of your own');

const tooLow = (needed: Tier, tier: Tier) =>
  notAllowed(`This needs the ${needed} tier or above, not ${tier}`, 'GET /keys/tiers shows them');

const noCredits = () =>
  new ApiError('payment_required', 'No credits are left', {
    hint: 'They are renewed with the next cycle; POST /keys/purchase buys more, GET /keys/{wallet}/credits shows both',
  });
