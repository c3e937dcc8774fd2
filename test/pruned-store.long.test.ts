/** What a service shows of ledgers that were pruned, beside one that keeps all; and what can be rebuilt of such a store. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { checkStore } from '../data/check.ts';
import { type KeptParts, LEDGERS_MIN } from '../data/pruning.ts';
import { type LmdbStore, openStore } from '../data/store.ts';
import { firstTrades } from '../data/trade-pruning.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import { Changes, Node } from '../engine/codec/changes.ts';
import { transactionHash } from '../engine/codec/hash.ts';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { DAY, unixMs } from '../engine/ripple-time.ts';
import { rebuildStore } from '../service/rebuild.ts';
import { relaidChain } from '../support/chain.ts';
import { LockedChange } from '../views/locked-change.ts';
import type { PoolVolumes } from '../views/pool-volumes.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { type Asker, asker } from './api/routes/ask.ts';
import { temporaryDir } from './data/tools.ts';
import { quietLog } from './engine/ledger/quiet.ts';
import { eventually, type Program, page, startProgram } from './sandbox-program.ts';
import { applyAll } from './views/world.ts';

const FIRST = 1;
const LEDGERS = 300;
const OLDEST = FIRST + LEDGERS - LEDGERS_MIN;
/** So far apart that a day is longer than the ledgers that are kept, and shorter than all. */
const INTERVAL = 310;
const HISTORY = { generationBytes: 6_000, generationBatches: 5, loggedBytes: 0, runsPerLevel: 3 };

const ledgers = [
  ...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 3, first: FIRST, interval: INTERVAL }),
];
const oneDir = temporaryDir();
const otherDir = temporaryDir();
const preparer = preparePool(0);

interface World {
  readonly store: LmdbStore;
  readonly engine: Engine;
  readonly ask: Asker;
}

async function world(dir: string, keep: KeptParts = {}): Promise<World> {
  const store = await openStore({ dir, network: 0, history: HISTORY, keep });
  const engine = new Engine({ store, log: quietLog, batch: { recentLedgers: 4, ledgers: 8 } });
  engine.restore();
  await applyAll(engine, ledgers);
  await engine.drain();
  return { store, engine, ask: asker(engine) };
}

describe('a store that keeps the newest ledgers', () => {
  let all: World;
  let some: World;

  beforeAll(async () => {
    all = await world(oneDir.dir);
    some = await world(otherDir.dir, { ledgers: { unit: 'ledgers', amount: LEDGERS_MIN } });
    for (let i = 0; i < 200 && some.store.ledgerRanges()[0]![0] < OLDEST; i++) await Bun.sleep(10);
  });

  afterAll(async () => {
    await Promise.all([all.store.close(), some.store.close(), preparer.close()]);
    oneDir.remove();
    otherDir.remove();
  });

  test('has the same state and history', async () => {
    expect(some.store.ledgerRanges()).toEqual([[OLDEST, FIRST + LEDGERS - 1]]);
    expect(await some.engine.digestWithHistory()).toBe(await all.engine.digestWithHistory());
  });

  test('answers 404 with the ranges it has for a pruned ledger, and for its transactions and entries', async () => {
    for (const index of [FIRST, OLDEST - 1]) {
      const { status, body } = await some.ask.get(`/ledger/${index}`);
      expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining(`${OLDEST}-${LEDGERS}`)]);
      const hash = hexOf(transactionHash(ledgers[index - FIRST]!.tx(0)));
      expect((await all.ask.get(`/tx/${hash}`)).status).toBe(200);
      expect((await some.ask.get(`/tx/${hash}`)).status).toBe(404);
    }
    let entries = 0;
    for (const packed of ledgers.slice(0, 20)) {
      const changes = new Changes(prepared(packed, prepare(packed.bytes)).changes);
      for (let node = 0; node < changes.nodes; node++) {
        const at = changes.node(node, Node.indexAt);
        const index = packed.bytes.slice(at, at + 32);
        if (all.engine.findEntry(index)!.ledger >= OLDEST) continue;
        const path = `/ledger/entry?index=${hexOf(index)}`;
        expect((await some.ask.get(path)).status, path).toBe(404);
        entries++;
      }
    }
    expect(entries).toBeGreaterThan(20);
  });

  test('answers as before for the others, for the close times of all, and for what followed from them', async () => {
    const kept = ledgers[OLDEST - FIRST]!;
    const paths = [
      `/ledger/${OLDEST}`,
      `/tx/${hexOf(transactionHash(kept.tx(1)))}`,
      `/ledger/at?time=${unixMs(ledgers[7]!.closeTime)}`,
      `/ledger/at?time=${unixMs(ledgers[0]!.closeTime - 10)}`,
      '/history?md5=XRP&limit=200&direction=asc',
      `/history?md5=XRP&limit=50&end_time=${unixMs(ledgers[30]!.closeTime)}`,
      '/tokens?limit=100&sort=vol24hxrp',
      '/amm?limit=50',
      '/stats',
    ];
    for (const path of paths) {
      const [expected, found] = [await all.ask.get(path), await some.ask.get(path)];
      expect(found.status, path).toBe(200);
      for (const { body } of [expected, found]) delete body.took;
      expect(found.body, path).toEqual(expected.body);
    }
  });

  test('knows that a day was read, though its first ledgers are gone', () => {
    expect(ledgers.at(-1)!.closeTime - ledgers[OLDEST - FIRST]!.closeTime).toBeLessThan(DAY);
    const volumes = { loaded: true, day: { isWhole: true } } as unknown as PoolVolumes;
    for (const { engine } of [all, some])
      expect(
        new LockedChange(engine, volumes, { ledger: engine, rates: engine, tokens: engine, accounts: engine })
          .isKnown,
      ).toBe(true);
  });

  test('shows in /health what it holds, and that its state is complete as before', async () => {
    const { ledger } = (await some.ask.get('/health')).body;
    expect(ledger.ranges).toEqual([[OLDEST, FIRST + LEDGERS - 1]]);
    expect([ledger.state, (await all.ask.get('/health')).body.ledger.state]).toEqual([
      'complete',
      'complete',
    ]);
  });

  test('shows trades of the time for which they are kept, and counts those; candles and totals stay', async () => {
    const { dir, remove } = temporaryDir();
    const tradesSeconds = 3 * 3_600;
    const less = await world(dir, { tradesSeconds });
    const first = firstTrades(less.store.environment);
    // The value moves when there are many ledgers to go.
    expect(first).toBeGreaterThan(FIRST);
    expect(ledgers.at(-1)!.closeTime - ledgers[first - FIRST]!.closeTime).toBeGreaterThanOrEqual(
      tradesSeconds - INTERVAL,
    );
    const since = unixMs(ledgers[first - FIRST]!.closeTime);
    const { tokens } = (await all.ask.get('/tokens?limit=100')).body;
    let rows = 0;
    for (const md5 of ['XRP', ...(tokens as { md5: string }[]).slice(0, 20).map((token) => token.md5)])
      for (const more of ['', '&direction=asc', '&type=all']) {
        const path = `/history?md5=${md5}&limit=1000${more}`;
        const expected = (await all.ask.get(`${path}&start_time=${since}`)).body;
        const { data, meta } = (await less.ask.get(path)).body;
        expect(data, path).toEqual(expected.data);
        expect(meta.total, path).toBe(data.length);
        if (md5 === 'XRP') expect(meta.keptFrom, path).toBe(since);
        rows += data.length;
        const chart = `/ohlc/${md5}?vs_currency=XRP`;
        expect((await less.ask.get(chart)).body.ohlc, chart).toEqual((await all.ask.get(chart)).body.ohlc);
      }
    expect(rows).toBeGreaterThan(30);
    expect(less.engine.digest()).toBe(all.engine.digest());
    await less.store.close();
    checkStore(dir);
    remove();
  });

  test('cannot be rebuilt from its ledgers alone: one line says which are missing and what is lost', async () => {
    const { dir, remove } = temporaryDir();
    await some.store.backup(dir);
    const plan = { dir, network: 0, source: undefined, withoutSnapshot: false, preparer, log: quietLog };
    const fault = await rebuildStore(plan).catch((error: Error) => error);
    const { message } = fault as Error;
    expect(message).toContain(`no longer holds ledgers ${FIRST} to ${OLDEST - 1}. Trades, candles`);
    expect(message).toContain('--snapshot no');
    expect(message).not.toContain('\n');
    const end = await rebuildStore({ ...plan, withoutSnapshot: true });
    expect([end.first, end.last, end.lostFrom]).toEqual([OLDEST, FIRST + LEDGERS - 1, FIRST]);
    remove();
  });
});

test('the program with --keep on the embedded network: killed and started again, it goes on with what it kept', async () => {
  const { dir, remove } = temporaryDir();
  const options = ['--sandbox-days=1', '--keep=300ledgers', '--workers=1'];
  const held = async (program: Program) => {
    const health = await page(program, '/health');
    return health?.ledger && { ...health.ledger, disk: health.disk };
  };
  const pruned = (program: Program, above: number) =>
    eventually('fewer ledgers', async () => {
      const found = await held(program);
      return found?.ranges[0]?.[0] > above ? found : undefined;
    });
  const first = await startProgram(dir, ...options);
  const before = await pruned(first, 1);
  await first.kill();
  const again = await startProgram(dir, ...options);
  await eventually('the present', async () => ((await page(again, '/health'))?.ready ? true : undefined));
  const after = await pruned(again, before.ranges[0][0]);
  expect([after.rangesTotal, after.state]).toEqual([1, 'complete']);
  const [oldest, newest] = after.ranges[0];
  expect(newest - oldest).toBeGreaterThanOrEqual(LEDGERS_MIN - 1);
  expect((await fetch(`${again.url}/v1/ledger/${oldest - 1}`)).status).toBe(404);
  expect((await page(again, '/v1/history?md5=XRP&direction=asc&limit=1'))?.data.length).toBe(1);
  expect(after.disk.usedBytes).toBeGreaterThan(after.disk.freeBytes);
  expect(await again.stop()).toBe(0);
  // The engine's store in it, and what rebuilding it says.
  const store = join(dir, 'sandbox', 'engine');
  checkStore(store);
  const tool = Bun.spawnSync(
    [process.execPath, join(import.meta.dir, '..', 'service', 'tool.ts'), 'rebuild', '--data', store],
    { stderr: 'pipe' },
  );
  expect([tool.exitCode, String(tool.stderr).trim().split('\n').length]).toEqual([1, 1]);
  expect(String(tool.stderr)).toContain('this store no longer holds ledgers 1 to ');
  remove();
});
