/** Makes the source of ledgers that the options name. */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Counters } from '../engine/counters.ts';
import { checkArchiveNetwork } from '../engine/ledger/archive.ts';
import { ArchiveSource } from '../engine/ledger/archive-source.ts';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { timerClock } from '../engine/ledger/clock.ts';
import { importRecorded } from '../engine/ledger/corpus-import.ts';
import { LIMITS } from '../engine/ledger/limits.ts';
import { NodeSource } from '../engine/ledger/node-source.ts';
import { type Source, SourceError } from '../engine/ledger/source.ts';
import type { StateSenders } from '../engine/ledger/state-senders.ts';
import type { Log } from '../engine/log.ts';
import { NodeSocketThread } from '../workers/node-sockets.ts';
import { type SourceChoice, userPath } from './option-values.ts';
import { OptionError } from './options.ts';

/** The ledgers recorded for the tests. */
const RECORDED = resolve(import.meta.dir, '../test/golden');

/** The clock of the process, as sources want it. */
export const processClock = timerClock(() => performance.now());

interface SourceParts {
  /** Folder of the store; an import of recorded ledgers is kept in it. */
  readonly dir: string;
  /** Threads that may be used; 0: sockets to nodes are read on the calling thread. */
  readonly workers: number;
  readonly log: Log;
  readonly counters: Counters;
  /** Nodes of other networks are not used; default: any. */
  readonly networkId?: number;
  /** What earlier sources have found about the nodes. */
  readonly stateSenders?: StateSenders | undefined;
}

/** @throws OptionError when there is nothing to read from. */
export function makeSource(choice: SourceChoice, parts: SourceParts): Source {
  const { dir, workers, log, counters, networkId, stateSenders } = parts;
  switch (choice.kind) {
    case 'nodes': {
      const limits = { ...LIMITS, silence: choice.silence ?? LIMITS.silence };
      return new NodeSource({
        urls: choice.urls,
        log,
        counters,
        clock: processClock,
        random: Math.random,
        limits,
        ...(networkId !== undefined && { networkId }),
        ...(stateSenders && { stateSenders }),
        ...(workers > 0 && { sockets: new NodeSocketThread(limits) }),
      });
    }
    case 'file':
      return archive(userPath(choice.path), log, networkId);
    case 'sandbox':
      throw new OptionError(
        '--source sandbox is a network of its own: give its address, ws://127.0.0.1:PORT',
      );
    case 'recorded':
      return archive(importOnce(dir, log), log);
  }
}

/** A node that does not answer is asked for as long as it takes: after so many ms a line says so. */
const SILENT_MS = 5_000;

/** Opens the source of a command. @param onWait gets that line. @throws Error when the signal ends it first */
export async function openSource(
  source: Source,
  signal: AbortSignal,
  onWait: (line: string) => void,
): Promise<void> {
  const line = () => onWait(`${source.name}: nothing answers yet; asking again until it does`);
  const timer = setTimeout(line, SILENT_MS);
  const close = () => void source.close();
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    await source.open();
  } catch (fault) {
    const isStopped = signal.aborted && fault instanceof SourceError && fault.code === 'closed';
    throw isStopped ? new Error(`${source.name}: stopped before it answered`) : fault;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', close);
  }
}

function archive(path: string, log: Log, networkId?: number): Source {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new OptionError(`--source file: there is no file ${path}`);
  // Before a store is made, which would be of the wrong network.
  if (networkId !== undefined) checkArchiveNetwork(path, networkId);
  return new ArchiveSource(path, log);
}

/** Imports the recorded ledgers into an archive beside the store, again at each start: it takes about a second. */
function importOnce(dir: string, log: Log): string {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, 'recorded.mlr');
  rmSync(path, { force: true });
  const writer = ArchiveWriter.open(path);
  try {
    const { imported, refused } = importRecorded(RECORDED, writer);
    const left = Object.fromEntries([...refused].map(([reason, names]) => [reason, names.length]));
    log.info({ imported, refused: left }, 'recorded ledgers imported');
  } finally {
    writer.close();
  }
  return path;
}
