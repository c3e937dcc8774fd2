/**
 * The unmodified service, in a process that reports its CPU time and how long its event loop was blocked. Arguments: the
 * options of the service. Lines in: `stall` (also resets the meter), `cpu`, `followed`. Lines out: `url <url>`,
 * `stall <ms> <ms>` (longest; longest without the time the main thread waited for a core),
 * `cpu <user us> <system us>`, `followed <ledger> <ms>` (once the source is at its end, ms since the start).
 */
import { createInterface } from 'node:readline';
import { readOptions } from '../../service/options.ts';
import { networksOf, startService } from '../../service/service.ts';
import { StallMeter, waitedForCore } from '../stall-meter.ts';

// Warnings are about the network, which closes no ledgers between loads.
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const onFault = (fault: unknown): never => {
  console.error(fault);
  process.exit(1);
};

const started = performance.now();
const options = readOptions(process.argv.slice(2), {});
const service = await startService({ options, networks: networksOf(options), log, onFault });
// It listens but has not applied a ledger yet.
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
