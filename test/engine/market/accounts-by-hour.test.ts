/** Accounts by the hour they were last seen in, against a recount. */
import { expect, test } from 'bun:test';
import { AccountsByHour, HOURS_KEPT } from '../../../engine/market/accounts-by-hour.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';

const seed = seedOf('accounts by hour', 20_261_123);
const START = 800_000_000;
const ACCOUNTS = 300;
const STEPS = 6000;
const STEP_SECONDS = 2 * HOUR;
/** To hours whose places those of before the jump still have. */
const JUMP = (HOURS_KEPT - 20) * HOUR;

test('accounts by hour follow the accounts, and are the same when filled again in any order', () => {
  const draw = drawsOf(seed);
  const counted = new AccountsByHour();
  const last = new Map<number, number>();
  let [now, left, checks] = [START, 0, 0];
  for (let step = 0; step < STEPS; step++) {
    // Mostly within the hour; once in a while long after.
    now += draw(10) === 0 ? draw(STEP_SECONDS) + (draw(60) === 0 ? JUMP : 0) : draw(60);
    const account = 1 + draw(ACCOUNTS);
    counted.moved(last.get(account) ?? 0, now);
    last.set(account, now);
    if (step % 50 !== 0) continue;
    const newest = Math.floor(now / HOUR);
    const again = new AccountsByHour();
    again.moved(0, START);
    again.clear();
    for (const time of shuffled([...last.values()], draw)) again.moved(0, time);
    for (const hours of [1, 2, 24, 168, HOURS_KEPT]) {
      const first = newest - hours + 1;
      const expected = [...last.values()].filter((time) => time >= first * HOUR).length;
      expect(counted.since(first), `${hours} hours, step ${step}`).toBe(expected);
      expect(again.since(first), `${hours} hours filled again, step ${step}`).toBe(expected);
      if (hours === HOURS_KEPT && expected < last.size) left++;
      checks++;
    }
  }
  expect(checks).toBeGreaterThan(500);
  expect(left).toBeGreaterThan(10);
});

function shuffled(times: number[], draw: (below: number) => number): number[] {
  for (let i = times.length - 1; i > 0; i--) {
    const other = draw(i + 1);
    [times[i], times[other]] = [times[other]!, times[i]!];
  }
  return times;
}
