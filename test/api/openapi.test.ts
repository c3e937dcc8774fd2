import { expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { routes } from '../../api/routes/index.ts';
import { emptyLedger, fixture } from './fixture.ts';

const { get } = fixture([emptyLedger(100, 500_000_000)], { routes });

type Document = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; parameters: { name: string; description: string; schema?: object }[] }
    >
  >;
};

test('the document is valid OpenAPI 3.1', async () => {
  const response = await get('/openapi.json');
  const document = (await response.json()) as Document;
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
});

test('every row is in it, once, with every parameter', async () => {
  const document = (await (await get('/v1/openapi.json')).json()) as Document;
  expect(document.servers[0]!.url).toBe('http://localhost/v1');
  const ids = new Set<string>();
  for (const row of routes) {
    const operation = document.paths[row.path]?.[row.method.toLowerCase()];
    expect(operation, `${row.method} ${row.path}`).toBeDefined();
    ids.add(operation!.operationId);
    const outside = Object.entries(row.params).filter(([, param]) => param.in !== 'body');
    expect(operation!.parameters.map(({ name }) => name)).toEqual(outside.map(([name]) => name));
  }
  expect(ids.size).toBe(routes.length);
});

test('aliases and bounds are told', async () => {
  const document = (await (await get('/openapi.json')).json()) as Document;
  const [token1] = document.paths['/stats/rates']!.get!.parameters;
  expect(token1!.description).toContain('md51');
});

test('/docs has the keys that clients read, and sends browsers to the reference page', async () => {
  const docs = (await (await get('/v1/docs')).json()) as Record<string, unknown>;
  expect(docs).toMatchObject({ success: true, version: '1.20', baseUrl: 'http://localhost/v1' });
  expect(docs.reference).toMatchObject({
    caching: {},
    patterns: { account: '^r[1-9A-HJ-NP-Za-km-z]{24,34}$' },
  });
  expect((docs.routes as unknown[]).length).toBe(routes.length);
  const browser = await get('/v1/docs', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/reference']);
});

test('the reference page asks nobody else', async () => {
  const page = await get('/reference');
  const html = await page.text();
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(html).toContain('data-url="/openapi.json"');
  expect([...html.matchAll(/(?:src|href)="(https?:[^"]*)"/g)].map((match) => match[1])).toEqual([]);
  const script = await get('/reference/standalone.js');
  expect(script.headers.get('content-type')).toContain('text/javascript');
  expect((await script.text()).length).toBeGreaterThan(1_000_000);
});
