/** Small pictures of the population's NFTs, drawn from numbers: PNG (ISO/IEC 15948) with a palette and no filters. */
import { crc32, deflateSync } from 'node:zlib';

export type Colour = readonly [red: number, green: number, blue: number];

export interface Sketch {
  readonly background: Colour;
  readonly body: Colour;
  readonly eyes: Colour;
  /** Of the side: the body reaches that far from the middle. */
  readonly size: number;
  /** Stripes across the body; 0: none. */
  readonly stripes: number;
  readonly hasHat: boolean;
  /** Cells of a pattern in the background, 25 of them. */
  readonly pattern: readonly boolean[];
}

export const SIDE = 128;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const CELLS = 5;
const PALETTE_COLOURS = 4;

/** The file of a picture. */
export function picture(sketch: Sketch): Uint8Array {
  const rows = Buffer.alloc(SIDE * (SIDE + 1));
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) rows[y * (SIDE + 1) + 1 + x] = colourAt(sketch, x, y);
  const { background, body, eyes } = sketch;
  const shade = background.map((sample) => Math.round(sample * 0.8));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // 8 bits a sample, colours of the palette.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([...background, ...shade, ...body, ...eyes])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Its place in the palette: background, pattern, body, eyes. */
function colourAt({ size, stripes, hasHat, pattern }: Sketch, x: number, y: number): number {
  const [dx, dy] = [x / SIDE - 0.5, y / SIDE - 0.55];
  const [left, right] = [Math.hypot(dx + 0.13, dy + 0.08), Math.hypot(dx - 0.13, dy + 0.08)];
  if (Math.min(left, right) < 0.05) return PALETTE_COLOURS - 1;
  if (hasHat && dy > -size - 0.1 && dy < -size * 0.7 && Math.abs(dx) < size * 0.8) return PALETTE_COLOURS - 1;
  if (dx * dx + dy * dy < size * size)
    return stripes > 0 && Math.floor((dy + 1) * stripes * 4) % 4 === 0 ? PALETTE_COLOURS - 1 : 2;
  const cell = Math.floor((y * CELLS) / SIDE) * CELLS + Math.floor((x * CELLS) / SIDE);
  return pattern[cell] ? 1 : 0;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([frame, body, check]);
}
