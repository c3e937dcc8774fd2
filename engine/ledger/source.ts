/**
 * Where ledgers come from. The engine cannot tell a socket from a file: both are this interface, and both run the
 * same contract test. A source hands out bytes and claims; it proves nothing beyond what it needs to know whom to
 * ask. The follower proves every ledger and tells the source when one was false (`refuse`).
 */
import type { PackedLedger } from '../codec/packed.ts';

/** Names one ledger. */
export interface LedgerRef {
  /** Ledger index. */
  readonly index: number;
  /** 32-byte ledger hash, where the source has claimed one. */
  readonly hash?: Uint8Array;
}

/** First and last ledger index, both inclusive. */
export interface LedgerRange {
  readonly first: number;
  readonly last: number;
}

/** Where an interrupted snapshot goes on: the node's marker and the state of the running proof. */
export interface SnapshotResume {
  readonly ref: LedgerRef;
  readonly marker: string;
  /** Saved `TreeHasher`. */
  readonly tree: Uint8Array;
}

/** A piece of one ledger's state, in index order: repeated [32-byte index][u32 little-endian length][entry]. */
export interface SnapshotPage {
  readonly page: Uint8Array;
  /** Entries in this page. */
  readonly entries: number;
  /** Undefined on the last page: then the whole state has been proved against the ledger's account hash. */
  readonly marker: string | undefined;
  /** What to hand to `snapshot` to go on after this page. Undefined on the last page. */
  readonly resume: SnapshotResume | undefined;
}

export interface Snapshot {
  /** Header blob (118 bytes) of the ledger whose state this is; its hash has been proved against `hash`. */
  readonly header: Uint8Array;
  /** 32-byte ledger hash. */
  readonly hash: Uint8Array;
  /**
   * Pages in index order. Nothing of them may be shown before the iteration has ended without an error: only the
   * last step proves the state.
   * @throws SourceError when the node fails for good, or the state does not match the ledger's account hash.
   */
  readonly pages: AsyncIterable<SnapshotPage>;
}

export interface Source {
  /** For logs and /health: host of the endpoint, or name of the file. */
  readonly name: string;
  /** true: it grows by itself, and what is missing now may be there later. false: what it lacks it will never have. */
  readonly live: boolean;
  /** Resolves when the first ledger can be asked for. @throws SourceError when that can never be. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** The newest validated ledger by the source's own word. */
  latest(): LedgerRef | undefined;
  /** What the source claims it can serve, holes not counted. */
  range(): LedgerRange | undefined;
  /** Index ranges of a source that is not live, ascending; between them are holes that will never be filled. */
  ranges?(): readonly LedgerRange[];
  /**
   * One ledger, with the index asked for. Not proved.
   * @throws SourceError when no endpoint could deliver it now.
   */
  ledger(index: number): Promise<PackedLedger>;
  /** A ledger handed out turned out to be false: whoever gave it is marked down, and another is asked next. */
  refuse(ledger: PackedLedger, reason: string): void;
  /** Has whoever gave this ledger been refused since? Then it must not be used: it came over the same connection. */
  refused?(ledger: PackedLedger): boolean;
  /** Calls back with every newly closed ledger the source hears of. Returns the way to stop. */
  onClosed(listener: (ref: LedgerRef) => void): () => void;
  /**
   * The whole state of one ledger (by index, checked against `hash` where given), pinned to one endpoint.
   * @throws SourceError missing when every endpoint says that it has not got that state
   */
  snapshot?(ref: LedgerRef, resume?: SnapshotResume): Promise<Snapshot>;
  /**
   * Passes a read command to a node and returns its result verbatim (an in-band error of the node is a result too:
   * `{ status: 'error', error, ... }`).
   * @throws SourceError when no node answers or the command belongs to a session (subscribe, path_find).
   */
  request?(command: NodeCommand): Promise<Record<string, unknown>>;
}

/** A rippled/Clio WebSocket command. */
export interface NodeCommand {
  readonly command: string;
  readonly [parameter: string]: unknown;
}

/** Why a source could not do what it was asked. All but `closed` and `refused` may pass with time. */
export type SourceErrorCode =
  | 'missing' // nobody has this ledger now
  | 'unreachable' // no endpoint is up
  | 'timeout'
  | 'malformed' // the answer was not what the protocol says
  | 'false' // the answer was well-formed and wrong: another ledger, a wrong hash
  | 'refused' // the request itself is not allowed
  | 'closed';

export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
