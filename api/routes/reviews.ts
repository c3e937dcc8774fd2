/** Section 4.2: how risky a token is. */
import { RISK_LEVELS } from '../../engine/metrics/risk-score.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { badRequest } from '../../requests/errors.ts';
import { tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const chance = object({
  horizonDays: describe(
    integer,
    'Days in which a collapse counts: 60, or fewer while the network is younger',
  ),
  chance: describe(number, 'Percent'),
  sample: describe(integer, 'Past tokens of just its kind'),
  collapsed: describe(integer, 'Those of them that collapsed'),
  observed: describe(integer, 'Past tokens of all kinds'),
  observedCollapsed: integer,
  asOf: describe(integer, 'Unix ms: start of the last day that is counted'),
  since: describe(integer, 'Unix ms: start of the first'),
  kind: describe(
    object({
      liquidity: describe(string, 'XRP in its pool with XRP'),
      age: string,
      burned: describe(string, 'LP tokens that nobody can redeem'),
      freeze: describe(string, 'Whether the issuer can freeze balances: given up, possible or frozen'),
      top10: describe(string, 'Share of the supply'),
      creator: describe(string, "The creator's share of the supply"),
    }),
    'The classes of features that make the kind',
  ),
});

const review = route({
  method: 'GET',
  path: '/token/review/{id}',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { id: samples.token },
  summary: 'How risky a token is, and how often tokens like it collapsed',
  params: { id: tokenId },
  response: object({
    md5: string,
    'inactive?': describe(
      boolean,
      'true: not traded for a week, or held by nobody; nothing else is said then',
    ),
    'lastTrade?': describe(orNull(integer), 'Unix ms; null: never traded. Of inactive tokens'),
    'score?': describe(integer, '1 (least risk) to 10'),
    'riskLevel?': oneOf(RISK_LEVELS),
    'assessmentScore?': describe(number, 'As in rows of tokens: what the score is made of, 0 (worst) to 100'),
    'riskCount?': describe(integer, 'Factors that are a risk'),
    'positiveCount?': describe(integer, 'Factors that speak for it'),
    'factors?': list(
      object({
        name: oneOf(['locked', 'holders', 'spread', 'rights', 'traders', 'burned']),
        points: number,
        max: describe(number, 'Most points there are'),
        effect: oneOf(['risk', 'neutral', 'positive']),
      }),
    ),
    'collapseChance?': describe(
      number,
      'Percent: the chance that it loses 90 % of price or pool XRP within 60 days; absent while too few past tokens were observed for so long',
    ),
    'collapse?': describe(orNull(chance), 'What the chance rests on; null: too few past tokens so far'),
  }),
  cost: 2,
  bucket: '/token',
  cache: 'ledger',
  handler: ({ id }, { views }) => {
    const token = tokenOf(views, id);
    if (token === XRP) throw badRequest('XRP has no issuer to review', 'Ask for an issued token or an MPT');
    return views.reviews.of(token);
  },
});

export const reviewRoutes: Route[] = [review];
