/**
 * What a newcomer waits for: `npm start` on an empty folder. From starting the program to rows with trades in
 * `/tokens`, and to seven days of history made by the embedded network, followed by the engine and served. While it
 * waits it asks twice a second, as a page would.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { type ServiceChild, startService } from './service-child.ts';

const LIMIT_S = 400;
const ASK_MS = 500;
/** History is over when the newest ledger is no further behind the clock than this. */
const CAUGHT_UP_MS = 90_000;

interface Rows {
  readonly total: number;
  readonly tokens: readonly { readonly vol24h?: string | number; readonly txns24h?: string | number }[];
}

async function rowsWithTrades({ url }: ServiceChild): Promise<number> {
  const { tokens } = (await (await fetch(`${url}/v1/tokens?limit=100`)).json()) as Rows;
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

/** Most memory a process ever had resident, MB (Linux `VmHWM`). */
function residentMost(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!line) throw new Error('this system does not tell the memory of a process');
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
          { name: 'sandbox.memory', value: residentMost(service.pid) },
        ];
      }
      if (seconds() > LIMIT_S) throw new Error(`after ${LIMIT_S} s the history stands at ledger ${index}`);
      await Bun.sleep(ready === undefined ? ASK_MS / 10 : ASK_MS);
    }
  } finally {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
