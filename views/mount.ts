/**
 * Where a network is reached: requests and sockets whose path begins with the mount's prefix (after `/v1` or `/api`) are
 * about its network. A mount lasts as long as the process; its network comes when it has been opened and goes when it is
 * stopped.
 *
 *     /v1/tokens               -> mount ''
 *     /v1/test-network/tokens  -> mount '/test-network', path '/tokens'
 */
import type { Network } from './network.ts';

/** What a network does before it shows the present, in this order; some are skipped. */
export type Stage =
  | 'opening'
  | 'rebuilding'
  | 'restoring'
  | 'checking'
  | 'migrating'
  | 'snapshot'
  | 'catching up';

export interface Progress {
  readonly stage: Stage;
  /** Share that is done, 0 to 1; undefined where it is not known. */
  readonly share?: number | undefined;
}

const PREFIX = /^(?:\/[a-z][a-z0-9-]*)?$/;

export class Mount {
  /** `` or `/test-network`. */
  readonly prefix: string;
  #network: Network | undefined;
  #stopped: string | undefined;
  /** Until its network has caught up with its source. */
  progress: Progress | undefined = { stage: 'opening' };

  /** @throws RangeError for a prefix that is not '' or one segment of a path */
  constructor(prefix: string) {
    if (!PREFIX.test(prefix)) throw new RangeError(`'${prefix}' is no prefix of a mount`);
    this.prefix = prefix;
  }

  /** A mount whose network is open. */
  static of(network: Network, prefix = ''): Mount {
    const mount = new Mount(prefix);
    mount.open(network);
    return mount;
  }

  /** undefined: nothing can be read of it now; see `reason`. */
  get network(): Network | undefined {
    return this.#network;
  }

  /** Why there is no network, in a sentence for clients. */
  get reason(): string {
    if (this.#stopped !== undefined) return this.#stopped;
    const { stage = 'opening', share } = this.progress ?? {};
    const done = share === undefined ? '' : `, ${Math.floor(share * 100)} % done`;
    return `The service is starting (${stage}${done})`;
  }

  /** Label of its metrics and log lines. '' for the mount without a prefix: Prometheus takes that for no label. */
  get name(): string {
    return this.prefix.slice(1);
  }

  /** Moves when anything moves that an answer is made of. */
  get version(): number {
    return this.#network?.views.version ?? -1;
  }

  open(network: Network): void {
    this.#network = network;
  }

  /** Nothing of its network is read from now on. @param reason a sentence for clients */
  close(reason: string): void {
    this.#network = undefined;
    this.progress = undefined;
    this.#stopped = reason;
  }
}

/** What belongs to a mount: its compiled routes, its streams. */
interface Mounted {
  readonly mount: Pick<Mount, 'prefix'>;
}

/**
 * What a path belongs to: the part whose prefix it begins with, else the one without a prefix.
 * @param mounted the first has no prefix
 * @param from where the prefix would begin in the path
 */
export function mountedAt<T extends Mounted>(mounted: readonly T[], path: string, from: number): T {
  for (let i = 1; i < mounted.length; i++) {
    const { prefix } = mounted[i]!.mount;
    if (!path.startsWith(prefix, from)) continue;
    const end = from + prefix.length;
    const next = path.charCodeAt(end);
    if (end === path.length || next === SLASH || next === QUESTION_MARK) return mounted[i]!;
  }
  return mounted[0]!;
}

const SLASH = 47;
const QUESTION_MARK = 63;

/** @throws RangeError unless the first mount has no prefix and each prefix is of one mount */
export function checkMounts(mounts: readonly Pick<Mount, 'prefix'>[]): void {
  if (mounts[0]?.prefix !== '') throw new RangeError('the first mount must have no prefix');
  if (new Set(mounts.map(({ prefix }) => prefix)).size !== mounts.length)
    throw new RangeError('two networks have the same mount');
}
