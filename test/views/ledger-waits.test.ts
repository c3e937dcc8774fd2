import { describe, expect, test } from 'bun:test';
import { LedgerWaits } from '../../views/ledger-waits.ts';

describe('waiting for a ledger', () => {
  test('ends with that ledger or a later one, not with an earlier one', async () => {
    const waits = new LedgerWaits(10);
    const ended: number[] = [];
    for (const index of [5, 6, 9])
      void waits.until(index, 60_000)!.then((isReached) => isReached && ended.push(index));
    await waits.applied(4);
    expect(ended).toEqual([]);
    await waits.applied(6);
    await Promise.resolve();
    expect(ended).toEqual([5, 6]);
    await waits.applied(20);
    await Promise.resolve();
    expect(ended).toEqual([5, 6, 9]);
  });

  test('ends without it when the time is over', async () => {
    expect(await new LedgerWaits(10).until(5, 1)).toBe(false);
  });

  test('is refused to more than the limit, until others have ended', async () => {
    const waits = new LedgerWaits(2);
    const [first, second] = [waits.until(5, 60_000), waits.until(6, 60_000)];
    expect(waits.until(5, 60_000)).toBeUndefined();
    await waits.applied(5);
    expect(await first).toBe(true);
    const third = waits.until(7, 60_000);
    expect(third).toBeDefined();
    await waits.applied(7);
    expect(await Promise.all([second, third])).toEqual([true, true]);
  });
});
