/** Metadata and pictures of NFTs: what is fetched and shown, that it is fetched once, and that it is bounded. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutsideError } from '../../outside/bounded-fetch.ts';
import type { EncodedImage } from '../../platform/images.ts';
import { IMAGE_SIDE, ImageError, THUMB_WIDTHS } from '../../platform/images.ts';
import { NftMediaStore, RECENT_BYTES } from '../../platform/nft-media.ts';
import type { PlatformStore } from '../../platform/store.ts';
import { averageColour, png } from '../workers/image-files.ts';
import { MediaRig, PUBLIC } from './nft-media-rig.ts';

const seen: string[] = [];
let files: Record<string, string | Uint8Array> = {};
const server = Bun.serve({
  port: 0,
  hostname: PUBLIC,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    seen.push(pathname);
    const file = files[pathname];
    return file === undefined ? new Response('no', { status: 404 }) : new Response(file as string);
  },
});
const at = (path: string) => `http://art.example:${server.port}${path}`;
const gateway = `http://gate.example:${server.port}`;
const RED = [230, 20, 30, 255] as const;
const metadata = (n: number, more = {}) =>
  JSON.stringify({
    name: `Item ${n}`,
    image: at(`/${n}.png`),
    attributes: [{ trait_type: 'N', value: n }],
    ...more,
  });

const real = await new MediaRig({ ipfs: [gateway] }).open();
const rigs = [real];
/** Makes forms at once, of a size that the file says. */
const quick = () => {
  const sent: number[] = [];
  return {
    sent,
    close() {},
    async encode(file: Uint8Array): Promise<EncodedImage> {
      sent.push(file.length);
      if (file.length === 99) throw new ImageError('refused', 'it is 99');
      const form = new Uint8Array(file.length * 10).fill(file[file.length - 1]!);
      return {
        width: 1,
        height: 1,
        forms: new Map([IMAGE_SIDE, ...THUMB_WIDTHS].map((side) => [side, form])),
      };
    },
  };
};
/** Begins as a picture, and has this many bytes. */
const pictureOf = (bytes: number, last = 0) => {
  const file = new Uint8Array(bytes);
  file.set([0x89, 0x50, 0x4e, 0x47]);
  file[bytes - 1] = last;
  return file;
};
async function rigOf(options: ConstructorParameters<typeof MediaRig>[0] = {}) {
  const encoder = quick();
  const rig = await new MediaRig({ encoder, ipfs: [gateway], ...options }).open();
  rigs.push(rig);
  return { rig, encoder, media: () => rig.media };
}

afterAll(async () => {
  await Promise.all(rigs.map((rig) => rig.stop()));
  await server.stop(true);
});
beforeEach(() => {
  seen.length = 0;
  files = {};
});

describe('an NFT that somebody looks at', () => {
  test('gets its content, and its picture encoded again; nothing of it is fetched again, also not after a kill', async () => {
    files = {
      '/1.json': metadata(1),
      '/1.png': png(200, 100, { colour: RED }),
    };
    const id = real.mint(at('/1.json'));
    expect(real.media.content(id)).toBeUndefined();
    expect(seen).toEqual([]);
    await real.ask(id);
    const content = real.media.content(id)!;
    expect(content).toMatchObject({ name: 'Item 1', attributes: [{ type: 'N', value: '1' }] });
    expect(content).not.toHaveProperty('image');
    const { imageHash = '' } = content;
    expect(imageHash).toMatch(/^[0-9a-f]{32}$/);
    for (const side of [IMAGE_SIDE, ...THUMB_WIDTHS]) {
      const form = new Uint8Array(real.media.form(imageHash, side)!);
      const { format, width } = await new Bun.Image(form).metadata();
      expect([format, width]).toEqual(['webp', Math.min(side, 200)]);
    }
    const [red = 0] = await averageColour(real.media.form(imageHash, IMAGE_SIDE)!);
    expect(Math.abs(red - RED[0])).toBeLessThan(12);
    expect([
      real.media.form(imageHash, 77),
      real.media.form('x', 64),
      real.media.form('0'.repeat(32), 64),
    ]).toEqual([undefined, undefined, undefined]);
    expect(seen).toEqual(['/1.json', '/1.png']);
    await real.restart();
    await real.ask(id);
    expect(real.media.content(id)).toEqual(content);
    expect(real.media.form(imageHash, 64)).toBeDefined();
    expect(seen).toHaveLength(2);
  });

  test('that is shown again at once is not looked at again', async () => {
    const { rig, media } = await rigOf();
    const id = rig.mint(at('/later.json'));
    await rig.ask(id);
    files = { '/later.json': metadata(1) };
    rig.day += 1;
    media().ask(id);
    await rig.idle();
    expect(seen).toHaveLength(1);
    rig.clock.jump(60_000);
    media().ask(id);
    await rig.idle();
    expect(media().content(id)?.name).toBe('Item 1');
  });

  test('shows readers more only when the version has grown, which it does once for all that was added together', async () => {
    const { rig, media } = await rigOf();
    files = { '/1.json': metadata(1), '/2.json': metadata(2) };
    await rig.ask(rig.mint(at('/1.json')), rig.mint(at('/2.json')));
    expect(media().version).toBe(0);
    rig.clock.advance(2_000);
    expect(media().version).toBe(1);
    rig.clock.advance(60_000);
    expect(media().version).toBe(1);
  });

  test('can have all of it inside its URI, or a picture as its URI', async () => {
    const { rig, media, encoder } = await rigOf();
    const inside = `data:image/png;base64,${Buffer.from(pictureOf(40)).toString('base64')}`;
    files = { '/p.png': pictureOf(50) };
    const [a, b] = [
      rig.mint(`data:application/json,${encodeURIComponent(metadata(3, { image: inside }))}`),
      rig.mint(at('/p.png')),
    ];
    await rig.ask(a, b);
    expect(media().content(a)).toMatchObject({ name: 'Item 3', imageHash: expect.stringMatching(/^.{32}$/) });
    expect(media().content(b)).toEqual({ attributes: [], imageHash: expect.stringMatching(/^.{32}$/) });
    expect(encoder.sent.sort()).toEqual([40, 50]);
    expect(seen).toEqual(['/p.png']);
  });

  test('shares with others what they have in common', async () => {
    const { rig, media } = await rigOf();
    files = {
      '/same.json': metadata(1),
      '/1.png': pictureOf(30),
      '/2.json': metadata(2),
      '/2.png': pictureOf(30),
    };
    const ids = [rig.mint(at('/same.json')), rig.mint(at('/same.json')), rig.mint(at('/2.json'))];
    await rig.ask(...ids);
    expect(seen.sort()).toEqual(['/1.png', '/2.json', '/2.png', '/same.json']);
    // The same picture at two addresses is one.
    expect(new Set(ids.map((id) => media().content(id)!.imageHash)).size).toBe(1);
  });

  test('of IPFS is read at the next gateway where one has it not, and relative pictures beside it', async () => {
    const other = `http://other.example:${server.port}/pass`;
    const { rig, media } = await rigOf({ ipfs: [gateway, other] });
    const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
    files = {
      [`/pass/ipfs/${cid}/1.json`]: metadata(1, { image: '1.png' }),
      [`/pass/ipfs/${cid}/1.png`]: pictureOf(30),
    };
    // Gateways are the operator's choice: these are no public names here, so they are read by address.
    const id = rig.mint(`ipfs://${cid}/1.json`);
    await rig.ask(id);
    expect(media().content(id)?.name).toBeUndefined();
    const byAddress = await rigOf({
      ipfs: [`http://${PUBLIC}:${server.port}`, `http://${PUBLIC}:${server.port}/pass`],
    });
    const again = byAddress.rig.mint(`ipfs://${cid}/1.json`);
    await byAddress.rig.ask(again);
    expect(byAddress.media().content(again)).toMatchObject({ name: 'Item 1', imageHash: expect.anything() });
    expect(seen.slice(-4)).toEqual([
      `/ipfs/${cid}/1.json`,
      `/pass/ipfs/${cid}/1.json`,
      `/ipfs/${cid}/1.png`,
      `/pass/ipfs/${cid}/1.png`,
    ]);
  });

  test('of IPFS is not taken from a gateway that gives other content than a raw CID names', async () => {
    const text = metadata(1, { image: undefined });
    const hash = new Bun.CryptoHasher('sha256').update(text as never).digest('hex');
    const cid = `f01551220${hash}`;
    files = { [`/ipfs/${cid}`]: metadata(2), [`/pass/ipfs/${cid}`]: text };
    const one = `http://${PUBLIC}:${server.port}`;
    const { rig, media } = await rigOf({ ipfs: [one, `${one}/pass`] });
    const id = rig.mint(`ipfs://${cid}`);
    await rig.ask(id);
    expect(media().content(id)?.name).toBe('Item 1');
    expect(seen.slice(-2)).toEqual([`/ipfs/${cid}`, `/pass/ipfs/${cid}`]);
    const alone = await rigOf({ ipfs: [one] });
    const lied = alone.rig.mint(`ipfs://${cid}`);
    await alone.rig.ask(lied);
    expect(alone.media().content(lied)).toBeUndefined();
  });
});

test('while no gateway is to be asked, nothing of IPFS is held against its NFTs', async () => {
  let isLimited = true;
  const read = async ({ pathname }: URL) => {
    seen.push(pathname);
    if (isLimited) throw new OutsideError('HTTP 429', true);
    return Buffer.from(metadata(1, { image: undefined }));
  };
  const { rig, media } = await rigOf({ read });
  const uris = Array.from(
    { length: 12 },
    (_, n) => `ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPb${n}G`,
  );
  const ids = uris.map((uri) => rig.mint(uri));
  await rig.ask(...ids.slice(0, 10));
  // Those that were on their way when it answered so have been tried; the others have not.
  const tried = seen.length;
  expect(tried).toBeLessThan(9);
  const failed = uris.filter((uri) => rig.kept.known(uri) !== undefined);
  expect(failed).toHaveLength(tried);
  // The walk stops, too.
  media().start();
  rig.clock.advance(5_000);
  await rig.idle();
  expect([seen.length, media().waiting]).toEqual([tried, 0]);
  isLimited = false;
  await rig.ask(...ids.slice(0, 10));
  expect(ids.filter((id) => media().content(id) !== undefined).length).toBeGreaterThanOrEqual(10 - tried);
  rig.clock.advance(5_000);
  await rig.idle();
  expect(ids.slice(10).map((id) => media().content(id)?.name)).toEqual(['Item 1', 'Item 1']);
});

test('what was fetched is there after kill -9, and is not fetched again', async () => {
  files = {
    '/1.json': metadata(1, { image: at('/1.png').replace('art.example', PUBLIC) }),
    '/1.png': png(20, 10),
  };
  const uri = at('/1.json').replace('art.example', PUBLIC);
  const dir = mkdtempSync(join(tmpdir(), 'millrace-media-'));
  const program = join(import.meta.dir, 'nft-media.child.ts');
  const child = Bun.spawn([process.execPath, program, dir, uri], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  child.kill('SIGKILL');
  await child.exited;
  const shown = Buffer.from(value!).toString().trim();
  expect(shown).toMatch(/^[0-9a-f]{32}$/);
  expect(seen).toEqual(['/1.json', '/1.png']);
  const { rig, media } = await rigOf({ dir });
  const id = rig.mint(uri);
  await rig.ask(id);
  expect(media().content(id)).toMatchObject({ name: 'Item 1', imageHash: shown });
  expect(media().form(shown, 16)).toBeDefined();
  expect(seen).toHaveLength(2);
});

describe('what cannot be read', () => {
  test('is remembered with its reason, and asked for later and later', async () => {
    const { rig, media } = await rigOf();
    const id = rig.mint(at('/none.json'));
    for (const [wait, count] of [
      [0, 1],
      [400, 1],
      [200, 2],
      [3_400, 2],
      [200, 3],
    ] as const) {
      rig.clock.advance(wait * 1000);
      await rig.ask(id);
      expect([wait, seen.length]).toEqual([wait, count]);
    }
    expect(rig.kept.known(at('/none.json'))).toMatchObject({ failures: 3, reason: 'HTTP 404' });
    await rig.restart();
    await rig.ask(id);
    expect(seen).toHaveLength(3);
    expect(media().outcomes.refused).toBe(0);
    files['/none.json'] = metadata(1);
    rig.clock.advance(21_601_000);
    await rig.ask(id);
    expect(media().content(id)?.name).toBe('Item 1');
  });

  test('later does not take away what was read before, which is asked for again after a month', async () => {
    const { rig, media } = await rigOf();
    files = { '/1.json': metadata(1, { image: undefined }) };
    const id = rig.mint(at('/1.json'));
    await rig.ask(id);
    files = {};
    rig.day += 29;
    await rig.ask(id);
    expect(seen).toHaveLength(1);
    rig.day += 2;
    await rig.ask(id);
    expect([seen.length, media().content(id)?.name]).toEqual([2, 'Item 1']);
    files = { '/1.json': metadata(2, { image: undefined }) };
    rig.day += 1;
    await rig.ask(id);
    expect(media().content(id)?.name).toBe('Item 2');
  });

  test('leaves the rest: a picture that is none, or is refused, or inside and refused', async () => {
    const { rig, media } = await rigOf();
    const inside = `data:image/png;base64,${Buffer.from(pictureOf(99)).toString('base64')}`;
    files = {
      '/1.json': metadata(1),
      '/1.png': '<html><script>alert(1)</script>',
      '/2.json': metadata(2),
      '/2.png': pictureOf(99),
      '/3.json': metadata(3, { image: inside }),
      '/4.json': metadata(4, { image: 'data:image/svg+xml,<svg onload="alert(1)"/>' }),
      '/5.json': metadata(5, { image: '<svg><script/></svg>' }),
      '/6.json': metadata(6, { image: 'javascript:alert(1)' }),
    };
    const ids = [1, 2, 3, 4, 5, 6].map((n) => rig.mint(at(`/${n}.json`)));
    await rig.ask(...ids);
    await rig.ask(...ids);
    for (const [i, id] of ids.entries())
      expect(media().content(id)).toEqual({
        name: `Item ${i + 1}`,
        attributes: [{ type: 'N', value: String(i + 1) }],
      });
    expect(seen.filter((path) => path.endsWith('.png')).sort()).toEqual(['/1.png', '/2.png']);
    expect(rig.kept.known(at('/1.png'))?.reason).toContain('neither PNG');
  });

  test('is nothing at all where the URI names nothing', async () => {
    const { rig, media } = await rigOf();
    for (const uri of ['hello', 'file:///etc/passwd', '']) {
      const id = rig.mint(uri);
      await rig.ask(id);
      expect(media().content(id)).toBeUndefined();
    }
    expect(rig.kept.known('hello')?.reason).toContain('names nothing');
    expect(media().content('99')).toBeUndefined();
  });
});

describe('what nobody looks at', () => {
  test('is fetched a few a second, the newest first, without pictures, and those that come later before older ones', async () => {
    const { rig, media } = await rigOf();
    for (let n = 1; n <= 7; n++) {
      files[`/${n}.json`] = metadata(n);
      rig.mint(at(`/${n}.json`));
    }
    media().start();
    for (let step = 0; step < 2; step++) {
      rig.clock.advance(250);
      await rig.idle();
    }
    expect([...seen].sort()).toEqual(['/4.json', '/5.json', '/6.json', '/7.json']);
    files['/8.json'] = metadata(8);
    rig.mint(at('/8.json'));
    rig.clock.advance(250);
    await rig.idle();
    expect(seen.slice(-2).sort()).toEqual(['/3.json', '/8.json']);
    rig.clock.advance(250);
    await rig.idle();
    rig.clock.advance(10_000);
    await rig.idle();
    expect(seen).toHaveLength(8);
    // Later it looks again, for what failed or has changed.
    rig.uris[3] = at('/changed.json');
    rig.clock.jump(6 * 3_600_000);
    for (let step = 0; step < 3; step++) {
      rig.clock.advance(250);
      await rig.idle();
    }
    expect(seen.slice(8)).toEqual(['/changed.json']);
  });

  test('gets its picture, too, where somebody looks at it while it waits or is fetched', async () => {
    const held = Promise.withResolvers<void>();
    const read = async ({ pathname }: URL) => {
      seen.push(pathname);
      if (pathname.endsWith('.json')) await held.promise;
      return Buffer.from(files[pathname]!);
    };
    const { rig, media } = await rigOf({ read });
    for (let n = 1; n <= 4; n++) {
      files[`/${n}.json`] = metadata(n);
      files[`/${n}.png`] = pictureOf(40 + n);
      rig.mint(at(`/${n}.json`));
    }
    media().start();
    // Two of a host are fetched at once, the other two wait.
    rig.clock.advance(500);
    expect(seen).toHaveLength(2);
    for (const id of ['2', '4']) media().ask(id);
    held.resolve();
    await rig.idle();
    expect(seen.filter((path) => path.endsWith('.png')).sort()).toEqual(['/2.png', '/4.png']);
    expect(media().content('4')?.imageHash).toBeDefined();
    expect(media().content('3')?.imageHash).toBeUndefined();
  });
});

describe('what is kept', () => {
  test('is bounded in bytes: what nobody has asked for the longest goes first, and comes back when asked for', async () => {
    const { rig, media } = await rigOf({ limits: { uris: 1e9, pictures: 3_000_000 } });
    const items = Array.from({ length: 70 }, (_, n) => n + 1);
    const ids = items.map((n) => {
      files[`/${n}.json`] = metadata(n);
      // 8 forms of 5,000 bytes.
      files[`/${n}.png`] = pictureOf(500, n);
      return rig.mint(at(`/${n}.json`));
    });
    await rig.ask(...ids.slice(0, 60));
    expect(rig.kept.bytes.pictures).toBeGreaterThan(2_400_000);
    const kept = media().content(ids[7]!)!.imageHash!;
    rig.day += 1;
    media().form(kept, 64);
    await rig.kept.writeAsked();
    await rig.ask(...ids.slice(60));
    for (let n = 0; n < 10; n++) {
      files[`/x${n}.png`] = pictureOf(600, 100 + n);
      await rig.ask(rig.mint(at(`/x${n}.png`)));
    }
    expect(rig.kept.bytes.pictures).toBeLessThan(3_000_000);
    expect(media().content(ids[7]!)!.imageHash).toBe(kept);
    const gone = ids.find((id) => media().content(id)!.imageHash === undefined)!;
    expect(gone).toBeDefined();
    seen.length = 0;
    await rig.ask(gone);
    expect(seen).toHaveLength(1);
    expect(media().content(gone)!.imageHash).toBeDefined();
  });

  test('of URIs is bounded, too', async () => {
    const { rig, media } = await rigOf({ limits: { uris: 40_000, pictures: 1e9 } });
    const ids = Array.from({ length: 100 }, (_, n) =>
      rig.mint(`{"name":"${n}","description":"${'x'.repeat(1500)}"}`),
    );
    await rig.ask(...ids);
    expect(rig.kept.bytes.uris).toBeLessThanOrEqual(40_000);
    const left = ids.filter((id) => media().content(id) !== undefined).length;
    expect(left).toBeGreaterThan(10);
    expect(left).toBeLessThan(30);
  });
});

test('texts that were read last are bounded in bytes, whatever minters write', () => {
  const attributes = Array.from({ length: 64 }, () => ({ type: 'T'.repeat(64), value: 'V'.repeat(256) }));
  const row = { due: 0, failures: 0, asked: 0, content: { attributes } };
  const kept = new NftMediaStore({
    store: { get: () => row } as unknown as PlatformStore,
    bytesOf: () => 0,
    limits: { uris: 1e9, pictures: 1e9 },
    now: () => 0,
  });
  for (let n = 0; n < 1_000; n++) expect(kept.known(`https://art.example/${n}`)).toBe(row);
  expect(kept.recentBytes).toBeLessThanOrEqual(RECENT_BYTES);
  expect(kept.recentBytes).toBeGreaterThan(RECENT_BYTES / 2);
});
