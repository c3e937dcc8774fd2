/** The kernels against published values and the definitions written out. */
import { describe, expect, test } from 'bun:test';
import { gini } from '../../../engine/metrics/gini.ts';
import { hhi } from '../../../engine/metrics/hhi.ts';
import { rsi } from '../../../engine/metrics/rsi.ts';

describe('gini', () => {
  test('equal holders 0, one of n holds nearly all: towards 1 - 1/n', () => {
    expect(gini(Float64Array.of(5, 5, 5, 5))).toBeCloseTo(0, 12);
    expect(gini(Float64Array.of(1, 1e-9, 1e-9, 1e-9))).toBeCloseTo(0.75, 6);
    expect(gini(Float64Array.of(4, 3, 2, 1))).toBeCloseTo(0.25, 12);
    expect(gini(Float64Array.of())).toBeUndefined();
  });

  test('is never below 0, whatever the rounding of equal balances gives', () => {
    for (const balance of [0.1, 1234.567, 1e-7 / 3])
      for (let n = 1; n < 400; n++) {
        const value = gini(new Float64Array(n).fill(balance))!;
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeCloseTo(0, 12);
      }
  });

  test('half the relative mean absolute difference', () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
    console.log(`gini seed ${seed}`);
    const x = Array.from({ length: 60 }, (_, i) => Math.abs(Math.sin(seed + i * 7.31)) + 0.001);
    const mean = x.reduce((a, b) => a + b) / x.length;
    let difference = 0;
    for (const a of x) for (const b of x) difference += Math.abs(a - b);
    expect(gini(Float64Array.from(x).sort().reverse())!).toBeCloseTo(
      difference / (2 * x.length ** 2 * mean),
      10,
    );
  });
});

describe('hhi', () => {
  test('the example of the Department of Justice: shares of 30, 30, 20 and 20 percent give 2600', () => {
    expect(hhi(Float64Array.of(30, 30, 20, 20))).toBeCloseTo(2600, 9);
    expect(hhi(Float64Array.of(0.3, 0.3, 0.2, 0.2))).toBeCloseTo(2600, 9);
    expect(hhi(Float64Array.of(7))).toBe(10000);
    expect(hhi(Float64Array.of())).toBeUndefined();
  });
});

describe('rsi', () => {
  // The worked example of StockCharts ChartSchool, 14 periods (published to two decimals).
  const closes = [
    44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
    46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439, 46.2122, 46.2521, 45.7137,
    46.4515, 45.7835, 45.3548, 44.0288, 44.1783, 44.2181, 44.5672, 43.4205, 42.6628, 43.1314,
  ];
  const published = [
    70.53, 66.32, 66.55, 69.41, 66.36, 57.97, 62.93, 63.26, 56.06, 62.38, 54.71, 50.42, 39.99, 41.46, 41.87,
    45.46, 37.3, 33.08, 37.77,
  ];
  test('published example', () => {
    for (const [i, value] of published.entries()) expect(rsi(closes.slice(0, 15 + i))!).toBeCloseTo(value, 1);
  });

  // Of `trading-signals` 8.3.0 (npm), RSI of 14 with Wilder's smoothing, of the series that the test makes.
  const ofLibrary = [
    63.123189311, 49.846135658, 55.647522286, 49.114644021, 55.801400937, 28.942080716, 55.795231241,
    49.757538285, 54.909965694, 42.41860436, 51.665828292, 51.041871085, 38.541689597, 30.508584138,
    59.343963932, 50.855809299,
  ];
  test('a published library', () => {
    let state = 20_261_123;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    for (const [n, value] of ofLibrary.entries()) {
      let price = 1;
      const prices = Array.from({ length: 15 + n * 20 }, () => (price *= 0.95 + 0.1 * random()));
      expect(rsi(prices)!).toBeCloseTo(value, 8);
    }
  });

  test('ends of the scale', () => {
    expect(rsi([1, 2, 3], 2)).toBe(100);
    expect(rsi([3, 2, 1], 2)).toBe(0);
    expect(rsi([1, 1, 1], 2)).toBe(50);
    expect(rsi([1, 2], 2)).toBeUndefined();
  });
});
