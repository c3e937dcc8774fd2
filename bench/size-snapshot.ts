/**
 * A snapshot of the main network's size (20 million entries) from a node that gives it at its own speed: what the service
 * adds to the time that requesting the pages takes, the most memory it has meanwhile, and how much it requests again after
 * a kill. `bun bench/size-snapshot.ts [--share=0.05]`.
 *
 * The node makes each page when it is requested and answers DELAY_MS later: 25 times as fast as public nodes, which take
 * about a second. The other side is a loop that requests one page after the other and parses the answers. Memory is what
 * the process has for itself (without pages of its store's file); the final one is that after a restart.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { type ServiceChild, startService } from './service-child.ts';
import { FULL } from './size/network.ts';
import { readyAt, SHARE } from './size/rig.ts';

const TOOL = join(import.meta.dir, '..', 'service', 'tool.ts');
const DELAY_MS = 40;
const PAGE_ENTRIES = 2048;
const STARTING_MS = 600_000;
const TAKING_MS = 3_600_000;
const LOOK_EVERY_MS = 100;
/** Garbage of the start is gone. */
const SETTLE_MS = 5_000;
/** As far back as the node goes: every run takes the state of the same ledger. */
const HISTORY = 1_000_000;
/** The service is killed when this share of the pages has been requested. */
const KILL_AT = 0.5;

/** Seconds of a loop that only requests and parses. */
async function bareLoop(url: string): Promise<number> {
  const socket = new WebSocket(url);
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const started = performance.now();
  for (let marker: string | undefined, isFirst = true; isFirst || marker !== undefined; isFirst = false) {
    const answer = new Promise<string>((resolve) => {
      socket.onmessage = ({ data }) => resolve(String(data));
    });
    const command = {
      id: 1,
      command: 'ledger_data',
      ledger_index: 'validated',
      binary: true,
      limit: PAGE_ENTRIES,
    };
    socket.send(JSON.stringify(marker === undefined ? command : { ...command, marker }));
    marker = JSON.parse(await answer).result.marker;
  }
  socket.close();
  return (performance.now() - started) / 1000;
}

function ownBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
}

/** Runs until ready, or until so many pages were requested. @returns seconds, and the most memory */
async function take(
  service: ServiceChild,
  node: Child,
  untilPages?: number,
): Promise<{ seconds: number; peak: number }> {
  const started = performance.now();
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, ownBytes(service.pid));
  }, LOOK_EVERY_MS);
  try {
    if (untilPages === undefined) await readyAt(service.url, TAKING_MS);
    else while ((await pagesOf(node)) < untilPages) await Bun.sleep(LOOK_EVERY_MS);
    return { seconds: (performance.now() - started) / 1000, peak };
  } finally {
    clearInterval(looking);
  }
}

/** Resolves when it is ready and no ledger is missing. */
async function followedToEnd(url: string): Promise<void> {
  await readyAt(url, STARTING_MS);
  for (;;) {
    const { ledger } = (await (await fetch(`${url}/health`)).json()) as { ledger: { behind: number } };
    if (ledger.behind === 0) return;
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

/** Digest of a store, by the tool command. */
async function digestOf(dir: string): Promise<string> {
  const child = Bun.spawn([process.execPath, TOOL, 'digest', '--data', dir], { stdout: 'pipe' });
  const digest = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the digest of a store cannot be computed');
  return digest;
}

async function pagesOf(node: Child): Promise<number> {
  node.send('pages');
  return Number(await node.receive('pages'));
}

async function run(): Promise<Figure[]> {
  const pages = Math.ceil((FULL.entries * SHARE) / PAGE_ENTRIES);
  const base = mkdtempSync(join(tmpdir(), 'millrace-snapshot-'));
  const script = join(import.meta.dir, 'peers', 'sized-state-node.ts');
  const node = new Child([process.execPath, script, String(SHARE), String(DELAY_MS)]);
  const start = (name: string, url: string) =>
    startService([`--data=${join(base, name)}`, `--source=${url}`, `--history=${HISTORY}`]);
  try {
    const url = await node.receive('node', STARTING_MS);
    const bare = await bareLoop(url);
    const service = await start('whole', url);
    const { seconds, peak } = await take(service, node).finally(() => service.stop());
    const restarted = await start('whole', url);
    await readyAt(restarted.url, STARTING_MS);
    await Bun.sleep(SETTLE_MS);
    const final = ownBytes(restarted.pid);
    await restarted.stop();
    const before = await pagesOf(node);
    const killed = await start('killed', url);
    await take(killed, node, before + pages * KILL_AT);
    process.kill(killed.pid, 'SIGKILL');
    await killed.stop();
    const resumed = await start('killed', url);
    await take(resumed, node).finally(() => resumed.stop());
    const twice = (await pagesOf(node)) - before - pages;
    // Both follow to the last ledger, which is the same for both.
    node.send('stop');
    await node.receive('stopped');
    for (const name of ['whole', 'killed']) {
      const following = await start(name, url);
      await followedToEnd(following.url).finally(() => following.stop());
    }
    const digests = [await digestOf(join(base, 'whole')), await digestOf(join(base, 'killed'))];
    if (digests[0] !== digests[1]) throw new Error(`the digest differs after a kill: ${digests.join(' ')}`);
    const text = (value: number) => `${value.toFixed(0)} s`;
    return [
      { name: 'size.snapshot', value: seconds / bare, ours: text(seconds), other: text(bare) },
      {
        name: 'size.snapshot-memory',
        value: peak / final,
        ours: `${(peak / 1e6).toFixed(0)} MB`,
        other: `${(final / 1e6).toFixed(0)} MB`,
      },
      { name: 'size.snapshot-resumed', value: twice },
    ];
  } finally {
    await node.end();
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
