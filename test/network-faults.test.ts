/**
 * Faults of nodes, and how much time each may cost: on stand-in nodes, with the test's own clock. The allowed times are
 * in limits.ts and readiness.ts; nothing here depends on the speed of the machine.
 */
import { describe, expect, test } from 'bun:test';
import { hexOf } from '../engine/codec/bytes.ts';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { LIMITS } from '../engine/ledger/limits.ts';
import { FALL_AFTER_MS, RISE_AFTER_MS } from '../service/readiness.ts';
import { seeded } from './engine/ledger/quiet.ts';
import { makeChain } from './ledgers.ts';
import { ManualClock, MemoryNode } from './memory-node.ts';
import { CLOSE_EVERY, isDistrust, type Line, runsOfTests, SLACK } from './network-rig.ts';

const LENGTH = 160;
const chain = makeChain({ count: LENGTH, transactions: 1 });
const other = makeChain({ count: LENGTH, transactions: 1, salt: 7 });
const late = makeChain({ count: 60, transactions: 1, first: 5_000 });
const runs = runsOfTests();
const { start } = runs;

const warnings = (lines: readonly Line[]) => lines.filter(({ level }) => level !== 'info');
const newest = (node: MemoryNode) => chain[node.closed - 1]!.ledgerIndex;
const isAtLedger = (index: number) => () => runs.now!.network.engine.head?.index === index;

/** Expects exactly the first ledgers of the true chain, each once. */
function expectTrueChain(emitted: readonly PackedLedger[]): void {
  expect(emitted.map(({ hash }) => hexOf(hash))).toEqual(
    chain.slice(0, emitted.length).map(({ hash }) => hexOf(hash)),
  );
}

/** Pauses of a node that is alone: each twice as long as the one before, up to the bound, minus the jitter. */
function expectPauses(distrusts: readonly Line[]): void {
  const { distrustPauseAlone, distrustPauseAloneMax } = LIMITS;
  expect(distrusts.length).toBeGreaterThan(Math.log2(distrustPauseAloneMax / distrustPauseAlone) + 1);
  for (const [i, { fields }] of distrusts.entries()) {
    const full = Math.min(distrustPauseAloneMax, distrustPauseAlone * 2 ** i);
    expect(Number(fields.pause)).toBeWithin(Math.floor(full / 2), full + 1);
  }
}

describe('one node alone', () => {
  test('on another, longer chain for 100 s: recovers within one pause, one log line each time', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 30 });
    const { lines, counters, emitted, closing } = await start([node], clock);
    await clock.until(isAtLedger(1029), 'the opening ledgers', SLACK);
    closing([node]);
    await clock.pass(3 * CLOSE_EVERY);
    node.switchTo(other, 80);
    const connections = node.connections;
    const before = lines.length;
    await clock.pass(100_000);
    const distrusts = lines.filter(isDistrust);
    expect(distrusts.length).toBeGreaterThan(3);
    // At most one per connection; the other lines are about readiness and the ledger that is late.
    expect(distrusts.length).toBeLessThanOrEqual(node.connections - connections);
    expect(counters.ledgersRefused).toBe(distrusts.length);
    expect(new Set(distrusts.map(({ at }) => at)).size).toBe(distrusts.length);
    expect(lines.slice(before).length - distrusts.length).toBeLessThanOrEqual(4);
    expectPauses(distrusts);
    node.switchTo(chain, 60);
    const ms = await clock.until(() => emitted.length === node.closed, 'recovery', LIMITS.distrustPause);
    expect(ms).toBeLessThanOrEqual(LIMITS.distrustPauseAloneMax + SLACK);
    await clock.pass(100_000);
    // Ledgers requested ahead were dropped too: none of them is refused later.
    expect(lines.filter(isDistrust).length).toBe(distrusts.length);
    expect(counters.ledgersRefused).toBe(distrusts.length);
    expectTrueChain(emitted);
  });

  test('a chain that forks from ours in the middle of the window is refused where it forks', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, {
      ledgers: [...chain.slice(0, 20), ...other.slice(20)],
      closed: 60,
    });
    const { lines, emitted } = await start([node], clock);
    await clock.until(() => lines.some(isDistrust), 'a refusal', SLACK);
    node.switchTo(chain, 60);
    await clock.until(isAtLedger(1059), 'recovery', LIMITS.distrustPauseAlone + SLACK);
    expect(lines.filter(isDistrust).length).toBe(1);
    expectTrueChain(emitted);
  });

  test('false data of a connection that has ended does not penalise the next one', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, {
      ledgers: [...chain.slice(0, 20), ...other.slice(20)],
      closed: 40,
    });
    node.faults.missing.add(1020);
    const { lines, emitted } = await start([node], clock);
    await clock.until(isAtLedger(1019), 'the common ledgers', SLACK);
    node.faults.missing.clear();
    node.switchTo(chain, 60);
    await clock.until(isAtLedger(1059), 'recovery', LIMITS.backoffFirst * 2 ** LIMITS.claimMisses + SLACK);
    expect(lines.filter(isDistrust).map(({ message }) => message)).toEqual([
      'endpoint sent false data on a connection that has ended',
    ]);
    expectTrueChain(emitted);
  });

  test('one malformed frame costs no more than the first pause of a node that is alone', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 10 });
    const { lines } = await start([node], clock);
    await clock.until(isAtLedger(1009), 'the opening ledgers', SLACK);
    node.faults.garbage = '{"id":';
    node.advance(8);
    await clock.until(() => lines.some(isDistrust), 'the malformed frame', SLACK);
    node.faults.garbage = undefined;
    const ms = await clock.until(isAtLedger(1017), 'recovery', LIMITS.distrustPause);
    expect(ms).toBeLessThanOrEqual(LIMITS.distrustPauseAlone + SLACK);
    expect(lines.filter(isDistrust).length).toBe(1);
  });

  test('of another network: nothing is taken from it, and the line names both', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    node.networkId = 1;
    const { lines, emitted, closing } = await start([node], clock);
    closing([node]);
    await clock.pass(60_000);
    expect(emitted).toEqual([]);
    expect(lines.find(isDistrust)!.fields).toMatchObject({
      reason: 'it is of network 1, not 0: npm run tool -- doctor says what to change',
    });
    node.networkId = 0;
    await clock.pass(LIMITS.distrustPauseAloneMax);
    expect(emitted.length).toBe(node.closed);
    node.networkId = 1;
    await clock.pass(60_000);
    expect(emitted.length).toBeLessThan(node.closed);
    expectTrueChain(emitted);
  });

  test('pauses double each time in a row, up to a bound, and begin again later', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 10 });
    const { lines, closing } = await start([node], clock);
    await clock.until(isAtLedger(1009), 'the opening ledgers', SLACK);
    closing([node]);
    node.faults.falsify = 'hash';
    await clock.pass(200_000);
    expectPauses(lines.filter(isDistrust));
    node.faults.falsify = undefined;
    await clock.pass(LIMITS.distrustResetAfter + LIMITS.distrustPauseAloneMax);
    const before = lines.length;
    node.broadcast('{"id":');
    await clock.pass(0);
    const distrust = lines.slice(before).find(isDistrust);
    expect(distrust?.fields.pause).toBeWithin(LIMITS.distrustPauseAlone / 2, LIMITS.distrustPauseAlone + 1);
  });

  test('returns with a shorter chain: not ready within 10 s, the log shows both positions', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 60 });
    const { lines, changes, network, closing } = await start([node], clock);
    await clock.until(() => network.ready, 'readiness', SLACK);
    closing([node]);
    await clock.pass(2 * CLOSE_EVERY);
    const held = newest(node);
    const from = clock.now();
    node.switchTo(chain, 20);
    await clock.pass(10_000);
    expect(changes.at(-1)).toMatchObject({ ready: false });
    expect(changes.at(-1)!.at - from).toBeLessThanOrEqual(10_000);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', fields: { ours: held } });
    expect(Number(lines.at(-1)!.fields.source)).toBeWithin(1019, 1023);
    // It is logged once.
    const logged = warnings(lines).length;
    await clock.pass(50_000);
    expect(warnings(lines).length).toBe(logged);
    // Its chain grows past the ledger held: ready again.
    await clock.until(() => network.ready, 'readiness', LENGTH * CLOSE_EVERY);
    expect(network.engine.head!.index).toBeGreaterThan(held);
    expectTrueChain(runs.now!.emitted);
  });

  for (const delay of [5_000, 15_000])
    test(`that answers after ${delay} ms delivers every ledger`, async () => {
      const clock = new ManualClock();
      const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
      node.faults.delay = delay;
      const { lines, emitted, closing, network } = await start([node], clock);
      closing([node]);
      // As many as close during one request.
      const inFlight = Math.ceil(delay / CLOSE_EVERY) + 1;
      const behind = () => node.closed - emitted.length;
      // The time-out needs a few connections to adapt.
      await clock.until(() => behind() <= inFlight, 'the newest ledgers', 10 * LIMITS.requestTimeoutMax);
      const before = lines.length;
      let behindMost = 0;
      for (let i = 0; i < 30; i++) {
        await clock.pass(CLOSE_EVERY);
        behindMost = Math.max(behindMost, behind());
      }
      expect(behindMost).toBeLessThanOrEqual(inFlight);
      expect(lines.slice(before).filter(({ message }) => message.startsWith('endpoint'))).toEqual([]);
      // What is shown is the present as far as such a node lets know it; a slower one is too far behind, and the log says so.
      const notices = lines.filter(({ message }) => message.startsWith('not ready'));
      expect(network.ready).toBe(delay <= CLOSE_EVERY + 1_000);
      expect(notices.length).toBe(network.ready ? 0 : 1);
      expectTrueChain(emitted);
    });

  test('quiet for ten minutes: one log line when it becomes silent, one when not ready, one each when it is back', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    const { lines, closing, network } = await start([node], clock);
    const stop = closing([node]);
    await clock.pass(5 * CLOSE_EVERY);
    stop();
    const before = lines.length;
    await clock.pass(600_000);
    expect(node.connections).toBeGreaterThan(5);
    expect(lines.slice(before).map(({ message }) => message)).toEqual([
      'endpoint announces no new ledger',
      'not ready: what is shown is not the present',
    ]);
    closing([node]);
    await clock.pass(10 * CLOSE_EVERY);
    expect(network.ready).toBe(true);
    expect(lines.slice(before + 2).map(({ message }) => message)).toEqual([
      'endpoint announces ledgers again',
      'ready again',
    ]);
  });

  test('unreachable for ten minutes: one log line when it goes down, one when not ready, one each when they are back', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    const { lines, closing, emitted } = await start([node], clock);
    closing([node]);
    await clock.pass(5 * CLOSE_EVERY);
    const before = lines.length;
    node.stop();
    await clock.pass(600_000 - CLOSE_EVERY);
    node.restart();
    const ms = await clock.until(() => emitted.length === node.closed, 'recovery', 2 * LIMITS.backoffMax);
    expect(ms).toBeLessThanOrEqual(LIMITS.backoffMax + SLACK);
    await clock.pass(RISE_AFTER_MS + SLACK);
    const messages = lines.slice(before).map(({ message }) => message);
    expect(messages.filter((message) => message.startsWith('endpoint'))).toEqual([
      'endpoint down',
      'endpoint up',
    ]);
    expect(messages.filter((message) => message.includes('ready'))).toEqual([
      'not ready: what is shown is not the present',
      'ready again',
    ]);
  });
});

describe('one of several nodes', () => {
  test('is of another network, and the first that an empty store would begin with: the other is followed', async () => {
    const clock = new ManualClock();
    const wrong = new MemoryNode('wrong', clock, { ledgers: late, closed: 40 });
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 20 });
    [wrong.networkId, honest.networkId] = [1, 0];
    const { emitted, closing, source } = await start([wrong, honest], clock);
    closing([wrong, honest]);
    await clock.pass(60_000);
    expect(source.endpoints.map(({ up }) => up)).toEqual([false, true]);
    expect(emitted.length).toBe(honest.closed);
    expectTrueChain(emitted);
  });

  test('stays at an old ledger: the other is followed at full speed', async () => {
    const clock = new ManualClock();
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 140 });
    const old = new MemoryNode('old', clock, { ledgers: chain, closed: 20 });
    old.faults.delay = 0;
    honest.faults.delay = 2_000;
    const { emitted, source } = await start([old, honest], clock);
    const ms = await clock.until(isAtLedger(1139), 'the newest ledger', 120_000);
    // 120 ledgers in parallel, as many at a time as the limit allows.
    expect(ms).toBeLessThan((120 / LIMITS.requestsInFlight + 4) * honest.faults.delay);
    expect(source.endpoints.every(({ up }) => up)).toBe(true);
    expectTrueChain(emitted);
  });

  test('announces false hashes and gets no requests: stays ready', async () => {
    const clock = new ManualClock();
    const faulty = new MemoryNode('faulty', clock, { ledgers: chain, closed: 20 });
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 20 });
    faulty.faults.delay = 400;
    const { changes, emitted, closing } = await start([faulty, honest], clock);
    await clock.pass(2_000);
    // It was asked about the first ledger.
    expect(faulty.requests.ledger ?? 0).toBe(1);
    faulty.faults.falsify = 'announced hash';
    closing([honest, faulty]);
    await clock.pass(20 * CLOSE_EVERY);
    expect(faulty.requests.ledger ?? 0).toBe(1);
    expect(changes.map(({ ready }) => ready)).toEqual([true]);
    expect(emitted.length).toBe(honest.closed);
    expectTrueChain(emitted);
  });

  test('is at a much older ledger: the other is followed', async () => {
    const clock = new ManualClock();
    const honest = new MemoryNode('honest', clock, { ledgers: late, closed: 20 });
    const old = new MemoryNode('old', clock, { ledgers: chain, closed: 20 });
    const { network, changes, closing } = await start([honest, old], clock);
    await clock.until(isAtLedger(5019), 'the opening ledgers', SLACK);
    closing([honest, old]);
    await clock.pass(20 * CLOSE_EVERY);
    expect(network.engine.head?.index).toBe(5019 + 20);
    expect(changes.map(({ ready }) => ready)).toEqual([true]);
  });

  test('sends false data while the other is up: a long pause, shortened when the other goes down', async () => {
    const clock = new ManualClock();
    const [first, second] = ['first', 'second'].map(
      (name) => new MemoryNode(name, clock, { ledgers: chain, closed: 20 }),
    ) as [MemoryNode, MemoryNode];
    const { lines, closing, source, emitted } = await start([first, second], clock);
    closing([first, second]);
    await clock.pass(CLOSE_EVERY);
    first.broadcast('no JSON');
    await clock.pass(0);
    const [distrust] = lines.filter(isDistrust);
    expect(distrust!.fields).toMatchObject({ endpoint: 'first' });
    expect(Number(distrust!.fields.pause)).toBeWithin(LIMITS.distrustPause / 2, LIMITS.distrustPause + 1);
    await clock.pass(LIMITS.distrustPauseAlone);
    expect(source.endpoints[0]!.up).toBe(false);
    second.stop();
    const ms = await clock.until(() => source.endpoints[0]!.up, 'the last endpoint', LIMITS.distrustPause);
    expect(ms).toBeLessThanOrEqual(LIMITS.distrustPauseAlone);
    await clock.pass(CLOSE_EVERY);
    expect(emitted.length).toBe(first.closed);
    expectTrueChain(emitted);
  });

  test('on another chain: its ledgers are dropped together, the others continue', async () => {
    const clock = new ManualClock();
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 20 });
    const wrong = new MemoryNode('wrong', clock, { ledgers: chain, closed: 20 });
    const { lines, emitted, closing, changes } = await start([wrong, honest], clock);
    closing([honest, wrong]);
    await clock.pass(2 * CLOSE_EVERY);
    honest.faults.delay = 300;
    wrong.switchTo(other, 100);
    await clock.pass(30_000);
    expect(emitted.length).toBe(honest.closed);
    expect(lines.filter(isDistrust).length).toBe(1);
    expect(changes.filter(({ ready }) => !ready)).toEqual([]);
    expectTrueChain(emitted);
  });
});

test('readiness changes no faster than its rule while the only node disconnects every second', async () => {
  const clock = new ManualClock();
  const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
  const { changes, closing } = await start([node], clock);
  closing([node]);
  for (let i = 0; i < 60; i++) {
    await clock.pass(1_000);
    node.dropSockets();
  }
  const times = changes.map(({ at }) => at);
  for (const [i, at] of times.entries())
    if (i > 0) expect(at - times[i - 1]!).toBeGreaterThanOrEqual(Math.min(FALL_AFTER_MS, RISE_AFTER_MS));
});

test('whatever two of three nodes do wrong, every ledger is emitted correctly and soon', async () => {
  const seeds = process.env.SEED
    ? [Number(process.env.SEED)]
    : Array.from({ length: 12 }, () => Math.floor(Math.random() * 2 ** 31));
  for (const seed of seeds) {
    console.log(`seed ${seed}`);
    const random = seeded(seed);
    const clock = new ManualClock();
    const nodes = ['first', 'honest', 'third'].map(
      (name) => new MemoryNode(name, clock, { ledgers: chain, closed: 20 }),
    );
    const [first, honest, third] = nodes as [MemoryNode, MemoryNode, MemoryNode];
    honest.faults.delay = random() * 900;
    const misbehaviours: ((node: MemoryNode) => void)[] = [
      ({ faults }) => Object.assign(faults, { hang: true }),
      ({ faults }) => Object.assign(faults, { hangOnLedgers: true }),
      ({ faults }) => Object.assign(faults, { falsify: 'hash' }),
      ({ faults }) => Object.assign(faults, { falsify: 'announced hash' }),
      ({ faults }) => Object.assign(faults, { falsify: 'blob' }),
      ({ faults }) => Object.assign(faults, { falsify: 'other ledger' }),
      ({ faults }) => Object.assign(faults, { garbage: '{' }),
      ({ faults }) => Object.assign(faults, { stale: true }),
      ({ faults }) => Object.assign(faults, { delay: random() * 12_000 }),
      ({ faults }) => Object.assign(faults, { missing: new Set(chain.map((one) => one.ledgerIndex)) }),
      (node) => node.dropSockets(),
      (node) => node.stop(),
      (node) => node.switchTo(other, node.closed + Math.floor(random() * 20)),
      (node) => node.switchTo(chain, 10),
    ];
    const { emitted, closing } = await start(nodes, clock);
    await clock.until(isAtLedger(1019), 'the opening ledgers', 10_000);
    closing(nodes);
    while (honest.closed < LENGTH - 20) {
      for (const node of [first, third]) {
        Object.assign(node.faults, {
          hang: false,
          hangOnLedgers: false,
          falsify: undefined,
          garbage: undefined,
        });
        Object.assign(node.faults, { stale: false, delay: 0, missing: new Set() });
        node.restart();
        node.switchTo(chain, honest.closed);
        misbehaviours[Math.floor(random() * misbehaviours.length)]!(node);
      }
      await clock.pass(random() * 30_000);
      expect(honest.closed - emitted.length).toBeLessThanOrEqual(Math.ceil(5_000 / CLOSE_EVERY));
    }
    expectTrueChain(emitted);
    await runs.end();
  }
});
