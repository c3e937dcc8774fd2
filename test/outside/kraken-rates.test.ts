/** The Kraken driver against a stand-in for Kraken's interface. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { Fiat } from '../../engine/market/figures.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { KrakenRates } from '../../outside/kraken-rates.ts';

let answer: () => Response = () => new Response('');
let asked = '';
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname, search } = new URL(request.url);
    asked = pathname + search;
    return answer();
  },
});
afterAll(() => server.stop(true));

let now = 0;
let faults: string[] = [];
beforeEach(() => {
  now = 1_800_000_000_000;
  faults = [];
});
const feed = () =>
  new KrakenRates({
    url: `http://127.0.0.1:${server.port}`,
    now: () => now,
    onFault: (message) => faults.push(message),
  });
const ticker = (last: string) => ({
  a: [last, '1', '1.000'],
  b: [last, '1', '1.000'],
  c: [last, '100.5'],
  v: ['1', '2'],
});
const good = () =>
  Response.json({
    error: [],
    result: { XXRPZUSD: ticker('2.00000'), XXRPZEUR: ticker('1.60000'), XRPJPY: ticker('320.5') },
  });

test('takes the last trade of each pair, as XRP per unit', async () => {
  answer = good;
  const rates = feed();
  await rates.poll();
  expect(asked).toBe('/0/public/Ticker?pair=XRPUSD,XRPEUR,XRPJPY');
  expect(rates.latest(Fiat.USD)).toEqual({ xrpPerUnit: 0.5, time: 1_800_000_000 - RIPPLE_EPOCH });
  expect(rates.latest(Fiat.EUR)?.xrpPerUnit).toBe(0.625);
  expect(rates.latest(Fiat.JPY)?.xrpPerUnit).toBeCloseTo(1 / 320.5, 12);
  expect(rates.latest(Fiat.CNY)).toBeUndefined();
  expect(faults).toEqual([]);
});

test('an old rate is not used', async () => {
  answer = good;
  const rates = feed();
  await rates.poll();
  now += 601_000;
  expect(rates.latest(Fiat.USD)).toBeUndefined();
});

test.each([
  ['an error of the service', () => Response.json({ error: ['EGeneral:Too many requests'] })],
  ['a status', () => new Response('busy', { status: 503 })],
  ['no JSON', () => new Response('<html>')],
  ['no result', () => Response.json({ error: [] })],
  ['no price', () => Response.json({ error: [], result: { XXRPZUSD: ticker('-1') } })],
  ['wrong types', () => Response.json({ error: [], result: { XXRPZUSD: { c: 'x' }, XRPJPY: null } })],
  ['too much', () => new Response('x'.repeat(100_000))],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/')],
])('%s is one fault, and the last rates stay until they are old', async (_, bad) => {
  answer = good;
  const rates = feed();
  await rates.poll();
  answer = bad;
  await rates.poll();
  await rates.poll();
  expect(faults).toHaveLength(1);
  expect(rates.latest(Fiat.USD)?.xrpPerUnit).toBe(0.5);
});
