/** Views of 24 hours against a recount of every view, and what is left after a restart. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlatformStore } from '../../data/platform-store.ts';
import { VIEW_COLLECTIONS, ViewCounts } from '../../platform/view-counts.ts';

const HOUR = 3600;
const START = 830_044_800;
const seed = Number(process.env.SEED ?? 20_261_123);

const md5 = (n: number) => new Bun.CryptoHasher('md5').update(String(n)).digest('hex');

describe('views of tokens', () => {
  test('are those of a recount: one for each client, token and hour, for 24 hours', () => {
    console.log(`view-counts: SEED=${seed}`);
    const counts = new ViewCounts();
    const views: { token: string; client: string; hour: number }[] = [];
    const random = randomOf(seed);
    const shown = new Map<string, number>();
    let now = START;
    for (let ledger = 0; ledger < 400; ledger++) {
      // Most ledgers follow at once; some after hours, one in a while after days.
      now += random(20) === 0 ? HOUR * random(random(9) === 0 ? 40 : 3) : random(600);
      for (const token of counts.publish(now)) shown.set(token, counts.of(token));
      const hour = Math.floor(now / HOUR);
      const expected = new Map<string, Set<string>>();
      for (const view of views) {
        if (view.hour <= hour - 24) continue;
        const all = expected.get(view.token) ?? new Set();
        expected.set(view.token, all.add(`${view.client} ${view.hour}`));
      }
      // Two pairs that share a bit count as one: of some hundred pairs an hour hardly ever two.
      for (let n = 0; n < 12; n++) {
        const all = expected.get(md5(n))?.size ?? 0;
        expect(all - counts.of(md5(n))).toBeLessThanOrEqual(1);
        expect(all - counts.of(md5(n))).toBeGreaterThanOrEqual(0);
        // What was reported as changed is all that changed.
        expect(shown.get(md5(n)) ?? 0).toBe(counts.of(md5(n)));
      }
      for (let i = random(12); i > 0; i--) {
        const view = { token: md5(random(12)), client: `client ${random(8)}`, hour };
        counts.view(view.token, view.client, now);
        views.push(view);
      }
    }
    expect(Math.max(...shown.values())).toBeGreaterThan(1);
    counts.view(md5(0), 'the last', now);
    counts.publish(now);
    expect(counts.publish(now + 48 * HOUR)).toContain(md5(0));
    for (let n = 0; n < 12; n++) expect(counts.of(md5(n))).toBe(0);
  });

  test('change with ledgers only', () => {
    const counts = new ViewCounts();
    counts.publish(START);
    counts.view(md5(1), 'client', START);
    expect(counts.of(md5(1))).toBe(0);
    expect(counts.publish(START + 4)).toEqual([md5(1)]);
    expect([counts.of(md5(1)), counts.publish(START + 8)]).toEqual([1, []]);
  });

  test('are counted of a bounded number of tokens, and of others when these have had none for a day', () => {
    const counts = new ViewCounts();
    counts.publish(START);
    for (let n = 0; n < 20_500; n++) counts.view(md5(n), '', START);
    const known = counts.publish(START + 4);
    expect(known.length).toBeLessThanOrEqual(20_000);
    expect(known.length).toBeGreaterThan(19_500);
    counts.view('one more', '', START);
    expect(counts.publish(START + 8)).toEqual([]);
    expect(counts.publish(START + 25 * HOUR)).toHaveLength(known.length);
    counts.view('one more', '', START + 25 * HOUR);
    expect(counts.publish(START + 25 * HOUR + 4)).toEqual(['one more']);
  });

  test('stay after a restart for as long as they count', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'millrace-views-'));
    const open = () => openPlatformStore({ dir, network: 0, collections: VIEW_COLLECTIONS });
    let platform = await open();
    const first = new ViewCounts();
    first.attach(platform, START);
    for (let hour = 0; hour < 3; hour++) {
      for (let client = 0; client <= hour; client++)
        first.view(md5(1), `client ${client}`, START + hour * HOUR);
    }
    first.view(md5(2), 'client', START + 2 * HOUR);
    await first.save();
    await platform.close();
    platform = await open();
    const second = new ViewCounts();
    second.attach(platform, START + 2 * HOUR);
    // At once: the next ledger may be long in coming.
    expect([second.of(md5(1)), second.of(md5(2))]).toEqual([6, 1]);
    expect(second.publish(START + 2 * HOUR)).toEqual([]);
    expect([second.of(md5(1)), second.of(md5(2))]).toEqual([6, 1]);
    second.publish(START + 25 * HOUR);
    expect([second.of(md5(1)), second.of(md5(2))]).toEqual([3, 1]);
    second.view(md5(3), 'client', START + 60 * HOUR);
    await second.save();
    const rows: unknown[] = [];
    platform.walk(VIEW_COLLECTIONS[0]!, {}, (row) => void rows.push(row));
    expect(rows).toEqual([{ [md5(3)]: 1 }]);
    await platform.close();
    rmSync(dir, { recursive: true, force: true });
  });
});

/** xorshift32 */
function randomOf(start: number): (below: number) => number {
  let state = start | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
