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
    if (count === 0) return true;
    const [end, otherEnd] = [this.#ends[count - 1]!, other.#ends[count - 1]!];
    return isSame(bytes, this.#start, end, other.#start, otherEnd);
  }

  /** Whether so many last elements are the same. */
  #isLast(bytes: Buffer, other: PageTokens, count: number): boolean {
    if (count === 0) return true;
    const [start, otherStart] = [this.#endBefore(count), other.#endBefore(count)];
    return isSame(bytes, start, this.#endBefore(0), otherStart, other.#endBefore(0));
  }

  /** Where the elements end without the last ones. */
  #endBefore(last: number): number {
    return last === this.count ? this.#start : this.#ends[this.count - last - 1]!;
  }

  /** Where an element begins. */
  startOf(element: number): number {
    return element === 0 ? this.#start : this.#ends[element - 1]!;
  }
}

/** Finds which elements of pages differ from those before, and writes it to the rows of their nodes. */
export class PageDifferences {
  readonly #before = new PageTokens();
  readonly #after = new PageTokens();

  /** @param bytes that hold the page. @param row first word of its node, whose other columns are filled */
  mark(bytes: Buffer, words: Uint32Array, row: number): void {
    const action = words[row + Node.action]!;
    const tokensAt = words[row + NftPageNode.tokensAt]!;
    const previousAt = words[row + NftPageNode.prevTokensAt]!;
    const isDeleted = action === NodeAction.deleted;
    // A page whose NFTs stay has no previous ones; one that is deleted shows what it had in the end.
    if (previousAt === 0 && action === NodeAction.modified) return;
    const [before, after] = [this.#before, this.#after];
    before.read(bytes, previousAt === 0 && isDeleted ? tokensAt : previousAt);
    after.read(bytes, isDeleted ? 0 : tokensAt);
    const first = before.sameFirst(bytes, after);
    const last = before.sameLast(bytes, after, Math.min(before.count, after.count) - first);
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
