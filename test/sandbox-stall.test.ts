/** The embedded network lives in a thread of its own: it never blocks the event loop of the service. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Child } from '../bench/child.ts';
import { StallMeter } from '../bench/stall-meter.ts';
import { eventually } from './sandbox-program.ts';

const SERVICE = resolve(import.meta.dir, '..', 'bench', 'peers', 'service.ts');
const SECONDS = 3;
/**
 * The longest stall of the event loop that is allowed, ms, not counting the time its thread waited for a core. Threads
 * that work for it (the garbage collector) wait for cores as well: the stall of an idle loop in the same time is added.
 */
const STALL_MAX = 250;

test('the service answers while the network makes its history', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-sandbox-stall-'));
  const options = ['--port=0', `--data=${dir}`, '--sandbox-port=0', '--sandbox-days=7', '--source=sandbox'];
  const service = new Child([process.execPath, SERVICE, ...options]);
  try {
    const url = await service.receive('url');
    const head = async (): Promise<number> => {
      const response = await fetch(`${url}/v1/ledger`);
      const { ledger_index } = (await response.json()) as { ledger_index?: number };
      return ledger_index ?? 0;
    };
    const first = await eventually('markets that are open', async () =>
      (await head()) > 20 ? head() : undefined,
    );
    service.send('stall');
    await service.receive('stall');
    const answers: number[] = [];
    const idle = new StallMeter();
    const until = performance.now() + SECONDS * 1000;
    while (performance.now() < until) {
      const asked = performance.now();
      await (await fetch(`${url}/v1/tokens?limit=50`)).arrayBuffer();
      answers.push(performance.now() - asked);
      await Bun.sleep(10);
    }
    service.send('stall');
    const [longest, own] = (await service.receive('stall')).split(' ').map(Number);
    const machine = idle.stop();
    const made = (await head()) - first;
    answers.sort((a, b) => a - b);
    console.log(
      `${made} ledgers of history in ${SECONDS} s; the service stalled for ${longest!.toFixed(0)} ms at most, ` +
        `${own!.toFixed(0)} ms without waiting for a core, an idle loop for ${machine.toFixed(0)} ms; ${answers.length} answers, half of them in ` +
        `${answers[answers.length >> 1]!.toFixed(1)} ms, the slowest in ${answers.at(-1)!.toFixed(0)} ms`,
    );
    expect(made).toBeGreaterThan(0);
    expect(own).toBeLessThan(STALL_MAX + machine);
  } finally {
    await service.end();
    rmSync(dir, { recursive: true, force: true });
  }
});
