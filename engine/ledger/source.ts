/**
 * Where ledgers come from. Sockets and files implement the same interface and pass the same contract test. A source
 * delivers bytes and claims; it proves only what it needs to choose an endpoint. The follower proves every ledger and
 * reports false ones to the source (`refuse`).
 */
import type { PackedLedger } from '../codec/packed.ts';
import type { Limits } from './limits.ts';

/** Identifies one ledger. */
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

/** Where an interrupted snapshot continues: the node's marker and the state of the running proof. */
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
  /** Their change set (codec/extract.ts). */
  readonly changes: Uint32Array;
  /** Undefined on the last page: then the whole state has been proved against the ledger's account hash. */
  readonly marker: string | undefined;
  /** Pass it to `snapshot` to continue after this page. Undefined on the last page. */
  readonly resume: SnapshotResume | undefined;
}

/** What bounds an answer with a page. */
export type PageLimits = Pick<
  Limits,
  'messageBytes' | 'nesting' | 'values' | 'pageEntries' | 'stateEntries' | 'stateEntriesAhead' | 'entryBytes'
>;

/** A node's answer to `ledger_data`, to be read and proved as what follows the pages before it. */
export interface PageTask {
  readonly text: string;
  /** Header and hash of the ledger whose state it is. */
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
  /** Saved `TreeHasher` of the pages before; undefined: it is the first. */
  readonly tree: Uint8Array | undefined;
  readonly limits: PageLimits;
}

/** A page whose entries are part of the running proof. */
export interface PageProof extends Omit<SnapshotPage, 'resume'> {
  /** Saved `TreeHasher` with this page. */
  readonly tree: Uint8Array;
}

/** Why a page was refused. */
export interface PageFault {
  readonly fault: { readonly code: SourceErrorCode; readonly message: string };
}

/** Reads and proves pages: on this thread, or in another one. */
export interface PageProver {
  provePage(task: PageTask): Promise<PageProof | PageFault>;
}

export interface Snapshot {
  /** Header blob (118 bytes) of the ledger whose state this is; its hash has been proved against `hash`. */
  readonly header: Uint8Array;
  /** 32-byte ledger hash. */
  readonly hash: Uint8Array;
  /**
   * Pages in index order. They must not be shown before the iteration has ended without an error: only the last step
   * proves the state.
   * @throws SourceError when the node fails permanently, or the state does not match the ledger's account hash.
   */
  readonly pages: AsyncIterable<SnapshotPage>;
}

export interface Source {
  /** For logs and /health: host of the endpoint, or name of the file. */
  readonly name: string;
  /** Id of the network whose ledgers it has, once it is open; undefined: it does not say. */
  readonly networkId?: number | undefined;
  /** true: new ledgers arrive, and a missing ledger may come later. false: a missing ledger will never come. */
  readonly live: boolean;
  /** Resolves when the first ledger can be requested. @throws SourceError when that is impossible. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** The newest validated ledger that the source claims. */
  latest(): LedgerRef | undefined;
  /** The ledgers that the source claims to have, possibly with gaps. */
  range(): LedgerRange | undefined;
  /** Index ranges of a source that is not live, ascending; the gaps between them will never be filled. */
  ranges?(): readonly LedgerRange[];
  /**
   * The ledger with this index. Not proved.
   * @throws SourceError when no endpoint can deliver it now.
   */
  ledger(index: number): Promise<PackedLedger>;
  /** The same for a ledger that no parent proves: most of the endpoints that have it must have the same. */
  firstLedger?(index: number): Promise<PackedLedger>;
  /** A delivered ledger was false: its sender is marked down, and another endpoint is used next. */
  refuse(ledger: PackedLedger, reason: string): void;
  /** Whether another ledger of the same connection has been refused since. Then this one must not be used either. */
  refused?(ledger: PackedLedger): boolean;
  /** Calls back with every newly closed ledger that is announced. @returns a function that unsubscribes. */
  onClosed(listener: (ref: LedgerRef) => void): () => void;
  /**
   * The whole state of one ledger (by index, checked against `hash` if given), from one endpoint. Most of the endpoints that
   * have the ledger must have the same.
   * @param prover reads and proves the pages; on this thread when absent
   * @throws SourceError missing when no endpoint has that state
   */
  snapshot?(ref: LedgerRef, resume?: SnapshotResume, prover?: PageProver): Promise<Snapshot>;
  /** The state that `snapshot` gave was false. @returns names of the endpoints that sent it */
  refuseSnapshot?(reason: string): readonly string[];
  /**
   * Passes a read command to a node and returns its result unchanged (an error answer of the node is a result too:
   * `{ status: 'error', error, ... }`).
   * @throws SourceError when no node answers or the command belongs to a session (subscribe, path_find).
   */
  request?(command: NodeCommand): Promise<Record<string, unknown>>;
  /**
   * The same, sent once to one node: for what must not be repeated where the answer is lost.
   * @throws SourceError unreachable: it was not sent. Every other code: it may have been
   */
  requestOnce?(command: NodeCommand): Promise<Record<string, unknown>>;
}

/** A rippled/Clio WebSocket command. */
export interface NodeCommand {
  readonly command: string;
  readonly [parameter: string]: unknown;
}

/** Why a request to a source failed. All but `closed` and `refused` may be temporary. */
export type SourceErrorCode =
  | 'missing' // no endpoint has this ledger now
  | 'unreachable' // no endpoint is up
  | 'timeout'
  | 'malformed' // the answer does not follow the protocol
  | 'false' // the answer is well-formed but wrong: another ledger, a wrong hash
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
