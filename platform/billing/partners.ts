/**
 * Requests for the partner tier, which is free: who shows where the data comes from, on a page of its own, may have it. A
 * person looks at the page and decides.
 *
 *     none --- request ---> pending --- approve ---> approved      every key of the wallet has the tier from then on
 *                              `------- decline ---> declined      with a reason; another request may follow, as it may
 *                                                                  after an approved one whose tier was taken back
 */
import type { Plans } from '../plans.ts';
import type { Collection, PlatformStore } from '../store.ts';

export type PartnerStatus = 'pending' | 'approved' | 'declined';

export interface PartnerRequest {
  /** r-address. */
  readonly wallet: string;
  readonly status: PartnerStatus;
  /** https page that shows the credit. */
  readonly creditUrl: string;
  readonly contact: string;
  /** Unix ms. */
  readonly requestedAt: number;
  /** Unix ms. */
  readonly decidedAt?: number;
  /** Why it was declined. */
  readonly reason?: string;
}

/** The newest of each wallet, by r-address. */
const REQUESTS: Collection<PartnerRequest> = {
  name: 'partner-requests',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 4096, rows: 100_000 },
  indexes: { status: { unique: false, keys: ({ status, requestedAt }) => [[status, requestedAt]] } },
};

export const PARTNER_COLLECTIONS = [REQUESTS] as unknown as readonly Collection<unknown>[];

/** The wallet's request does not stand as it must. */
export class PartnerError extends Error {
  override readonly name = 'PartnerError';

  constructor(readonly status: PartnerStatus | 'none') {
    super(status === 'none' ? 'there is no request' : `the request is ${status}`);
  }
}

export class PartnerRequests {
  readonly #plans: Plans;
  #store: PlatformStore | undefined;

  constructor(plans: Plans) {
    this.#plans = plans;
  }

  attach(store: PlatformStore): void {
    this.#store = store;
  }

  of(wallet: string): PartnerRequest | undefined {
    return this.#store?.get(REQUESTS, [wallet]);
  }

  /** Those of a status, the oldest first. */
  list(status: PartnerStatus, limit: number): PartnerRequest[] {
    const found: PartnerRequest[] = [];
    this.#store?.walkIndex(REQUESTS, 'status', { prefix: [status], limit }, (request) => {
      found.push(request);
      return true;
    });
    return found;
  }

  /** @param now Unix ms. @throws PartnerError while one is pending, or while the wallet has what was approved */
  request(wallet: string, creditUrl: string, contact: string, now: number): Promise<PartnerRequest> {
    return this.#store!.transaction((transaction) => {
      const before = transaction.get(REQUESTS, [wallet]);
      const isGranted = this.#plans.in(transaction, wallet).granted !== undefined;
      if (before?.status === 'pending' || (before?.status === 'approved' && isGranted))
        throw new PartnerError(before.status);
      const request: PartnerRequest = { wallet, status: 'pending', creditUrl, contact, requestedAt: now };
      transaction.put(REQUESTS, [wallet], request);
      return request;
    });
  }

  /** @throws PartnerError where none is pending */
  async approve(wallet: string, now: number): Promise<PartnerRequest> {
    const { request, changed } = await this.#store!.transaction((transaction) => {
      const request = {
        ...pending(transaction.get(REQUESTS, [wallet])),
        status: 'approved' as const,
        decidedAt: now,
      };
      transaction.put(REQUESTS, [wallet], request);
      // Whoever has more keeps it.
      const changed = this.#plans.granting(transaction, wallet, (granted) => granted ?? 'partner');
      return { request, changed };
    });
    changed.applied();
    return request;
  }

  /** @throws PartnerError where none is pending */
  decline(wallet: string, reason: string, now: number): Promise<PartnerRequest> {
    return this.#store!.transaction((transaction) => {
      const before = pending(transaction.get(REQUESTS, [wallet]));
      const request = { ...before, status: 'declined' as const, reason, decidedAt: now };
      transaction.put(REQUESTS, [wallet], request);
      return request;
    });
  }
}

function pending(request: PartnerRequest | undefined): PartnerRequest {
  if (request?.status !== 'pending') throw new PartnerError(request?.status ?? 'none');
  return request;
}
