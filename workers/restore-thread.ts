/**
 * The thread that helps to restore a large state (engine/state/restore-thread.ts): this side of it.
 *
 *     loadRows, fillIndexes --- task ---> thread: reads the store's file, writes to shared columns and slots
 *     take <--------- answer on a port, which is looked at, not waited for ---------'
 *
 * A restore runs in steps, between which the event loop may not turn; so answers are taken from the port when they are asked for.
 * Non-goal: starting it again. If it ends, every answer that did not come is that it could not.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { StoreMoment } from '../data/restore-rows.ts';
import type { IndexKeys } from '../engine/state/index-keys.ts';
import type { Answer, RestoreThread } from '../engine/state/restore-thread.ts';
import type { RowsToLoad } from '../engine/state/row-fill.ts';
import type { FilledIndex } from '../engine/state/row-index.ts';
import type { LoadedRows } from '../engine/state/table-memory.ts';

export interface RestoreStart {
  readonly moment: StoreMoment;
  readonly port: MessagePort;
}

export type RestoreTask = { readonly id: number } & (
  | { readonly kind: 'rows'; readonly rows: RowsToLoad }
  | { readonly kind: 'indexes'; readonly keys: readonly IndexKeys[] }
);

export interface RestoreAnswer {
  readonly id: number;
  /** null: it could not. */
  readonly result: LoadedRows | readonly FilledIndex[] | null;
}

export interface RestoreParts {
  /** See RestoreThread. Default: some 30 ms of filling an index; of less there is nothing left once the thread has started. */
  readonly fromRows?: number;
  /** What the thread runs; that of tests may end early. */
  readonly filename?: string;
}

const FROM_ROWS = 2 ** 19;

export class RestoreWorker implements RestoreThread {
  readonly fromRows: number;
  readonly #moment: StoreMoment;
  readonly #filename: string;
  #worker: Worker | undefined;
  #port: MessagePort | undefined;
  readonly #results = new Map<number, RestoreAnswer['result']>();
  #tasks = 0;
  #ended = false;

  constructor(moment: StoreMoment, { fromRows = FROM_ROWS, filename }: RestoreParts = {}) {
    this.#moment = moment;
    this.fromRows = fromRows;
    this.#filename = filename ?? new URL('./restore-thread.worker.ts', import.meta.url).href;
  }

  start(): void {
    this.#worker ??= this.#started();
  }

  loadRows(rows: RowsToLoad): Answer<LoadedRows> {
    return this.#ask({ id: this.#tasks++, kind: 'rows', rows });
  }

  fillIndexes(keys: readonly IndexKeys[]): Answer<readonly FilledIndex[]> {
    return this.#ask({ id: this.#tasks++, kind: 'indexes', keys });
  }

  async close(): Promise<void> {
    this.#port?.close();
    await this.#worker?.terminate();
  }

  #started(): Worker {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const worker = new Worker(new URL(this.#filename), {
      workerData: { moment: this.#moment, port: port2 } satisfies RestoreStart,
      transferList: [port2],
    });
    const end = () => {
      this.#ended = true;
    };
    worker.on('error', end);
    worker.on('exit', end);
    return worker;
  }

  #ask<T extends RestoreAnswer['result']>(task: RestoreTask): Answer<NonNullable<T>> {
    this.start();
    this.#worker!.postMessage(task);
    return { take: () => this.#take(task.id) as NonNullable<T> | null | undefined };
  }

  /** @returns undefined: it is still at work */
  #take(id: number): RestoreAnswer['result'] | undefined {
    for (;;) {
      const received = receiveMessageOnPort(this.#port!) as { message: RestoreAnswer } | undefined;
      if (!received) break;
      this.#results.set(received.message.id, received.message.result);
    }
    const result = this.#results.get(id);
    return result === undefined && this.#ended ? null : result;
  }
}
