/**
 * Brings a store whose figures follow the rules of another version (engine/rules.ts) to those of this one, before it is
 * opened: where all of it follows from the ledgers it holds, it is rebuilt from them; where not, it is left as it is.
 *
 *     rules of the store = RULES_VERSION                                  -> nothing to do
 *     began with a snapshot, ledgers missing, too little room on the disk -> a log line says what differs and what to run
 *     else -> new file beside the store -> same newest ledger? -> takes the store's place
 *
 * The store is not written to, so a process that is killed or stopped on the way loses nothing: the next start begins again.
 * Cost: that of a replay (rebuild.ts), and room for a second store until it ends.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytes } from '../data/disk.ts';
import { hasStore } from '../data/environment.ts';
import { DATA_FILE } from '../data/errors.ts';
import { lock } from '../data/lock.ts';
import { SCHEMA_VERSION } from '../data/migrations.ts';
import { type StoredFacts, storedFacts } from '../data/salvage.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import type { Preparer } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import { RULES_VERSION } from '../engine/rules.ts';
import type { Progress } from '../views/mount.ts';
import { rebuildLines } from './progress-lines.ts';
import { putInPlace, rebuildBeside, removeUnfinished } from './rebuild.ts';

/**
 * Free bytes that a rebuild needs for each byte of the store. A rebuilt store of 0.2.0 with a week of the embedded network
 * took 0.9; the rest is for candles in fiat of a network with more of them, which 0.2.0 did not store.
 */
const ROOM_PER_BYTE = 1.5;

export interface RecomputePlan {
  /** Folder of the store; it need not exist. */
  readonly dir: string;
  readonly networkId: number;
  readonly preparer: Preparer;
  readonly log: Log;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  /** Free bytes in a folder. */
  readonly roomIn?: (dir: string) => number;
}

/**
 * Does nothing to a store that cannot be opened: opening it says why.
 * @throws StoreError when another process uses it; the signal's reason when it is aborted
 */
export async function recomputeFigures(plan: RecomputePlan): Promise<void> {
  const { dir, log } = plan;
  if (!hasStore(dir)) return;
  const held = lock(dir);
  try {
    removeUnfinished(dir);
    const facts = storedFacts(dir);
    if (!needsRules(facts, plan)) return;
    const differs = { rules: facts.rules?.version ?? 'of 0.3.0 or earlier', current: RULES_VERSION };
    const obstacle = obstacleOf(facts, plan);
    if (obstacle) log.warn({ ...differs, ...obstacle }, KEPT);
    else await rebuild(facts, differs, plan);
  } finally {
    removeUnfinished(dir);
    held.release();
  }
}

const KEPT =
  'figures of the ledgers in this store stay as an earlier version computed them: values of some trades and what follows ' +
  'from them, reviews of anchors, candles in fiat, the last withdrawals of pools that were closed';

/** Whether it is a store of this network that this program can open, with ledgers, and of other rules. */
function needsRules({ schema, network, cursor, rules }: StoredFacts, { networkId }: RecomputePlan): boolean {
  return (
    cursor !== undefined &&
    schema !== undefined &&
    schema <= SCHEMA_VERSION &&
    network === String(networkId) &&
    rules?.version !== RULES_VERSION
  );
}

/** Why a store is not rebuilt, and what its owner can do. */
interface Obstacle {
  readonly because: string;
  readonly remedy: string;
}

function obstacleOf(
  { cursor, ranges, snapshot, rules, pruned }: StoredFacts,
  plan: RecomputePlan,
): Obstacle | undefined {
  const { dir, roomIn = freeBytes } = plan;
  const command = `npm run tool -- rebuild --data ${dir}`;
  const [range, ...more] = ranges ?? [];
  const began = pruned?.first ?? rules?.first;
  if (range && began !== undefined && began < range[0])
    return {
      because: `it no longer holds ledgers ${began} to ${range[0] - 1}`,
      remedy: 'start in an empty folder',
    };
  if (snapshot !== false)
    return {
      because: 'it began with a snapshot',
      remedy: `${command} --source wss://a.node.with.that.ledger`,
    };
  if (!range || more.length > 0 || range[1] !== cursor?.index)
    return { because: 'ledgers are missing between those it holds', remedy: command };
  const needed = Math.ceil(statSync(join(dir, DATA_FILE)).size * ROOM_PER_BYTE);
  const free = roomIn(dir);
  if (free < needed)
    return {
      because: `rebuilding it needs ${needed} bytes on the disk, and ${free} are free`,
      remedy: 'free disk space and start again',
    };
  return undefined;
}

async function rebuild(facts: StoredFacts, differs: object, plan: RecomputePlan): Promise<void> {
  const { dir, networkId, preparer, log, onProgress, signal } = plan;
  const { cursor } = facts;
  const started = performance.now();
  log.info({ ...differs, dir }, 'the store is rebuilt from its ledgers, with the rules of this version');
  onProgress({ stage: 'rebuilding', share: 0 });
  const line = rebuildLines(log);
  try {
    const rebuilt = await rebuildBeside({
      dir,
      network: networkId,
      source: undefined,
      withoutSnapshot: false,
      preparer,
      log,
      signal,
      onProgress: (done, total) => {
        line(done, total);
        onProgress({ stage: 'rebuilding', share: done / total });
      },
    });
    if (rebuilt.last !== cursor?.index || rebuilt.hash !== hexOf(cursor.hash))
      throw new Error(`ledger ${rebuilt.last + 1} cannot be read, or is not the one that was stored`);
    putInPlace(dir);
    const seconds = Math.round(performance.now() - started) / 1000;
    log.info({ ledgers: rebuilt.ledgers, ledger: rebuilt.last, seconds }, 'the store has been rebuilt');
  } catch (fault) {
    if (signal.aborted) throw fault;
    log.warn({ ...differs, because: String(fault), remedy: `npm run tool -- check --data ${dir}` }, KEPT);
  }
}
