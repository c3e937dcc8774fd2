/** Readiness over the life of a source: catching up, following, silence, flapping, an end. */
import { afterEach, expect, test } from 'bun:test';
import type { Engine } from '../engine/engine.ts';
import { LIMITS } from '../engine/ledger/limits.ts';
import type { LedgerRef } from '../engine/ledger/source.ts';
import { FALL_AFTER_MS, Readiness, RISE_AFTER_MS } from '../service/readiness.ts';
import { seeded } from './engine/ledger/quiet.ts';
import { ManualClock } from './memory-node.ts';

/** Readiness is looked at so often by itself, ms. */
const LOOK = 250;

let stop = () => {};
afterEach(() => stop());

function start(live: boolean, silence?: number) {
  const listeners = new Set<(ref: LedgerRef) => void>();
  const clock = new ManualClock();
  const world = {
    latest: undefined as number | undefined,
    hash: undefined as Uint8Array | undefined,
    head: undefined as number | undefined,
  };
  const source = {
    live,
    latest: () =>
      world.latest === undefined
        ? undefined
        : { index: world.latest, ...(world.hash ? { hash: world.hash } : {}) },
    range: () => undefined,
    onClosed: (listener: (ref: LedgerRef) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const engine = {
    get head() {
      const { head } = world;
      return head === undefined ? undefined : ({ index: head, hash: 'AA' } as Engine['head']);
    },
  };
  const network = {
    engine,
    ready: false,
    sourceAlive: false,
    lack: undefined as string | undefined,
    get behind() {
      return Math.max(0, (world.latest ?? 0) - (world.head ?? 0));
    },
  };
  const lines: object[] = [];
  const say = (fields: object, message: string) => lines.push({ ...fields, message });
  const log = { debug() {}, info: say, warn: say, error: say };
  const readiness = new Readiness({ network, source, silence, clock, log });
  stop = () => readiness.stop();
  const at = (change: Partial<typeof world>) => {
    if (change.latest !== undefined && change.latest !== world.latest)
      for (const listener of listeners) listener({ index: change.latest });
    Object.assign(world, change);
    readiness.update();
    return network.ready;
  };
  const after = async (ms: number) => {
    await clock.pass(ms);
    return network.ready;
  };
  return { at, after, readiness, network, listeners, clock, lines };
}

test('a live source: up when nothing waits, not down for the ledger being fetched, down when more wait for long', async () => {
  const { at, after, lines } = start(true);
  expect(at({})).toBe(false);
  expect(at({ latest: 100 })).toBe(false);
  expect(at({ head: 99 })).toBe(false);
  expect(at({ head: 100 })).toBe(true);
  expect(at({ latest: 102 })).toBe(true);
  expect(await after(FALL_AFTER_MS + LOOK)).toBe(true);
  expect(at({ latest: 103 })).toBe(true);
  expect(await after(FALL_AFTER_MS - LOOK)).toBe(true);
  expect(await after(2 * LOOK)).toBe(false);
  expect(at({ head: 103 })).toBe(false);
  expect(await after(RISE_AFTER_MS + LOOK)).toBe(true);
  expect(lines).toEqual([
    { message: 'ready', ledger: 100 },
    {
      message: 'not ready: what is shown is not the present',
      reason: 'ledgers 101 to 103 are waiting',
      ours: 100,
      source: 103,
    },
    { message: 'ready again', ledger: 103 },
  ]);
});

test('a restored state is the present as soon as the source says so, without a further ledger', () => {
  const { at } = start(true);
  expect(at({ head: 100 })).toBe(false);
  expect(at({ latest: 100 })).toBe(true);
});

test('down while no endpoint is up, or all are silent', async () => {
  const { at, after } = start(true);
  expect(at({ head: 7, latest: 7 })).toBe(true);
  at({ latest: undefined });
  expect(await after(FALL_AFTER_MS + LOOK)).toBe(false);
  at({ latest: 7 });
  expect(await after(RISE_AFTER_MS + LOOK)).toBe(true);
  at({ latest: 8, head: 8 });
  expect(await after(2 * LIMITS.silence)).toBe(true);
  expect(await after(FALL_AFTER_MS + LOOK)).toBe(false);
  at({ latest: 9, head: 9 });
  expect(await after(RISE_AFTER_MS + LOOK)).toBe(true);
});

test('announcements alone are not the present: the head must move', async () => {
  const { at, after, network } = start(true);
  expect(at({ head: 7, latest: 7 })).toBe(true);
  for (let i = 0; i < 10; i++) {
    at({ latest: 8 + (i % 2) });
    await after(LIMITS.silence / 2);
  }
  expect(network.sourceAlive).toBe(true);
  expect(network.ready).toBe(false);
});

test('a network that closes ledgers seldom may be silent for the configured time', async () => {
  const { at, after } = start(true, 180_000);
  expect(at({ head: 7, latest: 7 })).toBe(true);
  expect(await after(360_000)).toBe(true);
  expect(await after(FALL_AFTER_MS + LOOK)).toBe(false);
});

test('a source behind what is held, or with another ledger in its place: not ready, both positions named', async () => {
  const { at, after, lines } = start(true);
  expect(at({ head: 1000, latest: 1000, hash: Uint8Array.of(0xaa) })).toBe(true);
  at({ latest: 400 });
  expect(await after(FALL_AFTER_MS + LOOK)).toBe(false);
  expect(lines.at(-1)).toEqual({
    message: 'not ready: what is shown is not the present',
    reason: 'the source is at ledger 400, behind ledger 1000 that is held already',
    ours: 1000,
    source: 400,
  });
  at({ latest: 1000, hash: Uint8Array.of(0xaa) });
  expect(await after(RISE_AFTER_MS + LOOK)).toBe(true);
  at({ hash: Uint8Array.of(0xbb) });
  expect(await after(FALL_AFTER_MS + LOOK)).toBe(false);
  expect(lines.at(-1)).toMatchObject({
    reason: 'the source has another ledger 1000 than the one that is held',
  });
});

test('a history that is made at hundreds of ledgers a second does not make it flap', async () => {
  const seed = Number(process.env.SEED ?? 20);
  console.log(`seed ${seed}`);
  const random = seeded(seed);
  const { at, after, network, lines } = start(true);
  let [head, latest] = [0, 0];
  let changes = 0;
  let instant = 0;
  let was = network.ready;
  let [wasInstant, isInstant] = [false, false];
  for (let ms = 0; ms < 55_000; ms += 10) {
    latest += Math.floor(random() * 5);
    head += Math.floor(random() * Math.min(8, latest - head + 1));
    at({ latest, head });
    await after(10);
    if (network.ready !== was) changes++;
    was = network.ready;
    // The result of a rule without time.
    isInstant = latest - head <= (wasInstant ? 2 : 0);
    if (isInstant !== wasInstant) instant++;
    wasInstant = isInstant;
  }
  expect(instant).toBeGreaterThan(100);
  expect(changes).toBeLessThanOrEqual(3);
  expect(lines.length).toBe(changes);
});

test('a recording: up at its end', () => {
  const { at, readiness, network } = start(false);
  expect(at({ latest: 9, head: 8 })).toBe(false);
  expect(at({ head: 9 })).toBe(true);
  readiness.stop();
  expect(network.ready).toBe(false);
  expect(at({ head: 10 })).toBe(false);
});

test('an empty recording is over at once', () => {
  const { readiness, network } = start(false);
  readiness.end();
  expect(network.ready).toBe(true);
});

test('looks by itself, and lets go of the source', async () => {
  const { at, after, readiness, network, listeners } = start(true);
  at({ head: 1, latest: 1 });
  network.sourceAlive = false;
  await after(LOOK);
  expect(network.sourceAlive).toBe(true);
  readiness.stop();
  expect(listeners.size).toBe(0);
});

test('says why what is shown is not the present, as long as it is not', async () => {
  const { at, after, readiness, network } = start(true);
  at({ latest: undefined });
  expect(network.lack).toBe('no ledger is held yet');
  at({ head: 7, latest: 7 });
  expect(network.lack).toBeUndefined();
  at({ latest: undefined });
  await after(FALL_AFTER_MS + LOOK);
  expect(network.lack).toBe('no endpoint is up');
  at({ latest: 7 });
  expect(network.lack).toBeUndefined();
  readiness.stop();
  expect(network.lack).toBe('it follows no further: the log says why');
});
