/** Section 4.8: payments by card, on a page of the card processor. */
import { CardError, CardMessageError, type CardProcessor } from '../../platform/billing/card.ts';
import { type Invoice, statusOf } from '../../platform/billing/invoices.ts';
import { badRequest, notFound, unavailable } from '../../requests/errors.ts';
import { cardBilling, productOf, purchaseFields, standingOf } from '../billing-answers.ts';
import { samples } from '../examples.ts';
import { readText } from '../request.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, number, object, oneOf, string } from '../schema.ts';
import { billingRow, buyer, checkWallet, productParams } from './billing.ts';

/** Longest message of the processor, bytes. */
const MESSAGE_BYTES_MAX = 256 * 1024;

const checkout = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/card/checkout',
  auth: 'none',
  example: { wallet: samples.account, type: 'credits', package: 'starter' },
  summary: 'A page of the card processor on which the purchase is paid',
  params: { wallet: buyer, ...productParams },
  response: object({
    checkoutUrl: string,
    sessionId: string,
    invoiceId: string,
    price: describe(number, 'USD'),
    expiresAt: describe(integer, 'Unix ms'),
  }),
  handler: async ({ wallet, ...input }, context) => {
    checkWallet(wallet);
    const { service, request } = context;
    const { purchase, usdCents, title } = productOf(input, service.admission);
    const { billing, card } = cardBilling(context);
    const pages = service.baseUrl(request).replace(/\/v1.*$/, '');
    const page = {
      title: `${service.name}: ${title}`,
      successUrl: `${pages}/#/keys/card/{CHECKOUT_SESSION_ID}?wallet=${wallet}`,
      cancelUrl: `${pages}/#/keys`,
    };
    const made = await answered(card, () => billing.checkout(card, { wallet, purchase, usdCents }, page));
    const { invoice, url } = made;
    return {
      checkoutUrl: url,
      sessionId: invoice.way.by === 'card' ? invoice.way.session : '',
      invoiceId: invoice.id,
      price: usdCents / 100,
      expiresAt: invoice.expiresAt,
    };
  },
});

const status = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/card/status/{sessionId}',
  auth: 'none',
  example: { sessionId: 'cs_test_1', wallet: samples.account },
  summary: 'Whether a purchase by card has been paid, and what the wallet has then',
  params: {
    sessionId: { in: 'path', kind: 'text', maxLength: 255, about: 'Of the answer to /keys/card/checkout' },
    wallet: {
      in: 'query',
      kind: 'text',
      required: true,
      maxLength: 64,
      about: 'r-address for which it is paid',
    },
  },
  response: object({
    status: oneOf(['unpaid', 'complete', 'expired', 'refunded']),
    type: oneOf(['credits', 'tier']),
    'credits?': integer,
    tier: string,
    balance: describe(number, 'Credits that are left; -1: not counted'),
    invoiceId: string,
  }),
  handler: async ({ sessionId, wallet }, context) => {
    const { billing, card } = cardBilling(context);
    const known = billing.invoices.bySession(sessionId);
    if (known?.wallet !== wallet) throw notFound('No such purchase of this wallet');
    const invoice = known.appliedAt === undefined ? await asked(sessionId, card, context) : known;
    const standing = standingOf(wallet, context);
    const stands = statusOf(invoice ?? known, billing.now);
    return {
      status:
        stands === 'applied' ? ('complete' as const) : stands === 'created' ? ('unpaid' as const) : stands,
      ...purchaseFields(known.purchase),
      tier: standing.tier,
      balance: standing.credits,
      invoiceId: known.id,
    };
  },
});

/** What the processor says now. Its message may be late, or lost. */
async function asked(
  session: string,
  card: CardProcessor,
  context: RouteContext,
): Promise<Invoice | undefined> {
  const { billing } = cardBilling(context);
  return billing.cardSays(await answered(card, () => card.state(session)));
}

const webhook = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/card/webhook',
  auth: 'none',
  hasBurstAlone: true,
  example: {},
  summary: 'Messages of the card processor, which it signs',
  params: {},
  response: object({ received: boolean }),
  handler: async (_, context) => {
    const { billing, card } = cardBilling(context);
    const body = await readText(context.request, MESSAGE_BYTES_MAX);
    try {
      const state = card.read(body, context.request.headers, context.service.now());
      if (state) await billing.cardSays(state);
      return { received: true };
    } catch (fault) {
      if (fault instanceof CardMessageError)
        throw badRequest(`Not a message of the card processor: ${fault.message}`);
      throw fault;
    }
  },
});

/** @throws ApiError 503 where the processor does not answer */
async function answered<T>({ name }: CardProcessor, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (fault) {
    if (fault instanceof CardError)
      throw unavailable(`The card processor ${name} does not answer as expected`, fault.message);
    throw fault;
  }
}

export const cardRoutes: readonly Route[] = [checkout, status, webhook];
