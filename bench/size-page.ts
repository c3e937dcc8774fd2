/**
 * The longest time that one page of a snapshot holds the main thread up, while the whole state of the main network is
 * loaded. `bun bench/size-page.ts [--share=0.1]`. The time that the thread waited for a core is taken off.
 */
import { Engine } from '../engine/engine.ts';
import type { Store } from '../engine/store.ts';
import type { Figure } from './budgets.ts';
import { Entries } from './size/entries.ts';
import { SizedNetwork } from './size/network.ts';
import { SHARE } from './size/rig.ts';
import { waitedForCore } from './stall-meter.ts';

/** What nodes answer to a request without admin rights. */
const PAGE_ENTRIES = 2048;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** Loading entries does not use the store. */
const noStore = { cursor: undefined } as unknown as Store;

function run(): Figure[] {
  const engine = new Engine({ store: noStore, log: quiet });
  const entries = new Entries(new SizedNetwork(SHARE));
  const times: number[] = [];
  for (const page of entries.pages(PAGE_ENTRIES, (entry) => entry < entries.from.directories)) {
    const waited = waitedForCore();
    const started = performance.now();
    engine.loadEntries(page);
    const took = performance.now() - started;
    times.push(Math.max(0, took - (waitedForCore() - waited)));
  }
  times.sort((a, b) => b - a);
  const longest = times.slice(0, 6).map((ms) => ms.toFixed(0));
  console.log(
    `${times.length} pages of ${PAGE_ENTRIES} entries, median ${times[times.length >> 1]!.toFixed(1)} ms; longest ${longest.join(', ')} ms`,
  );
  return [{ name: 'size.page', value: times[0]! }];
}

if (import.meta.main) console.log(`figures ${JSON.stringify(run())}`);
