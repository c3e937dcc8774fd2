/**
 * Parts of a WebP file (the container of RFC 9649): `RIFF size WEBP`, then chunks of four letters, a length and a body
 * that is padded to an even number of bytes. Nothing here reads pixels.
 */

interface Chunk {
  readonly name: string;
  readonly body: Uint8Array;
}

const HEADER = 12;
const CHUNK_HEADER = 8;
/** Chunks that are needed to show a still picture. */
const PICTURE = new Set(['VP8 ', 'VP8L', 'ALPH']);
/** Bytes of a frame before its chunks: place, size, duration, flags. */
const FRAME_HEADER = 16;
/** Flag of `VP8X`: the picture has transparency. */
const ALPHA = 0x10;

export function isWebp(file: Uint8Array): boolean {
  return file.length >= HEADER && text(file, 0) === 'RIFF' && text(file, 8) === 'WEBP';
}

/**
 * A still picture with nothing beside it: no colour profile, no metadata, no further chunks, of an animation its first
 * frame. The file must be WebP.
 * @returns undefined: it has no picture
 */
export function stillPicture(file: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const chunks = chunksOf(file.subarray(HEADER));
  const frame = chunks.find(({ name }) => name === 'ANMF');
  const source = frame ? chunksOf(frame.body.subarray(FRAME_HEADER)) : chunks;
  const picture = source.filter(({ name }) => PICTURE.has(name));
  if (!picture.some(({ name }) => name !== 'ALPH')) return undefined;
  if (!picture.some(({ name }) => name === 'ALPH')) return fileOf(picture);
  // Transparency that is stored apart needs the extended header, which repeats the size of the canvas.
  const size = frame
    ? frame.body.subarray(6, 12)
    : chunks.find(({ name }) => name === 'VP8X')?.body.subarray(4, 10);
  if (size?.length !== 6) return undefined;
  return fileOf([{ name: 'VP8X', body: Uint8Array.of(ALPHA, 0, 0, 0, ...size) }, ...picture]);
}

function chunksOf(bytes: Uint8Array): Chunk[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: Chunk[] = [];
  for (let at = 0; at + CHUNK_HEADER <= bytes.length; ) {
    const length = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER;
    chunks.push({ name: text(bytes, at), body: bytes.subarray(start, start + length) });
    at = start + length + (length & 1);
  }
  return chunks;
}

function fileOf(chunks: readonly Chunk[]): Uint8Array<ArrayBuffer> {
  const size = chunks.reduce((sum, { body }) => sum + CHUNK_HEADER + body.length + (body.length & 1), 4);
  const file = new Uint8Array(size + 8);
  const view = new DataView(file.buffer);
  file.set(Buffer.from('RIFF'), 0);
  view.setUint32(4, size, true);
  file.set(Buffer.from('WEBP'), 8);
  let at = HEADER;
  for (const { name, body } of chunks) {
    file.set(Buffer.from(name), at);
    view.setUint32(at + 4, body.length, true);
    file.set(body, at + CHUNK_HEADER);
    at += CHUNK_HEADER + body.length + (body.length & 1);
  }
  return file;
}

function text(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
