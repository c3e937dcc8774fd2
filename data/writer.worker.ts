/** The writer thread: opens its own environment, writes each batch it is sent, acknowledges. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkAll, checkRestored } from './check.ts';
import { openEnvironment } from './environment.ts';
import { storeError } from './errors.ts';
import { MetaKey } from './keys.ts';
import { readMeta } from './meta.ts';
import { bindNetwork, isOlder, migrate } from './migrations.ts';
import { writeBatch } from './write.ts';
import type { ToWriter, WriterOptions, WriterReply } from './writer.ts';

const options = workerData as WriterOptions;
const port = parentPort!;
const reply = (message: WriterReply): void => port.postMessage(message);

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
  let cursor: Uint8Array | undefined = readMeta(environment, MetaKey.cursor);

  port.on('message', (message: ToWriter) => {
    if (message.kind === 'close') {
      void environment.root.close().then(() => {
        reply({ kind: 'closed' });
        port.close();
      });
      return;
    }
    try {
      const rows = message.chunks.map(({ buffer, used }) => ({
        bytes: new Uint8Array(buffer),
        view: new DataView(buffer),
        used,
      }));
      const cost = writeBatch(environment, rows, message.cursor, cursor);
      cursor = message.cursor;
      reply({ kind: 'durable', id: message.id, cost });
    } catch (error) {
      fail(message.id, error);
    }
  });
  reply({ kind: 'open', migrated });
} catch (error) {
  fail(-1, error);
}
