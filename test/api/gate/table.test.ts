/** Every route by every credential: the status that the contract asks for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Wallet } from 'xrpl';
import { routes } from '../../../api/routes/index.ts';
import type { Auth } from '../../../requests/admission.ts';
import { DEFAULT_TIERS } from '../../../requests/admission-settings.ts';
import { TIERS, type Tier } from '../../../requests/tiers.ts';
import { CREDENTIALS } from './credentials.ts';
import { GateRig } from './gate-rig.ts';

const own = Wallet.generate();
const other = Wallet.generate();

/** Limits are tested elsewhere. */
const unlimited = Object.fromEntries(
  Object.entries(DEFAULT_TIERS).map(([tier, { isPerAddress, keys, showsAttribution }]) => [
    tier,
    { isPerAddress, keys, showsAttribution },
  ]),
) as typeof DEFAULT_TIERS;

/** What stands behind the gate is not asked. */
const rows = routes.map((row) => ({ ...row, whileNotOpen: true as const, handler: () => ({}) }));
const rig = new GateRig({
  routes: rows,
  settings: {
    tiers: unlimited,
    endpoints: {},
    addressBurst: { limit: 1e9, windowMs: 2000 },
  },
});

const PAYING = ['developer', 'partner', 'business', 'professional', 'enterprise'] as const;
/** Names of credentials, and the headers of each. */
const CALLERS = [
  'none',
  'free',
  ...PAYING,
  'admin key',
  'platform key',
  'browser key',
  'wrong key',
  'revoked key',
  'wrong admin key',
  'wallet',
  'wrong wallet',
  'admin wallet',
] as const;
type Caller = (typeof CALLERS)[number];
const secrets = new Map<Caller, string>();

beforeAll(async () => {
  await rig.open();
  for (const tier of ['free', ...PAYING] as const) secrets.set(tier, await rig.keyOfTier(tier));
  secrets.set('admin key', await rig.key('admin'));
  secrets.set('platform key', await rig.key('platform'));
  secrets.set('browser key', await rig.key('browser'));
  secrets.set('wrong key', `xrpl_${'0'.repeat(48)}`);
  secrets.set('wrong admin key', secrets.get('free')!);
  secrets.set('revoked key', await rig.key('user', 'rRevoked'));
  const { id } = rig.customers.keys.list('rRevoked')[0]!;
  await rig.customers.keys.remove('rRevoked', id, rig.now);
});
afterAll(() => rig.stop());

function headersOf(caller: Caller): Record<string, string> {
  if (caller === 'none') return {};
  if (caller === 'wallet') return rig.signed(own);
  if (caller === 'wrong wallet') return rig.signed(other);
  if (caller === 'admin wallet') return rig.signed(rig.admin);
  const name = caller.includes('admin') ? 'X-Admin-Key' : 'X-Api-Key';
  return { [name]: secrets.get(caller)! };
}

const tierOf = (caller: Caller): Tier =>
  caller === 'free' || PAYING.includes(caller as never)
    ? (caller as Tier)
    : caller.endsWith(' key')
      ? 'free'
      : 'anonymous';

/** Rows that belong to the wallet that the path, or a parameter, names. */
const isOwned = (path: string) => /^\/keys\/\{wallet\}|^\/keys\/payments\/\{wallet\}|^\/watchlist/.test(path);
/** Section 5, rule 3; and what asks for the caller's own key. */
const NOT_SHARED = ['/launch-token/my-launches', '/feedback'];

/** 200: the gate lets it in. */
function expected(path: string, auth: Auth, tier: Tier, caller: Caller): number {
  if (['wrong key', 'revoked key', 'wrong admin key'].includes(caller)) return 401;
  const isSigned = ['wallet', 'wrong wallet', 'admin wallet'].includes(caller);
  switch (auth) {
    case 'none':
      return 200;
    case 'key':
      if (caller === 'admin key') return 200;
      if (caller === 'none' || isSigned) return 401;
      if (caller === 'browser key' && NOT_SHARED.includes(path)) return 403;
      return TIERS.indexOf(tierOf(caller)) < TIERS.indexOf(tier) ? 403 : 200;
    case 'wallet':
      if (!isSigned) return 401;
      return caller !== 'wallet' && isOwned(path) ? 403 : 200;
    case 'admin':
      if (caller === 'admin key' || caller === 'admin wallet') return 200;
      return isSigned ? 403 : 401;
    case 'platform':
      return caller === 'platform key' || caller === 'admin key' ? 200 : 403;
  }
}

describe.each(routes.map((row) => [row.method, row.path, row] as const))('%s %s', (method, path, row) => {
  test('by every credential', async () => {
    const [, , auth, tier] = CREDENTIALS.find((fact) => fact[0] === method && fact[1] === path) ?? [
      '',
      '',
      'none',
      'anonymous',
    ];
    const values: Record<string, unknown> = {
      ...row.example,
      ...('wallet' in row.params && { wallet: own.classicAddress }),
      ...(path.startsWith('/watchlist') && { account: own.classicAddress }),
    };
    const at = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
    const sent = (place: string) => Object.entries(values).filter(([name]) => row.params[name]?.in === place);
    const query = new URLSearchParams(
      Object.fromEntries(sent('query').map(([name, value]) => [name, String(value)])),
    );
    const body = method === 'GET' ? undefined : Object.fromEntries(sent('body'));
    const statuses: Record<string, number> = {};
    for (const caller of CALLERS) {
      const { status } = await rig.ask(
        method,
        `${at}${query.size > 0 ? `?${query}` : ''}`,
        headersOf(caller),
        body,
      );
      statuses[caller] = status;
    }
    expect(statuses).toEqual(
      Object.fromEntries(CALLERS.map((caller) => [caller, expected(path, auth, tier, caller)])),
    );
  });
});

test('keys are read from the query of images alone', async () => {
  const secret = secrets.get('developer')!;
  expect(
    (await rig.ask('POST', `/feedback?apiKey=${secret}`, {}, { requestId: 'a', kind: 'wrong_value' })).status,
  ).toBe(401);
});
