/**
 * The service as it is, in a process that can be asked what it costs and how long its loop stood still. Arguments: the
 * service's own options. Lines in: `stall` (and measure anew), `cpu`, `followed`. Lines out: `url <url>`,
 * `stall <ms> <ms>` (longest; longest after taking off what the main thread waited for a core),
 * `cpu <user us> <system us>`, `followed <ledger> <ms>` (once the source is at its end, ms since the start).
 */
import { createInterface } from 'node:readline';
import { readOptions } from '../../service/options.ts';
import { startService } from '../../service/service.ts';
import { StallMeter, waitedForCore } from '../stall-meter.ts';

// Warnings are of a network that stands still between loads.
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const onFault = (fault: unknown): never => {
  console.error(fault);
  process.exit(1);
};

const started = performance.now();
const service = await startService({ options: readOptions(process.argv.slice(2), {}), log, onFault });
// It listens and has not yet applied a ledger.
const meter = new StallMeter(waitedForCore);
console.log(`url ${service.url}`);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stall') {
    console.log(`stall ${meter.longest} ${meter.longestOwn}`);
    meter.reset();
  } else if (line === 'cpu') {
    const { user, system } = process.cpuUsage();
    console.log(`cpu ${user} ${system}`);
  } else if (line === 'followed') {
    await service.followed;
    console.log(`followed ${service.engine.head?.index} ${performance.now() - started}`);
  }
}
