/** What answers show of products, invoices and payments, and the prices of products in USD and XRP. */
import { DROPS_PER_XRP } from '../engine/codec/amount.ts';
import type { Billing } from '../platform/billing/billing.ts';
import { type Invoice, statusOf } from '../platform/billing/invoices.ts';
import type { Purchase } from '../platform/billing/purchase.ts';
import type { XrpPayment } from '../platform/billing/xrp-payments.ts';
import { TENTHS } from '../platform/credits.ts';
import { PlatformError } from '../platform/store.ts';
import { SOLD_TIERS } from '../platform/terms.ts';
import type { AdmissionSettings } from '../requests/admission-settings.ts';
import { badRequest, notConfigured, unavailable } from '../requests/errors.ts';
import type { RouteContext } from './route.ts';
import { shownCredits } from './routes/keys.ts';
import { describe, integer, number, oneOf, string } from './schema.ts';

/** Prices in XRP are rounded up to this many drops: 0.0001 XRP. */
const DROPS_STEP = 100;

export interface Product {
  readonly purchase: Purchase;
  readonly usdCents: number;
  /** For people. */
  readonly title: string;
}

export interface ProductInput {
  readonly type: 'credits' | 'tier' | undefined;
  readonly package: string | undefined;
  readonly tier: string | undefined;
  readonly billing: 'monthly' | 'yearly' | undefined;
}

/** @throws ApiError 400 */
export function productOf(input: ProductInput, { packages, tiers }: AdmissionSettings): Product {
  if (input.type === 'credits') {
    const name = input.package ?? '';
    const found = Object.hasOwn(packages, name) ? packages[name] : undefined;
    if (!found) throw badRequest('Unknown package', `package: ${Object.keys(packages).join(', ')}`);
    const title = `${found.credits.toLocaleString('en-US')} credits (${name})`;
    return {
      purchase: { type: 'credits', package: name, credits: found.credits },
      usdCents: centsOf(found.usd),
      title,
    };
  }
  const tier = SOLD_TIERS.find((one) => one === input.tier);
  const billing = input.billing ?? 'monthly';
  const usd = tier && (billing === 'yearly' ? tiers[tier].usdPerYear : tiers[tier].usdPerMonth);
  if (!tier || usd === undefined) throw badRequest('Unknown tier', `tier: ${SOLD_TIERS.join(', ')}`);
  return {
    purchase: { type: 'tier', tier, billing },
    usdCents: centsOf(usd),
    title: `${tier} tier, ${billing === 'yearly' ? '365' : '30'} days`,
  };
}

const centsOf = (usd: number): number => Math.round(usd * 100);

/** XRP per USD; undefined: there is no price now. */
export const xrpPerUsd = ({ service }: Pick<RouteContext, 'service'>): number | undefined =>
  service.billing?.xrpPerUsd;

/** Drops that a price comes to now, rounded up. @throws ApiError 503 where XRP has no price */
export function dropsOf(usdCents: number, context: Pick<RouteContext, 'service'>): number {
  const rate = xrpPerUsd(context);
  if (rate === undefined)
    throw unavailable('XRP has no price in USD now', 'The operator may set MILLRACE_RATE_FEED');
  return Math.ceil(((usdCents / 100) * rate * DROPS_PER_XRP) / DROPS_STEP) * DROPS_STEP;
}

/** XRP as text, exact. */
export function xrpText(drops: number): string {
  const text = String(drops).padStart(7, '0');
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, '');
}

/** @throws ApiError 503 where no address is configured, or the store is not open yet */
export function xrpBilling({ service }: Pick<RouteContext, 'service'>) {
  const billing = billingOf({ service });
  const { address, payments } = billing;
  if (address === undefined)
    throw notConfigured('Payments in XRP are not configured', 'The operator sets MILLRACE_PAYMENT_ADDRESS');
  if (!payments) throw unavailable('Payments are not read yet', 'Retry after 2 s');
  return { billing, address, payments };
}

/** @throws ApiError 503 */
export function cardBilling({ service }: Pick<RouteContext, 'service'>) {
  const billing = billingOf({ service });
  const { card } = billing;
  if (!card)
    throw notConfigured(
      'Payments by card are not configured',
      'The operator sets MILLRACE_STRIPE_KEY and MILLRACE_STRIPE_WEBHOOK_SECRET',
    );
  return { billing, card };
}

/** @throws ApiError 503 */
export function billingOf({ service }: Pick<RouteContext, 'service'>): Billing {
  const { billing } = service;
  if (!billing?.invoices.store) throw unavailable('Invoices are not read yet', 'Retry after 2 s');
  return billing;
}

export function purchaseFields(purchase: Purchase) {
  return purchase.type === 'credits'
    ? { type: purchase.type, package: purchase.package, credits: purchase.credits }
    : { type: purchase.type, tier: purchase.tier, billing: purchase.billing };
}

/** What `invoiceFields` writes. */
export const invoiceMembers = {
  id: string,
  'number?': describe(integer, 'Given when it is fetched for the first time'),
  wallet: describe(string, 'r-address that gets what is bought'),
  type: oneOf(['credits', 'tier']),
  'package?': string,
  'credits?': integer,
  'tier?': string,
  'billing?': oneOf(['monthly', 'yearly']),
  status: oneOf(['created', 'applied', 'expired', 'refunded']),
  method: oneOf(['xrp', 'card']),
  price: number,
  currency: string,
  'amount?': describe(string, 'XRP to be paid; absent: by card'),
  'received?': describe(string, 'XRP that were delivered for it in time'),
  'destinationTag?': integer,
  createdAt: describe(integer, 'Unix ms'),
  expiresAt: describe(integer, 'Unix ms'),
  'paidAt?': describe(integer, 'Unix ms'),
  'paidBy?': describe(string, 'Hash of the transaction, or id of the card payment, that completed it'),
  'refundedAt?': describe(integer, 'Unix ms'),
} as const;

/** @param now Unix ms */
export function invoiceFields(invoice: Invoice, now: number) {
  const { id, number, wallet, purchase, usdCents, way, createdAt, expiresAt, appliedAt, paidBy, refundedAt } =
    invoice;
  return {
    id,
    ...(number !== undefined && { number }),
    wallet,
    ...purchaseFields(purchase),
    status: statusOf(invoice, now),
    method: way.by,
    price: usdCents / 100,
    currency: 'USD',
    ...(way.by === 'xrp' && {
      amount: xrpText(way.drops),
      received: xrpText(invoice.received),
      destinationTag: way.tag,
    }),
    createdAt,
    expiresAt,
    ...(appliedAt !== undefined && { paidAt: appliedAt, paidBy }),
    ...(refundedAt !== undefined && { refundedAt }),
  };
}

export function paymentFields({ txHash, ledger, closedAt, from, tag, drops, outcome, invoice }: XrpPayment) {
  return {
    txHash,
    status: outcome,
    ledger_index: ledger,
    time: closedAt,
    from,
    ...(tag !== undefined && { destinationTag: tag }),
    amount: xrpText(drops),
    ...(invoice !== undefined && { invoiceId: invoice }),
  };
}

/** What a wallet has after a purchase; one that has no key yet, what it will have. */
export function standingOf(wallet: string, { service }: Pick<RouteContext, 'service'>) {
  const { customers, admission } = service;
  const now = service.now();
  const tier = customers?.plans.tierOf(wallet, now) ?? ('free' as const);
  const allowance = admission.tiers[tier].creditsPerMonth ?? Number.POSITIVE_INFINITY;
  const all = (allowance + (customers?.plans.of(wallet).purchasedCredits ?? 0)) * TENTHS;
  return { tier, credits: shownCredits(customers?.credits.of(wallet)?.left(now) ?? all) };
}

/** @throws ApiError 503 where there is no room for another invoice */
export async function roomFor<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (fault) {
    if (fault instanceof PlatformError && fault.code === 'collection-full')
      throw unavailable(
        'There is no room for another invoice',
        'Those that nobody pays are removed after a week',
      );
    throw fault;
  }
}
