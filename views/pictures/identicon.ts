/**
 * A small picture of a token that has none: a pattern of 5 x 5 squares, mirrored left to right, in one colour on a pale
 * ground, both drawn from the token's md5. The same md5 always has the same bytes. XRP has a cross.
 *
 *     md5  aabbcccc...   aabb: the hue      cccc: the 15 squares of the left half and the middle
 *
 * It is written as lossless WebP (RFC 9649, chapter 3) without a compressor: a picture of two colours needs one bit a
 * pixel in that format, which is all that this writes. Cost: 0.18 ms at 48 px, 0.23 ms at 128, on a loaded machine.
 */

/** Red, green, blue, 0 to 255. */
type Colour = readonly [number, number, number];

interface Pattern {
  /** By row and column, whether the square is drawn. */
  readonly squares: readonly (readonly boolean[])[];
  readonly colour: Colour;
  readonly ground: Colour;
}

const SQUARES = 5;
/** Of the mirrored half, with the middle. */
const DRAWN = 3;
/** Squares and half a square of ground on each side. */
const WIDTH_IN_SQUARES = SQUARES + 1;

const CROSS: Pattern = {
  squares: ['#...#', '.#.#.', '..#..', '.#.#.', '#...#'].map((row) => [...row].map((one) => one === '#')),
  colour: [0x23, 0x29, 0x2f],
  ground: [0xec, 0xee, 0xf0],
};

/** @param md5 32 hex digits. @param side px, a multiple of 8, at most 128. @returns a WebP file */
export function identicon(md5: string, side: number): Uint8Array<ArrayBuffer> {
  return drawn(patternOf(md5), side);
}

/** The same for XRP. */
export const crossIcon = (side: number): Uint8Array<ArrayBuffer> => drawn(CROSS, side);

function patternOf(md5: string): Pattern {
  const hue = Number.parseInt(md5.slice(0, 4), 16) % 360;
  const bits = Number.parseInt(md5.slice(4, 8), 16);
  const squares = Array.from({ length: SQUARES }, (_, row) =>
    Array.from({ length: SQUARES }, (_, column) => {
      const mirrored = Math.min(column, SQUARES - 1 - column);
      return ((bits >> (row * DRAWN + mirrored)) & 1) === 1;
    }),
  );
  return { squares, colour: colourOf(hue, 0.6, 0.42), ground: colourOf(hue, 0.45, 0.93) };
}

/** From hue in degrees, saturation and lightness as shares (CSS Color 3, 4.2.4). */
function colourOf(hue: number, saturation: number, lightness: number): Colour {
  const strength = saturation * Math.min(lightness, 1 - lightness);
  const part = (shift: number) => {
    const at = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness - strength * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return [part(0), part(8), part(4)];
}

function drawn({ squares, colour, ground }: Pattern, side: number): Uint8Array<ArrayBuffer> {
  const size = Math.floor(side / WIDTH_IN_SQUARES);
  const margin = Math.floor((side - size * SQUARES) / 2);
  const at = (pixel: number) => Math.floor((pixel - margin) / size);
  const ofGround = new Uint8Array(side / 8);
  const ofSquares = squares.map((row) => packed(side, (x) => row[at(x)] === true));
  const bits = new Bits(HEAD_MAX + (side * side) / 8);
  writeHead(bits, side, ground, colour);
  for (let y = 0; y < side; y++) for (const byte of ofSquares[at(y)] ?? ofGround) bits.write(byte, 8);
  return fileOf(bits.bytes());
}

/** One bit a pixel, the first lowest. */
function packed(side: number, isSet: (x: number) => boolean): Uint8Array {
  const row = new Uint8Array(side / 8);
  for (let x = 0; x < side; x++) if (isSet(x)) row[x >> 3]! |= 1 << (x & 7);
  return row;
}

/** Bytes before the pixels: 40, rounded up. */
const HEAD_MAX = 64;
const SIGNATURE = 0x2f;
const COLOUR_INDEXING = 3;
/** With fewer than 17 colours several pixels share a symbol, and symbols would no longer be one bit. */
const COLOURS = 17;

/** Everything before the pixels, each of which is then one bit: 0 the ground, 1 the colour. */
function writeHead(bits: Bits, side: number, ground: Colour, colour: Colour): void {
  bits.write(SIGNATURE, 8);
  bits.write(side - 1, 14);
  bits.write(side - 1, 14);
  bits.write(0, 1); // no transparency
  bits.write(0, 3); // version
  bits.write(1, 1); // a transform follows
  bits.write(COLOUR_INDEXING, 2);
  bits.write(COLOURS - 1, 8);
  writeColours(bits, ground, colour);
  bits.write(0, 1); // no more transforms
  bits.write(0, 1); // no cache of colours
  bits.write(0, 1); // one group of codes
  writeCode(bits, 0, 1); // green holds the index
  for (let other = 0; other < 4; other++) writeCode(bits, 0, 0);
}

/**
 * Each entry of the table is written as its difference from the one before it. The same difference throughout leaves two
 * symbols a channel: the ground itself, then the step from it. Entries from the third on are not used.
 */
function writeColours(bits: Bits, ground: Colour, colour: Colour): void {
  const [red, green, blue] = ground.map((from, i) => [from, (colour[i]! - from) & 0xff] as const) as [
    Channel,
    Channel,
    Channel,
  ];
  const alpha: Channel = [0xff, 0];
  const channels = [green, red, blue, alpha];
  bits.write(0, 1); // no cache of colours
  for (const [first, step] of channels) writeCode(bits, first, step);
  writeCode(bits, 0, 0); // distances, of which there are none
  for (let entry = 0; entry < COLOURS; entry++)
    for (const [first, step] of channels) {
      // Of two symbols the lower one has the code 0; one alone needs no bits.
      if (first !== step) bits.write((entry === 0 ? first > step : step > first) ? 1 : 0, 1);
    }
}

type Channel = readonly [number, number];

/** A code of one symbol, or of two of one bit each. */
function writeCode(bits: Bits, one: number, other: number): void {
  const isTwo = one !== other;
  bits.write(1, 1); // the simple form
  bits.write(isTwo ? 1 : 0, 1);
  bits.write(1, 1); // the first symbol has 8 bits
  bits.write(one, 8);
  if (isTwo) bits.write(other, 8);
}

/** Bits, lowest first. */
class Bits {
  readonly #bytes: Uint8Array;
  #length = 0;
  #held = 0;
  #count = 0;

  /** @param bytesMax that can be written */
  constructor(bytesMax: number) {
    this.#bytes = new Uint8Array(bytesMax);
  }

  /** @param length at most 16 */
  write(value: number, length: number): void {
    this.#held |= value << this.#count;
    this.#count += length;
    for (; this.#count >= 8; this.#count -= 8) {
      this.#bytes[this.#length++] = this.#held & 0xff;
      this.#held >>>= 8;
    }
  }

  bytes(): Uint8Array {
    if (this.#count > 0) this.#bytes[this.#length] = this.#held;
    return this.#bytes.subarray(0, this.#length + (this.#count > 0 ? 1 : 0));
  }
}

/** `RIFF size WEBP VP8L length`, then the picture, padded to an even number of bytes. */
function fileOf(picture: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = picture.length + (picture.length & 1);
  const file = new Uint8Array(20 + padded);
  const view = new DataView(file.buffer);
  file.set(Buffer.from('RIFF'), 0);
  view.setUint32(4, 12 + padded, true);
  file.set(Buffer.from('WEBPVP8L'), 8);
  view.setUint32(16, picture.length, true);
  file.set(picture, 20);
  return file;
}
