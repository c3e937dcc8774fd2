/** Tools that read many pages let other work run in between. */
import { expect, test } from 'bun:test';
import { pausedCalls } from '../../../api/mcp/paused-calls.ts';
import { TimeSlice } from '../../../engine/event-loop.ts';

/** Whether anything else ran while so many pages were read, each with the same values. */
async function isShared(values: Readonly<Record<string, unknown>>): Promise<boolean> {
  let hasEnded = false;
  let isShared = false;
  setImmediate(() => {
    isShared = !hasEnded;
  });
  let read = 0;
  const now = () => read * 10;
  const call = pausedCalls(async () => ({ page: ++read }), new TimeSlice(4, now));
  for (let page = 1; page <= 5; page++) expect(await call('GET /x', values)).toEqual({ page });
  hasEnded = true;
  return isShared;
}

test('pages that a marker or a cursor continues, the first among them, are read with pauses', async () => {
  expect(await isShared({ marker: undefined })).toBe(true);
  expect(await isShared({ cursor: 'x' })).toBe(true);
});

test('other calls are not paused: pages by offset are by those who read them (pages.test.ts)', async () => {
  expect(await isShared({ offset: 100 })).toBe(false);
});
