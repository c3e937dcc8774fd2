/** Section 4.2: tokens that share an audience. */
import { XRP } from '../../engine/state/tokens.ts';
import { badRequest } from '../../requests/errors.ts';
import { tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const related = route({
  method: 'GET',
  path: '/token/{md5}/related',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { md5: samples.token },
  summary: 'Tokens that the largest holders of a token hold, too',
  params: { md5: tokenId },
  response: object({
    md5: string,
    audience: describe(integer, 'Holders that were looked at: the largest, at most 500, without pools'),
    count: integer,
    related: list(
      object({
        type: describe(string, 'token'),
        md5: string,
        slug: string,
        name: string,
        issuer: string,
        holders: integer,
        sharedHolders: describe(integer, 'How many of the audience hold it'),
        sharedPct: describe(number, 'Percent of the audience'),
        score: describe(number, 'Shared holders by the root of audience times holders: 0 to 1'),
        sameProject: describe(boolean, 'Same issuer or same creator'),
      }),
    ),
  }),
  cost: 2,
  bucket: '/token',
  cache: 'ledger',
  mcp: true,
  handler: ({ md5 }, { views }) => {
    const token = tokenOf(views, md5);
    if (token === XRP)
      throw badRequest('XRP has no audience of its own', 'Ask for an issued token or an MPT');
    return views.related.of(token);
  },
});

export const relatedRoutes: Route[] = [related];
