/**
 * Rows are typed at both ends: what is wrong here must not compile. `tsc` fails where an expected error does not come,
 * so these lines are tests of the type check; at run time they only show that the rows are the same.
 */
import { expect, test } from 'bun:test';
import { limit, tokenId } from '../../api/common.ts';
import { Fragment, route } from '../../api/route.ts';
import { integer, list, number, object, oneOf, orNull, string } from '../../api/schema.ts';

const base = {
  method: 'GET',
  path: '/list/{id}',
  section: '4.1',
  auth: 'none',
  tier: 'anonymous',
  example: { id: 'XRP', side: 'asks' },
  summary: 'A list',
  cost: 1,
  bucket: '/list',
  params: {
    id: tokenId,
    limit: limit(20, 100),
    side: { in: 'query', kind: 'enum', values: ['asks', 'bids'], about: 'Side' },
    way: { in: 'query', kind: 'enum', values: ['up', 'down'], default: 'up', about: 'Way' },
  },
  response: object({
    length: integer,
    state: oneOf(['open', 'closed']),
    price: orNull(number),
    'note?': string,
    rows: list(object({ md5: string })),
  }),
} as const;
const answer = { length: 1, state: 'open', price: null, rows: [{ md5: 'a' }] } as const;

test('inputs follow from the parameters', () => {
  const row = route({
    ...base,
    handler: ({ id, limit, side, way }) => {
      const all: [string, number, 'asks' | 'bids' | undefined, 'up' | 'down'] = [id, limit, side, way];
      // @ts-expect-error: one of two words, not any text
      const other: 'left' = way;
      // @ts-expect-error: it may not have been sent
      const sent: 'asks' | 'bids' = side;
      return { ...answer, length: all.length, note: `${other}${sent}` };
    },
  });
  expect(row.path).toBe('/list/{id}');
});

test('answers follow from the schema', () => {
  const rows = [
    route({ ...base, handler: () => answer }),
    route({ ...base, handler: async () => ({ ...answer, note: 'here' }) }),
    route({ ...base, handler: () => new Fragment([]) }),
    // @ts-expect-error: the example names what is no parameter
    route({ ...base, example: { id: 'XRP', depth: 5 }, handler: () => answer }),
    // @ts-expect-error: the example sends a word that is not offered
    route({ ...base, example: { id: 'XRP', side: 'left' }, handler: () => answer }),
    // @ts-expect-error: a member is missing
    route({ ...base, handler: () => ({ state: 'open', price: 1, rows: [] }) as const }),
    // @ts-expect-error: of another type
    route({ ...base, handler: () => ({ ...answer, length: 'one' }) }),
    // @ts-expect-error: null only where the schema says so
    route({ ...base, handler: () => ({ ...answer, length: null }) }),
    // @ts-expect-error: not one of the words
    route({ ...base, handler: () => ({ ...answer, state: 'ajar' }) as const }),
    // @ts-expect-error: deep inside of a list
    route({ ...base, handler: async () => ({ ...answer, rows: [{ md5: 5 }] }) }),
    // @ts-expect-error: a promise is no way around
    route({ ...base, handler: async () => ({ ...answer, price: '1' }) }),
  ];
  expect(new Set(rows.map(({ response }) => response))).toEqual(new Set([base.response]));
});
