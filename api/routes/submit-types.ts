/** Section 4.4: the types of transactions that are relayed, each with a signed example. */

import { type Route, route } from '../route.ts';
import { anyObject, describe, integer, list, object, string } from '../schema.ts';
import examples from '../transaction-examples.json' with { type: 'json' };

const types = route({
  method: 'GET',
  path: '/submit/types',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  summary: 'Every type of transaction that is relayed, each with a signed example',
  params: {},
  whileNotOpen: true,
  response: object({
    types: list(string),
    examples: describe(
      anyObject,
      'By type: { json, txid, summary }. Of the embedded network: its NetworkID keeps them from being played on another',
    ),
    pool_size: describe(integer, 'How many types'),
  }),
  cost: 2,
  bucket: '/submit',
  handler: () => answer,
});

const names = Object.keys(examples);
const answer = { types: names, examples, pool_size: names.length };

export const submitTypeRoutes: Route[] = [types];
