/** GET /thumb, /nft-thumb, /nft-collection-thumb and the host of images: which picture, for how long, and how much memory. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { IMAGE_SIDE, THUMB_WIDTHS } from '../../../platform/images.ts';
import { pictureFile } from '../../../platform/nft-pictures.ts';
import { crossIcon, identicon } from '../../../views/pictures/identicon.ts';
import { TokenWrites } from './token-writes.ts';

const YEAR = 'max-age=31536000, immutable';
const MINUTES = 'max-age=300';
const HASH = 'ab'.repeat(32);
/** Forms that differ by width. */
const forms = new Map(
  [...THUMB_WIDTHS, IMAGE_SIDE].map((side) => [side, identicon('0'.repeat(32), Math.min(side, 128))]),
);

describe('pictures', () => {
  const rig = new TokenWrites();
  const bytes = async (path: string, init?: RequestInit) => {
    const response = await rig.fetch(path, init);
    return { status: response.status, headers: response.headers, bytes: await response.bytes() };
  };
  const rule = async (path: string) => (await bytes(path)).headers.get('cache-control');

  beforeAll(async () => {
    await rig.start();
    Object.assign(rig.network, {
      pictures: { form: (hash: string, width: number) => (hash === HASH ? forms.get(width) : undefined) },
    });
  });
  afterAll(() => rig.stop());

  test('of tokens without one are drawn, of the width that is asked for', async () => {
    const { md5 } = rig;
    for (const side of THUMB_WIDTHS) {
      const shown = await bytes(`/v1/thumb/${md5}?w=${side}`);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect(shown.bytes).toEqual(identicon(md5, side));
      expect((await bytes(`/s1/thumb/${md5}_${side}`)).bytes).toEqual(shown.bytes);
    }
    expect((await bytes(`/v1/thumb/${md5}`)).bytes).toEqual(identicon(md5, 48));
    // Out of range is the default.
    expect((await bytes(`/v1/thumb/${md5}?w=47`)).bytes).toEqual(identicon(md5, 48));
    expect((await bytes('/v1/thumb/XRP?w=32')).bytes).toEqual(crossIcon(32));
    expect((await bytes(`/v1/thumb/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await bytes(`/s1/thumb/${'0'.repeat(32)}_48`)).status).toBe(404);
    expect((await bytes(`/s1/token/${md5}`)).bytes).toEqual((await bytes(`/s1/thumb/${md5}_128`)).bytes);
  });

  test('are asked again after minutes, and not sent again', async () => {
    const path = `/v1/thumb/${rig.md5}?w=128`;
    for (const encoding of ['identity', 'gzip, zstd']) {
      const first = await bytes(path, { headers: { 'Accept-Encoding': encoding } });
      expect(first.headers.get('content-encoding')).toBeNull();
      expect(first.headers.get('cache-control')).toBe(`private, ${MINUTES}`);
      expect(first.headers.get('content-security-policy')).toContain('sandbox');
      const again = await bytes(path, { headers: { 'If-None-Match': first.headers.get('etag')! } });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
    }
    expect((await bytes(path, { method: 'HEAD' })).status).toBe(200);
    expect(await rule(`/v1/thumb/${rig.md5}?v=0`)).toBe(`private, ${MINUTES}`);
    expect(await rule(`/v1/thumb/${rig.md5}?v=undefined`)).toBe(`private, ${MINUTES}`);
  });

  test('of tokens that have one are that, at once, and for a year under its time', async () => {
    const { md5, now } = rig;
    await rig.network.tokenData.writeImage(md5, { width: 128, height: 128, forms }, { now, by: 'test' });
    expect((await bytes(`/v1/thumb/${md5}?w=64`)).bytes).toEqual(forms.get(64)!);
    expect(await rule(`/v1/thumb/${md5}?w=64&v=${now}`)).toBe(`private, ${YEAR}`);
    expect(await rule(`/v1/thumb/${md5}?w=64&v=${now - 1}`)).toBe(`private, ${MINUTES}`);
    expect(await rule(`/s1/thumb/${md5}_64?v=${now}`)).toBe(`public, ${YEAR}`);
    expect(await rule(`/s1/thumb/${md5}_64`)).toBe(`public, ${MINUTES}`);
    expect((await bytes(`/s1/token/${md5}`)).bytes).toEqual(forms.get(IMAGE_SIDE)!);
  });

  test('of NFTs and collections are named by their content', async () => {
    for (const kind of ['nft', 'nft-collection']) {
      const shown = await bytes(`/v1/${kind}-thumb/${HASH}?w=96`);
      expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, `private, ${YEAR}`]);
      expect(shown.bytes).toEqual(forms.get(96)!);
      const again = { headers: { 'If-None-Match': shown.headers.get('etag')! } };
      expect((await bytes(`/v1/${kind}-thumb/${HASH}?w=96`, again)).status).toBe(304);
      expect((await bytes(`/v1/${kind}-thumb/${HASH}`)).bytes).toEqual(forms.get(128)!);
      expect((await bytes(`/v1/${kind}-thumb/${'cd'.repeat(32)}`)).status).toBe(404);
      const file = await bytes(`/s1/${kind}/${pictureFile(HASH, IMAGE_SIDE)}`);
      expect([file.status, file.headers.get('cache-control')]).toEqual([200, `public, ${YEAR}`]);
      expect(file.bytes).toEqual(forms.get(IMAGE_SIDE)!);
      const known = { headers: { 'If-None-Match': file.headers.get('etag')! } };
      expect((await bytes(`/s1/${kind}/${pictureFile(HASH, IMAGE_SIDE)}`, known)).status).toBe(304);
      const any = { headers: { 'If-None-Match': '*' } };
      expect((await bytes(`/s1/${kind}/${pictureFile(HASH, IMAGE_SIDE)}`, any)).status).toBe(304);
      for (const wrong of [
        `${HASH}_47.webp`,
        `${HASH}.webp`,
        `${HASH}_64.png`,
        'x',
        '%00',
        `..%2f${HASH}_64.webp`,
      ])
        expect((await bytes(`/s1/${kind}/${wrong}`)).status).toBe(404);
    }
  });

  test('have the same length for who asks for the headers alone', async () => {
    for (const path of [
      `/v1/nft-thumb/${HASH}?w=64`,
      `/s1/nft/${pictureFile(HASH, 64)}`,
      `/s1/token/${rig.md5}`,
    ]) {
      const whole = await bytes(path);
      const head = await bytes(path, { method: 'HEAD' });
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect([path, head.headers.get('content-length')]).toEqual([path, String(whole.bytes.length)]);
      expect(head.headers.get('etag')).toBe(whole.headers.get('etag'));
    }
  });
});
