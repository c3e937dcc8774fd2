/** The writer thread: opens its own environment, writes each batch it is sent, acknowledges. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkAll, checkRestored } from './check.ts';
import { threadCounters } from './disk.ts';
import { openEnvironment } from './environment.ts';
import { storeError } from './errors.ts';
import { bindNetwork, isOlder, migrate } from './migrations.ts';
import { BatchWriter } from './write.ts';
import type { SentChunk, ToWriter, WriterOptions, WriterReply } from './writer.ts';
import { writeUntilClosed } from './writer-thread.ts';

/** The writer has had nothing to do for this long: it prunes a backlog of ledgers, for a quarter of the time. */
const IDLE_MS = 20;
const IDLE_PER_STEP = 3;

const options = workerData as WriterOptions;
const port = parentPort!;
const reply = (message: WriterReply): void => port.postMessage(message);

function chunkOf({ buffer, used }: SentChunk) {
  return { bytes: new Uint8Array(buffer), view: new DataView(buffer), used };
}

/** Prunes a backlog step by step; a batch in between puts it off. */
class IdlePruning {
  readonly #writer: BatchWriter;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(writer: BatchWriter) {
    this.#writer = writer;
  }

  start(afterMs = IDLE_MS): void {
    this.stop();
    this.#timer = setTimeout(() => this.#step(), afterMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #step(): void {
    const started = performance.now();
    try {
      const isMore = this.#writer.pruneBacklog();
      reply({ kind: 'pruned' });
      if (isMore) this.start(Math.max(IDLE_MS, (performance.now() - started) * IDLE_PER_STEP));
    } catch {
      // The next batch prunes as well, and reports what is wrong.
    }
  }
}

function fail(id: number, error: unknown): void {
  const { code, message } = storeError(error, options.dir);
  reply({ kind: 'failed', id, failure: { code, message } });
}

try {
  checkRestored(options.dir);
  const environment = openEnvironment(options.dir, options.mapSize ? { mapSize: options.mapSize } : {});
  // A migration reads and writes everything: it must not meet a damaged page.
  if (isOlder(environment)) checkAll(options.dir, false);
  const migrated = migrate(environment);
  bindNetwork(environment, options.network);
  const writer = new BatchWriter(environment, options.history, options.keep);
  const idle = new IdlePruning(writer);

  const write = (message: Exclude<ToWriter, { kind: 'close' }>): void => {
    if (message.kind === 'prune') {
      if (writer.hasBacklog) idle.start();
      return;
    }
    idle.stop();
    try {
      const { ledgers, rows, history, images, checkpoints, cursor } = message;
      const written = writer.write({
        ledgers,
        rows: rows.map(chunkOf),
        history: history.map(chunkOf),
        images: images.map(chunkOf),
        checkpoints,
        cursor,
      });
      reply({ kind: 'durable', id: message.id, written });
      if (writer.hasBacklog) idle.start();
    } catch (error) {
      fail(message.id, error);
    }
  };
  writeUntilClosed(port, environment, write, () => idle.stop());
  reply({ kind: 'open', migrated, pending: writer.pending, counters: threadCounters() });
} catch (error) {
  fail(-1, error);
}
