import { describe, expect, test } from 'bun:test';
import { LIMITS } from '../../../engine/ledger/limits.ts';
import { ResponseTime } from '../../../engine/ledger/response-time.ts';

const { requestTimeout, requestTimeoutMax } = LIMITS;

describe('the time-out of a request', () => {
  test('is the minimum for an endpoint that answers quickly', () => {
    const time = new ResponseTime(LIMITS);
    expect(time.latency).toBe(LIMITS.latencyGuess);
    for (let i = 0; i < 20; i++) time.answered(40);
    expect(time.timeout).toBe(requestTimeout);
    expect(time.latency).toBe(40);
  });

  test('is long enough for an endpoint that answers slowly, regularly or not, within its bounds', () => {
    for (const samples of [[5_000], [5_000, 5_100, 4_900], [3_000, 9_000, 5_000, 7_000]]) {
      const time = new ResponseTime(LIMITS);
      for (let i = 0; i < 40; i++) {
        const ms = samples[i % samples.length]!;
        if (i > 0) expect(time.timeout).toBeGreaterThanOrEqual(ms);
        time.answered(ms);
      }
      expect(time.timeout).toBeLessThanOrEqual(requestTimeoutMax);
    }
  });

  test('follows RFC 6298: three times the first sample', () => {
    const time = new ResponseTime(LIMITS);
    time.answered(2_000);
    expect(time.timeout).toBe(6_000);
  });

  test('doubles while no answer comes, up to its bound, and shrinks again with answers', () => {
    const time = new ResponseTime(LIMITS);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      seen.push(time.timeout);
      time.expired();
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((i) => Math.min(requestTimeoutMax, requestTimeout * 2 ** i)));
    time.answered(100);
    expect(time.timeout).toBe(requestTimeout);
  });
});
