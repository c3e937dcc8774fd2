/** The history of holders: its last point, of now, is what would be stored, to the last digit. */

import { describe, expect, test } from 'bun:test';
import type { Engine } from '../../engine/engine.ts';
import { unpackHolders } from '../../engine/market/holders-history.ts';
import { HOUR, unixMs } from '../../engine/ripple-time.ts';
import { corpusDir } from '../../support/corpus.ts';
import { Views } from '../../views/views.ts';
import { sampleOf } from '../engine/state/recorded.ts';
import { runWorld } from './world.ts';

const shown = (share: number) => Math.round(share * 1e4) / 1e4;

/** Applies a ledger without transactions, at the beginning of the next hour: the history is written. */
async function nextHour(engine: Engine): Promise<number> {
  const { index, closeTime } = engine.head!;
  const time = Math.floor(closeTime / HOUR) * HOUR + HOUR;
  const { packed, changes } = sampleOf('next hour', index + 1, time, []);
  await engine.applyLedger({ packed, changes: changes.words }, false);
  await engine.drain();
  return time;
}

describe.skipIf(!corpusDir)('the graph of holders', () => {
  test('ends with the point that is stored next', async () => {
    const engine = await runWorld();
    const views = new Views(engine);
    const tokens = Array.from({ length: engine.state.tokens.count - 1 }, (_, i) => i + 1);
    const before = tokens.map((token) => views.holders.graph(token, '1D').at(-1)!);
    const time = await nextHour(engine);
    let uneven = 0;
    for (const token of tokens) {
      const stored: ReturnType<typeof unpackHolders>[] = [];
      engine.store.records('holders', [token], { from: time }, (_time, record) => {
        stored.push(unpackHolders(record));
        return true;
      });
      if (stored.length === 0) continue;
      const { length, holders, top10, top20, top50, top100, active24H } = stored[0]!;
      const point = {
        length,
        holders,
        top10: shown(top10),
        top20: shown(top20),
        top50: shown(top50),
        top100: shown(top100),
        active24H,
      };
      if (top10 !== point.top10) uneven++;
      expect([token, before[token - 1]]).toEqual([token, { ...point, time: before[token - 1]!.time! }]);
      const graph = views.holders.graph(token, '1D');
      // The stored point is of this very time: it is shown once.
      expect([token, graph.length, graph.at(-1)]).toEqual([token, 1, { ...point, time: unixMs(time) }]);
      expect(views.holders.info(token)).toEqual({ ...point, time: unixMs(time) });
    }
    expect(uneven).toBeGreaterThan(2);
  });
});
