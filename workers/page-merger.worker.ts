/** Worker thread: see page-merger.ts. */
import { readFileSync } from 'node:fs';
import { mergingPages } from '../engine/state/huge-pages.ts';

/** How much longer it leaves the core to others than it works. */
const IDLE = 19;

merge();

function merge(): void {
  let began = performance.now();
  for (const _ of mergingPages(readFileSync('/proc/self/smaps', 'utf8'))) {
    Bun.sleepSync(IDLE * (performance.now() - began));
    began = performance.now();
  }
}
