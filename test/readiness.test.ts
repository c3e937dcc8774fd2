/** Readiness over the life of a source: catching up, following, silence, an end. */
import { afterEach, expect, test } from 'bun:test';
import type { Engine } from '../engine/engine.ts';
import type { LedgerRef, Source } from '../engine/ledger/source.ts';
import { Readiness } from '../readiness.ts';

let stop = () => {};
afterEach(() => stop());

function start(live: boolean, silence?: number) {
  const told = new Set<(ref: LedgerRef) => void>();
  const world = { now: 0, latest: undefined as number | undefined, head: undefined as number | undefined };
  const source = {
    live,
    latest: () => (world.latest === undefined ? undefined : { index: world.latest }),
    onClosed: (listener: (ref: LedgerRef) => void) => {
      told.add(listener);
      return () => told.delete(listener);
    },
  } as unknown as Source;
  const engine = {
    ready: false,
    get head() {
      return world.head === undefined ? undefined : { index: world.head };
    },
    get behind() {
      return Math.max(0, (world.latest ?? 0) - (world.head ?? 0));
    },
  } as unknown as Engine;
  const readiness = new Readiness({ engine, source, silence, now: () => world.now });
  stop = () => readiness.stop();
  const at = (change: Partial<typeof world>) => {
    if (change.latest !== undefined && change.latest !== world.latest)
      for (const listener of told) listener({ index: change.latest });
    Object.assign(world, change);
    readiness.look();
    return engine.ready;
  };
  return { at, readiness, engine, told };
}

test('a live source: up when nothing waits, not down for the ledger being fetched, down when more wait', () => {
  const { at } = start(true);
  expect(at({})).toBe(false);
  expect(at({ latest: 100 })).toBe(false);
  expect(at({ head: 99 })).toBe(false);
  expect(at({ head: 100 })).toBe(true);
  expect(at({ latest: 102 })).toBe(true);
  expect(at({ latest: 103 })).toBe(false);
  expect(at({ head: 102 })).toBe(false);
  expect(at({ head: 103 })).toBe(true);
});

test('a restored state is the present as soon as the source says so, without a further ledger', () => {
  const { at } = start(true);
  expect(at({ head: 100 })).toBe(false);
  expect(at({ latest: 100 })).toBe(true);
});

test('down while no endpoint is up, or all are silent', () => {
  const { at } = start(true);
  expect(at({ head: 7, latest: 7, now: 1000 })).toBe(true);
  expect(at({ latest: undefined })).toBe(false);
  expect(at({ latest: 7 })).toBe(true);
  expect(at({ now: 20_000 })).toBe(true);
  expect(at({ now: 21_001 })).toBe(false);
  expect(at({ latest: 8, head: 8 })).toBe(true);
});

test('a network that closes seldom may be silent for as long as it was said', () => {
  const { at } = start(true, 180_000);
  expect(at({ head: 7, latest: 7, now: 1000 })).toBe(true);
  expect(at({ now: 360_000 })).toBe(true);
  expect(at({ now: 360_001 })).toBe(false);
});

test('a recording: up at its end', () => {
  const { at, readiness, engine } = start(false);
  expect(at({ latest: 9, head: 8 })).toBe(false);
  expect(at({ head: 9 })).toBe(true);
  readiness.stop();
  expect(engine.ready).toBe(false);
  expect(at({ head: 10 })).toBe(false);
});

test('an empty recording is over at once', () => {
  const { readiness, engine } = start(false);
  readiness.end();
  expect(engine.ready).toBe(true);
});

test('looks by itself, and lets go of the source', async () => {
  const { at, readiness, engine, told } = start(true);
  at({ head: 1, latest: 1 });
  engine.ready = false;
  await Bun.sleep(300);
  expect(engine.ready).toBe(true);
  readiness.stop();
  expect(told.size).toBe(0);
});
