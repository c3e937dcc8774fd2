/** Section 4.1: what creators and issuers write of their tokens. */
import { XRP } from '../../engine/state/tokens.ts';
import { CooldownError, WRITE_COOLDOWN_MS } from '../../platform/token-metadata.ts';
import { ApiError, notFound, rateLimited, unavailable } from '../../requests/errors.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { list, object, string } from '../schema.ts';
import { DESCRIPTION_MAX, readTexts } from '../token-texts.ts';
import { walletClaim } from '../wallet.ts';

const metadata = route({
  method: 'POST',
  path: '/token/{md5}/metadata',
  section: '4.1',
  auth: 'wallet',
  tier: 'anonymous',
  example: { md5: samples.token, description: 'A stable token.' },
  summary:
    'What the creator or issuer of a token says of it; a blank text or an empty list removes what was there',
  params: {
    md5: { in: 'path', kind: 'text', maxLength: 128, about: 'md5 of the token, or any other form of its id' },
    user: { in: 'body', kind: 'text', about: 'Display name of the issuer, at most 64 characters' },
    domain: { in: 'body', kind: 'text', about: 'Refused (409) where the account of the issuer has one' },
    whitepaper: { in: 'body', kind: 'text', about: 'http or https address' },
    description: {
      in: 'body',
      kind: 'text',
      maxLength: DESCRIPTION_MAX,
      about: `At most ${DESCRIPTION_MAX} characters`,
    },
    social: {
      in: 'body',
      kind: 'json',
      about: 'Replaces all: { twitter, telegram (handles), website, ... (addresses) }',
    },
    tags: {
      in: 'body',
      kind: 'list',
      maxItems: 15,
      about: 'Replaces all; names of platforms are refused (403)',
    },
    linkedCollections: {
      in: 'body',
      kind: 'list',
      maxItems: 10,
      about: 'NFT collections, <issuer>:<taxon> or slug; replaces all',
    },
  },
  response: object({ updated: list(string) }),
  unavailable: true,
  cost: 2,
  bucket: '/token',
  handler: async ({ md5: id, ...sent }, { network, views, engine, request, service }) => {
    const now = service.now();
    const claim = walletClaim(request, engine, now);
    const token = views.tokens.resolve(id);
    if (token === undefined || token === XRP) throw notFound('Unknown token');
    const { accounts, tokens } = engine.state;
    const owners = [tokens.issuer(token), views.tokens.figures.creator(token)];
    if (!owners.some((owner) => accounts.text(owner) === claim.wallet))
      throw new ApiError('forbidden', 'Only the creator or the issuer of the token may do that');
    claim.verify();
    const changes = readTexts(sent);
    if (typeof changes.domain === 'string' && accounts.domain(tokens.issuer(token)) !== undefined)
      throw new ApiError('conflict', 'The account of the issuer has a Domain', {
        hint: 'It is changed on the ledger, with AccountSet',
      });
    const { tokenData } = network;
    if (!tokenData.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
    try {
      return { updated: await tokenData.write(tokens.md5(token), { changes, now, by: claim.wallet }) };
    } catch (error) {
      throw error instanceof CooldownError ? tooSoon(error.waitMs) : error;
    }
  },
});

function tooSoon(waitMs: number): ApiError {
  return rateLimited({
    bucket: '/token/{md5}/metadata',
    limit: 1,
    remaining: 0,
    windowSeconds: WRITE_COOLDOWN_MS / 1000,
    resetSeconds: waitMs / 1000,
  });
}

export const tokenWriteRoutes: Route[] = [metadata];
