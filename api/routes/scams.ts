/** Section 4.6: what follows from the ledgers about scams, for wallets that warn. */
import { addressParam, limit } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, integer, list, number, object, string } from '../schema.ts';
import { addressOf } from './trader-schemas.ts';

/** Answers are not kept, so that a wallet never gets an older list. */
const shared = { section: '4.6', auth: 'none', tier: 'anonymous', cost: 1, bucket: '/scams' } as const;

const tokens = route({
  ...shared,
  method: 'GET',
  path: '/scams/tokens',
  example: { issuer: samples.account, page: 1, limit: 10 },
  summary:
    'Tokens of an issuer that somebody holds, the newest first. It does not say whether they are scams',
  params: {
    issuer: { ...addressParam('r-address of the issuer'), required: true },
    page: { in: 'query', kind: 'int', default: 1, min: 1, about: 'From 1' },
    limit: limit(50, 100),
  },
  response: object({
    issuer: string,
    page: integer,
    limit: integer,
    count: integer,
    total: integer,
    tokens: list(
      object({
        md5: string,
        name: string,
        currency: string,
        'user?': describe(string, 'Name of the issuer'),
        supply: describe(string, 'Decimal'),
        holders: integer,
        'usd?': describe(number, 'Price; absent: not known'),
      }),
    ),
  }),
  handler: ({ issuer: sent, page, limit }, { views, engine }) => {
    const issuer = addressOf(sent);
    const id = engine.state.accounts.findText(issuer) ?? 0;
    const tokens = views.accounts.issued(id, limit, (page - 1) * limit);
    const total = id === 0 ? 0 : views.accounts.issuedCount(id);
    return { issuer, page, limit, count: tokens.length, total, tokens };
  },
});

export const scamRoutes: Route[] = [tokens];
