/** The writer thread: opens its own environment, writes each batch it is sent, acknowledges. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkAll, checkRestored } from './check.ts';
import { openEnvironment } from './environment.ts';
import { storeError } from './errors.ts';
import { bindNetwork, isOlder, migrate } from './migrations.ts';
import { BatchWriter } from './write.ts';
import type { SentChunk, ToWriter, WriterOptions, WriterReply } from './writer.ts';
import { writeUntilClosed } from './writer-thread.ts';

const options = workerData as WriterOptions;
const port = parentPort!;
const reply = (message: WriterReply): void => port.postMessage(message);

function chunkOf({ buffer, used }: SentChunk) {
  return { bytes: new Uint8Array(buffer), view: new DataView(buffer), used };
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
  const writer = new BatchWriter(environment, options.history);

  writeUntilClosed<ToWriter>(port, environment, (message) => {
    try {
      const { rows, history, images, checkpoints, cursor } = message;
      const written = writer.write({
        rows: rows.map(chunkOf),
        history: history.map(chunkOf),
        images: images.map(chunkOf),
        checkpoints,
        cursor,
      });
      reply({ kind: 'durable', id: message.id, written });
    } catch (error) {
      fail(message.id, error);
    }
  });
  reply({ kind: 'open', migrated, pending: writer.pending });
} catch (error) {
  fail(-1, error);
}
