/** A page of history read in slices is the page read at once. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { recordedRun } from '../ledgers.ts';
import { applyAll, newEngine, runWorld } from './world.ts';

const seed = Number(process.env.SEED ?? 20_260_121);

describe('history in slices', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await runWorld();
  });

  test(`is the same for any query (seed ${seed})`, async () => {
    const { history } = engine.market;
    const all = history.page({ limit: 1000, type: 'all' });
    expect(all.count).toBeGreaterThan(20);
    const query = fc.record(
      {
        token: fc.nat(12),
        account: fc.nat(60),
        offset: fc.nat(30),
        cursor: fc.constantFrom(all.nextCursor ?? 0, 2 ** 43, 2 ** 44, Number.MAX_SAFE_INTEGER),
        type: fc.constantFrom('trades' as const, 'liquidity' as const, 'all' as const),
        direction: fc.constantFrom('asc' as const, 'desc' as const),
        xrpAmount: fc.constantFrom(0, 1, 100, 1e9),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (asked, limit, slice) => {
          const whole = history.page({ ...asked, limit });
          expect(await history.pageInSlices({ ...asked, limit }, yieldToLoop, slice)).toEqual(whole);
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  test('misses nothing that becomes durable while it is read', async () => {
    const run = recordedRun();
    const live = newEngine();
    await applyAll(live, run.slice(0, 12));
    let left = run.slice(12);
    const query = { limit: 1000, type: 'all', direction: 'asc' } as const;
    const page = await live.market.history.pageInSlices(
      query,
      async () => {
        await applyAll(live, left.slice(0, 3));
        left = left.slice(3);
      },
      2,
    );
    while (left.length > 0) {
      await applyAll(live, left.slice(0, 3));
      left = left.slice(3);
    }
    const ids = (records: Uint8Array) => Buffer.from(records).toString('hex');
    expect(ids(page.records)).toBe(ids(engine.market.history.page(query).records));
  });
});
