import { describe, expect, test } from 'bun:test';
import { LIMITS } from '../../../engine/ledger/limits.ts';
import { ResponseTime } from '../../../engine/ledger/response-time.ts';

const { requestTimeout, requestTimeoutMost } = LIMITS;

describe('the time-out of a request', () => {
  test('is the shortest for an endpoint that answers soon', () => {
    const time = new ResponseTime(LIMITS);
    expect(time.latency).toBe(LIMITS.latencyGuess);
    for (let i = 0; i < 20; i++) time.answered(40);
    expect(time.timeout).toBe(requestTimeout);
    expect(time.latency).toBe(40);
  });

  test('leaves room for an endpoint that answers late, steadily or not, within its bounds', () => {
    for (const samples of [[5_000], [5_000, 5_100, 4_900], [3_000, 9_000, 5_000, 7_000]]) {
      const time = new ResponseTime(LIMITS);
      for (let i = 0; i < 40; i++) {
        const ms = samples[i % samples.length]!;
        if (i > 0) expect(time.timeout).toBeGreaterThanOrEqual(ms);
        time.answered(ms);
      }
      expect(time.timeout).toBeLessThanOrEqual(requestTimeoutMost);
    }
  });

  test('of RFC 6298: the first sample gives three times itself', () => {
    const time = new ResponseTime(LIMITS);
    time.answered(2_000);
    expect(time.timeout).toBe(6_000);
  });

  test('doubles where no answer comes, up to its bound, and comes back with the answers', () => {
    const time = new ResponseTime(LIMITS);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      seen.push(time.timeout);
      time.expired();
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((i) => Math.min(requestTimeoutMost, requestTimeout * 2 ** i)));
    time.answered(100);
    expect(time.timeout).toBe(requestTimeout);
  });
});
