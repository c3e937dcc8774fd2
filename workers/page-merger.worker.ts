/** Worker thread: see page-merger.ts. */
import { readFileSync } from 'node:fs';
import { mergingPages } from '../engine/state/huge-pages.ts';

merge();

/** Half of the time the core is left to others. */
function merge(): void {
  let began = performance.now();
  for (const _ of mergingPages(readFileSync('/proc/self/smaps', 'utf8'))) {
    Bun.sleepSync(performance.now() - began);
    began = performance.now();
  }
}
