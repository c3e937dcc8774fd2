/** Which endpoints are asked for the state of a snapshot, and when, after false ones. */
import { expect, test } from 'bun:test';
import { StateSenders } from '../../../engine/ledger/state-senders.ts';

/** Each of the endpoints sends a false snapshot. */
function allFalse(senders: StateSenders, names: readonly string[], now: number): void {
  for (const name of names) {
    senders.check(name, false);
    senders.add(name, false);
    expect(senders.refuse(names, now)).toEqual([name]);
  }
}

/** ms until the endpoints are asked again. */
function pauseAfter(senders: StateSenders, now: number): number {
  for (let waited = 0; ; waited += 1000) {
    try {
      senders.checkPause(now + waited);
      return waited;
    } catch (fault) {
      expect(String(fault)).toContain('every node that is named sent false state');
    }
  }
}

test('a false snapshot of one endpoint delays no other', () => {
  const senders = new StateSenders();
  senders.add('a', false);
  senders.refuse(['a', 'b'], 0);
  senders.checkPause(0);
  senders.check('b', false);
  expect(() => senders.check('a', false)).toThrow('a sent false state before');
});

test('where every endpoint has sent a false one, all are asked again after a pause that doubles up to ten minutes', () => {
  const senders = new StateSenders();
  const pauses: number[] = [];
  for (let now = 0, i = 0; i < 12; i++) {
    allFalse(senders, ['a', 'b'], now);
    const pause = pauseAfter(senders, now);
    pauses.push(pause / 1000);
    now += pause;
  }
  expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]);
});
