/** Brightness of the pixels of a small PNG that our own encoder has just made: 8 bits a sample, not interlaced. */
import { inflateSync } from 'node:zlib';

const SIGNATURE = 8;
const CHUNK_OVERHEAD = 12;
/** Samples of a pixel by the colour type of the header (PNG specification, 11.2.1); those of a palette are not made here. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };
/** Shares of red, green and blue (ITU-R BT.601). */
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114];

/** Row by row; what is transparent is on white. @throws Error where it is none of those */
export function greyPixels(png: Uint8Array): Float64Array {
  const file = Buffer.from(png);
  const [width, height, type] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25]!];
  const samples = SAMPLES[type];
  if (file[24] !== 8 || samples === undefined || file[28] !== 0) throw new Error('no plain PNG');
  const data: Buffer[] = [];
  for (let at = SIGNATURE; at + CHUNK_OVERHEAD <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(file.subarray(at + 8, at + 8 + length));
    at += CHUNK_OVERHEAD + length;
  }
  const rows = unfiltered(inflateSync(Buffer.concat(data)), width * samples, height, samples);
  return Float64Array.from({ length: width * height }, (_, i) => grey(rows, i * samples, samples));
}

function grey(rows: Uint8Array, at: number, samples: number): number {
  const hasColour = samples > 2;
  const [red, green, blue] = [rows[at]!, rows[hasColour ? at + 1 : at]!, rows[hasColour ? at + 2 : at]!];
  const opaque = samples % 2 === 0 ? rows[at + samples - 1]! / 255 : 1;
  return (RED * red + GREEN * green + BLUE * blue) * opaque + 255 * (1 - opaque);
}

/** Undoes the filters of the rows (PNG specification, 9.2). @param bytes of a row, @param step bytes of a pixel */
function unfiltered(data: Uint8Array, bytes: number, height: number, step: number): Uint8Array {
  const rows = new Uint8Array(bytes * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (bytes + 1)]!;
    for (let x = 0; x < bytes; x++) {
      const left = x < step ? 0 : rows[y * bytes + x - step]!;
      const up = y === 0 ? 0 : rows[(y - 1) * bytes + x]!;
      const corner = y === 0 || x < step ? 0 : rows[(y - 1) * bytes + x - step]!;
      const sample = data[y * (bytes + 1) + 1 + x]!;
      rows[y * bytes + x] = sample + predicted(filter, left, up, corner);
    }
  }
  return rows;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [byLeft, byUp] = [Math.abs(guess - left), Math.abs(guess - up)];
      const byCorner = Math.abs(guess - corner);
      if (byLeft <= byUp && byLeft <= byCorner) return left;
      return byUp <= byCorner ? up : corner;
    }
    default:
      return 0;
  }
}
