/**
 * The service under a limited address space (`ulimit -v`), as containers and hosts set it: it works, or it says in one
 * line why not, and ends with an exit code. `bun bench/size-address.ts`. The figure is the share of limits under which
 * that is so; a process that a signal ends (a segmentation fault), or that ends without a word, is not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './budgets.ts';

/** GB. Bun itself reserves about 70 GB. */
const LIMITS_GB = [100, 200, 400, 800, 1_000, 1_100];
const ENDS_MS = 15_000;
const PROGRAM = join(import.meta.dir, '..', 'service', 'main.ts');

/** What the service did under a limit. */
async function startUnder(gigabytes: number): Promise<{ text: string; fine: boolean }> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-address-'));
  const options = ['--port=0', `--data=${dir}`, '--sandbox-interval=0', '--sandbox-port=auto'];
  const limited = `ulimit -v ${gigabytes * 1024 * 1024}; exec "$@"`;
  const child = Bun.spawn(['sh', '-c', limited, 'sh', process.execPath, PROGRAM, ...options], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const timer = setTimeout(() => child.kill(), ENDS_MS);
  try {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      if (!/"url":"http/.test(text)) continue;
      child.kill();
      return { text: 'it works', fine: true };
    }
    const code = await child.exited;
    const errors = `${text}${await new Response(child.stderr).text()}`.trim().split('\n');
    const fine = child.signalCode === null && code !== 0 && errors.length === 1 && errors[0] !== '';
    return { text: `exit code ${code}, signal ${child.signalCode}: ${errors[0]?.slice(0, 160)}`, fine };
  } finally {
    clearTimeout(timer);
    child.kill();
    await child.exited;
    rmSync(dir, { recursive: true, force: true });
  }
}

async function run(): Promise<Figure[]> {
  let fine = 0;
  for (const gigabytes of LIMITS_GB) {
    const { text, fine: one } = await startUnder(gigabytes);
    console.log(`${gigabytes} GB: ${text}`);
    if (one) fine++;
  }
  return [{ name: 'size.address', value: fine / LIMITS_GB.length }];
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
