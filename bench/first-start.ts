/**
 * The first `npm start` on an empty folder: time from the start of the program to rows with trades in `/tokens`, and to
 * seven days of history that the embedded network made and the engine followed and serves. Meanwhile the suite sends two
 * requests per second, as a page would.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { type ServiceChild, startService } from './service-child.ts';

const LIMIT_S = 400;
const ASK_MS = 500;
/** The history is complete when the newest ledger is at most this far behind the clock. */
const CAUGHT_UP_MS = 90_000;

interface Rows {
  readonly total: number;
  readonly tokens: readonly { readonly vol24h?: string | number; readonly txns24h?: string | number }[];
}

async function rowsWithTrades({ url }: ServiceChild): Promise<number> {
  const response = await fetch(`${url}/v1/tokens?limit=100`);
  // It listens before its store is open.
  if (!response.ok) return 0;
  const { tokens } = (await response.json()) as Rows;
  return tokens.filter(({ vol24h }) => Number(vol24h) > 0).length;
}

/** Close time of the newest ledger the engine serves, Unix ms. */
async function newest({ url }: ServiceChild): Promise<{ closed: number; index: number }> {
  const response = await fetch(`${url}/v1/ledger`);
  if (!response.ok) return { closed: 0, index: 0 };
  const { close_time, ledger_index } = (await response.json()) as {
    close_time: number;
    ledger_index: number;
  };
  return { closed: close_time, index: ledger_index };
}

/** Peak resident memory of a process, MB (Linux `VmHWM`). */
function peakResident(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!line) throw new Error('this system does not report the memory of a process');
  return Number(line[1]) / 1024;
}

async function run(): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-first-'));
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const service = await startService([`--data=${dir}`, '--sandbox-port=0']);
  try {
    let ready: number | undefined;
    for (;;) {
      if (ready === undefined && (await rowsWithTrades(service)) > 0) ready = seconds();
      const { closed, index } = await newest(service);
      if (ready !== undefined && Date.now() - closed < CAUGHT_UP_MS) {
        console.log(`rows after ${ready.toFixed(2)} s, ${index} ledgers after ${seconds().toFixed(1)} s`);
        return [
          { name: 'sandbox.ready', value: ready },
          { name: 'sandbox.history', value: seconds() },
          { name: 'sandbox.memory', value: peakResident(service.pid) },
        ];
      }
      if (seconds() > LIMIT_S) throw new Error(`after ${LIMIT_S} s the history is at ledger ${index}`);
      await Bun.sleep(ready === undefined ? ASK_MS / 10 : ASK_MS);
    }
  } finally {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
