/** Jobs: what goes on after an answer, bounded, cancellable, its caller's alone, forgotten in the end. */
import { describe, expect, setSystemTime, test } from 'bun:test';
import { Jobs, KEPT_MS } from '../../../api/mcp/jobs.ts';
import { ApiError } from '../../../requests/errors.ts';
import type { Identity } from '../../../requests/identity.ts';

const caller = (ip: string): Identity => ({ kind: 'anonymous', ip });
const withKey = (id: string): Identity => ({ kind: 'key', ip: '192.0.2.1', key: { id, wallet: '' } });
const forever = () => new Promise<never>(() => undefined);

describe('a job', () => {
  test('is running, then done with its answer, then forgotten', async () => {
    let now = 1000;
    const jobs = new Jobs(() => now);
    const { promise, resolve } = Promise.withResolvers<{ rows: number }>();
    const id = jobs.start(caller('192.0.2.1'), 'get_payment_flows', () => promise);
    expect(jobs.of(caller('192.0.2.1'), id)).toMatchObject({ state: 'running', tool: 'get_payment_flows' });
    now += 2000;
    resolve({ rows: 3 });
    await promise;
    await Promise.resolve();
    expect(jobs.of(caller('192.0.2.1'), id)).toEqual({
      job: id,
      tool: 'get_payment_flows',
      state: 'done',
      seconds: 2,
      answer: { rows: 3 },
    });
    now += KEPT_MS;
    expect(() => jobs.of(caller('192.0.2.1'), id)).toThrow('no such job');
  });

  test('lasts as long as it does, whatever the clock is set to meanwhile', () => {
    const jobs = new Jobs();
    const id = jobs.start(caller('x'), 'x', forever);
    try {
      for (const jump of [-3_600_000, 3_600_000]) {
        setSystemTime(new Date(Date.now() + jump));
        const seconds = Number(jobs.of(caller('x'), id).seconds);
        expect({ jump, isNow: seconds >= 0 && seconds < 60 }).toEqual({ jump, isNow: true });
        setSystemTime();
      }
    } finally {
      setSystemTime();
    }
  });

  test('is known to nobody else', () => {
    const jobs = new Jobs();
    const id = jobs.start(withKey('a'), 'x', forever);
    for (const other of [withKey('b'), caller('192.0.2.1'), { ...withKey('a'), key: undefined }]) {
      expect(() => jobs.of(other, id)).toThrow('no such job');
      expect(() => jobs.cancel(other, id)).toThrow('no such job');
    }
    expect(jobs.of({ ...withKey('a'), ip: '192.0.2.9' }, id).state).toBe('running');
  });

  test('ends at the next check once it is cancelled, and keeps no answer', async () => {
    const jobs = new Jobs();
    const { promise, resolve } = Promise.withResolvers<void>();
    let steps = 0;
    const id = jobs.start(caller('x'), 'x', async (check) => {
      await promise;
      check();
      steps++;
      return {};
    });
    jobs.cancel(caller('x'), id);
    resolve();
    await promise;
    await Promise.resolve();
    expect([steps, jobs.of(caller('x'), id).state]).toEqual([0, 'cancelled']);
    expect(jobs.of(caller('x'), id)).not.toHaveProperty('error');
  });

  test('that fails says why, without details of faults', async () => {
    const jobs = new Jobs();
    const id = jobs.start(caller('x'), 'x', async () => {
      throw new Error('secret');
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(jobs.of(caller('x'), id)).toMatchObject({ state: 'failed', error: 'Internal server error' });
  });

  test('that fails is reported once, and one that was cancelled is not', async () => {
    const jobs = new Jobs();
    const reported: unknown[] = [];
    const publicly = (error: unknown) => {
      reported.push(error);
      return new ApiError('internal', 'Internal server error');
    };
    const fault = new Error('secret');
    const { promise, reject } = Promise.withResolvers<never>();
    const [failed, cancelled] = ['a', 'b'].map((ip) => jobs.start(caller(ip), 'x', () => promise, publicly));
    jobs.cancel(caller('b'), cancelled!);
    reject(fault);
    await promise.catch(() => undefined);
    await Promise.resolve();
    expect(jobs.of(caller('a'), failed!)).toMatchObject({ state: 'failed', error: 'Internal server error' });
    expect(reported).toEqual([fault]);
  });

  test('that has ended makes room for another: nobody can keep others from starting any', async () => {
    let now = 0;
    const jobs = new Jobs(() => now);
    const ended = async (ip: string) => {
      const id = jobs.start(caller(ip), 'x', async () => ({}));
      await Promise.resolve();
      await Promise.resolve();
      now++;
      return id;
    };
    const isKept = (ip: string, id: string) => {
      try {
        return jobs.of(caller(ip), id).state === 'done';
      } catch {
        return false;
      }
    };
    const own: string[] = [];
    for (let n = 0; n < 250; n++) own.push(await ended('x'));
    expect(own.map((id) => isKept('x', id)).lastIndexOf(false)).toBe(250 - 21);
    // And many together take no more than there is.
    for (let n = 0; n < 250; n++) await ended(`y${n % 50}`);
    const last = await ended('z');
    expect(isKept('z', last)).toBe(true);
  });

  test('is refused where the caller has three, and there are as many as are kept', () => {
    const jobs = new Jobs();
    for (let n = 0; n < 3; n++) jobs.start(caller('x'), 'x', forever);
    expect(() => jobs.start(caller('x'), 'x', forever)).toThrow('Too many jobs');
    for (let n = 3; n < 200; n++) jobs.start(caller(`y${Math.floor(n / 3)}`), 'x', forever);
    expect(() => jobs.start(caller('z'), 'x', forever)).toThrow('Too many jobs');
  });
});
