/** The embedded network's thread: opens its store, runs it, reports its address. */
import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { openSandboxStore } from '../data/sandbox-store.ts';
import { timerClock } from '../engine/ledger/clock.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import {
  type FromSandbox,
  failureLine,
  type SandboxSettings,
  serialisableFields,
  type ToSandbox,
} from './sandbox.ts';

const { dir, ...choice } = workerData as SandboxSettings;
const port = parentPort!;
const reply = (message: FromSandbox): void => port.postMessage(message);
const failed = (fault: unknown): void => reply({ kind: 'failed', message: failureLine(fault, dir) });
const line = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) =>
  reply({ kind: 'log', level, fields: serialisableFields(fields), message });

try {
  await using opened = new AsyncDisposableStack();
  const store = openSandboxStore({ dir, network: choice.networkId });
  opened.defer(() => store.close());
  const sandbox = new Sandbox({
    ...choice,
    store,
    now: Date.now,
    clock: timerClock(() => performance.now()),
    entropy: () => randomBytes(16),
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    onFault: failed,
  });
  opened.defer(() => sandbox.stop());
  const all = opened.move();
  port.on('message', async (_stop: ToSandbox) => {
    await all.disposeAsync();
    reply({ kind: 'stopped' });
    port.close();
  });
  reply({ kind: 'ready', url: sandbox.url, ownUrl: sandbox.ownUrl });
} catch (fault) {
  failed(fault);
}
