/** Section 4.8: what can be bought, how it is paid in XRP, and what became of it. */

import { accountBytes } from '../../engine/codec/base58.ts';
import type { Billing } from '../../platform/billing/billing.ts';
import { type Invoice, statusOf } from '../../platform/billing/invoices.ts';
import { GRACE_MS, type XrpPayment } from '../../platform/billing/xrp-payments.ts';
import { SOLD_TIERS } from '../../platform/terms.ts';
import { endpointLimit } from '../../requests/admission-settings.ts';
import { ApiError, badRequest, notFound, unavailableFor } from '../../requests/errors.ts';
import { TIERS } from '../../requests/tiers.ts';
import {
  billingOf,
  dropsOf,
  invoiceFields,
  invoiceMembers,
  paymentFields,
  productOf,
  purchaseFields,
  roomFor,
  standingOf,
  xrpBilling,
  xrpPerUsd,
  xrpText,
} from '../billing-answers.ts';
import { limit, offset } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { walletInPath } from './keys.ts';

const HASH = /^[0-9a-fA-F]{64}$/;

/** What every row of this section has. */
export const billingRow = {
  section: '4.8',
  tier: 'anonymous',
  ofService: true,
  cost: 0,
  bucket: '/keys',
  unavailable: true,
} as const;

export const buyer = {
  in: 'body',
  kind: 'text',
  required: true,
  maxLength: 64,
  about: 'r-address that gets what is bought; anybody may pay for it',
} as const;

/** What is bought. */
export const productParams = {
  type: {
    in: 'body',
    kind: 'enum',
    values: ['credits', 'tier'],
    required: true,
    about: 'What is bought: a package of credits, or a term of a tier',
  },
  package: { in: 'body', kind: 'text', maxLength: 32, about: 'Of credits: starter, standard, bulk or mega' },
  tier: { in: 'body', kind: 'enum', values: SOLD_TIERS, about: 'The tier' },
  billing: {
    in: 'body',
    kind: 'enum',
    values: ['monthly', 'yearly'],
    default: 'monthly',
    about: 'Length of the term: 30 or 365 days',
  },
} as const;

const txHash = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  about: 'Hash of the transaction, 64 hex digits',
} as const;

const usdOrNull = orNull(describe(number, 'USD; null: not sold'));

const tiers = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/tiers',
  auth: 'none',
  example: {},
  summary: 'Tiers with their limits, and their prices in USD and, at this moment, in XRP',
  params: {},
  response: object({
    tiers: list(
      object({
        name: oneOf(TIERS),
        price: usdOrNull,
        priceYearly: usdOrNull,
        priceXrp: orNull(describe(string, 'XRP for 30 days at the present rate')),
        priceXrpYearly: orNull(describe(string, 'XRP for 365 days at the present rate')),
        credits: orNull(describe(integer, 'In 30 days; null: not counted')),
        perSecond: orNull(describe(number, 'Sustained; null: any number')),
        burst: orNull(describe(integer, 'Within one second')),
        perMinute: orNull(integer),
        perDay: orNull(integer),
        multiplier: orNull(describe(number, 'Of the windows of endpoints; null: they have none')),
        submitPerSecond: orNull(integer),
        scope: describe(oneOf(['ip', 'key']), 'What shares these limits'),
        keys: describe(integer, 'Active keys of a wallet'),
      }),
    ),
    endpoints: describe(
      list(
        object({
          prefix: describe(string, 'Path prefix; *: all that are not named, each with a window of its own'),
          perMinute: describe(
            object(Object.fromEntries(TIERS.map((tier) => [tier, orNull(integer)]))),
            'Requests of each tier; null: any number',
          ),
          scope: describe(oneOf(['ip', 'tier']), 'ip: all clients of an address share it'),
        }),
      ),
      'Windows of endpoints',
    ),
    paymentAddress: orNull(describe(string, 'r-address that is paid to; null: XRP is not taken')),
    xrpRate: orNull(describe(number, 'USD for one XRP')),
  }),
  handler: (_, context) => {
    const { admission, billing } = context.service;
    const perUsd = xrpPerUsd(context);
    const inXrp = (usd: number | undefined) =>
      usd === undefined || usd === 0 || perUsd === undefined ? null : xrpText(dropsOf(usd * 100, context));
    return {
      tiers: TIERS.map((name) => {
        const tier = admission.tiers[name];
        const usd = tier.usdPerMonth ?? (name === 'free' ? 0 : undefined);
        return {
          name,
          price: usd ?? null,
          priceYearly: tier.usdPerYear ?? null,
          priceXrp: inXrp(usd),
          priceXrpYearly: inXrp(tier.usdPerYear),
          credits: tier.creditsPerMonth ?? null,
          perSecond: tier.perTenSeconds === undefined ? null : tier.perTenSeconds / 10,
          burst: tier.burst ?? null,
          perMinute: tier.perMinute ?? null,
          perDay: tier.perDay ?? null,
          multiplier: tier.multiplier ?? null,
          submitPerSecond: tier.submitPerSecond ?? null,
          scope: tier.isPerAddress ? ('ip' as const) : ('key' as const),
          keys: tier.keys,
        };
      }),
      endpoints: [...Object.keys(admission.endpoints), '*'].map((prefix) => ({
        prefix,
        perMinute: Object.fromEntries(
          TIERS.map((tier) => [tier, endpointLimit(admission, tier, prefix) ?? null]),
        ),
        scope: admission.endpoints[prefix]?.isPerAddress ? ('ip' as const) : ('tier' as const),
      })),
      paymentAddress: billing?.address ?? null,
      xrpRate: perUsd === undefined ? null : 1 / perUsd,
    };
  },
});

const packages = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/packages',
  auth: 'none',
  example: {},
  summary: 'Packages of credits, with their prices in USD and, at this moment, in XRP',
  params: {},
  response: object({
    packages: list(
      object({
        name: string,
        credits: integer,
        price: describe(number, 'USD'),
        priceXrp: orNull(describe(string, 'XRP at the present rate')),
      }),
    ),
    xrpRate: orNull(describe(number, 'USD for one XRP')),
  }),
  handler: (_, context) => {
    const perUsd = xrpPerUsd(context);
    return {
      packages: Object.entries(context.service.admission.packages).map(([name, { credits, usd }]) => ({
        name,
        credits,
        price: usd,
        priceXrp: perUsd === undefined ? null : xrpText(dropsOf(usd * 100, context)),
      })),
      xrpRate: perUsd === undefined ? null : 1 / perUsd,
    };
  },
});

const invoiceSchema = {
  invoiceId: string,
  status: oneOf(['created', 'applied', 'expired', 'refunded']),
  type: oneOf(['credits', 'tier']),
  'package?': string,
  'credits?': integer,
  'tier?': string,
  'billing?': string,
  price: describe(number, 'USD'),
  payment: object({
    destination: describe(string, 'r-address'),
    destinationTag: integer,
    amount: describe(string, 'XRP'),
    drops: describe(string, 'The same in drops'),
    received: describe(string, 'XRP that were delivered in time'),
    uri: describe(string, 'For wallets, as a link or a QR code; of what is missing'),
  }),
  expiresAt: describe(integer, 'Unix ms'),
  expiresIn: describe(integer, 'Seconds; 0 when it has expired'),
} as const;

/** An invoice to be paid in XRP. @throws ApiError 404 for another */
function unpaidFields(invoice: Invoice, destination: string, now: number) {
  const { id, way, purchase, usdCents, received, expiresAt } = invoice;
  if (way.by !== 'xrp') throw notFound('No such invoice in XRP');
  const missing = xrpText(Math.max(0, way.drops - received));
  return {
    invoiceId: id,
    status: statusOf(invoice, now),
    ...purchaseFields(purchase),
    price: usdCents / 100,
    payment: {
      destination,
      destinationTag: way.tag,
      amount: xrpText(way.drops),
      drops: String(way.drops),
      received: xrpText(received),
      uri: `ripple:${destination}?amount=${missing}&dt=${way.tag}`,
    },
    expiresAt,
    expiresIn: Math.max(0, Math.round((expiresAt - now) / 1000)),
  };
}

const purchase = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/purchase',
  auth: 'none',
  example: { wallet: samples.account, type: 'credits', package: 'starter' },
  summary:
    'An invoice to be paid in XRP within 30 minutes, with the destination tag. Several payments add up; what is paid without the tag, later, or in another currency buys nothing',
  params: { wallet: buyer, ...productParams },
  response: object(invoiceSchema),
  handler: async ({ wallet, ...input }, context) => {
    checkWallet(wallet);
    const { service } = context;
    const { purchase, usdCents } = productOf(input, service.admission);
    const { billing, address } = xrpBilling(context);
    const drops = dropsOf(usdCents, context);
    const invoice = await roomFor(() => billing.invoiceXrp({ wallet, purchase, usdCents }, drops));
    return unpaidFields(invoice, address, billing.now);
  },
});

const purchaseStatus = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/purchase/{invoiceId}',
  auth: 'none',
  example: { invoiceId: '0123456789abcdef01234567' },
  summary: 'How an invoice in XRP stands, for whoever has its id',
  params: {
    invoiceId: { in: 'path', kind: 'text', maxLength: 64, about: 'Of the answer to POST /keys/purchase' },
  },
  response: object(invoiceSchema),
  handler: ({ invoiceId }, context) => {
    const { billing, address } = xrpBilling(context);
    const invoice = billing.invoices.get(invoiceId);
    if (!invoice) throw notFound('No such invoice in XRP');
    return unpaidFields(invoice, address, billing.now);
  },
});

/** Why a payment has bought nothing. */
const REASONS: Readonly<Record<Exclude<XrpPayment['outcome'], 'applied'>, string>> = {
  short: 'Not all had been paid when the invoice expired',
  late: 'The payment came after the 30 minutes of its invoice',
  before_invoice: 'The payment was made before the invoice',
  already_paid: 'The invoice had been paid already',
  unknown_tag: 'The destination tag is not that of an invoice',
  no_tag: 'The payment has no destination tag',
  wrong_currency: 'The payment delivered no XRP',
};

const verifyPayment = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/verify-payment',
  auth: 'none',
  refusals: [402, 409],
  example: { txHash: samples.transaction },
  summary:
    'What a payment has bought. It is applied when its ledger is validated, whether anybody asks or not. 402: not all has been paid yet; 409: it bought nothing, and why',
  params: { txHash: { ...txHash, in: 'body', required: true } },
  response: object({
    status: oneOf(['applied']),
    creditsAdded: integer,
    newBalance: describe(number, 'Credits that are left; -1: not counted'),
    tier: string,
    invoiceId: string,
    message: string,
  }),
  handler: ({ txHash }, context) => {
    const { payment, billing } = paymentOf(txHash, context);
    const invoice = billing.invoices.get(payment.invoice ?? '');
    const isOpen = invoice?.appliedAt === undefined && payment.outcome === 'short';
    if (isOpen && invoice?.way.by === 'xrp' && billing.now < invoice.expiresAt + GRACE_MS) {
      const left = Math.max(0, invoice.way.drops - invoice.received);
      throw new ApiError('payment_required', `${xrpText(left)} XRP are missing`, {
        hint: 'Pay the rest with the same destination tag before the invoice expires',
        extra: { status: payment.outcome, invoiceId: invoice.id, missing: xrpText(left) },
      });
    }
    if (!invoice || isOpen || (payment.outcome !== 'applied' && payment.outcome !== 'short'))
      throw new ApiError('conflict', REASONS[payment.outcome as keyof typeof REASONS], {
        hint: 'Write to the operator with the hash of the transaction',
        extra: { status: payment.outcome },
      });
    const { purchase, wallet } = invoice;
    const standing = standingOf(wallet, context);
    const creditsAdded = purchase.type === 'credits' ? purchase.credits : 0;
    return {
      status: 'applied' as const,
      creditsAdded,
      newBalance: standing.credits,
      tier: standing.tier,
      invoiceId: invoice.id,
      message:
        purchase.type === 'credits'
          ? `${creditsAdded.toLocaleString('en-US')} credits were added`
          : `The ${purchase.tier} tier has been bought`,
    };
  },
});

const paymentSchema = {
  txHash: string,
  status: oneOf([
    'applied',
    'short',
    'late',
    'before_invoice',
    'already_paid',
    'unknown_tag',
    'no_tag',
    'wrong_currency',
  ]),
  ledger_index: integer,
  time: describe(integer, 'Close time of the ledger, Unix ms'),
  from: describe(string, 'r-address'),
  'destinationTag?': integer,
  amount: describe(string, 'XRP that were delivered'),
  'invoiceId?': string,
} as const;

const xrpStatus = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/xrp/status/{txHash}',
  auth: 'none',
  example: { txHash: samples.transaction },
  summary: 'What became of a payment; 404 until its ledger is validated',
  params: { txHash },
  response: object({ ...paymentSchema, applied: boolean }),
  handler: ({ txHash }, context) => {
    const { payment } = paymentOf(txHash, context);
    return { ...paymentFields(payment), applied: payment.outcome === 'applied' };
  },
});

const payment = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/payment/{txHash}',
  auth: 'wallet',
  example: { txHash: samples.transaction },
  summary: 'A payment for the wallet that signed, with its invoice',
  params: { txHash },
  response: object({ payment: object(paymentSchema), invoice: orNull(object(invoiceMembers)) }),
  handler: ({ txHash }, context) => {
    const { payment, billing } = paymentOf(txHash, context);
    if (payment.wallet !== context.wallet) throw unseen();
    const invoice = billing.invoices.get(payment.invoice ?? '');
    return {
      payment: paymentFields(payment),
      invoice: invoice ? invoiceFields(invoice, billing.now) : null,
    };
  },
});

const payments = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/payments/{wallet}',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account },
  summary: 'Payments in XRP for a wallet, the newest first',
  params: { wallet: walletInPath, limit: limit(200, 200), offset },
  response: object({
    total: integer,
    offset: integer,
    limit: integer,
    payments: list(object(paymentSchema)),
  }),
  handler: ({ wallet, limit, offset }, context) => {
    const { total, payments } = xrpBilling(context).payments.ofWallet(wallet, offset, limit);
    return { total, offset, limit, payments: payments.map(paymentFields) };
  },
});

const invoice = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/invoices/{paymentId}',
  auth: 'wallet',
  example: { paymentId: '0123456789abcdef01234567' },
  summary: 'An invoice of the wallet that signed. It gets its number when it is fetched for the first time',
  params: {
    paymentId: {
      in: 'path',
      kind: 'text',
      maxLength: 64,
      about: 'Id of the invoice, or hash of the transaction that paid it',
    },
  },
  response: object({
    invoice: object({ ...invoiceMembers, seller: object({ name: string, address: orNull(string) }) }),
  }),
  handler: async ({ paymentId }, context) => {
    const billing = billingOf(context);
    const id = HASH.test(paymentId) ? (billing.payments?.of(paymentId)?.invoice ?? '') : paymentId;
    if (billing.invoices.get(id)?.wallet !== context.wallet) throw notFound('No such invoice of this wallet');
    const numbered = await billing.invoices.numbered(id);
    const seller = { name: context.service.name, address: billing.address ?? null };
    return { invoice: { ...invoiceFields(numbered!, billing.now), seller } };
  },
});

const unseen = () =>
  notFound('No such payment in a validated ledger', 'Ask again when the ledger of the payment is validated');

/** A ledger closes every 4 s or so, and they are tried again with it. */
const UNSTORED_RETRY_S = 4;

const unstored = () =>
  unavailableFor(
    UNSTORED_RETRY_S,
    'Payments cannot be stored at this moment: what was paid is counted once they can',
  );

/** @throws ApiError */
function paymentOf(txHash: string, context: RouteContext): { payment: XrpPayment; billing: Billing } {
  if (!HASH.test(txHash)) throw badRequest('txHash is not 64 hex digits');
  const { billing, payments } = xrpBilling(context);
  const payment = payments.of(txHash);
  if (!payment && payments.isFailing) throw unstored();
  if (!payment) throw unseen();
  return { payment, billing };
}

/** @throws ApiError 400 */
export function checkWallet(wallet: string): void {
  if (!accountBytes(wallet)) throw badRequest('wallet is not an r-address');
}

export const billingRoutes: readonly Route[] = [
  tiers,
  packages,
  purchase,
  purchaseStatus,
  verifyPayment,
  xrpStatus,
  payment,
  payments,
  invoice,
];
