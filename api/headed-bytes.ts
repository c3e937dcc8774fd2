/**
 * Answers that begin in one of two ways and go on alike: with the credit (`attribution`) for clients that pay nothing,
 * without it for the others. The rest is kept, and compressed, once.
 *
 *     gzip    header | stored block: beginning | deflated rest | CRC and size
 *     zstd    header | raw block: beginning    | blocks of the rest
 *
 * Both are one member, or one frame, as every client reads them: beginnings are a few bytes, which no compression would make
 * shorter. Joining costs a copy of the bytes that are sent.
 */
import { crc32 } from 'node:zlib';

/** How bytes are packed that begin in two ways. */
type Packing = 'gzip' | 'zstd';

/** Packed bytes, of which another beginning can be had. */
export interface HeadedBytes {
  /** With the beginning that they were made with. */
  readonly whole: Uint8Array<ArrayBuffer>;
  /** With another one. */
  behind(beginning: Uint8Array): Uint8Array<ArrayBuffer>;
}

/** Sizes of blocks are 16 bits; a beginning is far shorter. */
const BEGINNING_MAX = 4096;

/** @param at where the rest begins. @throws RangeError where the bytes cannot be packed so */
export function packHeaded(bytes: Uint8Array, at: number, packing: Packing): HeadedBytes {
  const rest = bytes.subarray(at);
  const { packed, framed } = packing === 'gzip' ? packGzip(rest) : packZstd(rest);
  const [before, after] = framed(bytes.subarray(0, at));
  const whole = join(...before, packed, ...after);
  // What is packed is kept once: as a part of the whole.
  const from = sizeOf(before);
  const kept = whole.subarray(from, from + packed.length);
  return {
    whole,
    behind: (beginning) => {
      const [head, end] = framed(beginning);
      return join(...head, kept, ...end);
    },
  };
}

interface Packed {
  readonly packed: Uint8Array;
  /** What comes before and after, for a beginning. */
  framed(beginning: Uint8Array): readonly [readonly Uint8Array[], readonly Uint8Array[]];
}

/** Method deflate, no name, no time, fastest, of any system (RFC 1952). */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);

function packGzip(rest: Uint8Array): Packed {
  /** CRC of the whole by that of the beginning: there are two. */
  const sums = new Map<number, number>();
  return {
    packed: Bun.deflateSync(rest as Uint8Array<ArrayBuffer>, { level: 1 }),
    framed: (beginning) => {
      check(beginning);
      const { length } = beginning;
      const first = crc32(beginning);
      const sum = sums.get(first) ?? crc32(rest, first);
      sums.set(first, sum);
      const block = Uint8Array.of(0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255);
      const trailer = new Uint8Array(8);
      const view = new DataView(trailer.buffer);
      view.setUint32(0, sum, true);
      view.setUint32(4, (length + rest.length) >>> 0, true);
      return [[GZIP_HEADER, block, beginning], [trailer]];
    },
  };
}

/** Window of a frame whose content is its window: 128 KB, the largest block, to 8 MB, the most that browsers take. */
const WINDOW_LOG_MIN = 17;
const WINDOW_LOG_MAX = 23;

function packZstd(rest: Uint8Array): Packed {
  const frame = new Uint8Array(Bun.zstdCompressSync(rest as Uint8Array<ArrayBuffer>, { level: 1 }));
  const { blocks, window } = readFrame(frame, rest.length);
  const header = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, window);
  return {
    packed: blocks,
    framed: (beginning) => {
      check(beginning);
      const size = beginning.length << 3;
      return [[header, Uint8Array.of(size & 255, (size >> 8) & 255, size >> 16), beginning], []];
    },
  };
}

/** The blocks of a frame, and the descriptor of a window in which they can be read (RFC 8878, section 3.1.1). */
function readFrame(frame: Uint8Array, size: number): { blocks: Uint8Array; window: number } {
  const descriptor = frame[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const hasSum = (descriptor & 4) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const content = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const begin = 5 + (isSingle ? 0 : 1) + dictionary + content;
  const blocks = frame.subarray(begin, hasSum ? frame.length - 4 : frame.length);
  if (!isSingle) return { blocks, window: frame[5]! };
  const log = Math.max(WINDOW_LOG_MIN, Math.ceil(Math.log2(size)));
  if (log > WINDOW_LOG_MAX) throw new RangeError(`${size} bytes need a window that browsers do not have`);
  return { blocks, window: (log - 10) << 3 };
}

function check({ length }: Uint8Array): void {
  if (length > BEGINNING_MAX) throw new RangeError(`a beginning of ${length} bytes`);
}

const sizeOf = (parts: readonly Uint8Array[]) => parts.reduce((size, part) => size + part.length, 0);

/** The parts, one after another. */
export function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
