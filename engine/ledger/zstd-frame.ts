/**
 * What a Zstandard frame says of its content (RFC 8878, 3.1.1), so that nothing larger than expected is decompressed: a few
 * bytes of hostile input can be gigabytes. A decoder allocates what the frame names, and refuses blocks that give more.
 *
 *     magic 4 | descriptor 1 | window 0-1 | dictionary 0-4 | content length 0-8 | blocks: header 3, bytes ... | checksum 0-4
 */
const MAGIC = 0xfd2fb528;
const DESCRIPTOR = 4;
/** Bytes of the dictionary's id, and of the content's length, by their bits in the descriptor. */
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const LENGTH_BYTES = [0, 2, 4, 8] as const;
/** A length of two bytes counts from here. */
const TWO_BYTES_FROM = 256;
const CHECKSUM_BYTES = 4;
const BLOCK_HEAD_BYTES = 3;
/** Of one byte that is repeated. */
const RLE_BLOCK = 1;

/** Bytes of the content by the frame's head; undefined: these bytes are not one whole frame that names them. */
export function frameContentLength(frame: Uint8Array): number | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  try {
    if (view.getUint32(0, true) !== MAGIC) return undefined;
    const descriptor = view.getUint8(DESCRIPTOR);
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const at =
      DESCRIPTOR + 1 + (isSingleSegment ? 0 : 1) + DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
    const width = LENGTH_BYTES[(descriptor >>> 6) as 0 | 1 | 2 | 3] || (isSingleSegment ? 1 : 0);
    const blocks = at + width;
    const end = blocksEnd(view, blocks) + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
    return width === 0 || end !== frame.length ? undefined : lengthAt(view, at, width);
  } catch {
    return undefined; // cut off
  }
}

function lengthAt(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at);
  if (width === 2) return TWO_BYTES_FROM + view.getUint16(at, true);
  return width === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

/** Where the last block ends. @throws RangeError when it is cut off */
function blocksEnd(view: DataView, first: number): number {
  for (let at = first; ; ) {
    const head = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const isRle = ((head >>> 1) & 3) === RLE_BLOCK;
    at += BLOCK_HEAD_BYTES + (isRle ? 1 : head >>> 3);
    if (head & 1) return at;
  }
}
