/** The thread that checks a copy of a store. */
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckReply } from './checker.ts';
import { storeError } from './errors.ts';
import { CHECKS, type ToCheckWhole } from './whole-check.ts';

const { dir, kind } = workerData as ToCheckWhole;
// The main thread terminates it: if it ended by itself, its exit could arrive before its last message.
parentPort!.on('message', () => {});
const reply = (message: CheckReply): void => parentPort!.postMessage(message);

try {
  CHECKS[kind](dir);
  reply({ kind: 'whole' });
} catch (error) {
  const { code, message } = storeError(error, dir);
  reply({ kind: 'damaged', failure: { code, message } });
}
