/** The root: the first page for a reader who knows only the address. */
import { describe, expect, test } from 'bun:test';
import { emptyLedger, fixture } from './fixture.ts';

const { get, api } = fixture([emptyLedger(100, 500_000_000)]);
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe.each(['/', '/v1', '/v1/', '/api', '/api/', '/v1?x=1'])('%s', (path) => {
  test('shows browsers the pages at the root, and sends them to the reference elsewhere', async () => {
    const response = await get(path, { Accept: browser });
    expect(response.headers.get('vary')).toContain('Accept');
    if (path === '/') {
      expect(response.headers.get('content-type')).toContain('text/html');
      return;
    }
    expect([response.status, response.headers.get('location')]).toEqual([302, '/reference']);
    expect((await get('/reference', { Accept: browser })).status).toBe(200);
  });

  test.each(['*/*', 'application/json', ''])(
    'Accept: %p gets an index whose addresses answer',
    async (Accept) => {
      const response = await get(path, { Accept });
      expect(response.status).toBe(200);
      const { success, name, version, ...rest } = (await response.json()) as Record<string, string>;
      expect([success as unknown, name, version]).toEqual([true, 'Millrace', '1.20']);
      for (const key of ['docs', 'openapi', 'reference', 'health'])
        expect((await get(new URL(rest[key]!).pathname)).status, key).toBe(200);
    },
  );

  test('HEAD, OPTIONS and other methods follow the row', async () => {
    const ask = (method: string) => api.fetch(new Request(`http://localhost${path}`, { method }));
    expect((await ask('HEAD')).status).toBe(200);
    expect((await ask('OPTIONS')).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await ask('POST')).status).toBe(405);
  });
});
