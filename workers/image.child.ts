/**
 * A process that encodes one image again, and ends: the file on stdin, the answer (`image-answer.ts`) on stdout; its argument
 * is the memory that it may take. What a decoder does with a hostile file ends with this process.
 */
import { setPriority } from 'node:os';
import { DIFFERENCE_COLUMNS, DIFFERENCE_ROWS, differenceHash } from '../engine/metrics/difference-hash.ts';
import { FORM_BYTES_MAX, IMAGE_SIDE, THUMB_WIDTHS } from '../platform/images.ts';
import { greyPixels } from './grey-pixels.ts';
import { PIXELS_MAX, packAnswer } from './image-answer.ts';
import { isWebp, stillPicture } from './webp.ts';

/** The decoders' own threads work meanwhile, so this one can look. */
const LOOK_EVERY_MS = 5;
/** The last, as of `nice`. */
const GIVES_WAY = 19;
const QUALITIES = [85, 60, 30] as const;

/**
 * The formats of the contract, by what their files begin with. The runtime reads others too, on some systems with
 * libraries of the system.
 */
const STARTS = {
  png: Buffer.from('89504e470d0a1a0a', 'hex'),
  jpeg: Buffer.from('ffd8ff', 'hex'),
  gif: Buffer.from('GIF8'),
} as const;

// The service answers first: where there are few cores, an image may take longer.
setPriority(GIVES_WAY);
/** Bytes. */
const memoryMax = Number(process.argv[2]);
const memory = setInterval(() => process.memoryUsage.rss() > memoryMax && process.exit(1), LOOK_EVERY_MS);
try {
  await Bun.write(Bun.stdout, packAnswer(await encode(await Bun.stdin.bytes())));
} catch (fault) {
  await Bun.write(Bun.stdout, packAnswer({ refused: reasonOf(fault) }));
}
clearInterval(memory);

async function encode(sent: Uint8Array<ArrayBuffer>) {
  const file = readable(sent);
  if (typeof file === 'string') return { refused: file };
  Bun.Image.backend = 'bun';
  // What is derived is derived from the first encoding: the file itself is decoded once.
  const whole = await fitted(file, IMAGE_SIDE, 'lossless');
  const { width, height } = await open(whole).metadata();
  const forms: [number, Uint8Array][] = [[IMAGE_SIDE, await fitted(whole, IMAGE_SIDE)]];
  for (const side of THUMB_WIDTHS) forms.push([side, await fitted(whole, side)]);
  return { width, height, likeness: await likenessOf(whole), forms };
}

/** What is to be decoded, or why nothing is. */
function readable(sent: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | string {
  if (isWebp(sent)) return stillPicture(sent) ?? 'it holds no picture';
  const format = Object.entries(STARTS).find(([, start]) =>
    start.equals(sent.subarray(0, start.length)),
  )?.[0];
  if (format === undefined) return 'it is no PNG, JPEG, GIF or WebP';
  return format === 'jpeg' && isCut(Buffer.from(sent)) ? 'it ends too soon' : sent;
}

/** What hash it has, by the pixels that are left when it is made as small as the hash wants it. */
async function likenessOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  const small = open(file).resize(DIFFERENCE_COLUMNS, DIFFERENCE_ROWS, { fit: 'fill' });
  return differenceHash(greyPixels(await small.png().bytes()));
}

function open(file: Uint8Array<ArrayBuffer>): Bun.Image {
  return new Bun.Image(file, { maxPixels: PIXELS_MAX });
}

/** WebP whose longest side is at most `side`, without the colour profile, which is part of what was sent. */
async function fitted(
  file: Uint8Array<ArrayBuffer>,
  side: number,
  how?: 'lossless',
): Promise<Uint8Array<ArrayBuffer>> {
  for (const quality of QUALITIES) {
    const image = open(file).resize(side, side, { fit: 'inside', withoutEnlargement: true });
    const encoded = await image.webp(how ? { lossless: true } : { quality }).bytes();
    const picture = stillPicture(encoded);
    if (picture && (how || picture.length <= FORM_BYTES_MAX)) return picture;
  }
  throw new Error('too much detail');
}

/** The decoder shows what is missing as grey; the end marker follows the pixels. */
function isCut(jpeg: Buffer): boolean {
  const pixels = jpeg.indexOf(Buffer.of(0xff, 0xda));
  return pixels < 0 || jpeg.lastIndexOf(Buffer.of(0xff, 0xd9)) < pixels;
}

function reasonOf(fault: unknown): string {
  const { code = '' } = fault as { code?: string };
  return code === 'ERR_IMAGE_TOO_MANY_PIXELS'
    ? `it has more than ${PIXELS_MAX} pixels`
    : 'it cannot be decoded';
}
