/** The archive commands of the command line: record, replay, import. */
import { readdirSync, statSync } from 'node:fs';
import type { Counters } from '../counters.ts';
import type { Log } from '../log.ts';
import type { Cursor } from '../store.ts';
import { ArchiveReader } from './archive.ts';
import { ArchiveSource } from './archive-source.ts';
import { ArchiveWriter } from './archive-writer.ts';
import type { Clock } from './clock.ts';
import { type ImportReport, importRecorded, isRecorded } from './corpus-import.ts';
import { type FollowEnd, follow } from './follow.ts';
import { pacer } from './pace.ts';
import type { Prepared, Preparer } from './prepare.ts';
import type { FollowProgress } from './progress.ts';
import type { Source } from './source.ts';

interface ToolOptions {
  readonly preparer: Preparer;
  readonly log: Log;
  readonly counters: Counters;
  readonly clock: Clock;
  random(): number;
  readonly signal?: AbortSignal;
  onProgress?(progress: FollowProgress): void;
}

export interface RecordOptions extends ToolOptions {
  /** Must be open. */
  readonly source: Source;
  /** Archive file: created when absent, otherwise continued after its last ledger. */
  readonly path: string;
  /** For a new archive: begin this many ledgers before the newest. */
  readonly history: number;
  /** Last ledger to record; undefined: until the signal aborts or the source ends. */
  readonly to?: number;
}

/** Ledgers between two flushes to the disk while recording. */
const SYNC_EVERY = 64;
const WINDOW = 32;

/** Records proved ledgers of a source into an archive. */
export async function record(options: RecordOptions): Promise<FollowEnd> {
  const from = archiveCursor(options.path);
  const archive = ArchiveWriter.open(options.path, options.source.networkId);
  const stop = new AbortController();
  const abort = () => stop.abort();
  options.signal?.addEventListener('abort', abort);
  if (options.signal?.aborted || (options.to !== undefined && (archive.last ?? 0) >= options.to)) abort();
  try {
    return await follow({
      ...options,
      from,
      window: WINDOW,
      signal: stop.signal,
      onLedger({ packed }) {
        archive.append(packed);
        if (archive.count % SYNC_EVERY === 0) archive.sync();
        if (options.to !== undefined && packed.ledgerIndex >= options.to) abort();
      },
      onGap: (first, last) => options.log.warn({ first, last }, 'gap in the source'),
    });
  } finally {
    options.signal?.removeEventListener('abort', abort);
    archive.sync();
    archive.close();
  }
}

export interface ReplayOptions extends ToolOptions {
  readonly path: string;
  /** Begin after this ledger. */
  readonly from?: Cursor | undefined;
  /** Without `from`: the first ledger; undefined: the first of the archive. */
  readonly first?: number;
  /** Id of the network that the ledgers must be of; undefined: any. */
  readonly networkId?: number;
  /** 1: as the ledgers closed; 10: ten times as fast; undefined: at full speed. */
  readonly pace?: number;
  /** `more`: further ledgers follow. */
  onLedger(prepared: Prepared, more: boolean): Promise<void> | void;
  onGap?(from: number, to: number): void;
}

/** Passes the ledgers of an archive to a handler, proved and in order. */
export async function replay(options: ReplayOptions): Promise<FollowEnd> {
  const source = new ArchiveSource(options.path, options.log);
  await source.open();
  const { clock, signal } = options;
  const pace = options.pace === undefined ? undefined : pacer(clock, options.pace, signal);
  try {
    const last = source.latest()?.index ?? 0;
    return await follow({
      ...options,
      source,
      from: options.from,
      history: options.first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, last - options.first),
      window: WINDOW,
      async onLedger(prepared) {
        await pace?.(prepared.packed.closeTime);
        if (!signal?.aborted) await options.onLedger(prepared, prepared.packed.ledgerIndex < last);
      },
    });
  } finally {
    await source.close();
  }
}

/** Imports a folder of recorded ledgers (`*.json.gz`) into an archive; only ledgers that pass the proof. */
export function importCorpus(dir: string, path: string): ImportReport {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${dir}`);
  // Before an archive without ledgers is made.
  if (!readdirSync(dir).some(isRecorded))
    throw new Error(`there is no recorded ledger (*.json.gz) in ${dir}`);
  const archive = ArchiveWriter.open(path);
  try {
    return importRecorded(dir, archive);
  } finally {
    archive.close();
  }
}

/** Cursor at the last ledger of an archive; undefined when there is none. */
function archiveCursor(path: string) {
  const archive = ArchiveWriter.open(path); // cuts off an incomplete last record before anything is read
  const last = archive.last;
  archive.close();
  if (last === undefined) return undefined;
  const reader = ArchiveReader.open(path);
  try {
    const packed = reader.read(last)!;
    return { index: last, hash: packed.hash.slice(), closeTime: packed.closeTime };
  } finally {
    reader.close();
  }
}
