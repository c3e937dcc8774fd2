/** Row images that a restart replays are read in steps, whatever the number of batches and the size of one. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../data/store.ts';

const TABLE = 3;
const BATCHES = 50;
const ROWS = 40;
/** More than a MiB of images, which is a part of the log. */
const LARGE_BATCH_ROWS = 40_000;

const base = mkdtempSync(join(tmpdir(), 'millrace-row-steps-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Image of a row as a batch left it. */
function image(batch: number, row: number): Uint8Array {
  const bytes = new Uint8Array(48);
  new DataView(bytes.buffer).setUint32(4, batch);
  new DataView(bytes.buffer).setUint32(8, row);
  return bytes;
}

test('many batches, and one of several parts: the newest image of each row, in many steps', async () => {
  const store = await openStore({ dir: base, network: 'test' });
  const expected = new Map<number, number>();
  for (let number = 1; number <= BATCHES; number++) {
    const batch = store.batch();
    const rows = number === 20 ? LARGE_BATCH_ROWS : ROWS;
    for (let i = 0; i < rows; i++) {
      const row = (number * 17 + i) % LARGE_BATCH_ROWS;
      batch.row(TABLE, row, image(number, row));
      expected.set(row, number);
    }
    await store.commit(batch, { index: number, hash: new Uint8Array(32), closeTime: number });
  }
  const seen = new Map<number, number>();
  const perStep: number[] = [];
  let inStep = 0;
  const steps = store.rows((table, row, bytes) => {
    expect(table).toBe(TABLE);
    expect(seen.has(row)).toBe(false);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(view.getUint32(8)).toBe(row);
    seen.set(row, view.getUint32(4));
    inStep++;
  });
  for (const _ of steps) {
    perStep.push(inStep);
    inStep = 0;
  }
  expect([...seen].sort(([a], [b]) => a - b)).toEqual([...expected].sort(([a], [b]) => a - b));
  expect(perStep.length).toBeGreaterThan(BATCHES / 16);
  expect(Math.max(...perStep)).toBeLessThan(LARGE_BATCH_ROWS * 0.8);
  await store.close();
});
