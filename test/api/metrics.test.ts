/** What /metrics counts of answers: every one, whichever way it went out. */
import { expect, test } from 'bun:test';
import { Metrics } from '../../api/metrics.ts';
import { type SocketHub, serveOptions } from '../../api/serve.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';
import { emptyLedger, fixture } from './fixture.ts';

const hub: SocketHub<undefined> = {
  upgrade: () => Response.json({ streams: [] }),
  websocket: { message() {} },
  close() {},
};

/** `GET /ledger 200` -> count */
async function totals(base: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const line = /^millrace_http_answers_total\{method="(\w+)",path="([^"]*)",status="(\d+)"\} (\d+)$/gm;
  return Object.fromEntries(
    [...text.matchAll(line)].map(([, method, path, status, count]) => [
      `${method} ${path} ${status}`,
      Number(count),
    ]),
  );
}

test('made, kept, not modified, refused, unknown, page and stream answers are all counted', async () => {
  const { api } = fixture([emptyLedger(100, 500_000_000)]);
  const server = Bun.serve(serveOptions({ api, hub, host: '127.0.0.1', port: 0 }));
  const base = `http://127.0.0.1:${server.port}`;
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(base + path, init);
    await response.arrayBuffer();
    return response;
  };
  const etag = (await ask('/v1/ledger')).headers.get('etag')!;
  for (let i = 0; i < 5; i++) await ask('/v1/ledger');
  await ask('/api/ledger?any=thing');
  await ask('/v1/ledger', { headers: { 'If-None-Match': etag } });
  await ask('/v1/ledger', { headers: { Accept: 'text/xml' } });
  await ask('/v1/ledger', { method: 'HEAD' });
  await ask('/v1/ledger', { method: 'DELETE' });
  await ask('/v1/ledger', { method: 'OPTIONS' });
  await ask('/v1/ledger/7');
  await ask('/nothing');
  await ask('/reference');
  await ask('/ws/info');
  expect(await totals(base)).toEqual({
    'GET /ledger 200': 8,
    'GET /ledger 304': 1,
    'GET /ledger 406': 1,
    'GET /ledger/{index} 404': 1,
    'GET /reference 200': 1,
    'GET /ws 200': 1,
    'none none 204': 1,
    'none none 404': 1,
    'none none 405': 1,
  });
  expect(await totals(base)).toMatchObject({ 'GET /metrics 200': 1 });
  await server.stop(true);
});

test('times of answers that were made are in buckets, of a path with several methods together', async () => {
  const metrics = new Metrics({ metricSamples: undefined, mounts: [], now: Date.now, sockets: undefined });
  const [get, post, other] = [
    metrics.tally('', 'GET', '/a'),
    metrics.tally('', 'POST', '/a'),
    metrics.tally('test', 'GET', '/a'),
  ];
  for (const ms of [0.25, 0.5, 3, 2500]) get.observe(200, ms);
  post.observe(201, 6);
  post.count(304);
  other.observe(200, 1);
  const text = await metrics.text();
  const buckets = (labels: string) =>
    [...text.matchAll(/^millrace_http_answer_seconds(\w+)\{([^}]*)\} (\S+)$/gm)]
      .filter(([, , of]) => of!.replace(/le="[^"]*",/, '') === labels)
      .map(([, end, of, value]) => `${end} ${/le="([^"]*)"/.exec(of!)?.[1] ?? ''} ${Number(value)}`);
  expect(buckets('path="/a"')).toEqual([
    '_bucket 0.0005 2',
    '_bucket 0.001 2',
    '_bucket 0.005 3',
    '_bucket 0.02 4',
    '_bucket 0.1 4',
    '_bucket 0.5 4',
    '_bucket 2 4',
    '_bucket +Inf 5',
    '_sum  2.50975',
    '_count  5',
  ]);
  expect(buckets('path="/a",network="test"').at(-1)).toBe('_count  1');
  expect(text).toContain('# TYPE millrace_http_answer_seconds histogram\n');
});

test('the age of the newest ledger is not negative where it closed after the time of this clock', async () => {
  const age = async (seconds: number) => {
    const { get } = fixture([emptyLedger(100, rippleSeconds(Date.now()) - seconds)]);
    const text = await (await get('/metrics')).text();
    return Number(/^millrace_ledger_age_seconds (\S+)$/m.exec(text)?.[1]);
  };
  expect(await age(-3_600)).toBe(0);
  expect(Math.floor((await age(3_600)) / 60)).toBe(60);
});

test('gaps between the ledgers that are held are counted', async () => {
  const gaps = async (ranges: [number, number][]) => {
    const { get, engine } = fixture([emptyLedger(206, 800_000_000)]);
    engine.ledgerRanges = () => ranges;
    return Number(/^millrace_ledger_gaps (\S+)$/m.exec(await (await get('/metrics')).text())?.[1]);
  };
  expect(await gaps([])).toBe(0);
  expect(await gaps([[100, 206]])).toBe(0);
  const two: [number, number][] = [
    [100, 101],
    [105, 106],
    [206, 206],
  ];
  expect(await gaps(two)).toBe(2);
});
