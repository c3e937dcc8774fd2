/** The older names that clients send are read as the documented ones. */
import { describe, expect, test } from 'bun:test';
import { routes } from '../../api/routes/index.ts';
import { paramReader } from '../../requests/param-reader.ts';
import { TOKEN_FIELDS } from '../../views/token-fields.ts';
import { CLIENT_REQUESTS, CLIENT_TOKEN_SORTS, missingNames } from './client-names.ts';

describe('what clients send', () => {
  test.each(CLIENT_REQUESTS.map((one) => [...one] as const))('%s?%s', (path, sent, documented) => {
    const row = routes.find((one) => one.method === 'GET' && one.path === path)!;
    const segments = path.split('/').slice(1);
    const read = paramReader({ ...row, needs: [] });
    const values = (query: string) => read({ segments, query: new URLSearchParams(query), body: undefined });
    expect(values(sent)).toEqual(values(documented));
    expect(values(sent)).not.toEqual(values(''));
  });

  test('sorts of tokens', () => {
    const known = [...TOKEN_FIELDS.sorts, ...Object.keys(TOKEN_FIELDS.sortNames)];
    for (const sort of CLIENT_TOKEN_SORTS) expect(known).toContain(sort);
  });
});

describe('the names that are missed', () => {
  const reads = { '': 'a b', 'rows[]': 'x y', 'by{}': 'z' };

  test('are none where some row of some answer has each', () => {
    const answers = [
      { a: 1, b: null, rows: [{ x: 1 }, { y: 2 }], by: {} },
      { rows: [], by: { one: {}, two: { z: 0 } } },
    ];
    expect(missingNames(reads, answers)).toEqual([]);
  });

  test('are shown with their place', () => {
    const answers = [{ a: 1, rows: [{ x: 1 }], by: {} }];
    expect(missingNames(reads, answers)).toEqual([': b', 'rows[]: y', 'by{}: z']);
  });
});
