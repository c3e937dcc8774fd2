/** What keys were used for, over days and restarts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CustomerRig } from './store-rig.ts';

const DAY = 86_400_000;
const NOW = 20_000 * DAY + 1000;
const rig = new CustomerRig();
beforeAll(() => rig.open());
afterAll(() => rig.stop());

const of = (id: string) => rig.customers.usage.of(id);
function use(id: string, endpoint: string, tenths: number, now: number): void {
  const usage = of(id);
  usage.admitted(endpoint, endpoint, tenths, now);
  rig.customers.usage.changed(usage);
}

test('a day counts on after a restart, whether it is read before it is used again or not', async () => {
  use('a', '/tokens', 10, NOW);
  use('a', '/ohlc', 50, NOW);
  await rig.restart();
  use('a', '/tokens', 10, NOW + 5);
  expect(of('a').today(NOW)).toMatchObject({ requests: 3, tenths: 70 });
  expect(Object.fromEntries(of('a').endpoints(NOW))).toEqual({ '/tokens': 20, '/ohlc': 50 });
  await rig.restart();
  expect(of('a').total).toBe(3);
  use('a', '/tokens', 10, NOW + 9);
  expect([of('a').total, of('a').days]).toEqual([4, [{ day: 20_000, requests: 4, tenths: 80 }]]);
});

test('another day begins again, and the last 30 are kept', async () => {
  use('b', '/tokens', 10, NOW);
  await rig.restart();
  use('b', '/ohlc', 50, NOW + DAY);
  expect(Object.fromEntries(of('b').endpoints(NOW + DAY))).toEqual({ '/ohlc': 50 });
  expect(of('b').today(NOW + 2 * DAY)).toEqual({ requests: 0, tenths: 0 });
  for (let day = 2; day < 40; day++) use('b', '/tokens', 10, NOW + day * DAY);
  await rig.restart();
  const { days, total } = of('b');
  expect([days.length, days[0]!.day, days.at(-1)!.day, total]).toEqual([30, 20_010, 20_039, 40]);
});

test('a clock that was far ahead, or back, for a while neither hides nor takes what is counted before and after', async () => {
  const requests = () => of('jumps').days.map((one) => [one.day, one.requests]);
  use('jumps', '/tokens', 10, NOW);
  use('jumps', '/ohlc', 50, NOW + 400 * DAY);
  use('jumps', '/tokens', 10, NOW + 5);
  use('jumps', '/tokens', 10, NOW - 400 * DAY);
  expect(of('jumps').today(NOW)).toMatchObject({ requests: 2, tenths: 20 });
  expect(requests()).toEqual([
    [19_600, 1],
    [20_000, 2],
    [20_400, 1],
  ]);
  await rig.restart();
  use('jumps', '/tokens', 10, NOW + 9);
  use('jumps', '/tokens', 10, NOW + DAY);
  expect([of('jumps').today(NOW), of('jumps').today(NOW + DAY)]).toMatchObject([
    { requests: 3, tenths: 30 },
    { requests: 1, tenths: 10 },
  ]);
  await rig.restart();
  expect([of('jumps').total, requests()]).toEqual([
    6,
    [
      [19_600, 1],
      [20_000, 3],
      [20_001, 1],
      [20_400, 1],
    ],
  ]);
});

test('of a key that is deleted, nothing is kept: not what waits to be written either', async () => {
  use('gone', '/tokens', 10, NOW);
  use('stays', '/tokens', 10, NOW);
  await rig.customers.usage.forget('gone');
  await rig.restart();
  expect([of('gone').total, of('stays').total]).toEqual([0, 1]);
});

test('the newest calls, 50 at most', () => {
  for (let call = 0; call < 60; call++) of('c').called(`/tx/${call}`, call % 4, NOW + call);
  const calls = of('c').calls();
  expect([calls.length, calls[0], calls.at(-1)?.endpoint]).toEqual([
    50,
    { time: NOW + 59, endpoint: '/tx/59', outcome: 'forbidden' },
    '/tx/10',
  ]);
});
