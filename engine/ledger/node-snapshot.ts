/**
 * The whole state of one ledger, page by page, pinned to one ledger and one endpoint, and proved.
 *
 * `ledger_data` returns entries in the order of their index, which is the order of the state tree's leaves, so the
 * root is computed while the pages arrive (`TreeHasher`) and no entry is kept. Only the last page shows whether the
 * state is correct: leaf = SHA512Half('MLN\0' + entry + index), root = account hash of the proved header.
 *
 * The next page is requested as soon as one has arrived: proving, loading and storing a page take place while the node
 * prepares the next one.
 *
 * A page that fails is requested again (`limits.pageAttempts` times, with back-off), also over a new connection. Each
 * page carries what is needed to continue after it later, or with another node.
 */
import type { LedgerDataRequest } from 'xrpl';
import { hexOf, sameBytes } from '../codec/bytes.ts';
import { HalfHasher, HashPrefix } from '../codec/hash.ts';
import { type Clock, sleep } from './clock.ts';
import type { Endpoint } from './endpoint.ts';
import type { Limits } from './limits.ts';
import { resultOf, type StatePage, statePageOf } from './node-messages.ts';
import { type SnapshotPage, type SnapshotResume, SourceError } from './source.ts';
import { TreeHasher } from './tree.ts';

/** Offset of the account hash in the header. */
const ACCOUNT_HASH_IN_HEADER = 76;

export interface SnapshotOptions {
  readonly endpoint: Endpoint;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
  readonly resume: SnapshotResume | undefined;
  readonly limits: Limits;
  readonly clock: Clock;
  closed(): boolean;
}

/**
 * Resolves with the pages when the first one has arrived: nodes keep headers for longer than the state.
 * @throws SourceError, here and from the iteration: missing when the node does not have the state (any more); malformed
 * or false when the state does not pass the proof
 */
export async function openPages(options: SnapshotOptions): Promise<AsyncGenerator<SnapshotPage, void>> {
  const pages = snapshotPages(options);
  const first = await pages.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* pages;
  })();
}

async function* snapshotPages(options: SnapshotOptions): AsyncGenerator<SnapshotPage, void, undefined> {
  const { endpoint, header, hash, resume } = options;
  const index = new DataView(header.buffer, header.byteOffset).getUint32(0);
  if (resume && resume.ref.index !== index)
    throw new SourceError(
      'refused',
      `a snapshot of ledger ${resume.ref.index} cannot continue in ledger ${index}`,
    );
  const tree = resume ? TreeHasher.load(resume.tree) : new TreeHasher();
  const hasher = new HalfHasher();
  const leaf = new Uint8Array(32);
  try {
    // The first page has one attempt only: another node, or another ledger, may be the better choice.
    let arriving = fetchPage(options, resume?.marker, 1);
    for (;;) {
      const page = await arriving;
      const { marker } = page;
      if (marker !== undefined && page.entries.length > 0) arriving = fetchAhead(options, marker);
      for (const entry of page.entries) {
        hasher.add(HashPrefix.stateNode).add(entry.data).add(entry.index).into(leaf, 0);
        if (!tree.add(entry.index, 0, leaf, 0))
          throw new SourceError('malformed', 'state entries are not in the order of their index');
      }
      if (page.marker !== undefined && page.entries.length === 0)
        throw new SourceError('malformed', 'an empty state page that is not the last');
      // The last page is yielded only after the proof: a reader that gets to the end has a proved state.
      if (marker === undefined) proveState(tree, header, index);
      yield {
        page: packPage(page),
        entries: page.entries.length,
        marker,
        resume: marker === undefined ? undefined : { ref: { index, hash }, marker, tree: tree.save() },
      };
      if (marker === undefined) return;
    }
  } catch (error) {
    if (error instanceof SourceError && (error.code === 'malformed' || error.code === 'false'))
      endpoint.distrust(error.message);
    throw error;
  }
}

function proveState(tree: TreeHasher, header: Uint8Array, index: number): void {
  const root = new Uint8Array(32);
  tree.root(root);
  if (!sameBytes(root, 0, header, ACCOUNT_HASH_IN_HEADER, 32))
    throw new SourceError('false', `the state of ledger ${index} does not hash to its account hash`);
}

/** Requests a page that is awaited later: a failure is reported then, and to nobody when the reader has left. */
function fetchAhead(options: SnapshotOptions, marker: string): Promise<StatePage> {
  const page = fetchPage(options, marker, options.limits.pageAttempts);
  page.catch(() => {});
  return page;
}

async function fetchPage(
  options: SnapshotOptions,
  marker: string | undefined,
  attempts: number,
): Promise<StatePage> {
  const { endpoint, hash, limits, clock } = options;
  const command = {
    command: 'ledger_data',
    ledger_hash: hexOf(hash),
    binary: true,
    limit: limits.pageEntries,
    ...(marker === undefined ? {} : { marker }),
  } satisfies LedgerDataRequest;
  for (let attempt = 1; ; attempt++) {
    if (options.closed()) throw new SourceError('closed', 'snapshot: source closed');
    try {
      const response = await endpoint.request(command, limits.snapshotTimeout);
      return statePageOf(resultOf(response), hash, limits);
    } catch (error) {
      const isTemporary = error instanceof SourceError && ['timeout', 'unreachable'].includes(error.code);
      if (!isTemporary || attempt >= attempts) throw error;
      await sleep(clock, Math.min(limits.backoffFirst * 2 ** attempt, limits.backoffMax));
    }
  }
}

/** [32-byte index][u32 little-endian length][entry], repeated. */
function packPage(page: StatePage): Uint8Array {
  const size = page.entries.reduce((sum, { data }) => sum + 36 + data.length, 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { index, data } of page.entries) {
    bytes.set(index, at);
    view.setUint32(at + 32, data.length, true);
    bytes.set(data, at + 36);
    at += 36 + data.length;
  }
  return bytes;
}
