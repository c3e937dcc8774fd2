/**
 * The NFTokens array of a page: at most 32 elements, each an id and perhaps a URI.
 *
 *     EC | 5A id 32 | 75 length, URI | E1 ... F1
 *
 * A node shows a whole page before and after, of which mostly one element differs. Which ones do is found where the change
 * set is made, in a thread of its own, so that the writer looks at these only.
 */
import { lengthPrefixBytes, readLengthPrefix, sameBytes } from './bytes.ts';
import { NftPageNode, Node, NodeAction } from './changes.ts';
import { NFT_ID_BYTES, NftIdAt } from './nft-id.ts';
import { OBJECT_END } from './skip.ts';

/** Headers of NFToken (object 12), NFTokenID (Hash256 10) and URI (Blob 5). */
const ELEMENT = 0xec;
const ID = 0x5a;
const URI = 0x75;
/** Elements of a page (rippled `dirMaxTokensPerPage`). */
export const PAGE_TOKENS_MAX = 32;

export class PageTokens {
  count = 0;
  /** Offsets of ids, and of URIs at their length prefix; 0: it has none. */
  readonly ids = new Uint32Array(PAGE_TOKENS_MAX);
  readonly uris = new Uint32Array(PAGE_TOKENS_MAX);
  /** Offset of the first element, and of what follows each. */
  #start = 0;
  readonly #ends = new Uint32Array(PAGE_TOKENS_MAX);

  /**
   * Stops at what it does not expect.
   * @param at first byte inside the array, or of an element; 0: there is none. @param limit most elements that are read
   */
  read(bytes: Uint8Array, at: number, limit = PAGE_TOKENS_MAX): void {
    this.count = 0;
    this.#start = at;
    let next = at;
    while (next !== 0 && this.count < limit && bytes[next] === ELEMENT && bytes[next + 1] === ID) {
      const id = next + 2;
      next = id + NFT_ID_BYTES;
      let uri = 0;
      if (bytes[next] === URI) {
        uri = next + 1;
        const length = readLengthPrefix(bytes, uri, bytes.length);
        if (length < 0) return;
        next = uri + lengthPrefixBytes(bytes[uri]!) + length;
      }
      if (bytes[next] !== OBJECT_END || next >= bytes.length) return;
      next++;
      this.ids[this.count] = id;
      this.uris[this.count] = uri;
      this.#ends[this.count] = next;
      this.count++;
    }
  }

  /** The element with the id at an offset; -1: none. @param from where to look first: pages keep their order */
  indexOf(bytes: Uint8Array, id: number, from: number): number {
    const { ids, count } = this;
    for (let i = 0; i < count; i++) {
      const element = from + i < count ? from + i : from + i - count;
      if (sameBytes(bytes, ids[element]!, bytes, id, NFT_ID_BYTES)) return element;
    }
    return -1;
  }

  /** How many first elements are the same, URIs too. @param bytes what both lie in */
  sameFirst(bytes: Buffer, other: PageTokens): number {
    let most = 0;
    const end = Math.min(this.count, other.count);
    while (most < end && sameNumbers(bytes, this.ids[most]!, other.ids[most]!)) most++;
    if (this.#isFirst(bytes, other, most)) return most;
    return largest(most, (count) => this.#isFirst(bytes, other, count));
  }

  /** How many last elements are the same, of no more than `limit`. */
  sameLast(bytes: Buffer, other: PageTokens, limit: number): number {
    let most = 0;
    const [end, otherEnd] = [this.count - 1, other.count - 1];
    while (most < limit && sameNumbers(bytes, this.ids[end - most]!, other.ids[otherEnd - most]!)) most++;
    if (this.#isLast(bytes, other, most)) return most;
    return largest(most, (count) => this.#isLast(bytes, other, count));
  }

  /** Whether so many first elements are the same. */
  #isFirst(bytes: Buffer, other: PageTokens, count: number): boolean {
    return isSame(bytes, this.#start, this.startOf(count), other.#start, other.startOf(count));
  }

  /** Whether so many last elements are the same. */
  #isLast(bytes: Buffer, other: PageTokens, count: number): boolean {
    const [start, otherStart] = [this.startOf(this.count - count), other.startOf(other.count - count)];
    return isSame(bytes, start, this.startOf(this.count), otherStart, other.startOf(other.count));
  }

  /** Where an element begins, or the last one ends. */
  startOf(element: number): number {
    return element === 0 ? this.#start : this.#ends[element - 1]!;
  }
}

/** The elements of a page before and after a node. */
export class PageVersions {
  readonly before = new PageTokens();
  readonly after = new PageTokens();

  /** All of them. @param row first word of the node */
  read(bytes: Uint8Array, words: Uint32Array, row: number): void {
    const action = words[row + Node.action]!;
    const tokensAt = words[row + NftPageNode.tokensAt]!;
    const previousAt = words[row + NftPageNode.prevTokensAt]!;
    const isNew = action === NodeAction.created;
    // A page whose NFTs stay has no previous ones; one that is deleted shows what it had in the end.
    this.before.read(bytes, previousAt === 0 && !isNew ? tokensAt : previousAt);
    this.after.read(bytes, action === NodeAction.deleted ? 0 : tokensAt);
  }

  /** Those that differ, as the columns of the node name them. */
  readChanged(bytes: Uint8Array, words: Uint32Array, row: number): void {
    const { prevChangedAt, prevChanged, changedAt, changed } = NftPageNode;
    this.before.read(bytes, words[row + prevChangedAt]!, words[row + prevChanged]!);
    this.after.read(bytes, words[row + changedAt]!, words[row + changed]!);
  }

  /** Finds those that differ, and names them in the columns of the node. */
  markChanged(bytes: Uint8Array, words: Uint32Array, row: number): void {
    this.read(bytes, words, row);
    const { before, after } = this;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const first = before.sameFirst(buffer, after);
    const last = before.sameLast(buffer, after, Math.min(before.count, after.count) - first);
    const changed = after.count - last - first;
    const previous = before.count - last - first;
    words[row + NftPageNode.changed] = changed;
    words[row + NftPageNode.changedAt] = changed === 0 ? 0 : after.startOf(first);
    words[row + NftPageNode.prevChanged] = previous;
    words[row + NftPageNode.prevChangedAt] = previous === 0 ? 0 : before.startOf(first);
  }
}

/** Whether ids at two offsets have the same taxon and sequence: nearly always the same NFT then. */
function sameNumbers(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = NFT_ID_BYTES - 1; i >= NftIdAt.taxon; i--) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

/** The largest count below `most` for which it holds; it holds for all below it, and for 0. */
function largest(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, most - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isSame(bytes: Buffer, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  return (
    end - start === otherEnd - otherStart && bytes.compare(bytes, otherStart, otherEnd, start, end) === 0
  );
}

/** Whether two URIs at their length prefixes, or none (0), are the same. */
export function sameUri(bytes: Uint8Array, a: number, b: number): boolean {
  if (a === 0 || b === 0) return a === b;
  const length = readLengthPrefix(bytes, a, bytes.length);
  return (
    length === readLengthPrefix(bytes, b, bytes.length) &&
    sameBytes(bytes, a, bytes, b, length + lengthPrefixBytes(bytes[a]!))
  );
}
