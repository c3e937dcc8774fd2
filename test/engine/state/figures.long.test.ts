import { expect, test } from 'bun:test';
import { measureState } from '../../../bench/state.ts';

// Budget: 64 bytes for a hot trust line, its index and list membership included. The 3 s that a restart may
// take are measured by the benchmark (restart.ready), on a machine that does nothing else.
test('a million trust lines', () => {
  const figures = measureState(1_000_000);
  console.log(
    `${figures.lines} lines: ${figures.lineBytes.toFixed(1)} bytes each; restore ` +
      `${figures.loadMilliseconds.toFixed(0)} ms loading + ${figures.rebuildMilliseconds.toFixed(0)} ms rebuilding`,
  );
  expect(figures.lines).toBeGreaterThan(950_000);
  expect(figures.lineBytes).toBeLessThan(64);
});

test('index growth never takes a line above its budget', () => {
  for (const lines of [120_000, 200_000]) expect(measureState(lines).lineBytes).toBeLessThan(64);
});
