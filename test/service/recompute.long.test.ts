/** A store whose figures follow the rules of another version: rebuilt at its next start, or left as it is with a reason. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sizedStore } from '../../bench/size/store.ts';
import { openEnvironment } from '../../data/environment.ts';
import { writeVersion } from '../../data/meta.ts';
import { SCHEMA_VERSION } from '../../data/migrations.ts';
import { openStore } from '../../data/store.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { CANDLE_LEVELS } from '../../engine/market/intervals.ts';
import { RULES_VALUE } from '../../engine/rules.ts';
import { openNetwork } from '../../service/network.ts';
import { readOptions } from '../../service/options.ts';
import { rebuildBeside } from '../../service/rebuild.ts';
import { type RecomputePlan, recomputeFigures } from '../../service/recompute.ts';
import { networksOf, serve } from '../../service/service.ts';
import { relaidChain } from '../../support/chain.ts';
import { preparePool } from '../../workers/prepare-pool.ts';
import { FIRST_STORE_LAST, unpackFirstStore } from '../data/first-store.ts';
import { quietLog, until } from '../engine/ledger/quiet.ts';
import { CURRENT, changeRules, emptyArchive, type Line, openAsService } from './other-rules.ts';
import { killRebuild } from './rebuild-kills.ts';

/** test/long does more. */
const KILLS = 5;
/** A stop of the program, ms: 2 s on a machine of its own; on any, it waits for nothing that is not bounded. */
const STOP_MAX_MS = 5_000;
const FIRST = 1_000_000;
/** Ledgers of a store that takes some hundred time slices to rebuild. */
const LONG = { ledgers: 500, transactionsPerLedger: 40 };
const PROGRAM = resolve(import.meta.dir, '..', '..', 'service', 'main.ts');
const base = mkdtempSync(join(tmpdir(), 'millrace-rules-'));
const archive = emptyArchive(base);
const preparer = preparePool(0);
/** Of other rules, and the digests of what it says and of its ledgers. */
let long: { dir: string; digest: string; fresh: string };

const place = (name: string) => join(base, name);
const file = (dir: string) => readFileSync(join(dir, 'data.mdb'));
const copyOf = (dir: string, name: string) => {
  cpSync(dir, place(name), { recursive: true });
  return place(name);
};

/** Applies ledgers to a new store; where one is not the next, the ones between are missing. */
async function made(dir: string, ledgers: Iterable<PackedLedger>): Promise<string> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quietLog });
  for (const packed of ledgers) {
    const next = (engine.head?.index ?? packed.ledgerIndex - 1) + 1;
    if (packed.ledgerIndex > next) engine.skipGap(next, packed.ledgerIndex - 1);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), true);
  }
  const digest = await engine.digestWithHistory();
  expect(store.value(RULES_VALUE)).toEqual(CURRENT(FIRST));
  await store.close();
  return digest;
}

beforeAll(async () => {
  const dir = place('long');
  const fresh = await made(dir, relaidChain(LONG));
  const { digest } = await changeRules(dir, 0, { version: 0, first: FIRST });
  long = { dir, digest, fresh };
});

afterAll(async () => {
  await preparer.close();
  rmSync(base, { recursive: true, force: true });
});

describe('a store that holds all its ledgers', () => {
  test('of version 0.2.0, which names no rules, is rebuilt when it is opened, and not again', async () => {
    const dir = place('first');
    unpackFirstStore(dir);
    const opened = await openAsService({ dir });
    expect(opened.digest).toBe(opened.fresh);
    expect(opened.stages).toContain('rebuilding');
    expect(opened.rules).toEqual(CURRENT(FIRST));
    expect(opened.range).toEqual([[FIRST, FIRST_STORE_LAST]]);
    expect(existsSync(join(dir, 'rebuilt'))).toBe(false);
    const again = await openAsService({ dir });
    expect(again.stages).not.toContain('rebuilding');
    expect(again.digest).toBe(opened.digest);
  });

  test('with trades of other values has the digest of a fresh replay afterwards, with threads and without', async () => {
    expect(long.digest).not.toBe(long.fresh);
    for (const workers of [0, 2]) {
      const opened = await openAsService({ dir: copyOf(long.dir, `workers-${workers}`), workers });
      expect(opened.digest).toBe(long.fresh);
      expect(opened.fresh).toBe(long.fresh);
      expect(opened.lines.filter(({ message }) => message === 'the store has been rebuilt')).toMatchObject([
        { ledgers: LONG.ledgers, ledger: FIRST + LONG.ledgers - 1 },
      ]);
    }
  });

  test('with other candles in fiat, rates and trades is rebuilt to those that its ledgers give', async () => {
    const data = place('sandbox-data');
    const own = [
      `--data=${data}`,
      '--sandbox-size=small',
      '--sandbox-days=2',
      '--sandbox-port=0',
      '--sandbox-seed=rules',
    ];
    const options = readOptions(['--source=sandbox', '--sandbox-interval=1', ...own], {});
    const faults: unknown[] = [];
    const open = await openNetwork({
      options,
      log: quietLog,
      preparer,
      onFault: (fault) => faults.push(fault),
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    open.follow();
    const { engine } = open.network;
    const inFiat = () => {
      let found = false;
      engine.store.records('candles', [], {}, (_last, _value, key) => {
        found ||= key[0]! >= CANDLE_LEVELS.length;
        return !found;
      });
      return found;
    };
    await until(() => (engine.head?.index ?? 0) % 50 === 0 && inFiat());
    await open.close();
    expect(faults).toEqual([]);
    const dir = join(data, 'sandbox', 'engine');
    const network = options.sandboxNetwork;
    const { digest, changed } = await changeRules(dir, network, { version: 0, first: 1 });
    expect(changed).toEqual(['trades', 'candles', 'rates']);
    const opened = await openAsService({ dir, network });
    expect(opened.digest).not.toBe(digest);
    expect(opened.digest).toBe(opened.fresh);
  });

  test(`killed at ${KILLS} moments of the rebuild: nothing is lost, and the next start finishes it`, async () => {
    await killRebuild({ dir: place('kills'), kills: KILLS });
  });

  test('whose new file is in place, with the lock file of the one before, opens', async () => {
    const dir = copyOf(long.dir, 'between');
    await rebuildBeside({
      dir,
      network: 0,
      source: undefined,
      withoutSnapshot: false,
      preparer,
      log: quietLog,
    });
    expect(existsSync(join(dir, 'lock.mdb'))).toBe(true);
    renameSync(join(dir, 'rebuilt', 'data.mdb'), join(dir, 'data.mdb'));
    const opened = await openAsService({ dir });
    expect(opened.stages).not.toContain('rebuilding');
    expect(opened.digest).toBe(long.fresh);
    expect(existsSync(join(dir, 'rebuilt'))).toBe(false);
  });

  test('is not changed when the start is stopped half-way; the next one begins again', async () => {
    const dir = copyOf(long.dir, 'stopped');
    const before = file(dir);
    let share = 0;
    // Awaited by itself: while `expect().rejects` waits, a yield to the event loop takes far longer.
    const fault = await openAsService({
      dir,
      onStage: (progress, stop) => {
        if (progress.stage !== 'rebuilding') return;
        share = progress.share!;
        if (share >= 0.5) stop.abort();
      },
    }).catch((reason: Error) => reason);
    expect(fault).toMatchObject({ name: 'AbortError' });
    expect(share).toBeLessThan(0.6);
    expect(file(dir).equals(before)).toBe(true);
    expect(existsSync(join(dir, 'rebuilt'))).toBe(false);
    expect((await openAsService({ dir })).digest).toBe(long.fresh);
  });

  test('on SIGTERM during the rebuild the program ends with exit code 0 in time, and the store is unchanged', async () => {
    const dir = copyOf(long.dir, 'signal');
    const before = file(dir);
    const source = `--source=file:${archive}`;
    const child = Bun.spawn([process.execPath, PROGRAM, `--data=${dir}`, source, '--port=0', '--workers=0'], {
      stdout: 'pipe',
      stderr: 'pipe',
    });
    let log = '';
    let signalledAt = 0;
    const decoder = new TextDecoder();
    for await (const part of child.stdout) {
      log += decoder.decode(part, { stream: true });
      if (signalledAt > 0 || !log.includes('the store is rebuilt from its ledgers')) continue;
      signalledAt = performance.now();
      child.kill('SIGTERM');
    }
    expect(await child.exited).toBe(0);
    expect(performance.now() - signalledAt).toBeLessThan(STOP_MAX_MS);
    expect(await new Response(child.stderr).text()).toBe('');
    expect(log).not.toContain('the store has been rebuilt');
    expect(file(dir).equals(before)).toBe(true);
    expect((await openAsService({ dir })).digest).toBe(long.fresh);
  });

  test('health shows the rebuild and how far it is, and requests get 503 with it as the reason', async () => {
    const args = [`--data=${copyOf(long.dir, 'health')}`, `--source=file:${archive}`];
    const options = readOptions([...args, '--port=0', '--workers=0'], {});
    const service = serve({ options, networks: networksOf(options), log: quietLog, onFault: () => {} });
    const shares: number[] = [];
    let reasons = 0;
    while (service.networks.length === 0) {
      const health = (await (await fetch(`${service.url}/health`)).json()) as {
        ready: boolean;
        progress: { stage: string; share: number | null } | null;
      };
      if (service.networks.length > 0) break;
      expect(health.ready).toBe(false);
      if (health.progress?.stage === 'rebuilding') shares.push(health.progress.share!);
      const tokens = await fetch(`${service.url}/v1/tokens?limit=1`);
      const { error = '' } = (await tokens.json()) as { error?: string };
      if (tokens.status === 503 && error.includes('rebuilding')) reasons++;
    }
    await service.opened;
    expect(shares.length).toBeGreaterThan(3);
    expect(reasons).toBeGreaterThan(3);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect((await fetch(`${service.url}/v1/tokens?limit=1`)).status).toBe(200);
    await service.stop();
  });
});

describe('a store is left as it is, with a line that says why and what to do,', () => {
  /** Recomputes, and checks that nothing was written. @returns the warning */
  async function leftAlone(dir: string, more: Partial<RecomputePlan> = {}): Promise<Line | undefined> {
    const lines: Line[] = [];
    const say = (fields: object, message: string) => void lines.push({ ...fields, message });
    const before = file(dir);
    const stages: string[] = [];
    await recomputeFigures({
      dir,
      networkId: 0,
      preparer,
      log: { debug() {}, info: say, warn: say, error: say },
      onProgress: ({ stage }) => stages.push(stage),
      signal: new AbortController().signal,
      ...more,
    });
    expect(file(dir).equals(before)).toBe(true);
    expect(stages).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(1);
    return lines[0];
  }

  test('when it began with a snapshot', async () => {
    const { store } = await sizedStore({ share: 0.01, ledgers: 2, transactions: 10 });
    const dir = copyOf(store, 'snapshot');
    const opened = await openStore({ dir, network: 0 });
    const { first } = opened.value(RULES_VALUE) as { first: number };
    const batch = opened.batch();
    batch.value(RULES_VALUE, { version: 0, first });
    await opened.commit(batch, opened.cursor!);
    await opened.close();
    const line = await leftAlone(dir);
    expect(line).toMatchObject({ because: 'it began with a snapshot', rules: 0 });
    expect(line!.remedy).toContain(`rebuild --data ${dir} --source wss://`);
  });

  test('when ledgers are missing between those it holds', async () => {
    const dir = place('gap');
    const chain = [...relaidChain({ ledgers: 12, transactionsPerLedger: 5 })];
    await made(
      dir,
      chain.filter((_, i) => i < 5 || i > 7),
    );
    await changeRules(dir, 0, { version: 0, first: FIRST });
    expect(await leftAlone(dir)).toMatchObject({
      because: 'ledgers are missing between those it holds',
      remedy: `npm run tool -- rebuild --data ${dir}`,
    });
  });

  test('when it once held ledgers before its oldest', async () => {
    const dir = copyOf(long.dir, 'pruned');
    await changeRules(dir, 0, { version: 0, first: FIRST - 7 });
    expect(await leftAlone(dir)).toMatchObject({
      because: `it no longer holds ledgers ${FIRST - 7} to ${FIRST - 1}`,
    });
  });

  test('when the disk has too little room; it opens with the figures it has', async () => {
    const dir = copyOf(long.dir, 'room');
    const line = await leftAlone(dir, { roomIn: () => 4096 });
    expect(line!.because).toMatch(/^rebuilding it needs \d+ bytes on the disk, and 4096 are free$/);
    const store = await openStore({ dir, network: 0 });
    const engine = new Engine({ store, log: quietLog });
    engine.restore();
    expect(await engine.digestWithHistory()).toBe(long.digest);
    await store.close();
  });

  test('when one of its ledgers is damaged', async () => {
    const dir = copyOf(long.dir, 'damaged');
    const store = await openStore({ dir, network: 0 });
    const frame = Bun.zstdCompressSync(store.ledger(FIRST + 300)!, { level: 1 });
    await store.close();
    const bytes = file(dir);
    let hits = 0;
    for (let at = bytes.indexOf(frame); at >= 0; at = bytes.indexOf(frame, at + 1), hits++)
      bytes[at + 20]! ^= 0x55;
    expect(hits).toBeGreaterThan(0);
    await Bun.write(join(dir, 'data.mdb'), bytes);
    const warned: Line[] = [];
    const warn = (fields: object, message: string) => void warned.push({ ...fields, message });
    await recomputeFigures({
      dir,
      networkId: 0,
      preparer,
      log: { ...quietLog, warn },
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    expect(warned).toHaveLength(1);
    expect(warned[0]!.because).toContain(`ledger ${FIRST + 300} cannot be read`);
    expect(file(dir).equals(bytes)).toBe(true);
    expect(existsSync(join(dir, 'rebuilt'))).toBe(false);
  });

  test('and without a line when a newer program has written it: opening it says so', async () => {
    const dir = copyOf(long.dir, 'newer');
    const environment = openEnvironment(dir);
    environment.root.transactionSync(() => writeVersion(environment, SCHEMA_VERSION + 1));
    await environment.root.close();
    expect(await leftAlone(dir)).toBeUndefined();
    await expect(openStore({ dir, network: 0 })).rejects.toThrow('newer program');
  });

  test('and without a line when it is of another network', async () => {
    expect(await leftAlone(copyOf(long.dir, 'network'), { networkId: 1 })).toBeUndefined();
  });
});
