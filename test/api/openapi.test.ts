import { expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { isOfLedger } from '../../api/ledger-answers.ts';
import { routes } from '../../api/routes/index.ts';
import { rateLimited } from '../../requests/errors.ts';
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

test('the document is made once, whatever base addresses clients ask under', async () => {
  let made = 0;
  const [first, ...others] = routes;
  const counted = { ...first!, summary: '' };
  Object.defineProperty(counted, 'summary', {
    get() {
      made++;
      return first!.summary;
    },
  });
  const { api } = fixture([emptyLedger(100, 500_000_000)], { routes: [counted, ...others] });
  const documents = ['one', 'two', 'three'].map(async (host) => {
    const response = await api.fetch(new Request(`http://${host}.example/v1/openapi.json`));
    return (await response.json()) as Document;
  });
  const urls = (await Promise.all(documents)).map(({ servers }) => servers[0]!.url);
  expect(urls).toEqual(['one', 'two', 'three'].map((host) => `http://${host}.example/v1`));
  const once = made;
  await api.fetch(new Request('http://four.example/v1/openapi.json'));
  expect([once, made]).toEqual([1, 1]);
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

test('routes are grouped by names, none by the number of its section', async () => {
  const document = await (await get('/openapi.json')).json();
  const names = (document as { tags: { name: string }[] }).tags.map(({ name }) => name);
  expect(names).toContain('The test network');
  expect(names.filter((name) => /\d/.test(name))).toEqual([]);
});

test('the tool protocol is in it, beside the rows', async () => {
  const operation = await operationOf('/mcp', 'post');
  expect([operation['x-auth'], operation['x-tier']]).toEqual(['key', 'developer']);
  expect(operation.requestBody.content['application/json'].schema.anyOf).toHaveLength(2);
});

type DocumentedParameter = {
  name: string;
  description: string;
  required: boolean;
  schema: Record<string, unknown>;
};
async function operationOf(path: string, method = 'get') {
  const document = (await (await get('/openapi.json')).json()) as Document;
  // biome-ignore lint/suspicious/noExplicitAny: operations are looked into at any depth
  return document.paths[path]![method] as any;
}
const parameterOf = async (path: string, name: string): Promise<DocumentedParameter> =>
  (await operationOf(path)).parameters.find((one: DocumentedParameter) => one.name === name);

test('the first page, and what is out of range, are described as they are read', async () => {
  expect((await parameterOf('/tokens', 'offset')).description).toContain('page (from 0, times limit)');
  expect((await parameterOf('/token/analytics/traders', 'offset')).description).toContain(
    'page (from 1, times limit)',
  );
  expect((await parameterOf('/account/offers/{account}', 'limit')).description).toContain(
    'out of range becomes the default',
  );
  expect((await parameterOf('/tokens', 'limit')).description).not.toContain('out of range');
});

test('refusals of single rows are declared', async () => {
  const declared = async (path: string) => Object.keys((await operationOf(path, 'post')).responses);
  for (const path of ['/submit', '/testnet/submit']) expect(await declared(path)).toContain('409');
  expect(await declared('/keys/verify-payment')).toEqual(expect.arrayContaining(['402', '409']));
  expect(await declared('/search')).not.toContain('409');
});

test('the members that a full window adds to an error are declared', async () => {
  const document = (await (await get('/openapi.json')).json()) as {
    components: { schemas: { Error: { properties: Record<string, unknown> } } };
  };
  const full = { bucket: '/tokens', limit: 5, remaining: 0, windowSeconds: 60, resetSeconds: 9 };
  const members = Object.keys(JSON.parse(rateLimited(full).body('1', '/v1/docs')));
  expect(Object.keys(document.components.schemas.Error.properties)).toEqual(expect.arrayContaining(members));
});

test('rows that many clients read name their members', async () => {
  const rows = {
    '/orderbook': ['bids', 'price'],
    '/holders/graph/{id}': ['history', 'top10'],
    '/nft/collections/{slug}/nfts': ['nfts', 'NFTokenID'],
  };
  for (const [path, [list, member]] of Object.entries(rows)) {
    const { schema } = (await operationOf(path)).responses['200'].content['application/json'];
    expect(Object.keys(schema.properties[list!].items.properties ?? {}), path).toContain(member!);
  }
});

test('aliases and bounds are described', async () => {
  expect((await parameterOf('/stats/rates', 'token1')).description).toContain('md51');
  expect((await parameterOf('/holders/list/{id}', 'search')).schema).toMatchObject({ minLength: 3 });
});

test('what may be unavailable declares 503, and nothing else does', async () => {
  for (const row of routes) {
    const { responses } = await operationOf(row.path, row.method.toLowerCase());
    expect('503' in responses, row.path).toBe(row.unavailable === true || isOfLedger(row));
  }
  for (const path of ['/ledger', '/ledger/{index}', '/ledger/at', '/ledger/entry', '/tx/{hash}'])
    expect((await operationOf(path)).responses).toHaveProperty('503');
});

test('either-or parameters are declared, described, and enforced by the same rows', async () => {
  const groups = {
    '/history': [{ anyOf: [['md5'], ['account']] }],
    '/amm/info': [{ anyOf: [['amm_account'], ['asset', 'asset2']] }],
    '/orderbook': [{ anyOf: [['base'], ['base_currency']] }, { anyOf: [['quote'], ['quote_currency']] }],
  };
  for (const [path, needs] of Object.entries(groups)) {
    const operation = await operationOf(path);
    expect(operation['x-needs']).toEqual(needs);
    for (const name of needs.flatMap(({ anyOf }) => anyOf.flat()))
      expect(operation.description).toContain(name);
    const refused = await get(`/v1${path}`);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      400,
      'missing_parameter',
    ]);
  }
  const entry = await operationOf('/ledger/entry');
  expect(entry['x-needs'][0]).toMatchObject({ onlyOne: true });
  const both = await get(`/v1/ledger/entry?index=${'0'.repeat(64)}&check=${'0'.repeat(64)}`);
  expect([both.status, ((await both.json()) as { code: string }).code]).toEqual([400, 'invalid_parameter']);
});

test('identifiers have patterns, which their every form fits', async () => {
  const fits = async (path: string, name: string, text: string) =>
    new RegExp(String((await parameterOf(path, name)).schema.pattern)).test(text);
  const issuer = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
  const mpt = '0'.repeat(48);
  const tokens = ['XRP', 'a'.repeat(32), `${issuer}-USD`, `${issuer}_${'0'.repeat(40)}`, `mpt-${mpt}`, mpt];
  for (const id of tokens) expect(await fits('/token/{id}', 'id', id), id).toBe(true);
  for (const id of ['', 'USD', 'x'.repeat(32), issuer])
    expect(await fits('/token/{id}', 'id', id), id).toBe(false);
  expect(await fits('/tx/{hash}', 'hash', 'aB'.repeat(32))).toBe(true);
  expect(await fits('/tx/{hash}', 'hash', 'aB'.repeat(31))).toBe(false);
  for (const [path, name] of [
    ['/history', 'account'],
    ['/amm', 'issuer'],
    ['/amm/info', 'amm_account'],
    ['/holders/position/{id}/{address}', 'address'],
  ] as const) {
    expect(await fits(path, name, issuer)).toBe(true);
    expect(await fits(path, name, `${issuer}0`)).toBe(false);
  }
});

test('timestamps are integers', async () => {
  const { requestBody } = await operationOf('/stats/metrics', 'post');
  expect(requestBody.content['application/json'].schema.properties.timestamps).toMatchObject({
    type: 'array',
    maxItems: 1000,
    items: { type: 'integer' },
  });
});

test('only the envelope is required of every answer, for `fields` leaves out the rest', async () => {
  const { schema } = (await operationOf('/ledger')).responses['200'].content['application/json'];
  expect(schema.required).toEqual(['success', 'took']);
  expect(schema.anyOf[0].required).toContain('ledger_index');
  expect(schema.properties).toHaveProperty('ledger_index');
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

test('the reference page loads nothing from other hosts', async () => {
  const page = await get('/reference');
  const html = await page.text();
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  // Relative: it works behind a path prefix.
  expect(html).toContain('data-url="openapi.json"');
  expect([...html.matchAll(/(?:src|href)="(https?:[^"]*)"/g)].map((match) => match[1])).toEqual([]);
  const script = await get('/reference/standalone.js');
  expect(script.headers.get('content-type')).toContain('text/javascript');
  expect((await script.text()).length).toBeGreaterThan(1_000_000);
});

test.each([
  ['get /account/tx/{account}', 'txs[]', 'hash ledger_index tx_json meta role'],
  ['get /account-tx-explain/{account}', 'types{}', ''],
  ['get /lp-positions/{account}', 'positions{}', 'ilPercent holdValueXrp currentAsset1 poolShare'],
  ['get /holders/ranks/{id}', 'ranks{}', ''],
  ['get /rsi', 'filters', 'minRsi24h maxMarketCap activeOnly'],
  ['post /search', 'nfts[]', 'NFTokenID cid editions'],
  ['post /dex/quote', 'quote.route[].tokens[]', 'currency issuer md5'],
  ['get /keys/invoices/{paymentId}', 'invoice', 'id status price seller'],
  ['get /testnet/accounts/{address}', 'account', 'balance reserve inception'],
  ['get /testnet/accounts/{address}', 'lines[]', 'currency issuer balance'],
  ['get /testnet/accounts/{address}', 'offers[]', 'seq gets pays'],
  ['get /testnet/tokens/{md5}/trades', 'trades[].paid', 'currency issuer value'],
  ['get /testnet/nft/history', 'history[].amount', 'amount currency issuer'],
  ['get /account/{address}/admin', 'readOnly', 'exists domain inception'],
])('%s names the members of %s', async (operation, place, names) => {
  const [method, path] = operation.split(' ') as [string, string];
  const { content } = (await operationOf(path, method)).responses['200'];
  const steps = place.split('.').flatMap((step) => step.split(/(?=\[\]|\{\})/));
  // biome-ignore lint/suspicious/noExplicitAny: schemas of any shape
  const found = steps.reduce<any[]>(
    (schemas, step) =>
      schemas
        .flatMap(alternatives)
        .map((one) =>
          step === '[]' ? one.items : step === '{}' ? one.additionalProperties : one.properties?.[step],
        )
        .filter((one) => typeof one === 'object'),
    [content['application/json'].schema],
  );
  expect(found.length).toBeGreaterThan(0);
  const declared = found.flatMap(alternatives).flatMap(({ properties = {} }) => Object.keys(properties));
  expect(declared).toEqual(expect.arrayContaining(names.split(' ').filter((name) => name !== '')));
});

// biome-ignore lint/suspicious/noExplicitAny: schemas of any shape
const alternatives = (schema: any): any[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(alternatives),
];

test('what a request is refused without is required', async () => {
  for (const name of ['source', 'destination'])
    expect(await parameterOf('/account/deposit-authorized', name)).toMatchObject({ required: true });
});
