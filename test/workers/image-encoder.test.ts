/** Images that others send: what is made of good ones, and that hostile ones end in a refusal within bounds. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { bitsApart } from '../../engine/metrics/difference-hash.ts';
import { BITS_APART } from '../../engine/scams/rules/nft-copies.ts';
import { FORM_BYTES_MAX, IMAGE_BYTES_MAX, IMAGE_SIDE, THUMB_WIDTHS } from '../../platform/images.ts';
import { NftFiles } from '../../sandbox/population/nft-files.ts';
import { PIXELS_MAX, packAnswer, readAnswer } from '../../workers/image-answer.ts';
import { ProcessImageEncoder } from '../../workers/image-encoder.ts';
import { animatedWebp, averageColour, gif, jpeg, png, pngChunk, riff, webp } from './image-files.ts';

const seed = Number(process.env.SEED ?? 20_261_123);
const MARK = 'a mark that only the sent file has';
const encoder = new ProcessImageEncoder({ processes: 2, waiting: 64, deadline: 60_000 });
const SIDES = [IMAGE_SIDE, ...THUMB_WIDTHS];

afterAll(() => encoder.close());

/** Why it is refused; undefined: it is not. Anything but an image or a refusal fails. */
async function refusal(file: Uint8Array): Promise<string | undefined> {
  try {
    await checked(file);
    return undefined;
  } catch (error) {
    if ((error as Error).name !== 'ImageError') throw error;
    return (error as Error).message;
  }
}

/** The forms of a file, each of which is WebP within its bounds and has nothing of the file but its pixels. */
async function checked(file: Uint8Array) {
  const encoded = await encoder.encode(file);
  expect([...encoded.forms.keys()]).toEqual(SIDES);
  for (const [side, form] of encoded.forms) {
    expect(form.length).toBeLessThanOrEqual(FORM_BYTES_MAX);
    const { format, width, height } = await new Bun.Image(new Uint8Array(form)).metadata();
    expect(format).toBe('webp');
    expect(Math.max(width, height)).toBeLessThanOrEqual(side);
    expect(Buffer.from(form).includes(MARK)).toBe(false);
    expect(Buffer.from(form).toString('latin1')).not.toMatch(/ICCP|EXIF|XMP /);
  }
  return encoded;
}

test('what it looks like is the same in other sizes and formats, and another one of other pictures', async () => {
  const files = new NftFiles('likeness');
  const drawn = (n: number) =>
    files.of('ipfs.example', `/ipfs/blue-chip/${n}.png`)!.body as Uint8Array<ArrayBuffer>;
  const likenessOf = async (file: Uint8Array) => (await encoder.encode(file)).likeness!;
  const first = await likenessOf(drawn(1));
  const copies = [
    await new Bun.Image(drawn(1)).resize(300, 300).jpeg({ quality: 60 }).bytes(),
    await new Bun.Image(drawn(1)).resize(61, 61).webp({ quality: 40 }).bytes(),
  ];
  for (const copy of copies) expect(bitsApart(first, await likenessOf(copy))).toBeLessThanOrEqual(BITS_APART);
  for (const n of [2, 3]) expect(bitsApart(first, await likenessOf(drawn(n)))).toBeGreaterThan(BITS_APART);
});

describe('an image encoded again', () => {
  test('of every format keeps shape and colour, and none is enlarged', async () => {
    const still = await webp(40, 20);
    const files = {
      png: png(40, 20),
      jpeg: await jpeg(40, 20),
      progressive: await jpeg(40, 20, true),
      webp: still,
      lossless: await webp(40, 20, true),
      animated: animatedWebp([still, still], 40, 20),
    };
    for (const [name, file] of Object.entries(files)) {
      const { width, height, forms } = await checked(file);
      expect([name, width, height]).toEqual([name, 40, 20]);
      const colour = await averageColour(forms.get(IMAGE_SIDE)!);
      for (const [i, sample] of [200, 30, 40, 255].entries())
        expect(Math.abs(colour[i]! - sample), name).toBeLessThan(12);
    }
    const { width, height } = await checked(gif(1, 1, 3));
    expect([width, height]).toEqual([1, 1]);
  });

  test('keeps what is transparent, and shrinks to fit', async () => {
    const { width, height, forms } = await checked(png(1024, 256, { colour: [10, 200, 30, 0] }));
    expect([width, height]).toEqual([512, 128]);
    expect((await averageColour(forms.get(64)!))[3]).toBe(0);
    const thumb = await new Bun.Image(new Uint8Array(forms.get(64)!)).metadata();
    expect([thumb.width, thumb.height]).toEqual([64, 16]);
  });

  test('has nothing of what the file carried beside its pixels', async () => {
    const profile = Bun.deflateSync(Buffer.from(MARK.repeat(20)), { level: 0 });
    const zlib = Buffer.concat([Buffer.from('7801', 'hex'), profile, Buffer.alloc(4)]);
    const extra = [
      pngChunk('tEXt', Buffer.from(`Comment\0${MARK}`)),
      pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), zlib])),
      pngChunk('eXIf', Buffer.from(`MM\0*${MARK}`)),
    ];
    const script = Buffer.from(`<script>${MARK}</script>PK\x05\x06`);
    await checked(Buffer.concat([png(8, 8, { extra: extra.slice(0, 1) }), script]));
    expect([undefined, 'it cannot be decoded']).toContain(await refusal(png(8, 8, { extra })));
    await checked(Buffer.concat([await jpeg(8, 8), script]));
    await checked(Buffer.concat([gif(8, 8), script]));
    await checked(Buffer.concat([await webp(8, 8), script]));
  });
});

describe('a file that is no image for us', () => {
  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML that begins as a bitmap', 'BM<html><script>alert(1)</script>'],
    ['PDF', '%PDF-1.7'],
    ['TIFF', 'II*\0\x08\0\0\0'],
    ['AVIF', '\0\0\0\x1cftypavif\0\0\0\0'],
    ['a PNG that has only begun', '\x89PNG\r\n\x1a\n'],
    ['a RIFF that is sound', 'RIFF\x24\0\0\0WAVEfmt '],
    ['a WebP without chunks', 'RIFF\x04\0\0\0WEBP'],
    ['a WebP whose chunk is longer than it', 'RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff'],
  ])('%s is refused', async (_, text) => {
    expect(await refusal(Buffer.from(text, 'latin1'))).toMatch(/^it /);
  });

  test('is refused above its bytes without a process', async () => {
    const idle = new ProcessImageEncoder({}, 'no such program');
    expect(idle.encode(new Uint8Array(IMAGE_BYTES_MAX + 1))).rejects.toMatchObject({ kind: 'refused' });
  });

  test('is refused where it ends too soon', async () => {
    const whole = [png(64, 64), await jpeg(64, 64), await webp(64, 64)];
    for (const file of whole) expect(await refusal(file.subarray(0, file.length >> 1))).toMatch(/^it /);
  });
});

describe('a hostile file', () => {
  test('with too many pixels is refused by its header', async () => {
    const side = Math.sqrt(PIXELS_MAX);
    const bombs = [
      png(side + 1, side, { rows: 1 }),
      png(1, 1),
      gif(65_535, 65_535, 1, 65_535),
      riff(Buffer.from('5650384c0a0000002fffffff0f0000000000', 'hex')),
    ];
    // Two billion pixels by the header alone.
    bombs[1]!.writeUInt32BE(65_535, 16);
    bombs[1]!.writeUInt32BE(32_767, 20);
    for (const bomb of bombs) expect(await refusal(bomb)).toMatch(/^it (has more than|cannot be)/);
  });

  test('that inflates a thousandfold takes no more memory than its process may', async () => {
    const side = Math.sqrt(PIXELS_MAX);
    const zeros = new Uint8Array(1 << 27);
    const text = Buffer.concat([Buffer.from('c\0\0'), Bun.gzipSync(zeros)]);
    const profile = Buffer.concat([Buffer.from('p\0\0'), Bun.deflateSync(zeros)]);
    const deep = png(side, side, { depth: 16 });
    const files = [
      deep,
      await jpeg(side, side, true),
      await webp(side, side, true),
      gif(side, side, 1000),
      png(8, 8, { extra: [pngChunk('zTXt', text)] }),
      png(8, 8, { extra: [pngChunk('iCCP', profile)] }),
    ];
    for (const file of files) {
      expect(file.length).toBeLessThan(IMAGE_BYTES_MAX);
      await checked(file);
    }
    const small = new ProcessImageEncoder({ memory: 90 * 1024 * 1024, deadline: 60_000 });
    await expect(small.encode(deep)).rejects.toMatchObject({ kind: 'refused' });
    expect((await small.encode(png(8, 8))).width).toBe(8);
  });

  test('made by changing bytes of good ones ends in an image or a refusal', async () => {
    console.log(`image-encoder: SEED=${seed}`);
    const random = randomOf(seed);
    const good = [
      png(16, 16),
      await jpeg(24, 16),
      await jpeg(16, 24, true),
      await webp(16, 16),
      gif(8, 8, 2),
    ];
    good.push(await webp(16, 16, true), animatedWebp([good[3]!, good[3]!], 16, 16));
    const files = Array.from({ length: 28 }, (_, i) => changed(good[i % good.length]!, random));
    const refusals = await Promise.all(files.map(refusal));
    expect(refusals).toHaveLength(files.length);
  });
});

describe('the process', () => {
  const child = (name: string) => join(import.meta.dir, `${name}.child.ts`);

  test('is killed at its deadline, and when it answers too much', async () => {
    for (const name of ['hangs', 'floods']) {
      const short = new ProcessImageEncoder({ deadline: name === 'hangs' ? 100 : 60_000 }, child(name));
      expect(short.encode(png(1, 1))).rejects.toMatchObject({ kind: 'refused' });
    }
  });

  test('is waited for by a bounded number, in order, and ended with the service', async () => {
    const one = new ProcessImageEncoder({ processes: 1, waiting: 1, deadline: 60_000 }, child('hangs'));
    const both = [one.encode(png(1, 1)), one.encode(png(1, 1))].map((made) =>
      made.catch((error) => error.kind),
    );
    await expect(one.encode(png(1, 1))).rejects.toMatchObject({ kind: 'busy' });
    one.close();
    expect(await Promise.all(both)).toEqual(['busy', 'busy']);
  });
});

const LIKENESS = '0123456789abcdef';

describe('the answer of a process', () => {
  test('is read as it was written', async () => {
    const form = new Uint8Array(await webp(4, 4));
    const forms = SIDES.map((side) => [side, form] as [number, Uint8Array]);
    const packed = Buffer.from(packAnswer({ width: 4, height: 4, likeness: LIKENESS, forms }));
    expect(readAnswer(packed)).toEqual({ width: 4, height: 4, likeness: LIKENESS, forms: new Map(forms) });
    expect(readAnswer(Buffer.from(packAnswer({ refused: 'no' })))).toBe('no');
  });

  test('is not believed where it is another', async () => {
    const form = new Uint8Array(await webp(4, 4));
    const forms = SIDES.map((side) => [side, form] as [number, Uint8Array]);
    const answers = [
      { width: 0, height: 4, likeness: LIKENESS, forms },
      { width: 4, height: IMAGE_SIDE + 1, likeness: LIKENESS, forms },
      { width: 4, height: 4, likeness: LIKENESS, forms: forms.slice(1) },
      { width: 4, height: 4, likeness: `${LIKENESS}0`, forms },
      { width: 4, height: 4, likeness: '__proto__', forms },
      {
        width: 4,
        height: 4,
        likeness: LIKENESS,
        forms: forms.map(([side]) => [side, new Uint8Array(40)] as [number, Uint8Array]),
      },
    ];
    for (const answer of answers) expect(readAnswer(Buffer.from(packAnswer(answer)))).toBeUndefined();
    const good = Buffer.from(packAnswer({ width: 4, height: 4, likeness: LIKENESS, forms }));
    for (let length = 0; length < good.length; length += 7)
      expect(readAnswer(good.subarray(0, length))).toBeUndefined();
    for (const text of ['', '\0\0\0\0', '\xff\xff\xff\xff', '\x04\0\0\0null', '\x02\0\0\0[]', '\x02\0\0\0{}'])
      expect(readAnswer(Buffer.from(text, 'latin1'))).toBeUndefined();
  });
});

/** Bytes overwritten, repeated or cut out at random. */
function changed(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const bytes = Buffer.from(file);
  for (let i = random(6); i >= 0; i--) bytes[random(bytes.length)] = random(256);
  const [from, length] = [random(bytes.length), random(16)];
  const rest = [bytes, Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)])];
  rest.push(Buffer.concat([bytes.subarray(0, from), bytes.subarray(Math.max(0, from - length))]));
  return rest[random(3)]!;
}

/** xorshift32 */
function randomOf(start: number): (below: number) => number {
  let state = start | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
