import { expect, test } from 'bun:test';
import { coreTimeOf, StolenTime } from '../../bench/stolen-time.ts';

const stat = (idle: number, stolen: number): string =>
  `cpu  100 20 30 ${idle} 5 0 5 ${stolen} 7 0\ncpu0 50 10 15 400 2 0 3 20 4 0\nintr 12345\nctxt 99\n`;

test('the share of all cores that others took between two moments', () => {
  expect(coreTimeOf(stat(800, 40))).toEqual({ all: 1000, stolen: 40 });
  let text = stat(800, 40);
  const stolen = new StolenTime(() => text);
  expect(stolen.share).toBeUndefined();
  text = stat(980, 60);
  expect(stolen.share).toBe(0.1);
});

test('is not known where the system does not say', () => {
  for (const text of ['', 'cpu  1 2 3\n', 'cpu  a b c d e f g h\n', 'cpu0 1 2 3 4 5 6 7 8\n'])
    expect(coreTimeOf(text), text).toBeUndefined();
  const absent = new StolenTime(() => {
    throw new Error('ENOENT');
  });
  expect(absent.share).toBeUndefined();
});
