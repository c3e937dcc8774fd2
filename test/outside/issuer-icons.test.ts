/** Icons of issuers, from servers that do what they like: what is read and kept, what is refused, and how often is asked. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import { OutsideError } from '../../outside/bounded-fetch.ts';
import { StoredIssuerIcons } from '../../outside/issuer-icons.ts';
import { publicReader } from '../../outside/public-fetch.ts';
import { IMAGE_BYTES_MAX, THUMB_WIDTHS } from '../../platform/images.ts';
import { ICON_COLLECTIONS, ISSUER_ICON_FORMS, ISSUER_ICONS } from '../../platform/issuer-icons.ts';
import type { Collection } from '../../platform/store.ts';
import { ProcessImageEncoder } from '../../workers/image-encoder.ts';
import { until } from '../live-rig.ts';
import { averageColour, png } from '../workers/image-files.ts';

const DAY = 24 * 3_600_000;
const red = png(60, 60, { colour: [255, 0, 0, 255] });
const blue = png(60, 60, { colour: [0, 0, 255, 255] });

describe('icons of issuers', () => {
  const seen: string[] = [];
  let answer: () => Response = () => new Response(red);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      seen.push(new URL(url).pathname);
      return answer();
    },
  });
  const dir = mkdtempSync(join(tmpdir(), 'millrace-icons-'));
  const encoder = new ProcessImageEncoder({ deadline: 60_000 });
  const open = () => openPlatformStore({ dir, network: 0, collections: ICON_COLLECTIONS });
  let store: LmdbPlatformStore;
  let now = 1_800_000_000_000;
  const loopback = publicReader({
    resolve: async () => [{ address: '127.0.0.1' }],
    isAllowed: () => true,
    isPortAllowed: () => true,
  });
  const iconsWith = (read = loopback) => {
    const icons = new StoredIssuerIcons({ read, encoder, now: () => now, most: 3 });
    icons.attach(store);
    return icons;
  };
  const addressOf = (name: string) => `http://issuer.example:${server.port}/${name}`;
  const count = (collection: { readonly name: string }) => {
    let rows = 0;
    store.walk(collection as Collection<unknown>, {}, () => ++rows > 0);
    return rows;
  };
  /** Asks, and waits until so many requests have come and been dealt with. */
  const settled = async (icons: StoredIssuerIcons, address: string, requests: number) => {
    const first = icons.form(address, 64);
    await until(() => seen.length >= requests && icons.waiting === 0, 'icons');
    return first;
  };

  beforeAll(async () => {
    store = await open();
  });
  afterAll(async () => {
    encoder.close();
    await server.stop(true);
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('are read once when somebody asks, encoded again, and stay after a restart', async () => {
    const icons = iconsWith();
    expect(await settled(icons, addressOf('a.png'), 1)).toBeUndefined();
    for (const side of THUMB_WIDTHS) {
      const icon = icons.form(addressOf('a.png'), side)!;
      expect(icon.changedAt).toBe(now);
      const { format, width } = await new Bun.Image(new Uint8Array(icon.bytes)).metadata();
      expect([format, width]).toEqual(['webp', Math.min(side, 60)]);
    }
    const [r, , b] = await averageColour(new Uint8Array(icons.form(addressOf('a.png'), 64)!.bytes));
    expect([r! > 240, b! < 15]).toEqual([true, true]);
    icons.close();
    await store.close();
    store = await open();
    const again = iconsWith();
    expect(again.form(addressOf('a.png'), 64)?.changedAt).toBe(now);
    expect(seen).toEqual(['/a.png']);
    again.close();
  });

  test('are asked for again after a week, and stay while nothing better can be read', async () => {
    const icons = iconsWith();
    const before = icons.form(addressOf('a.png'), 64)!;
    now += 8 * DAY;
    answer = () => new Response('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');
    seen.length = 0;
    expect(await settled(icons, addressOf('a.png'), 1)).toEqual(before);
    expect(icons.form(addressOf('a.png'), 64)).toEqual(before);
    expect(seen.length).toBe(1);
    now += 2 * DAY;
    answer = () => new Response(blue);
    await settled(icons, addressOf('a.png'), 2);
    expect(icons.form(addressOf('a.png'), 64)!.changedAt).toBe(now);
    icons.close();
  });

  test('are not taken where they are no picture, too large, or not of the public internet', async () => {
    const icons = iconsWith();
    const refused: readonly (() => Response)[] = [
      () => new Response('<html>', { headers: { 'Content-Type': 'image/png' } }),
      () => new Response(new Uint8Array(IMAGE_BYTES_MAX + 1)),
      () => new Response(null, { status: 404 }),
    ];
    seen.length = 0;
    for (const [i, one] of refused.entries()) {
      answer = one;
      await settled(icons, addressOf(`refused-${i}.png`), i + 1);
      expect(icons.form(addressOf(`refused-${i}.png`), 64)).toBeUndefined();
    }
    expect(seen.length).toBe(refused.length);
    icons.close();
    const checked = iconsWith(publicReader({ isPortAllowed: () => true }));
    seen.length = 0;
    for (const address of [
      `http://127.0.0.1:${server.port}/x.png`,
      `http://localhost:${server.port}/x.png`,
      'file:///etc/passwd',
      'nonsense',
    ]) {
      checked.form(address, 64);
      await until(() => checked.waiting === 0, 'icons');
    }
    expect(seen).toEqual([]);
    checked.close();
  });

  test('come from other hosts while one does not answer, which is asked again within the hour', async () => {
    const gone = Promise.withResolvers<never>();
    const asked: string[] = [];
    const icons = iconsWith(async ({ hostname }) => {
      asked.push(hostname);
      return hostname === 'gone.example' ? gone.promise : red;
    });
    for (let i = 0; i < 50; i++) icons.form(`https://gone.example/${i}.png`, 64);
    const address = 'https://other.example/a.png';
    icons.form(address, 64);
    await until(() => icons.form(address, 64) !== undefined, 'the icon of the other host');
    expect(asked).toEqual(['gone.example', 'gone.example', 'other.example']);
    gone.reject(new OutsideError('no whole answer within 8000 ms', true));
    await until(() => icons.waiting === 0, 'the faults');
    const again = iconsWith(async ({ pathname }) => {
      asked.push(pathname);
      return red;
    });
    again.form('https://gone.example/0.png', 64);
    expect(asked).toHaveLength(3);
    now += 3_600_000;
    again.form('https://gone.example/0.png', 64);
    expect(asked.slice(3)).toEqual(['/0.png']);
    await until(() => again.waiting === 0, 'the icon');
    icons.close();
    again.close();
  });

  test('of four slow hosts do not hold up those of others', async () => {
    const asked: string[] = [];
    const slow = Promise.withResolvers<Uint8Array>();
    const icons = iconsWith(({ hostname }) => {
      asked.push(hostname);
      return slow.promise;
    });
    for (const host of ['a', 'b', 'c', 'd'])
      for (let i = 0; i < 5; i++) icons.form(`https://${host}.example/${i}.png`, 64);
    icons.form('https://quick.example/1.png', 64);
    expect([asked.length, asked.at(-1)]).toEqual([9, 'quick.example']);
    icons.close();
    slow.reject(new OutsideError('closed'));
    await until(() => icons.waiting === 0, 'the end of what was asked for');
  });

  test('are bounded: the one that was read first goes', async () => {
    answer = () => new Response(red);
    const icons = iconsWith();
    seen.length = 0;
    for (let i = 0; i < 5; i++) await settled(icons, addressOf(`flood-${i}.png`), i + 1);
    expect([count(ISSUER_ICONS), count(ISSUER_ICON_FORMS)]).toEqual([3, 3 * 8]);
    expect(icons.form(addressOf('flood-4.png'), 64)).toBeDefined();
    icons.close();
  });
});
