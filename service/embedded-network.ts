/** Starts the embedded network that a service follows, with the folders that belong to it. */
import { join } from 'node:path';
import { hasStore } from '../data/environment.ts';
import { platformDir } from '../data/platform-check.ts';
import { removeStores } from '../data/reset.ts';
import { storedCursor } from '../data/store.ts';
import { LIMITS } from '../engine/ledger/limits.ts';
import type { Log } from '../engine/log.ts';
import { DAY_MS } from '../engine/ripple-time.ts';
import { type RunningSandbox, startSandbox } from '../workers/sandbox.ts';
import { mediaDir } from './nft-media.ts';
import { userPath } from './option-values.ts';
import type { Options } from './options.ts';

/** Intervals in which the embedded network may close no ledger before its node is asked again. */
const INTERVALS = 3;
/** A week: a network that is closed by hand may be silent, and timers hold no more than 24 days. */
const BY_HAND_MS = 7 * DAY_MS;

/**
 * How long the embedded network may close no ledger, ms.
 * @param interval seconds between two of its ledgers; 0: they are closed by hand
 */
export function sandboxSilence(interval: number): number {
  return interval === 0 ? BY_HAND_MS : Math.max(LIMITS.silence, INTERVALS * interval * 1_000);
}

/** Folder of the engine's store; the network's own is beside it. */
export function embeddedStoreDir({ data }: Pick<Options, 'data'>): string {
  return userPath(data, 'sandbox', 'engine');
}

/** Folder of the store of recorded ledgers. */
export function recordedStoreDir({ data }: Pick<Options, 'data'>): string {
  return userPath(data, 'recorded');
}

/**
 * From then on it is a node like any other.
 * @param onFault called when it cannot go on
 * @throws Error when it cannot start
 */
export async function startEmbeddedNetwork(
  options: Options,
  log: Log,
  onFault: (fault: unknown) => void,
): Promise<RunningSandbox> {
  const dir = userPath(options.data, 'sandbox');
  if (options.sandboxReset === 'yes')
    removeStores(dir, ['network', 'engine', platformDir('engine'), mediaDir('engine')]);
  // Asked first: a network made now could only be refused, and would take the place of the right one.
  const stored = hasStore(join(dir, 'network')) ? undefined : await storedCursor(join(dir, 'engine'));
  if (stored) throw notOfNetwork(join(dir, 'engine'), stored.index);
  const { sandboxAmendments: amendments } = options;
  if (amendments !== undefined && amendments.notBuilt.length > 0)
    log.warn({ amendments: amendments.notBuilt }, 'these amendments are not built here and are left out');
  const sandbox = await startSandbox(
    {
      dir: join(dir, 'network'),
      networkId: options.sandboxNetwork,
      ...(amendments === undefined ? {} : { amendments: amendments.ids }),
      seed: options.sandboxSeed,
      size: options.sandboxSize,
      days: options.sandboxDays,
      interval: options.sandboxInterval,
      ...options.sandboxPort,
    },
    log,
    onFault,
  );
  const { url } = sandbox;
  log.info(
    { url, jsonRpc: url.replace('ws:', 'http:'), faucet: `${url.replace('ws:', 'http:')}/accounts` },
    `the embedded network listens on ${url}`,
  );
  return sandbox;
}

/** A store that continues another embedded network. @param dir folder of the engine's store */
export function notOfNetwork(dir: string, ledger: number): Error {
  return new Error(
    `${dir}: ledger ${ledger} of this store is not one of the embedded network's. Put the network's folder back ` +
      'beside it, or start over with --sandbox-reset',
  );
}
