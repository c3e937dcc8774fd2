/** How often the log shows that ledgers are behind. */
import { expect, test } from 'bun:test';
import type { Log } from '../../engine/log.ts';
import { catchUpLines } from '../../service/progress-lines.ts';
import { quiet } from '../live-rig.ts';

/** @param progress of each moment: ms, ledgers done, all ledgers. @returns the lines */
function linesOf(whole: boolean, progress: readonly (readonly [number, number, number])[]): unknown[] {
  const lines: unknown[] = [];
  let now = 0;
  const info: Log['info'] = (fields, message) =>
    lines.push([now, message, (fields as { done?: number }).done]);
  const line = catchUpLines({ ...quiet, info } as Log, whole, () => now);
  for (const [at, done, total] of progress) {
    now = at;
    line({ done, total, rate: 10, eta: 0.267_572 });
  }
  return lines;
}

test('a network that makes its history is behind by a few ledgers all the time, which is no line', () => {
  const progress = Array.from({ length: 600 }, (_, i) => [i * 100, i, i + (i % 10 === 0 ? 0 : 8)] as const);
  expect(linesOf(true, progress)).toEqual([]);
});

test('a delay is shown after two seconds, every two seconds, and once at its end', () => {
  const behind = Array.from({ length: 50 }, (_, i) => [i * 100, i, 50] as const);
  expect(linesOf(true, [...behind, [5000, 50, 50], [5100, 50, 50]])).toEqual([
    [2000, 'catching up', 20],
    [4000, 'catching up', 40],
    [5000, 'caught up', undefined],
  ]);
});

test('the first time it catches up is shown at once', () => {
  expect(
    linesOf(false, [
      [0, 1, 50],
      [100, 50, 50],
      [4000, 55, 60],
      [4100, 60, 60],
    ]),
  ).toEqual([
    [0, 'catching up', 1],
    [100, 'caught up: the history is complete', undefined],
  ]);
});
