/** Section 4.8: what a wallet has, and requests for the partner tier with their review by the admin. */
import { PartnerError, type PartnerRequest, type PartnerStatus } from '../../platform/billing/partners.ts';
import type { GrantedTier } from '../../platform/plans.ts';
import { ApiError, badRequest, notFound } from '../../requests/errors.ts';
import { billingOf, standingOf } from '../billing-answers.ts';
import { limit } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { billingRow, checkWallet } from './billing.ts';
import { billingCycle, customersOf, cycleOf, walletInPath } from './keys.ts';

const URL_MAX = 512;
const CONTACT_MAX = 200;
const REASON_MAX = 500;

const requestSchema = object({
  status: oneOf(['pending', 'approved', 'declined']),
  creditUrl: string,
  requestedAt: describe(integer, 'Unix ms'),
  decidedAt: orNull(describe(integer, 'Unix ms')),
  reason: orNull(describe(string, 'Why it was declined')),
});

const shown = ({ status, creditUrl, requestedAt, decidedAt, reason }: PartnerRequest) => ({
  status,
  creditUrl,
  requestedAt,
  decidedAt: decidedAt ?? null,
  reason: reason ?? null,
});

const subscription = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/{wallet}/subscription',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account },
  summary: 'The tier of a wallet, the term that runs and those that follow, and its partner request',
  params: { wallet: walletInPath },
  response: object({
    subscription: object({
      tier: string,
      billing: orNull(oneOf(['monthly', 'yearly'])),
      credits: describe(number, 'Left; -1: not counted'),
      billingCycle: orNull(billingCycle),
      terms: describe(
        list(
          object({
            tier: string,
            billing: oneOf(['monthly', 'yearly']),
            start: integer,
            end: integer,
          }),
        ),
        'Paid for, one after another, Unix ms',
      ),
    }),
    billingCycle: orNull(billingCycle),
    partnerRequest: orNull(requestSchema),
  }),
  handler: ({ wallet }, context) => {
    const { partners } = billingOf(context);
    const customers = customersOf(context.service);
    const now = context.service.now();
    const account = customers.credits.of(wallet);
    const cycle = account ? cycleOf(customers, account, now) : null;
    const request = partners.of(wallet);
    return {
      subscription: {
        ...standingOf(wallet, context),
        billing: cycle?.billing ?? null,
        billingCycle: cycle,
        terms: [...customers.plans.termsOf(wallet, now)],
      },
      billingCycle: cycle,
      partnerRequest: request ? shown(request) : null,
    };
  },
});

const partnerRequest = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/{wallet}/partner-request',
  auth: 'wallet',
  owner: 'wallet',
  example: {
    wallet: samples.account,
    creditUrl: 'https://wallet.example/about',
    contact: 'me@wallet.example',
  },
  summary:
    'Asks for the partner tier. A person looks at the page that shows the credit. It needs an active key that was made with project details and has made requests (403); 409 while a request is pending',
  params: {
    wallet: walletInPath,
    creditUrl: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: URL_MAX,
      about: 'https page that shows where the data comes from',
    },
    contact: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: CONTACT_MAX,
      about: 'How the operator reaches you',
    },
  },
  response: object({ partnerRequest: requestSchema }),
  handler: async ({ wallet, creditUrl, contact }, context) => {
    const { partners } = billingOf(context);
    const url = URL.parse(creditUrl);
    if (url?.protocol !== 'https:' || url.username + url.password !== '')
      throw badRequest('creditUrl is not an https address');
    if (contact.trim() === '') throw badRequest('contact is empty');
    if (!hasRealKey(wallet, context))
      throw new ApiError('forbidden', 'No active key with project details has made requests', {
        hint: 'Make a key with POST /keys that names the project, and use it first',
      });
    const request = await decided(() => partners.request(wallet, url.href, contact, context.service.now()));
    return { partnerRequest: shown(request) };
  },
});

/** Whether a key of the wallet works, was made with details of a project, and has been used. */
function hasRealKey(wallet: string, { service }: RouteContext): boolean {
  const { customers } = service;
  const keys = customers?.keys.list(wallet) ?? [];
  return keys.some(
    ({ id, status, project }) =>
      status === 'active' && project !== undefined && customers!.usage.of(id).total > 0,
  );
}

const adminRequest = object({ wallet: string, tier: string, contact: string, request: requestSchema });

const forAdmin = (request: PartnerRequest, context: RouteContext) => ({
  wallet: request.wallet,
  tier: standingOf(request.wallet, context).tier,
  contact: request.contact,
  request: shown(request),
});

const requests = route({
  ...billingRow,
  method: 'GET',
  path: '/keys/partner-requests',
  auth: 'admin',
  example: { status: 'pending' },
  summary: 'For the admin: requests for the partner tier, the oldest first',
  params: {
    status: {
      in: 'query',
      kind: 'enum',
      values: ['pending', 'approved', 'declined'],
      default: 'pending',
      about: 'How they stand',
    },
    limit: limit(100, 500),
  },
  response: object({ status: string, limit: integer, requests: list(adminRequest) }),
  handler: ({ status, limit }, context) => {
    const found = billingOf(context).partners.list(status as PartnerStatus, limit);
    return { status, limit, requests: found.map((request) => forAdmin(request, context)) };
  },
});

const approve = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/partner-requests/{wallet}/approve',
  auth: 'admin',
  example: { wallet: samples.account },
  summary: 'For the admin: gives a wallet the partner tier, with all its keys',
  params: { wallet: walletInPath },
  response: adminRequest,
  handler: async ({ wallet }, context) => {
    const { partners } = billingOf(context);
    return forAdmin(await decided(() => partners.approve(wallet, context.service.now())), context);
  },
});

const decline = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/partner-requests/{wallet}/decline',
  auth: 'admin',
  example: { wallet: samples.account, reason: 'The page shows no credit' },
  summary: 'For the admin: declines a request, with the reason that the wallet sees',
  params: {
    wallet: walletInPath,
    reason: { in: 'body', kind: 'text', required: true, maxLength: REASON_MAX, about: 'Shown to the wallet' },
  },
  response: adminRequest,
  handler: async ({ wallet, reason }, context) => {
    const { partners } = billingOf(context);
    return forAdmin(await decided(() => partners.decline(wallet, reason, context.service.now())), context);
  },
});

const grantTier = route({
  ...billingRow,
  method: 'POST',
  path: '/keys/{wallet}/tier',
  auth: 'admin',
  example: { wallet: samples.account, tier: 'enterprise' },
  summary:
    'For the admin: gives a wallet a tier that is not sold, with all its keys and without an end, or takes it back; what it has bought stays',
  params: {
    wallet: walletInPath,
    tier: {
      in: 'body',
      kind: 'enum',
      required: true,
      values: ['enterprise', 'partner', 'none'],
      about: 'enterprise: without limits; none: what it has bought alone',
    },
  },
  response: object({ wallet: string, tier: string }),
  handler: async ({ wallet, tier }, context) => {
    checkWallet(wallet);
    const customers = customersOf(context.service);
    await customers.plans.grant(wallet, tier === 'none' ? undefined : (tier as GrantedTier));
    return { wallet, tier: customers.plans.tierOf(wallet, context.service.now()) };
  },
});

/** @throws ApiError 404, 409 where the request does not stand as it must */
async function decided<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (fault) {
    if (!(fault instanceof PartnerError)) throw fault;
    if (fault.status === 'none') throw notFound('This wallet has no request');
    throw new ApiError('conflict', `The request of this wallet is ${fault.status}`);
  }
}

export const partnerRoutes: readonly Route[] = [
  subscription,
  partnerRequest,
  requests,
  approve,
  decline,
  grantTier,
];
