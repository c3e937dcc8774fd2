/** Section 4.8: keys of wallets, their credits, what they were used for. */
import { DAY_MS } from '../../engine/ripple-time.ts';
import { KeyLimitError, type KeySummary, makeKey } from '../../platform/api-keys.ts';
import { type CreditAccount, TENTHS } from '../../platform/credits.ts';
import type { Customers } from '../../platform/customers.ts';
import { OUTCOMES } from '../../platform/key-usage.ts';
import {
  ApiError,
  badRequest,
  notConfigured,
  notFound,
  notOpen,
  rateLimited,
} from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import { TIERS } from '../../requests/tiers.ts';
import { dayText } from '../../views/date-text.ts';
import { samples } from '../examples.ts';
import { CATEGORIES, EXPECTED_DAILY, NAME_MAX, readName, readProject } from '../key-project.ts';
import { type Route, type RouteContext, route, type Service } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';

const shared = {
  section: '4.8',
  tier: 'anonymous',
  ofService: true,
  cost: 0,
  bucket: '/keys',
} as const;

export const walletInPath = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  pattern: patterns.account,
  about: 'r-address of the wallet that signs',
} as const;

const keyId = { in: 'path', kind: 'text', maxLength: 64, about: 'Id of the key' } as const;

const project = object({
  name: string,
  url: string,
  category: string,
  description: string,
  expectedDaily: string,
  'contact?': string,
});

const keyRow = object({
  id: string,
  name: string,
  tier: oneOf(TIERS),
  keyPrefix: describe(string, 'The first characters of the key'),
  status: oneOf(['active', 'revoked']),
  createdAt: describe(integer, 'Unix ms'),
  'revokedAt?': describe(integer, 'Unix ms'),
  'project?': project,
});

export const billingCycle = object({
  start: describe(integer, 'Unix ms'),
  end: describe(integer, 'Unix ms: the allowance begins again, or the paid term ends'),
  renewalDate: describe(integer, 'Unix ms: the same'),
  daysRemaining: integer,
  cycleProgress: describe(number, 'Percent of it that is over'),
  billing: orNull(oneOf(['monthly', 'yearly'])),
});

/** @throws ApiError 503 while what is kept of customers is not open, or there is nothing to keep it in */
export function customersOf({ customers }: Service): Customers {
  if (!customers) throw notConfigured('This service keeps no keys');
  if (!customers.store) throw notOpen('Keys are not read yet');
  return customers;
}

/** Credits, as clients read them: -1 where they are not counted. */
export const shownCredits = (tenths: number): number =>
  tenths === Number.POSITIVE_INFINITY ? -1 : Math.floor(tenths) / TENTHS;

/** @throws ApiError 404: the wallet never had a key */
function accountOf(customers: Customers, wallet: string): CreditAccount {
  const account = customers.credits.of(wallet);
  if (!account) throw notFound('This wallet has no account', 'POST /keys makes its first key');
  return account;
}

/** Each wallet that is new takes rows that stay. @throws ApiError 429 */
function checkNewWallet({ newWallets }: Service, ip: string, now: number): void {
  const full = newWallets?.take(ip, now);
  if (full) throw rateLimited(full);
}

const create = route({
  ...shared,
  method: 'POST',
  path: '/keys',
  auth: 'wallet',
  example: { name: 'my key', agreePolicy: true },
  summary: 'A new key of the wallet that signs. It is shown once: only its hash is kept',
  params: {
    name: { in: 'body', kind: 'text', maxLength: NAME_MAX, default: 'default', about: 'For yourself' },
    project: {
      in: 'body',
      kind: 'json',
      about: `What the key is for: { name, url (https), category (${CATEGORIES.join(', ')}), description, expectedDaily (${EXPECTED_DAILY.join(', ')}), contact? }; goes with agreePolicy`,
    },
    agreePolicy: { in: 'body', kind: 'bool', about: 'true: the policy is agreed to' },
  },
  response: object({
    apiKey: describe(string, 'Keep it: nobody can show it again'),
    keyPrefix: string,
    id: string,
    wallet: string,
    tier: oneOf(TIERS),
    credits: describe(number, 'What is left; -1: not counted'),
    project: orNull(project),
  }),
  unavailable: true,
  handler: async ({ name, project: sent, agreePolicy }, { service, wallet, identity }) => {
    const customers = customersOf(service);
    const described = sent === undefined || sent === null ? undefined : readProject(sent);
    if (described && agreePolicy !== true) throw badRequest('agreePolicy must be true');
    const now = service.now();
    const label = readName(name, 'name');
    if (!customers.credits.of(wallet)) checkNewWallet(service, identity.ip, now);
    const account = await customers.credits.open(wallet, now);
    const tier = account.tier(now);
    const made = makeKey(
      {
        kind: 'user',
        wallet,
        name: label,
        project: described,
        agreed: agreePolicy === true,
      },
      now,
    );
    try {
      const key = await customers.keys.add(made, service.admission.tiers[tier].keys);
      return {
        apiKey: made.secret,
        keyPrefix: key.keyPrefix,
        id: key.id,
        wallet,
        tier,
        credits: shownCredits(account.left(now)),
        project: described ?? null,
      };
    } catch (error) {
      if (!(error instanceof KeyLimitError)) throw error;
      const keys = error.most === 1 ? 'one key' : `${error.most} keys`;
      throw new ApiError('conflict', `The ${tier} tier has at most ${keys}`, {
        hint: 'DELETE /keys/{wallet}/{id} revokes one; called again, it deletes it',
      });
    }
  },
});

const listKeys = route({
  ...shared,
  method: 'GET',
  path: '/keys/{wallet}',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account },
  summary: 'The keys of a wallet, oldest first',
  params: { wallet: walletInPath },
  response: object({
    keys: list(keyRow),
    count: integer,
    tier: oneOf(TIERS),
    credits: describe(number, 'What is left; -1: not counted'),
  }),
  unavailable: true,
  handler: ({ wallet }, { service }) => {
    const customers = customersOf(service);
    const now = service.now();
    const account = accountOf(customers, wallet);
    const tier = account.tier(now);
    const keys = customers.keys.list(wallet).map((key) => ({ ...key, tier }));
    return { keys, count: keys.length, tier, credits: shownCredits(account.left(now)) };
  },
});

const remove = route({
  ...shared,
  method: 'DELETE',
  path: '/keys/{wallet}/{id}',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account, id: '0123456789abcdef01234567' },
  summary: 'Revokes a key, which then works no more; called again, deletes it for good',
  params: { wallet: walletInPath, id: keyId },
  response: object({ id: string, status: oneOf(['revoked', 'deleted']), revoked: boolean, deleted: boolean }),
  unavailable: true,
  handler: async ({ wallet, id }, { service }) => {
    const customers = customersOf(service);
    const status = await customers.keys.remove(wallet, id, service.now());
    if (status === undefined) throw notFound('This wallet has no such key');
    if (status === 'deleted') await customers.usage.forget(id);
    return { id, status, revoked: true, deleted: status === 'deleted' };
  },
});

const rename = route({
  ...shared,
  method: 'PUT',
  path: '/keys/{wallet}/{id}',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account, id: '0123456789abcdef01234567', name: 'my key' },
  summary: 'Renames a key',
  params: {
    wallet: walletInPath,
    id: keyId,
    name: { in: 'body', kind: 'text', required: true, minLength: 1, about: `1 to ${NAME_MAX} characters` },
  },
  response: object({ key: keyRow }),
  unavailable: true,
  handler: async ({ wallet, id, name }, { service }) => {
    const customers = customersOf(service);
    const key = await customers.keys.rename(wallet, id, readName(name, 'name'));
    if (!key) throw notFound('This wallet has no such key that works');
    return { key: { ...key, tier: accountOf(customers, wallet).tier(service.now()) } };
  },
});

const credits = route({
  ...shared,
  method: 'GET',
  path: '/keys/{wallet}/credits',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account },
  summary: 'The credits of a wallet: those of the running cycle, and those that it bought',
  params: { wallet: walletInPath },
  response: object({
    balance: describe(number, 'What is left of both; -1: not counted'),
    tier: oneOf(TIERS),
    isAdmin: boolean,
    allowance: describe(number, 'Of a cycle of 30 days; -1: not counted'),
    used: describe(number, 'Of the allowance, in the running cycle'),
    purchased: describe(number, 'Bought and left; used when the allowance is'),
    billingCycle,
  }),
  unavailable: true,
  handler: ({ wallet }, { service }) => {
    const customers = customersOf(service);
    const account = accountOf(customers, wallet);
    const now = service.now();
    const tier = account.tier(now);
    return {
      balance: shownCredits(account.left(now)),
      tier,
      isAdmin: service.isAdmin(wallet),
      allowance: service.admission.tiers[tier].creditsPerMonth ?? -1,
      used: shownCredits(account.used(now)),
      purchased: shownCredits(account.boughtLeft(now)),
      billingCycle: cycleOf(customers, account, now),
    };
  },
});

/** The paid term, or else the cycle of the allowance. */
export function cycleOf({ plans }: Customers, account: CreditAccount, clock: number) {
  const now = plans.timeAt(clock);
  const term = plans.runningTermOf(account.wallet, clock);
  const { start, end } = term ?? account.cycle(clock);
  return {
    start,
    end,
    renewalDate: end,
    daysRemaining: Math.max(0, Math.ceil((end - now) / DAY_MS)),
    cycleProgress: Math.round((Math.min(Math.max(now - start, 0), end - start) / (end - start)) * 1000) / 10,
    billing: term?.billing ?? null,
  };
}

const usage = route({
  ...shared,
  method: 'GET',
  path: '/keys/{wallet}/usage',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account },
  summary: 'What the keys of a wallet were used for: today by key and by endpoint, and the last 30 days',
  params: { wallet: walletInPath },
  response: object({
    keys: list(
      object({
        id: string,
        name: string,
        keyPrefix: string,
        tier: oneOf(TIERS),
        today: object({ used: integer, limit: describe(integer, 'Of a day; -1: none'), credits: number }),
        total: describe(integer, 'Requests in all'),
      }),
    ),
    endpointUsage: describe({ type: 'object' }, 'Credits of today by endpoint'),
    usage: list(object({ date: string, requests: integer, credits: number })),
  }),
  unavailable: true,
  handler: ({ wallet }, { service }) => {
    const customers = customersOf(service);
    const now = service.now();
    const tier = accountOf(customers, wallet).tier(now);
    return usageOf(customers, customers.keys.list(wallet), {
      now,
      tier,
      limit: service.admission.tiers[tier].perDay ?? -1,
    });
  },
});

function usageOf(
  customers: Customers,
  keys: readonly KeySummary[],
  { now, tier, limit }: { now: number; tier: (typeof TIERS)[number]; limit: number },
) {
  const endpointUsage: Record<string, number> = {};
  const days = new Map<number, { requests: number; tenths: number }>();
  const rows = keys.map(({ id, name, keyPrefix }) => {
    const used = customers.usage.of(id);
    for (const [endpoint, tenths] of used.endpoints(now))
      endpointUsage[endpoint] = (endpointUsage[endpoint] ?? 0) + tenths / TENTHS;
    for (const { day, requests, tenths } of used.days) {
      const sum = days.get(day) ?? { requests: 0, tenths: 0 };
      days.set(day, { requests: sum.requests + requests, tenths: sum.tenths + tenths });
    }
    const { requests, tenths } = used.today(now);
    const today = { used: requests, limit, credits: tenths / TENTHS };
    return { id, name, keyPrefix, tier, today, total: used.total };
  });
  const usage = [...days]
    .sort(([a], [b]) => a - b)
    .map(([day, { requests, tenths }]) => ({
      date: dayText(day * DAY_MS),
      requests,
      credits: tenths / TENTHS,
    }));
  return { keys: rows, endpointUsage, usage };
}

const logs = route({
  ...shared,
  method: 'GET',
  path: '/keys/{wallet}/logs',
  auth: 'wallet',
  owner: 'wallet',
  example: { wallet: samples.account },
  summary: 'The newest calls of each key that works, newest first: at most 50 a key, since the service began',
  params: { wallet: walletInPath },
  response: object({
    count: integer,
    logs: list(
      object({
        time: describe(integer, 'Unix ms'),
        keyId: string,
        keyPrefix: string,
        endpoint: string,
        outcome: describe(oneOf(OUTCOMES), 'What came of it before it was answered'),
      }),
    ),
  }),
  unavailable: true,
  handler: ({ wallet }, { service }) => {
    const customers = customersOf(service);
    accountOf(customers, wallet);
    const calls = customers.keys
      .list(wallet)
      .filter(({ status }) => status === 'active')
      .flatMap(({ id: keyId, keyPrefix }) =>
        customers.usage
          .of(keyId)
          .calls()
          .map(({ time, endpoint, outcome }) => ({ time, keyId, keyPrefix, endpoint, outcome })),
      )
      .sort((a, b) => b.time - a.time);
    return { count: calls.length, logs: calls };
  },
});

const costs = route({
  ...shared,
  method: 'GET',
  path: '/keys/costs',
  auth: 'none',
  example: {},
  summary: 'Credits that a call of each address costs, and a message on a stream',
  params: {},
  response: object({
    count: integer,
    costs: list(object({ method: string, path: string, credits: number, bucket: string })),
    websocketMessage: number,
  }),
  whileNotOpen: true,
  handler: (_, { service }: RouteContext) => {
    const rows = service.routes.map(({ method, path, cost, bucket }) => ({
      method,
      path,
      credits: cost,
      bucket,
    }));
    return { count: rows.length, costs: rows, websocketMessage: 1 / TENTHS };
  },
});

export const keyRoutes: Route[] = [create, listKeys, remove, rename, credits, usage, logs, costs];
