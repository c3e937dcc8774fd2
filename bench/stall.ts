/**
 * How long the service's event loop is blocked while it replays an archive at full speed and serves: an HTTP load of
 * lists, tokens and books, and sockets on several streams. `bun bench/stall.ts`.
 *
 * The service is the real one with its threads (one to prove, one to write). Only the load is pinned, to core 1; it sends
 * on few connections, each request after the previous answer. The figure is the largest lateness of
 * a 2 ms timer on the service's main thread (bench/stall-meter.ts), from the first ledger to the last one durable, the
 * best of three runs: other load on the machine can only add time. A second number, which is printed but is not the
 * figure, excludes the time in which the main thread was ready to run but had no core.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { againstReference } from './reference-load.ts';

const LEDGERS = 2_000;
const TRANSACTIONS = 100;
const RUNS = 3;
const SOCKETS = 100;
const CONNECTIONS = 4;
/** Rounds of HTTP load until the replay has ended. */
const ROUND_MS = 1_000;

interface Stalls {
  readonly longest: number;
  readonly own: number;
  readonly seconds: number;
  readonly answers: number;
}

async function replayAndServe(archive: string, dir: string): Promise<Stalls> {
  const peer = (name: string) => [process.execPath, join(import.meta.dir, 'peers', name)];
  const options = ['--port=0', `--data=${dir}`, `--source=file:${archive}`, '--workers=1'];
  const service = new Child([...peer('service.ts'), ...options]);
  const http = new Child(peer('http-client.ts'), { core: 1 });
  const sockets = new Child(peer('load-client.ts'), { core: 1 });
  try {
    const url = await service.receive('url');
    const port = new URL(url).port;
    const streams = ['/ws/ledger', '/ws/sync', '/ws/ledger'];
    sockets.send(`open ${SOCKETS} ${streams.map((path) => `ws://127.0.0.1:${port}${path}`).join(' ')}`);
    service.send('followed');
    let through = false;
    const followed = service.receive('followed', 120_000).finally(() => {
      through = true;
    });
    let answers = 0;
    while (!through) {
      http.send(
        `load ${port} ${ROUND_MS} ${CONNECTIONS} /v1/tokens?limit=100 /v1/tokens?sort=marketcap&limit=50 /health`,
      );
      answers += Number((await http.receive('loaded')).split(' ')[0]);
    }
    const [, ms] = (await followed).split(' ').map(Number) as [number, number];
    service.send('stall');
    const [longest, own] = (await service.receive('stall')).split(' ').map(Number) as [number, number];
    return { longest, own, seconds: ms / 1000, answers };
  } finally {
    await Promise.all([service.end(), http.end(), sockets.end()]);
  }
}

async function run(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-stall-'));
  try {
    const archive = join(base, 'chain.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const packed of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS }))
      writer.append(packed);
    writer.close();
    const runs: Stalls[] = [];
    for (let i = 0; i < RUNS; i++) {
      const stalls = await replayAndServe(archive, join(base, `store-${i}`));
      console.log(
        `${LEDGERS} ledgers in ${stalls.seconds.toFixed(1)} s, ${stalls.answers} answers: longest stall ` +
          `${stalls.longest.toFixed(0)} ms, ${stalls.own.toFixed(0)} ms without waiting for a core`,
      );
      runs.push(stalls);
    }
    return [againstReference('stall.replay', Math.min(...runs.map(({ longest }) => longest)))];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('recorded ledgers not found next to the checkout: nothing to measure');
}
