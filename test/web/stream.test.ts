/** How pages keep a stream (web/net/stream.ts), against a hub: without a browser, with what the module needs of one. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Limits } from '../../ws/limits.ts';
import { type Frame, pause, rig } from '../ws/rig.ts';

const ends: (() => unknown)[] = [];
const { WebSocket: Socket } = globalThis;
const before = Object.fromEntries(
  ['document', 'location', 'WebSocket', 'addEventListener', 'removeEventListener'].map((name) => [
    name,
    Reflect.get(globalThis, name),
  ]),
);
Object.assign(globalThis, { location: { hash: '' }, addEventListener() {}, removeEventListener() {} });
// Its types are those of a browser, which are others than those of the service.
const MODULE = '../../web/net/stream.ts';
const { Stream } = await import(MODULE);
/** Those that the stream has opened. */
let sockets: WebSocket[];

beforeEach(() => {
  sockets = [];
  class Recorded extends Socket {
    constructor(address: string | URL, protocols?: string[]) {
      super(address, protocols);
      sockets.push(this);
    }
  }
  Object.assign(globalThis, { WebSocket: Recorded });
});

afterAll(() => Object.assign(globalThis, before));

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function start(limits: Partial<Limits> = {}) {
  const engine = new FakeEngine();
  const service = rig(engine.network, { limits });
  ends.push(service.stop);
  const document = {
    addEventListener() {},
    removeEventListener() {},
    hidden: false,
    baseURI: `http://127.0.0.1:${service.server.port}/`,
    documentElement: { dataset: {} },
  };
  Object.assign(globalThis, { document });
  return { engine, ...service };
}

/** A stream of a page, the frames that the page gets, and the states of the stream. */
function stream(options: { readonly path: string; readonly resumable?: boolean }) {
  const frames: Frame[] = [];
  const states: string[] = [];
  const one = new Stream({ ...options, onFrame: (frame: Frame) => frames.push(frame) });
  ends.push(() => one.close());
  ends.push(one.state.subscribe((state: string) => states.push(state)));
  return { one, frames, states };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

test('who is refused for a limit waits longer each time, and never counts as live', async () => {
  const { open, hub } = start({ connectionsPerIp: 1 });
  await (await open('/ws/ledger')).next();
  const { frames, states } = stream({ path: '/ws/ledger' });
  const times: number[] = [];
  for (let refused = 1; refused <= 4; refused++) {
    await until(() => hub.stats.refused >= refused);
    times.push(performance.now());
  }
  expect(frames).toEqual([]);
  expect(states).not.toContain('live');
  // At least half of 500 ms, 1 s, 2 s: each wait has a random part.
  expect(times[3]! - times[2]!).toBeGreaterThan(1000);
});

test.each(['/ws/ledger', '/ws/token'])(
  '%s: who comes back and has missed nothing is live again',
  async (path) => {
    const { hub, engine } = start();
    const address = path === '/ws/token' ? `${path}/${engine.md5(1)}` : path;
    const { one, frames } = stream({ path: address, resumable: true });
    await until(() => frames.length === 1);
    engine.apply({ tokens: [1] });
    await until(() => frames.length === 2);
    expect(one.state.value).toBe('live');
    // As a network that is gone for a moment does.
    const lost = until(() => one.state.value === 'lost');
    sockets[0]!.terminate();
    await lost;
    await until(() => hub.stats.opened === 2);
    await until(() => one.state.value === 'live');
    expect(frames).toHaveLength(2);
  },
);
