/**
 * The start of the service on a store of the main network's size: until it listens, and until everything is restored and
 * served. Best of three: at the first start the disk may still be busy. `bun bench/size-start.ts [--share=0.1]`.
 */
import type { Figure } from './budgets.ts';
import { startService } from './service-child.ts';
import { madeStore, readyAt, SHARE, withCopy } from './size/rig.ts';

const STARTS = 3;
const READY_MS = 120_000;

async function run(): Promise<Figure[]> {
  // An archive without newer ledgers: the time consists of start, restore and first answer.
  const { store, archive } = await madeStore(SHARE, { ledgers: 0, transactions: 0 });
  return withCopy(store, async (dir) => {
    const listening: number[] = [];
    const restored: number[] = [];
    for (let i = 0; i < STARTS; i++) {
      const started = performance.now();
      const service = await startService([`--data=${dir}`, `--source=file:${archive}`]);
      try {
        const { status } = await fetch(`${service.url}/health`);
        listening.push((performance.now() - started) / 1000);
        if (status !== 200) throw new Error(`/health answers ${status}`);
        await readyAt(service.url, READY_MS);
        restored.push((performance.now() - started) / 1000);
      } finally {
        await service.stop();
      }
    }
    const text = (seconds: number[]): string => seconds.map((value) => value.toFixed(2)).join(', ');
    console.log(`/health answers after ${text(listening)} s, ready after ${text(restored)} s`);
    return [
      { name: 'size.listening', value: Math.min(...listening) },
      { name: 'size.restored', value: Math.min(...restored) },
    ];
  });
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
