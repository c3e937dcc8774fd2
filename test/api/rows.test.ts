/** Every row of the table over a real engine that has applied recorded transactions. */

import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { samples } from '../../api/examples.ts';
import { openapiDocument } from '../../api/openapi.ts';
import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';
import type { Param } from '../../requests/param.ts';
import { namesOf, paramReader } from '../../requests/param-reader.ts';
import { casesOf } from '../cases.ts';
import { Document } from './document.ts';
import { bodyOf, isRefused, isUnavailable, RowRequests, statusOf } from './row-requests.ts';

const seed = Number(process.env.SEED ?? 20_260_103);
const requests = new RowRequests();
const { api, log, known } = requests;
const ask = requests.ask.bind(requests);
const exampleOf = requests.exampleOf.bind(requests);
const goodPath = requests.goodPath.bind(requests);
const needed = requests.needed.bind(requests);

const document = new Document(openapiDocument(api.service, 'http://localhost/v1'));

beforeAll(() => requests.open());

const named = (row: Route) => [`${row.method} ${row.path}`, row] as const;
describe('every row’s example', () => {
  test.each(routes.map(named))('%s names its parameters, all that the path needs among them', (_, row) => {
    expect(Object.keys(row.params)).toEqual(expect.arrayContaining(Object.keys(row.example)));
    for (const [name, param] of Object.entries(row.params))
      if (param.in === 'path' || param.required) expect(row.example, name).toHaveProperty([name]);
  });

  test.each(routes.map(named))('%s reads as it is written, and is answered', async (_, row) => {
    const { query, body } = needed(row, true);
    const sent = { segments: goodPath(row).split('/').slice(1), query, body };
    // A value that had to be clamped or left out would not be an example.
    const asRead = ([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value) ? value.map(String) : value,
    ];
    expect(paramReader(row)(sent)).toMatchObject(
      Object.fromEntries(Object.entries(exampleOf(row)).map(asRead)),
    );
    const response = await ask(row, '/v1', goodPath(row), query, bodyOf(row, body));
    expect(response.status, await response.clone().text()).toBe(statusOf(row));
    const operation = document.operations.find(
      ({ path, method }) => path === row.path && method === row.method,
    )!;
    expect(await document.faults(operation, response, false)).toEqual([]);
  });

  test.each(routes.map(named))('%s of the public network is accepted unchanged', async (_, row) => {
    const samplesOnly = { ...known };
    Object.assign(known, { md5: samples.token, account: samples.account, hash: samples.transaction });
    const { query, body } = needed(row, true);
    const response = await ask(row, '/v1', goodPath(row), query, bodyOf(row, body));
    Object.assign(known, samplesOnly);
    // 200, or 404 where these few ledgers hold nothing of it: never a refusal.
    expect(
      [isRefused(row) ? 401 : isUnavailable(row) ? 503 : 200, 404],
      await response.clone().text(),
    ).toContain(response.status);
  });
});

describe('every row over a real engine', () => {
  test.each(routes.map(named))('%s answers, the same at both prefixes', async (_, row) => {
    const { query, body } = needed(row);
    const [one, two] = [
      await ask(row, '/v1', goodPath(row), query, bodyOf(row, body)),
      await ask(row, '/api', goodPath(row), query, bodyOf(row, body)),
    ];
    expect(log.lines).toEqual([]);
    expect(one.status, await one.clone().text()).toBe(statusOf(row));
    expect(two.status).toBe(one.status);
    const kept = one.headers.get('cache-control');
    expect(kept).not.toBeNull();
    if (kept !== 'no-store') expect(one.headers.get('vary')).toContain('X-Api-Key');
    if (one.headers.get('content-type')?.startsWith('text/'))
      expect(one.headers.get('content-type')).toEndWith('charset=utf-8');
    const steady = (text: string) =>
      text.replace(/"(took|timestamp|uptime|latency|requestId)":("[^"]*"|[\d.]+)/g, '');
    const [first, second] = [await one.text(), await two.text()];
    if (row.path !== '/metrics') expect(steady(second)).toBe(steady(first));
    if (one.status === 200 && !row.bare) {
      const flag = row.successAs ? `"${row.successAs}":"success"` : '"success":true';
      expect(first).toStartWith(`{${flag},"attribution":"Data by Millrace","took":`);
      for (const name of (row.response.required ?? []) as string[])
        expect(JSON.parse(first), name).toHaveProperty([name]);
    }
  });

  test.each(routes.filter((row) => row.params.limit?.kind === 'int').map(named))(
    '%s clamps limit and offset',
    async (_, row) => {
      const { query, body } = needed(row);
      const limit = row.params.limit as Param & { kind: 'int' };
      const answer = async (sent: Record<string, string>) => {
        const all = new URLSearchParams(query);
        if (limit.in === 'query') for (const [name, value] of Object.entries(sent)) all.set(name, value);
        const response = await ask(
          row,
          '/v1',
          goodPath(row),
          all,
          bodyOf(row, limit.in === 'body' ? { ...body, ...sent } : body),
        );
        return {
          status: response.status,
          text: (await response.text()).replace(/"took":\d+/, '').replace(/"requestId":"[^"]*"/, ''),
        };
      };
      const most = await answer({ limit: String(limit.max) });
      expect(await answer({ limit: String(limit.max! + 1) })).toEqual(
        limit.outside ? await answer({}) : most,
      );
      expect(await answer({ limit: '1e309' })).toEqual(limit.outside ? await answer({}) : most);
      expect(await answer({ limit: 'many' })).toEqual(await answer({}));
      if (row.params.offset) expect(await answer({ offset: '-5' })).toEqual(await answer({ offset: '0' }));
      if (row.params.offset && limit.in === 'query')
        expect(await answer({ start: '3' })).toEqual(await answer({ offset: '3' }));
      if (most.status === 200 && 'limit' in JSON.parse(most.text.replace(',,', ',')))
        expect(most.text).toContain(`"limit":${limit.max}`);
    },
  );

  test(`no input makes a fault (seed ${seed})`, async () => {
    const nasty = fc.constantFrom(
      '',
      '%',
      '%00',
      '__proto__',
      'constructor',
      'toString',
      '1e309',
      '-1e309',
      'NaN',
      '{}',
      '[[',
      '"',
      '💥',
      'XRP',
      'all',
      'desc',
      '0',
      '-1',
      '99999999999',
      '1700000000000',
    );
    const word = fc.oneof(
      { weight: 4, arbitrary: nasty },
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('md5', 'account').map((key) => `@${key}`),
    );
    const value = fc.oneof(word, fc.jsonValue({ maxDepth: 2 }));
    const real = (text: string) =>
      (text === '@md5' ? known.md5 : text === '@account' ? known.account : text).toWellFormed();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.array(word, { minLength: 3, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), value), { maxLength: 5 }),
        fc.boolean(),
        async (row, segments, sent, whole) => {
          let at = 0;
          const path = whole
            ? goodPath(row)
            : row.path.replace(/\{\w+\}/g, () => encodeURIComponent(real(segments[at++ % 3]!)) || '0');
          const { query, body } = needed(row);
          const names = Object.keys(row.params).flatMap((name) => namesOf(row, name));
          for (const [pick, what] of sent) {
            const name = names[pick % names.length] ?? 'limit';
            body[name] = what;
            query.set(name, real(typeof what === 'string' ? what : JSON.stringify(what)));
          }
          const response = await ask(row, '/v1', path, query, bodyOf(row, body));
          if (response.status >= 500 && !(response.status === 503 && isUnavailable(row)))
            throw new Error(
              `${row.method} ${path}?${query} ${JSON.stringify(body)}: ${JSON.stringify(log.lines.at(-1), (_key, one) => (one instanceof Error ? one.stack : one))}`,
            );
          if (response.headers.get('content-type')?.includes('json')) JSON.parse(await response.text());
        },
      ),
      { seed, numRuns: casesOf(800, 2500) },
    );
  });
});
