/** Image files, well-formed and hostile, written by hand: the formats' own documents are the reference, not the code under test. */
import { crc32, deflateSync } from 'node:zlib';

export interface PngOptions {
  /** RGBA of every pixel. */
  readonly colour?: readonly [number, number, number, number];
  /** Bits of a sample. */
  readonly depth?: 8 | 16;
  /** Chunks before the pixels. */
  readonly extra?: readonly Uint8Array[];
  /** Rows of pixel data that are really there. */
  readonly rows?: number;
}

/** RFC 2083. */
export function png(width: number, height: number, options: PngOptions = {}): Buffer<ArrayBuffer> {
  const { colour = [200, 30, 40, 255], depth = 8, extra = [], rows = height } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 6, 0, 0, 0], 8);
  const samples = depth === 8 ? [...colour] : colour.flatMap((sample) => [sample, sample]);
  const row = Buffer.concat([Buffer.of(0), ...new Array<Buffer>(width).fill(Buffer.from(samples))]);
  const pixels = deflateSync(Buffer.concat(new Array<Buffer>(rows).fill(row)), { level: 9 });
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(name: string, body: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + body.length);
  chunk.writeUInt32BE(body.length, 0);
  chunk.write(name, 4, 'latin1');
  chunk.set(body, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + body.length)), 8 + body.length);
  return chunk;
}

/** GIF89a: frames of one red pixel, whatever size they claim. */
export function gif(width: number, height: number, frames = 1, claimed = 1): Buffer<ArrayBuffer> {
  const head = Buffer.from('47494638396100000000800000ff0000000000', 'hex');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const frame = Buffer.from('21f90400000000002c0000000001000100000202440100', 'hex');
  frame.writeUInt16LE(claimed, 13);
  frame.writeUInt16LE(claimed, 15);
  return Buffer.concat([head, ...new Array<Buffer>(frames).fill(frame), Buffer.from(';')]);
}

/** An animation of still WebP files of one size without an extended header (RFC 9649). */
export function animatedWebp(
  stills: readonly Uint8Array[],
  width: number,
  height: number,
): Buffer<ArrayBuffer> {
  const size = Buffer.alloc(6);
  size.writeUIntLE(width - 1, 0, 3);
  size.writeUIntLE(height - 1, 3, 3);
  const frames = stills.map((still) =>
    riffChunk(
      'ANMF',
      Buffer.concat([Buffer.alloc(6), size, Buffer.from('64000000', 'hex'), still.subarray(12)]),
    ),
  );
  const body = [riffChunk('VP8X', Buffer.concat([Buffer.from('12000000', 'hex'), size]))];
  body.push(riffChunk('ANIM', Buffer.alloc(6)), ...frames);
  return riff(Buffer.concat(body));
}

export function riff(body: Uint8Array): Buffer<ArrayBuffer> {
  const head = Buffer.from('RIFF....WEBP');
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}

function riffChunk(name: string, body: Uint8Array): Buffer {
  const head = Buffer.from(`${name}....`);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
}

export function jpeg(width: number, height: number, progressive = false): Promise<Buffer> {
  return new Bun.Image(png(width, height)).jpeg({ progressive }).buffer();
}

export function webp(width: number, height: number, lossless = false): Promise<Buffer> {
  return new Bun.Image(png(width, height)).webp({ lossless }).buffer();
}

/** RGBA of the average pixel: that of a PNG of one pixel, whose only row is the same under every filter. */
export async function averageColour(file: Uint8Array): Promise<number[]> {
  const one = await new Bun.Image(new Uint8Array(file)).resize(1, 1).png().buffer();
  const kind = one[25];
  const at = one.indexOf('IDAT');
  const pixel = Bun.inflateSync(new Uint8Array(one.subarray(at + 6, at + 4 + one.readUInt32BE(at - 4) - 4)));
  return kind === 6 ? [...pixel.subarray(1, 5)] : [...pixel.subarray(1, 4), 255];
}
