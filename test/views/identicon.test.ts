/** Pictures drawn from an md5: what a decoder makes of them, against the pattern that the md5 stands for. */
import { describe, expect, test } from 'bun:test';
import { inflateSync } from 'node:zlib';
import { THUMB_WIDTHS } from '../../platform/images.ts';
import { crossIcon, identicon } from '../../views/pictures/identicon.ts';
import { casesOf } from '../cases.ts';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

/** RGBA of every pixel, by way of a PNG without filters of its own choice. */
async function pixelsOf(
  file: Uint8Array<ArrayBuffer>,
): Promise<{ side: number; at(x: number, y: number): number }> {
  const png = Buffer.from(await new Bun.Image(file).png({ compressionLevel: 0 }).bytes());
  const side = png.readUInt32BE(16);
  const channels = png[25] === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rows = unfiltered(inflateSync(Buffer.concat(data)), side, channels);
  return { side, at: (x, y) => rows.readUIntBE((y * side + x) * channels, 3) };
}

/** Filters of PNG (RFC 2083, chapter 6). */
function unfiltered(data: Buffer, side: number, channels: number): Buffer {
  const width = side * channels;
  const out = Buffer.alloc(side * width);
  for (let y = 0; y < side; y++) {
    const filter = data[y * (width + 1)]!;
    for (let i = 0; i < width; i++) {
      const left = i < channels ? 0 : out[y * width + i - channels]!;
      const up = y === 0 ? 0 : out[(y - 1) * width + i]!;
      const corner = y === 0 || i < channels ? 0 : out[(y - 1) * width + i - channels]!;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
      out[y * width + i] = data[y * (width + 1) + 1 + i]! + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const p = left + up - corner;
  const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The colours of the 5 x 5 squares, each read at its centre, with that of the corner. */
async function squaresOf(file: Uint8Array<ArrayBuffer>) {
  const { side, at } = await pixelsOf(file);
  const size = Math.floor(side / 6);
  const margin = Math.floor((side - 5 * size) / 2);
  const centre = (i: number) => margin + i * size + (size >> 1);
  const ground = at(0, 0);
  const squares = [0, 1, 2, 3, 4].map((y) => [0, 1, 2, 3, 4].map((x) => at(centre(x), centre(y))));
  const colours = new Set<number>();
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) colours.add(at(x, y));
  return { side, ground, squares, colours };
}

describe('a picture that is drawn from an md5', () => {
  test('has every width of the contract, and shows the same pattern in each', async () => {
    const shown = await Promise.all(THUMB_WIDTHS.map((side) => squaresOf(identicon(MD5, side))));
    for (const [i, { side, squares, ground, colours }] of shown.entries()) {
      expect(side).toBe(THUMB_WIDTHS[i]!);
      expect(colours.size).toBe(2);
      expect([squares, ground]).toEqual([shown[0]!.squares, shown[0]!.ground]);
    }
  });

  test('is that of its md5, mirrored, dark on pale', async () => {
    for (let n = 0; n < casesOf(20, 2000); n++) {
      const md5 = new Bun.CryptoHasher('md5').update(`picture ${n}`).digest('hex');
      const { squares, ground, colours } = await squaresOf(identicon(md5, 48));
      const bits = Number.parseInt(md5.slice(4, 8), 16);
      for (let y = 0; y < 5; y++)
        for (let x = 0; x < 5; x++) {
          const isDrawn = (bits >> (y * 3 + (x > 2 ? 4 - x : x))) % 2 === 1;
          expect([md5, x, y, squares[y]![x] !== ground]).toEqual([md5, x, y, isDrawn]);
        }
      const brightness = (colour: number) => (colour >> 16) + ((colour >> 8) & 255) + (colour & 255);
      expect(brightness(ground)).toBeGreaterThan(660);
      for (const colour of colours) if (colour !== ground) expect(brightness(colour)).toBeLessThan(460);
    }
  });

  test('is always the same file', () => {
    expect(Bun.hash(identicon(MD5, 64)).toString(36)).toBe('30qdsvlhz9ydh');
    expect(identicon(MD5, 128).length).toBeLessThan(2200);
  });

  test('is a cross for XRP', async () => {
    const { squares, ground } = await squaresOf(crossIcon(32));
    const drawn = squares.map((row) => row.map((one) => (one === ground ? '.' : '#')).join(''));
    expect(drawn).toEqual(['#...#', '.#.#.', '..#..', '.#.#.', '#...#']);
  });
});
