/** POST /token/{md5}/image: who may write, what is refused, where the image is shown, and that it stays. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Wallet } from 'xrpl';
import { IMAGE_BYTES_MAX, IMAGE_SIDE, THUMB_WIDTHS } from '../../../platform/images.ts';
import { TOKEN_IMAGES } from '../../../platform/token-metadata.ts';
import { ProcessImageEncoder } from '../../../workers/image-encoder.ts';
import { averageColour, png, pngChunk } from '../../workers/image-files.ts';
import { TokenWrites } from './token-writes.ts';

const encoder = new ProcessImageEncoder({ deadline: 60_000 });
const MARK = 'sent with the image';
/** A file of nearly the largest size, with its pixels at the end. */
const comment = pngChunk('tEXt', Buffer.from(`c\0${MARK.repeat(34_000)}`));
const red = png(300, 200, { colour: [255, 0, 0, 255], extra: [comment] });

describe('the image of a token', () => {
  const rig = new TokenWrites(encoder);
  const post = (imageData: string, headers?: Record<string, string>, id?: string) =>
    rig.post('image', { imageData }, headers, id);

  beforeAll(() => rig.start());
  afterAll(async () => {
    encoder.close();
    await rig.stop();
  });
  beforeEach(() => {
    rig.now += 60_000;
  });

  async function refusals(files: readonly [string, number][]): Promise<void> {
    for (const [sent, status] of files) {
      const answer = await post(sent);
      expect([sent.slice(0, 30), answer.status]).toEqual([sent.slice(0, 30), status]);
    }
  }

  test('is drawn at first', async () => {
    expect(red.length / IMAGE_BYTES_MAX).toBeGreaterThan(0.9);
    expect(red.length / IMAGE_BYTES_MAX).toBeLessThanOrEqual(1);
    expect(await rig.shown()).not.toHaveProperty('icon');
    // Its pictures are then drawn: see pictures.test.ts.
    for (const path of [`/token/${rig.md5}`, `/thumb/${rig.md5}_48`])
      expect((await rig.fetch(path)).headers.get('content-type')).toBe('image/webp');
  });

  test('is shown at once in rows and at its addresses, as WebP of our own', async () => {
    const { status, body } = await post(red.toString('base64'));
    expect([status, body.success, body.md5, body.imgUpdated]).toEqual([200, true, rig.md5, rig.now]);
    const token = await rig.shown();
    expect(token).toMatchObject({ icon: `/token/${rig.md5}?v=${rig.now}`, imgUpdated: rig.now });
    const row = (await rig.get('/tokens?limit=100')).tokens.find(
      (one: { md5: string }) => one.md5 === rig.md5,
    );
    expect(row.icon).toBe(token.icon);
    const sides = [IMAGE_SIDE, ...THUMB_WIDTHS];
    for (const side of sides) {
      const path = side === IMAGE_SIDE ? token.icon : `/thumb/${rig.md5}_${side}`;
      const response = await rig.fetch(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/webp');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const bytes = await response.bytes();
      expect(Buffer.from(bytes).includes(MARK)).toBe(false);
      expect(bytes).toEqual(new Uint8Array(rig.platform.get(TOKEN_IMAGES, [rig.md5, side])!));
      const { format, width } = await new Bun.Image(bytes).metadata();
      expect([format, width]).toEqual(['webp', Math.min(side, 300)]);
      const [r, g, b] = await averageColour(bytes);
      expect([r! > 240, g! < 15, b! < 15]).toEqual([true, true, true]);
    }
  });

  test('is kept by clients: for ever under its own address, else for minutes', async () => {
    const { icon } = await rig.shown();
    const exact = await rig.fetch(icon);
    expect(exact.headers.get('cache-control')).toContain('immutable');
    for (const path of [`/token/${rig.md5}`, `/token/${rig.md5}?v=1`, `/thumb/${rig.md5}_32`])
      expect((await rig.fetch(path)).headers.get('cache-control')).toBe('public, max-age=300');
    const known = { headers: { 'If-None-Match': exact.headers.get('etag')! } };
    expect((await rig.fetch(icon, known)).status).toBe(304);
    const head = await rig.fetch(icon, { method: 'HEAD' });
    expect([head.status, (await head.bytes()).length]).toEqual([200, 0]);
  });

  test('stays after a restart, and beside what is said of the token', async () => {
    const before = await rig.shown();
    expect((await rig.post('metadata', { user: 'Ann' })).status).toBe(200);
    await rig.restart();
    expect(await rig.shown()).toMatchObject({ user: 'Ann', icon: before.icon });
    expect((await rig.fetch(before.icon)).status).toBe(200);
  });

  test('is another under another address when it is written again, as a data address too', async () => {
    const before = await rig.shown();
    const blue = png(20, 20, { colour: [0, 0, 255, 255] });
    expect((await post(`data:image/png;base64,${blue.toString('base64')}`)).status).toBe(200);
    const { icon, user } = await rig.shown();
    expect([icon === before.icon, user]).toEqual([false, 'Ann']);
    const [r, , b] = await averageColour(await (await rig.fetch(icon)).bytes());
    expect([r! < 15, b! > 240]).toEqual([true, true]);
  });

  test('is written by issuer or creator alone', async () => {
    const stranger = rig.headersOf(Wallet.generate());
    const sent = red.toString('base64');
    expect((await post(sent, stranger)).status).toBe(403);
    expect((await post(sent, {})).status).toBe(401);
    expect((await post(sent, undefined, rig.engine.state.tokens.md5(rig.other))).status).toBe(403);
    expect((await post(sent, undefined, '0'.repeat(32))).status).toBe(404);
    expect((await post(sent, undefined, 'XRP')).status).toBe(404);
  });

  test('is written once in 3 seconds, metadata counted', async () => {
    const sent = red.toString('base64');
    const both = await Promise.all([post(sent), post(sent)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect(both.find(({ status }) => status === 429)!.headers.get('Retry-After')).toBe('3');
    expect((await rig.post('metadata', { user: 'Bob' })).status).toBe(429);
    rig.now += 3000;
    expect((await rig.post('metadata', { user: 'Bob' })).status).toBe(200);
    expect((await post(sent)).status).toBe(429);
  });

  test('is refused where it is none, and nothing changes', async () => {
    const before = await rig.shown();
    const large = Buffer.concat([png(1, 1), Buffer.alloc(IMAGE_BYTES_MAX)]);
    await refusals([
      ['', 400],
      ['no base64!', 400],
      [Buffer.from('hello').toString('base64'), 400],
      [red.subarray(0, 100).toString('base64'), 400],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'), 400],
      [large.toString('base64'), 413],
      ['A'.repeat(2_000_000), 413],
    ]);
    expect(await rig.shown()).toEqual(before);
  });

  test('has no addresses but those of its forms', async () => {
    const { md5 } = rig;
    const paths = [`/thumb/${md5}_33`, `/thumb/${md5}_512`, `/thumb/${md5}`, '/thumb/x_48', '/token/x'];
    for (const path of [...paths, `/token/${md5.toUpperCase()}x`, '/thumb/%00_48', `/thumb/${md5}_48/x`])
      expect((await rig.fetch(path)).status).toBe(404);
    expect((await rig.fetch(`/token/${md5}`, { method: 'DELETE' })).status).not.toBe(200);
  });

  test('cannot be written where nothing is kept, or no images are taken', async () => {
    const [none, sent] = [undefined, { imageData: red.toString('base64') }];
    expect((await rig.post('image', sent, none, none, rig.apiOf())).status).toBe(503);
    const without = new TokenWrites();
    expect(without.apiOf().service.images).toBeUndefined();
  });
});
