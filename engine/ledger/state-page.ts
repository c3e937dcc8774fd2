/**
 * One page of a snapshot: a node's answer to `ledger_data` is read, its entries become part of the running proof of the
 * state, and their change set is extracted.
 *
 *     text -> JSON -> packed entries -> leaves -> tree of the pages before -> tree with this page
 *                                   \-> change set
 *
 * Like `prepare` for ledgers a pure function, which gives the same in a worker thread and inline. The tree goes in and
 * out as bytes (5 KB), so that any thread can take the next page. Only the last page shows whether the state is true.
 *
 * Cost: 2,048 entries in 1 MB of text take about 12 ms.
 */
import { onSharedMemory, sameBytes } from '../codec/bytes.ts';
import { extractEntries } from '../codec/extract.ts';
import { HalfHasher, HashPrefix } from '../codec/hash.ts';
import { ENTRY_HEAD_BYTES, parseMessage, resultOf, statePageOf } from './node-messages.ts';
import { type PageFault, type PageLimits, type PageProof, type PageTask, SourceError } from './source.ts';
import { TreeHasher } from './tree.ts';

/** Offset of the account hash in the header. */
const ACCOUNT_HASH_IN_HEADER = 76;
const INDEX_BYTES = 32;
const PREFIX_BYTES = HashPrefix.stateNode.length;

/**
 * @param shared put page and change set on SharedArrayBuffers
 * @throws what is no fault of the node: a defect of this program
 */
export function provePage(task: PageTask, shared: boolean): PageProof | PageFault {
  try {
    return proofOf(task, shared);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { fault: { code: error.code, message: error.message } };
  }
}

function proofOf({ text, header, hash, tree: before, limits }: PageTask, shared: boolean): PageProof {
  const { page, entries, marker } = statePageOf(resultOf(parseMessage(text, limits)), hash, limits);
  if (marker !== undefined && entries === 0)
    throw new SourceError('malformed', 'an empty state page that is not the last');
  const tree = before ? TreeHasher.load(before) : new TreeHasher();
  const last = addLeaves(tree, page);
  if (entries > 0) checkLength(tree.count, last, limits);
  const saved = tree.save();
  if (marker === undefined) proveState(tree, header);
  return {
    page: shared ? new Uint8Array(onSharedMemory(page)) : page,
    entries,
    changes: extractEntries(page, shared),
    marker,
    tree: saved,
  };
}

/**
 * @returns the first four bytes of the last index
 * @throws SourceError malformed when the entries do not ascend from the last one before them
 */
function addLeaves(tree: TreeHasher, page: Uint8Array): number {
  const hasher = new HalfHasher();
  const leaf = new Uint8Array(INDEX_BYTES);
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  let content = new Uint8Array(1024);
  let last = 0;
  for (let at = 0; at < page.length; ) {
    const from = at + ENTRY_HEAD_BYTES;
    const end = from + view.getUint32(at + INDEX_BYTES, true);
    const size = PREFIX_BYTES + (end - from) + INDEX_BYTES;
    if (size > content.length) content = new Uint8Array(2 * size);
    content.set(HashPrefix.stateNode);
    content.set(page.subarray(from, end), PREFIX_BYTES);
    content.set(page.subarray(at, at + INDEX_BYTES), size - INDEX_BYTES);
    hasher.whole(content.subarray(0, size), leaf, 0);
    if (!tree.add(page, at, leaf, 0))
      throw new SourceError('malformed', 'state entries are not in the order of their index');
    last = view.getUint32(at);
    at = end;
  }
  return last;
}

/**
 * @param entries so far. @param last the first four bytes of the last index
 * @throws SourceError malformed when they are more than any state has up to there
 */
function checkLength(entries: number, last: number, limits: PageLimits): void {
  if (entries > limits.stateEntriesAhead + (limits.stateEntries * last) / 2 ** 32)
    throw new SourceError('malformed', `${entries} state entries so far: more than there can be`);
}

/** @throws SourceError false */
function proveState(tree: TreeHasher, header: Uint8Array): void {
  const index = new DataView(header.buffer, header.byteOffset).getUint32(0);
  const root = new Uint8Array(32);
  tree.root(root);
  if (!sameBytes(root, 0, header, ACCOUNT_HASH_IN_HEADER, 32))
    throw new SourceError('false', `the state of ledger ${index} does not hash to its account hash`);
}
