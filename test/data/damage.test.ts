/** Bytes of a store's file flipped at random: every start is correct, or reports in one line what is damaged and what to do. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Salvage } from '../../data/salvage.ts';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { rebuildStore } from '../../service/rebuild.ts';
import { preparePool } from '../../workers/prepare-pool.ts';
import { casesOf } from '../cases.ts';
import { quietLog } from '../engine/ledger/quiet.ts';
import { answersOf, restoredEngine } from './answers.ts';
import { unpackFirstStore } from './first-store.ts';
import { temporaryDir } from './tools.ts';

const ROUNDS = casesOf(6, 32);
const AT_ONCE = 3;
/** Flips of a round; the more there are the earlier they are met. */
const FLIPS = [1, 1, 1, 3, 20, 200];
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const { dir: base, remove } = temporaryDir();
afterAll(remove);

let whole: Buffer = Buffer.alloc(0);
let answers = '';

/** Random numbers in [0, 1) that the seed repeats (mulberry32). */
function generator(start: number): () => number {
  let a = start;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A store of this version with the ledgers of the one in the fixtures: all its rows have checksums. */
beforeAll(async () => {
  unpackFirstStore(join(base, 'first'));
  const salvage = new Salvage(join(base, 'first'));
  runToEnd(salvage.scanning());
  const store = await openStore({ dir: join(base, 'whole'), network: 0 });
  // Some rows are in blocks when it ends, some in the log.
  const engine = new Engine({ store, log: quietLog, checkpoint: { batches: 2, share: 0.6 } });
  for (const index of salvage.indices) {
    const packed = salvage.ledger(index)!;
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), index % 3 !== 0);
  }
  await engine.drain();
  salvage.close();
  answers = answersOf(store, restoredEngine(store));
  await store.close();
  whole = readFileSync(join(base, 'whole', 'data.mdb'));
});

function storeOf(name: string, bytes: Buffer): string {
  const dir = join(base, name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'data.mdb'), bytes);
  return dir;
}

function flipped(random: () => number, flips: number): Buffer {
  const bytes = Buffer.from(whole);
  for (let i = 0; i < flips; i++) {
    const at = Math.floor(random() * bytes.length);
    bytes[at]! ^= 1 << Math.floor(random() * 8);
  }
  return bytes;
}

async function start(dir: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'damage.child.ts'), dir], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  return { out: out.trim(), err: err.trim(), code: child.exitCode, signal: child.signalCode };
}

test(`${ROUNDS} damaged stores (SEED=${seed})`, async () => {
  expect(await start(storeOf('undamaged', whole))).toEqual({ out: answers, err: '', code: 0, signal: null });
  let right = 0;
  const round = async (n: number): Promise<void> => {
    const random = generator(seed + n);
    const flips = FLIPS[n % FLIPS.length]!;
    const { out, err, code, signal } = await start(storeOf(`flips-${n}`, flipped(random, flips)));
    const context = `SEED=${seed}, round ${n}, ${flips} flips: ${err}`;
    expect(signal, context).toBeNull();
    if (code === 0) {
      expect(out, context).toBe(answers);
      right++;
      return;
    }
    expect([code, err.split('\n').length], context).toEqual([1, 1]);
    expect(err, context).toContain('the store is damaged (');
    expect(err, context).toContain('npm run tool -- rebuild --data');
  };
  for (let n = 0; n < ROUNDS; n += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ROUNDS - n) }, (_, i) => round(n + i)));
  console.log(`${right} of ${ROUNDS} were right: what was flipped was not in use`);
  // One single flip in three meets a free page: among many some are right. Of 200 flips some meet a page in use.
  expect(right).toBeGreaterThanOrEqual(casesOf(0, 1));
  expect(right).toBeLessThan(ROUNDS);
});

test(`a rebuilt store answers as the undamaged one, as far as its ledgers can be read (SEED=${seed})`, async () => {
  const random = generator(seed);
  const preparer = preparePool(0);
  const plan = { network: 0, source: undefined, withoutSnapshot: true, preparer, log: quietLog };
  let all = 0;
  for (let n = 0; n < casesOf(6, 12); n++) {
    // The first one is whole: of the others, by luck, perhaps none is read to its end.
    const flips = n === 0 ? 0 : n % 2 === 0 ? 1 : 20;
    const dir = storeOf(`rebuild-${n}`, flipped(random, flips));
    const end = await rebuildStore({ ...plan, dir }).catch((fault: Error) => fault);
    if (end instanceof Error) {
      expect(end.message).toContain('its first ledger, 1000000, cannot be read');
      continue;
    }
    const store = await openStore({ dir, network: 0 });
    const engine = restoredEngine(store);
    await store.checked;
    expect(await engine.digestWithHistory()).toBe(end.digest);
    expect(store.ledgerRanges()).toEqual([[end.first, end.last]]);
    if (end.last === 1_000_013) {
      all++;
      expect(answersOf(store, engine)).toBe(answers);
    }
    await store.close();
    expect(readFileSync(end.kept)).toHaveLength(whole.length);
  }
  expect(all).toBeGreaterThan(0);
  await preparer.close();
});
