/** Every rate driver against a stand-in for its service: the cases of rate-driver-cases.ts, and the same rules for all. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { FIATS, type Fiat } from '../../engine/market/figures.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { RATE_DRIVERS } from '../../outside/rate-drivers.ts';
import { PolledRates } from '../../outside/rate-feed.ts';
import { RATE_DRIVER_CASES } from './rate-driver-cases.ts';

let answer: () => Response = () => new Response('');
let requested = '';
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname, search } = new URL(request.url);
    requested = pathname + search;
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

test('every driver has its cases', () => {
  expect(RATE_DRIVERS.map(({ name }) => name).sort()).toEqual(Object.keys(RATE_DRIVER_CASES).sort());
});

describe.each(RATE_DRIVERS.map((driver) => [driver.name, driver] as const))('%s', (name, driver) => {
  const { request, answer: good, prices, bad } = RATE_DRIVER_CASES[name]!;
  const url = `http://127.0.0.1:${server.port}`;
  const feed = () =>
    new PolledRates({ driver, url, now: () => now, onFault: (message) => faults.push(message) });
  const rates = (from: PolledRates) =>
    Object.fromEntries(FIATS.flatMap((fiat, i) => [[fiat, from.latest(i as Fiat)?.xrpPerUnit]]));
  const expected = Object.fromEntries(
    FIATS.map((fiat) => [fiat, prices[fiat] === undefined ? undefined : 1 / prices[fiat]]),
  );

  test('has an address of its service', () => expect(driver.url).toStartWith('https://'));

  test('takes the price of each pair, as XRP per unit', async () => {
    answer = () => Response.json(good);
    const one = feed();
    await one.poll();
    expect(requested).toBe(request);
    expect(rates(one)).toEqual(expected);
    expect(one.latest(0)?.time).toBe(1_800_000_000 - RIPPLE_EPOCH);
    expect(faults).toEqual([]);
  });

  test('an old rate is not used', async () => {
    answer = () => Response.json(good);
    const one = feed();
    await one.poll();
    now += 601_000;
    expect(one.latest(0)).toBeUndefined();
  });

  test.each<readonly [string, () => Response]>([
    ...Object.entries(bad).map(([what, value]) => [what, () => Response.json(value)] as const),
    ['a status', () => new Response('busy', { status: 503 })],
    ['no JSON', () => new Response('<html>')],
    ['null', () => Response.json(null)],
    ['too much', () => new Response('x'.repeat(100_000))],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/')],
  ])('%s is one fault, and the last rates stay until they are old', async (_, bad) => {
    answer = () => Response.json(good);
    const one = feed();
    await one.poll();
    answer = bad;
    await one.poll();
    await one.poll();
    expect(faults).toHaveLength(1);
    expect(faults[0]).toStartWith(`${name}: `);
    expect(rates(one)).toEqual(expected);
  });
});
