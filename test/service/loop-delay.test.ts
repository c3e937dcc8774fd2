/** What /metrics says of the main thread's stalls. */
import { expect, test } from 'bun:test';
import { LoopDelay } from '../../service/loop-delay.ts';
import { until } from '../live-rig.ts';

test('a stall of the main thread is the longest one for this minute and the next, then it is forgotten', async () => {
  const STALL_MS = 400;
  const delay = new LoopDelay();
  try {
    const samples = () => Object.fromEntries(delay.samples().map(({ name, values }) => [name, values]));
    // It measures from its first timer on.
    await until(() => samples().main_thread_delay_seconds![0]!.value > 0, 'a first measurement');
    const end = performance.now() + STALL_MS;
    while (performance.now() < end);
    await until(() => delay.longest > (STALL_MS / 1000) * 0.9, 'the stall');
    const { longest } = delay;
    expect(samples().main_thread_stall_seconds).toEqual([{ value: longest }]);
    delay.rotate();
    expect(delay.longest).toBe(longest);
    delay.rotate();
    expect(delay.longest).toBeLessThan(longest);
  } finally {
    delay.stop();
  }
});
