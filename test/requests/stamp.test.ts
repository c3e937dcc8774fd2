/** The headers that show how a client stands, written over those of the client before. */
import { expect, test } from 'bun:test';
import { StampedHeaders } from '../../requests/stamp.ts';

const NUMBERS = [0, 1, 9, 10, 2047, 2048, 2049, 399_999, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 40 + 1];

test('every number is written as it is, whatever was written before', () => {
  const stamped = new StampedHeaders(new Headers({ ETag: 'x' }), [['X-RateLimit-Limit', '7']]);
  const { headers } = stamped;
  for (const one of NUMBERS)
    for (const other of NUMBERS) {
      stamped.window(one, other);
      stamped.day(other);
      for (const name of ['second', 'day']) {
        stamped.nearest(name, one, other);
        expect(headers.get('RateLimit')).toBe(`"${name}";r=${one};t=${other}`);
      }
      stamped.nearest('day', other, other);
      stamped.nearest('day', other, one);
      stamped.credits(one, other);
      expect([...headers].filter(([name]) => name !== 'etag')).toEqual([
        ['ratelimit', `"day";r=${other};t=${one}`],
        ['x-credits-remaining', String(other / 10)],
        ['x-credits-used', String(one / 10)],
        ['x-ratelimit-daily-remaining', String(other)],
        ['x-ratelimit-limit', '7'],
        ['x-ratelimit-remaining', String(one)],
        ['x-ratelimit-reset', String(other)],
      ]);
    }
});
