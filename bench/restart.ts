/**
 * Time from the start of the program to `ready: true` in `/health`, with a million trust lines in the store.
 *
 * Another process fills the store in the same way as a snapshot (pages, then the ledger they belong to). The program is
 * `service/main.ts`; its source is an archive without newer ledgers, so the time consists of start, restore and first
 * answer. Best of three: at the first start after filling the disk may still be busy.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { startService } from './service-child.ts';

/** A few lines are generated twice: this gives more than a million. */
const LINES = 1_020_000;
const STARTS = 3;

/** Seconds to ready. */
async function start(dir: string, archive: string): Promise<number> {
  const started = performance.now();
  const service = await startService([`--data=${dir}`, `--source=file:${archive}`]);
  try {
    for (;;) {
      const { ready } = (await (await fetch(`${service.url}/health`)).json()) as { ready: boolean };
      if (ready) {
        const seconds = (performance.now() - started) / 1000;
        await check(service.url);
        return seconds;
      }
      if (performance.now() - started > 60_000) throw new Error('the service does not become ready');
      await Bun.sleep(5);
    }
  } finally {
    await service.stop();
  }
}

/** Ready means that everything is restored: the generated tokens, and the holders of the largest. */
async function check(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/tokens?limit=1&sort=holders`);
  const { total, tokens } = (await response.json()) as { total: number; tokens: { holders: number }[] };
  if (total < LINES / 250 || !((tokens[0]?.holders ?? 0) > 1000))
    throw new Error(`only ${total} tokens are there, the largest with ${tokens[0]?.holders} holders`);
}

async function run(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-restart-'));
  try {
    const archive = join(base, 'one.mlr');
    const dir = join(base, 'store');
    const writer = ArchiveWriter.open(archive);
    for (const packed of relaidChain({ ledgers: 1, transactionsPerLedger: 100 })) writer.append(packed);
    writer.close();
    const script = join(import.meta.dir, 'peers', 'fill-lines.ts');
    const filling = new Child([process.execPath, script, dir, archive, String(LINES)]);
    const lines = Number(await filling.receive('filled', 120_000));
    await filling.end();
    if (lines < 1_000_000) throw new Error(`only ${lines} lines were stored`);
    const seconds: number[] = [];
    for (let i = 0; i < STARTS; i++) seconds.push(await start(dir, archive));
    console.log(
      `${lines} lines stored: ready after ${seconds.map((value) => value.toFixed(2)).join(', ')} s`,
    );
    return [{ name: 'restart.ready', value: Math.min(...seconds) }];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('recorded ledgers not found next to the checkout: nothing to measure');
}
