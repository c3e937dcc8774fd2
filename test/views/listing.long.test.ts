/** Tokens whose accounts have been deleted: lists do not show them, and what remains of them is bounded. */

import { describe, expect, test } from 'bun:test';
import { WEEK } from '../../engine/ripple-time.ts';
import { KEPT_WEEKS } from '../../sandbox/population/week.ts';
import { Views } from '../../views/views.ts';
import { EPOCH, World } from '../sandbox/population/world.ts';
import { applyAll, newEngine } from './world.ts';

/** While the network is set up; then far apart, since only who stays matters. */
const SET_UP = 120;
const STRIDE = 2 * 3600;
const WEEKS = 5;

describe('four weeks and more of the embedded network', () => {
  const world = new World({ seed: 'weeks' });
  const engine = newEngine();
  const views = new Views(engine);

  test('tokens of weeks whose agents have left are in no list, and have pages', async () => {
    const { network } = world;
    for (let i = 0; network.closed.closeTime < EPOCH + WEEKS * WEEK; i++)
      await applyAll(engine, [world.step(i < SET_UP ? 60 : STRIDE).packed()]);
    const { state } = engine;
    const all = Array.from({ length: state.tokens.count - 1 }, (_, i) => i + 1);
    const { ids, total } = views.tokens.list({ sort: 'dateon', ascending: false, offset: 0, limit: 1e6 });
    expect([ids.length, views.tokens.total]).toEqual([total, total]);
    const bornIn = (token: number) => Math.floor((state.tokens.createdAt(token) - EPOCH) / WEEK);
    // Week 0 brings those that stay; of the others, agents leave KEPT_WEEKS after their week began.
    const old = all.filter((token) => bornIn(token) > 0 && bornIn(token) < WEEKS - KEPT_WEEKS);
    const empty = old.filter((token) => state.lines.supply(token).m === 0n);
    expect(empty.length).toBeGreaterThan(0);
    expect(empty.filter((token) => ids.includes(token)).map((token) => state.tokens.name(token))).toEqual([]);
    for (const token of empty) expect(views.tokens.resolve(views.tokens.md5(token))).toBe(token);
    // LP tokens of pools that were emptied, and destroyed MPTs, whenever they were born.
    for (const token of ids) {
      const pool = state.tokens.poolOf(token);
      if (pool !== undefined) expect(state.pools.exists(pool)).toBe(true);
      if (state.tokens.kind(token) === 2) expect(state.tokens.issuanceState[token]).toBe(1);
    }
  }, 300_000);
});
