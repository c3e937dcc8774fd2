/** Starts the embedded network in a thread of its own and exchanges messages with it. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { StoreError } from '../data/errors.ts';
import { addressOf } from '../engine/codec/arithmetic/amount.ts';
import type { Log } from '../engine/log.ts';
import type { FaucetPayer, Paid } from '../platform/faucet.ts';
import { DamagedStore } from '../sandbox/ledger/store.ts';
import type { PopulationSize } from '../sandbox/population/size.ts';
import { GENESIS_ACCOUNT } from '../sandbox/protocol/well-known.ts';

/** The thread answers within its work on one ledger. */
const FAUCET_MS = 10_000;

/** Options of the network; see `SandboxOptions` for the meaning. */
export interface SandboxSettings {
  /** Folder of the network's own store. */
  readonly dir: string;
  readonly networkId: number;
  readonly amendments?: readonly string[];
  readonly seed: string;
  readonly size: PopulationSize;
  readonly days: number;
  readonly interval: number;
  readonly port: number;
  readonly orFreePort: boolean;
}

export interface ToSandbox {
  readonly kind: 'stop';
}

export type FromSandbox =
  | { readonly kind: 'ready'; readonly url: string; readonly ownUrl: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly message: string;
    };

export interface RunningSandbox extends FaucetPayer {
  /** `ws://127.0.0.1:6006` */
  readonly url: string;
  /** The address for this process itself, with reserved connections. Contains a secret: do not log it. */
  readonly ownUrl: string;
  /** Whether this ledger is one of the network's. */
  holds(index: number, hash: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** A small heap (Bun's `smol`): making history leaves much garbage, and collecting it sooner costs no time. */
const threadOptions = (choice: SandboxSettings): WorkerOptions & { readonly smol: true } => ({
  workerData: choice,
  smol: true,
});

/** Fields of a log line in a form that can leave the thread: JSON would drop the members of an error. */
export function serialisableFields(fields: object): object {
  const plain = (_name: string, value: unknown): unknown =>
    value instanceof Error ? { type: value.name, message: value.message, stack: value.stack } : value;
  return JSON.parse(JSON.stringify(fields, plain)) as object;
}

/** Why the network cannot start or go on. @param dir folder of its store */
export function failureLine(fault: unknown, dir: string): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  const storeDamage = fault instanceof StoreError ? fault.damage : undefined;
  const damage = fault instanceof DamagedStore ? message : storeDamage;
  if (damage === undefined) return message;
  return `${dir}: the store is damaged (${damage}). Put a backup in its place, or start over with --sandbox-reset`;
}

/**
 * Resolves when the network listens.
 * @param onFault called when it cannot go on after that
 * @throws Error when it cannot start
 */
export function startSandbox(
  choice: SandboxSettings,
  log: Log,
  onFault: (fault: Error) => void,
): Promise<RunningSandbox> {
  const worker = new Worker(new URL('./sandbox.worker.ts', import.meta.url), threadOptions(choice));
  const started = Promise.withResolvers<RunningSandbox>();
  const ended = Promise.withResolvers<void>();
  let running = false;
  const failed = (fault: Error) => {
    ended.resolve();
    if (running) onFault(fault);
    else started.reject(fault);
  };
  worker.on('error', failed);
  worker.on('exit', () => failed(new Error('the embedded network ended')));
  worker.on('message', (message: FromSandbox) => {
    if (message.kind === 'log') log[message.level](message.fields, message.message);
    else if (message.kind === 'failed') failed(new Error(`the embedded network: ${message.message}`));
    else if (message.kind === 'stopped') ended.resolve();
    else {
      running = true;
      const { url, ownUrl } = message;
      started.resolve({
        url,
        ownUrl,
        address: addressOf(GENESIS_ACCOUNT),
        holds: (index, hash) => holds(ownUrl, index, hash),
        pay: (destination, xrp) => payFrom(ownUrl, destination, xrp),
        stop,
      });
    }
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= end();
    return stopped;
  };
  async function end(): Promise<void> {
    running = false;
    worker.postMessage({ kind: 'stop' } satisfies ToSandbox);
    await ended.promise;
    await worker.terminate();
  }
  return started.promise.catch(async (fault) => {
    await worker.terminate();
    throw fault;
  });
}

/** Asks the network's faucet. Rejects where it does not answer. */
async function payFrom(ownUrl: string, destination: string, xrp: number): Promise<Paid> {
  const url = new URL(ownUrl.replace('ws:', 'http:'));
  url.pathname = '/accounts';
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ destination, xrpAmount: xrp }),
    signal: AbortSignal.timeout(FAUCET_MS),
  });
  const { transactionHash, error, retryAfterSeconds } = (await response.json()) as Record<string, unknown>;
  if (response.ok && typeof transactionHash === 'string') return { kind: 'paid', hash: transactionHash };
  const retry = typeof retryAfterSeconds === 'number' ? { retryMs: retryAfterSeconds * 1_000 } : {};
  return { kind: 'refused', reason: `The network pays nothing now: ${String(error)}`, ...retry };
}

async function holds(url: string, index: number, hash: string): Promise<boolean> {
  const request = { method: 'ledger', params: [{ ledger_index: index }] };
  const response = await fetch(url.replace('ws:', 'http:'), {
    method: 'POST',
    body: JSON.stringify(request),
  });
  const { result } = (await response.json()) as { result: { ledger_hash?: string } };
  return result.ledger_hash === hash;
}
