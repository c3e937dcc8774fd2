/** Worker thread: see restore-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadRows } from '../data/restore-rows.ts';
import { runToEnd } from '../engine/event-loop.ts';
import { hashesOf } from '../engine/state/index-keys.ts';
import { fillIndex } from '../engine/state/row-index.ts';
import type { RestoreAnswer, RestoreStart, RestoreTask } from './restore-thread.ts';

const { moment, port } = workerData as RestoreStart;

function answerTo(task: RestoreTask): RestoreAnswer {
  try {
    if (task.kind === 'rows') return { id: task.id, result: loadRows(moment, task.rows) };
    return { id: task.id, result: task.keys.map((keys) => runToEnd(fillIndex(keys.rows, hashesOf(keys)))) };
  } catch {
    // The main thread does it again, and says why it fails.
    return { id: task.id, result: null };
  }
}

// The main thread ends it.
parentPort!.on('message', (task: RestoreTask) => port.postMessage(answerTo(task)));
