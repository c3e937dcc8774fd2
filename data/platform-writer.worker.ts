/** The platform's writer thread: opens its own environment, commits each group of rows it receives, and confirms it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openEnvironment } from './environment.ts';
import { storeError } from './errors.ts';
import { bindNetwork, migrate } from './migrations.ts';
import { PLATFORM_FAMILY_NAMES } from './platform-keys.ts';
import { commitRows, PLATFORM_MIGRATIONS } from './platform-write.ts';
import type { PlatformWriterOptions, PlatformWriterReply, ToPlatformWriter } from './platform-writer.ts';
import { writeUntilClosed } from './writer-thread.ts';

const { dir, network } = workerData as PlatformWriterOptions;
const port = parentPort!;
const reply = (message: PlatformWriterReply): void => port.postMessage(message);

function fail(error: unknown): void {
  const { code, message } = storeError(error, dir);
  reply({ kind: 'failed', failure: { code, message } });
}

try {
  const environment = openEnvironment(dir, { families: PLATFORM_FAMILY_NAMES });
  migrate(environment, PLATFORM_MIGRATIONS);
  bindNetwork(environment, network);
  writeUntilClosed<ToPlatformWriter>(port, environment, (message) => {
    try {
      commitRows(environment, message);
      reply({ kind: 'durable' });
    } catch (error) {
      fail(error);
    }
  });
  reply({ kind: 'open' });
} catch (error) {
  fail(error);
}
