/** Worker thread: see page-merger.ts. */
import { readFileSync } from 'node:fs';
import { mergingPages } from '../engine/state/huge-pages.ts';

/** How much longer it leaves the core to others than it works, and the most, ms: a stop may wait for it. */
const IDLE = 19;
const IDLE_MAX_MS = 200;

merge();

function merge(): void {
  let began = performance.now();
  for (const _ of mergingPages(readFileSync('/proc/self/smaps', 'utf8'))) {
    Bun.sleepSync(Math.min(IDLE_MAX_MS, IDLE * (performance.now() - began)));
    began = performance.now();
  }
}
