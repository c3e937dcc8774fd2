/**
 * The tool command `digest` on a store of the main network's size, from the start of the program to its end: it opens and
 * checks the store, restores everything, and digests tables and history. `bun bench/size-digest.ts [--share=0.1]`.
 */
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { madeStore, SHARE, withCopy } from './size/rig.ts';

const RUNS = 2;
const TOOL = join(import.meta.dir, '..', 'service', 'tool.ts');

async function run(): Promise<Figure[]> {
  const { store } = await madeStore(SHARE, { ledgers: 0, transactions: 0 });
  return withCopy(store, async (dir) => {
    const seconds: number[] = [];
    const digests = new Set<string>();
    for (let i = 0; i < RUNS; i++) {
      const started = performance.now();
      const child = Bun.spawn([process.execPath, TOOL, 'digest', '--data', dir], { stdout: 'pipe' });
      digests.add(await new Response(child.stdout).text());
      if ((await child.exited) !== 0) throw new Error('the command failed');
      seconds.push((performance.now() - started) / 1000);
    }
    if (digests.size !== 1) throw new Error(`one store has several digests: ${[...digests].join(' ')}`);
    console.log(`${seconds.map((value) => value.toFixed(1)).join(', ')} s`);
    return [{ name: 'size.digest', value: Math.min(...seconds) }];
  });
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
