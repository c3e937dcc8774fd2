/** URIs of NFTs that lead to attackers: nothing private is reached, and time and memory stay bounded. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { publicReader } from '../../outside/public-fetch.ts';
import { type Farm, KINDS, REDIRECTS, startFarm } from './hostile-farm.ts';
import { MediaRig, PRIVATE, PUBLIC } from './nft-media-rig.ts';

/** In place of 15 s, but for what has an end: machines may be slow or shared. */
const TIMEOUT_MS = 400;
const HAS_END = /^\/(good|with)\/|bomb/;
/** Growth of this process, with six answers of up to 8 MB at a time, what sockets buffer and the collector leaves. */
const GROWTH_MAX = 160 * 1024 * 1024;

/** By how much what is fetched may put off other answers, which the same thread gives: p99. The farm itself runs in it, too. */
const LATER_MAX_MS = 5;
const IDLE_MS = 1000;
const EVERY_MS = 2;

/** How late turns of the event loop begin, ms. */
class Turns {
  readonly #late: number[] = [];

  /** @returns p99 while something is done */
  async over(work: () => Promise<void>): Promise<number> {
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      this.#late.push(Math.max(0, now - last - EVERY_MS));
      last = now;
    }, EVERY_MS);
    await work();
    clearInterval(timer);
    const late = this.#late.sort((a, b) => a - b);
    return late[Math.floor(late.length * 0.99)]!;
  }
}
let farm: Farm;
let rig: MediaRig;
let inner: ReturnType<typeof Bun.serve>;
const reached: string[] = [];
let looks = 0;
const at = (path: string, host = 'farm.example') => `http://${host}:${farm.port}${path}`;

beforeAll(async () => {
  farm = await startFarm();
  // What must not be reached has the same port.
  inner = Bun.serve({
    port: farm.port,
    hostname: PRIVATE,
    fetch: ({ url }) => {
      reached.push(url);
      return new Response('{"name":"secret"}');
    },
  });
  const resolve = async (name: string) => {
    if (name === 'inner.example') return [{ address: PRIVATE }];
    // Public when it is looked up first, this machine from then on.
    if (name === 'rebind.example') return [{ address: looks++ === 0 ? PUBLIC : PRIVATE }];
    return name === 'localhost' ? [{ address: '::1' }, { address: PRIVATE }] : [{ address: PUBLIC }];
  };
  const read = publicReader({
    resolve,
    isAllowed: (address) => address === PUBLIC,
    isPortAllowed: () => true,
  });
  rig = await new MediaRig({
    read: (url, bounds, isTrusted) => {
      const timeoutMs = HAS_END.test(url.pathname) ? bounds.timeoutMs : TIMEOUT_MS;
      return read(url, { ...bounds, timeoutMs }, isTrusted);
    },
  }).open();
});
afterAll(async () => {
  await rig.stop();
  await inner.stop(true);
  farm.stop();
});

test('a name that is public at the first look and private at the second is connected to where it was checked', async () => {
  const id = rig.mint(at('/good/1', 'rebind.example'));
  await rig.ask(id);
  expect(rig.media.content(id)?.name).toBe('good 1');
  expect(looks).toBe(1);
  const later = rig.mint(at('/good/2', 'rebind.example'));
  await rig.ask(later);
  expect(rig.media.content(later)).toBeUndefined();
  expect(reached).toEqual([]);
});

test('nothing private is reached, memory and time are bounded, and what is good is shown', async () => {
  const uris = [
    ...REDIRECTS(farm.port),
    ...REDIRECTS(farm.port).map((_, n) => at(`/redirect/${n}`)),
    ...REDIRECTS(farm.port).map((_, n) => at(`/with/redirect/${n}`)),
    ...KINDS.map((kind) => at(`/${kind}`)),
    ...KINDS.map((kind) => at(`/with/${kind}`)),
    ...REDIRECTS(farm.port).map((uri) => `data:,${JSON.stringify({ name: 'x', image: uri })}`),
  ];
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const idle = await new Turns().over(async () => void (await Bun.sleep(IDLE_MS)));
  const started = performance.now();
  const good = rig.mint(at('/good/3', 'other.example'));
  const ids = uris.map((uri) => rig.mint(uri));
  // A host that fails is left alone for a while: each is asked for when its turn has come.
  const busy = await new Turns().over(async () => {
    for (const id of [good, ...ids]) {
      rig.clock.jump(3_600_000);
      await rig.ask(id);
    }
  });
  clearInterval(watch);
  const seconds = (performance.now() - started) / 1000;
  const growth = most - before;
  console.log(`nft-farm: ${uris.length} URIs, ${seconds.toFixed(1)} s, ${Math.round(growth / 1e6)} MB`);
  console.log(`nft-farm: p99 of what an answer waits ${busy.toFixed(2)} ms, ${idle.toFixed(2)} ms before`);
  expect(reached).toEqual([]);
  expect(growth).toBeLessThan(GROWTH_MAX);
  expect(busy - idle).toBeLessThan(LATER_MAX_MS);
  expect(rig.media.content(good)?.name).toBe('good 3');
  for (const id of ids) {
    const content = rig.media.content(id);
    expect(content?.name ?? '').not.toContain('secret');
    // Of all that the farm has, one picture can be taken: the large one of one colour, encoded again.
    if (content?.imageHash !== undefined) expect(rig.uris[Number(id)]).toContain('bomb.png');
  }
  for (const [i, uri] of uris.entries()) {
    const known = rig.kept.known(uri);
    const isGood = /with|^data|bomb/.test(uri);
    expect([uri, known !== undefined, known?.content !== undefined]).toEqual([uri, true, isGood]);
    if (!isGood) expect([i, known!.reason!.length > 0]).toEqual([i, true]);
  }
  // Those that never end: each within its time, one after another here.
  expect(seconds).toBeLessThan(30);
});
