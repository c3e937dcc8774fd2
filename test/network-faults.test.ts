/**
 * What nodes do wrong, and how long it may cost: each fault on stand-in nodes, on the test's own clock. What is allowed is
 * named in limits.ts and readiness.ts; nothing here depends on how fast the machine is.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { hexOf } from '../engine/codec/bytes.ts';
import type { PackedLedger } from '../engine/codec/packed.ts';
import { FOLLOW_LIMITS, LIMITS } from '../engine/ledger/limits.ts';
import { FALL_AFTER_MS, RISE_AFTER_MS } from '../service/readiness.ts';
import { seeded } from './engine/ledger/quiet.ts';
import { makeChain } from './ledgers.ts';
import { ManualClock, MemoryNode } from './memory-node.ts';
import { CLOSE_EVERY, type Line, type Running, run } from './network-rig.ts';

const LENGTH = 160;
const chain = makeChain({ count: LENGTH, transactions: 1 });
const other = makeChain({ count: LENGTH, transactions: 1, salt: 7 });
const late = makeChain({ count: 60, transactions: 1, first: 5_000 });
/** The readiness timer and a pause of the follow loop: what an event waits for until it is acted on. */
const SLACK = FOLLOW_LIMITS.retryMost;

let running: Running | undefined;
afterEach(async () => {
  await running?.end();
  running = undefined;
});

async function start(nodes: readonly MemoryNode[], clock: ManualClock): Promise<Running> {
  running = await run(clock, nodes);
  return running;
}

const isLie = ({ message }: Line) => message.includes('untruth');
const loud = (lines: readonly Line[]) => lines.filter(({ level }) => level !== 'info');
const newest = (node: MemoryNode) => chain[node.closed - 1]!.ledgerIndex;
const standsAt = (index: number) => () => running!.engine.head?.index === index;

/** Exactly the first ledgers of the true chain, each once. */
function expectTrue(emitted: readonly PackedLedger[]): void {
  expect(emitted.map(({ hash }) => hexOf(hash))).toEqual(
    chain.slice(0, emitted.length).map(({ hash }) => hexOf(hash)),
  );
}

/** Of a node that is alone: each twice as long as the one before, up to the bound, less the jitter. */
function expectPenalties(lies: readonly Line[]): void {
  const { lieBackoffAlone, lieBackoffAloneMost } = LIMITS;
  expect(lies.length).toBeGreaterThan(Math.log2(lieBackoffAloneMost / lieBackoffAlone) + 1);
  for (const [i, { fields }] of lies.entries()) {
    const full = Math.min(lieBackoffAloneMost, lieBackoffAlone * 2 ** i);
    expect(Number(fields.pause)).toBeWithin(Math.floor(full / 2), full + 1);
  }
}

describe('one node alone', () => {
  test('on another, longer chain for 100 s: back within one penalty, one line a lie', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 30 });
    const { lines, counters, emitted, closing } = await start([node], clock);
    await clock.until(standsAt(1029), 'the opening ledgers', SLACK);
    closing([node]);
    await clock.pass(3 * CLOSE_EVERY);
    node.become(other, 80);
    const connections = node.connections;
    const before = lines.length;
    await clock.pass(100_000);
    const lies = lines.filter(isLie);
    expect(lies.length).toBeGreaterThan(3);
    // One a connection, and beside them nothing but the change of readiness and of a ledger that is waited for.
    expect(lies.length).toBeLessThanOrEqual(node.connections - connections);
    expect(counters.ledgersRefused).toBe(lies.length);
    expect(new Set(lies.map(({ at }) => at)).size).toBe(lies.length);
    expect(lines.slice(before).length - lies.length).toBeLessThanOrEqual(4);
    expectPenalties(lies);
    node.become(chain, 60);
    const ms = await clock.until(() => emitted.length === node.closed, 'recovery', LIMITS.lieBackoff);
    expect(ms).toBeLessThanOrEqual(LIMITS.lieBackoffAloneMost + SLACK);
    await clock.pass(100_000);
    // What was asked for ahead went with the lie: none of it is found out later.
    expect(lines.filter(isLie).length).toBe(lies.length);
    expect(counters.ledgersRefused).toBe(lies.length);
    expectTrue(emitted);
  });

  test('a chain that parts from ours in the middle of the window is refused where it parts', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, {
      ledgers: [...chain.slice(0, 20), ...other.slice(20)],
      closed: 60,
    });
    const { lines, emitted } = await start([node], clock);
    await clock.until(() => lines.some(isLie), 'a refusal', SLACK);
    node.become(chain, 60);
    await clock.until(standsAt(1059), 'recovery', LIMITS.lieBackoffAlone + SLACK);
    expect(lines.filter(isLie).length).toBe(1);
    expectTrue(emitted);
  });

  test('what a connection gave that has ended is not laid to the next one', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, {
      ledgers: [...chain.slice(0, 20), ...other.slice(20)],
      closed: 40,
    });
    node.faults.missing.add(1020);
    const { lines, emitted } = await start([node], clock);
    await clock.until(standsAt(1019), 'the common ledgers', SLACK);
    node.faults.missing.clear();
    node.become(chain, 60);
    await clock.until(standsAt(1059), 'recovery', LIMITS.backoffFirst * 2 ** LIMITS.claimMisses + SLACK);
    expect(lines.filter(isLie).map(({ message }) => message)).toEqual([
      'endpoint told an untruth on a connection that has ended',
    ]);
    expectTrue(emitted);
  });

  test('one malformed frame costs no more than the first penalty of a node that is alone', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 10 });
    const { lines } = await start([node], clock);
    await clock.until(standsAt(1009), 'the opening ledgers', SLACK);
    node.faults.garbage = '{"id":';
    node.advance(8);
    await clock.until(() => lines.some(isLie), 'the malformed frame', SLACK);
    node.faults.garbage = undefined;
    const ms = await clock.until(standsAt(1017), 'recovery', LIMITS.lieBackoff);
    expect(ms).toBeLessThanOrEqual(LIMITS.lieBackoffAlone + SLACK);
    expect(lines.filter(isLie).length).toBe(1);
  });

  test('untruths in a row cost twice as much each, up to a bound, and are forgiven', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 10 });
    const { lines, closing } = await start([node], clock);
    await clock.until(standsAt(1009), 'the opening ledgers', SLACK);
    closing([node]);
    node.faults.lie = 'hash';
    await clock.pass(200_000);
    expectPenalties(lines.filter(isLie));
    node.faults.lie = undefined;
    await clock.pass(LIMITS.lieForgivenAfter + LIMITS.lieBackoffAloneMost);
    const before = lines.length;
    node.say('{"id":');
    await clock.pass(0);
    const lie = lines.slice(before).find(isLie);
    expect(lie?.fields.pause).toBeWithin(LIMITS.lieBackoffAlone / 2, LIMITS.lieBackoffAlone + 1);
  });

  test('back with a shorter chain: not ready within 10 s, the log names both positions', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 60 });
    const { lines, changes, engine, closing } = await start([node], clock);
    await clock.until(() => engine.ready, 'readiness', SLACK);
    closing([node]);
    await clock.pass(2 * CLOSE_EVERY);
    const held = newest(node);
    const from = clock.now();
    node.become(chain, 20);
    await clock.pass(10_000);
    expect(changes.at(-1)).toMatchObject({ ready: false });
    expect(changes.at(-1)!.at - from).toBeLessThanOrEqual(10_000);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', fields: { ours: held } });
    expect(Number(lines.at(-1)!.fields.source)).toBeWithin(1019, 1023);
    // It says so once.
    const said = loud(lines).length;
    await clock.pass(50_000);
    expect(loud(lines).length).toBe(said);
    // It grows past what is held: the present again.
    await clock.until(() => engine.ready, 'readiness', LENGTH * CLOSE_EVERY);
    expect(engine.head!.index).toBeGreaterThan(held);
    expectTrue(running!.emitted);
  });

  for (const delay of [5_000, 15_000])
    test(`that answers after ${delay} ms delivers every ledger`, async () => {
      const clock = new ManualClock();
      const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
      node.faults.delay = delay;
      const { lines, emitted, closing } = await start([node], clock);
      closing([node]);
      // As many as close while one is on its way.
      const onTheWay = Math.ceil(delay / CLOSE_EVERY) + 1;
      const behind = () => node.closed - emitted.length;
      // It takes a few connections to learn how long it takes.
      await clock.until(() => behind() <= onTheWay, 'the newest ledgers', 10 * LIMITS.requestTimeoutMost);
      const before = lines.length;
      let behindMost = 0;
      for (let i = 0; i < 30; i++) {
        await clock.pass(CLOSE_EVERY);
        behindMost = Math.max(behindMost, behind());
      }
      expect(behindMost).toBeLessThanOrEqual(onTheWay);
      expect(lines.slice(before).filter(({ message }) => message.startsWith('endpoint'))).toEqual([]);
      expectTrue(emitted);
    });

  test('quiet for ten minutes: a line when it falls silent, one when readiness falls, one when it is back', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    const { lines, closing, engine } = await start([node], clock);
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
    expect(engine.ready).toBe(true);
    expect(lines.slice(before + 2).map(({ message }) => message)).toEqual([
      'endpoint announces ledgers again',
      'ready again',
    ]);
  });

  test('away for ten minutes: a line when it goes, one when readiness falls, one each when they are back', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    const { lines, closing, emitted } = await start([node], clock);
    closing([node]);
    await clock.pass(5 * CLOSE_EVERY);
    const before = lines.length;
    node.stop();
    await clock.pass(600_000 - CLOSE_EVERY);
    node.restart();
    const ms = await clock.until(() => emitted.length === node.closed, 'recovery', 2 * LIMITS.backoffMost);
    expect(ms).toBeLessThanOrEqual(LIMITS.backoffMost + SLACK);
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
  /** Announces `index` on `node`, with a range up to it, as if it were closed. */
  const claim = (node: MemoryNode, index: number) =>
    node.say(
      JSON.stringify({
        type: 'ledgerClosed',
        ledger_index: index,
        ledger_hash: index.toString(16).padStart(64, 'A').toUpperCase(),
        validated_ledgers: `1000-${index}`,
      }),
    );

  test.each([
    ['has none of them', { seconds: 30, delay: 0, hangs: false, follows: false }],
    [
      'delivers each only when it closes, before the other has it',
      { seconds: 40, delay: 0, hangs: false, follows: true },
    ],
    ['answers nothing', { seconds: 40, delay: 0, hangs: true, follows: false }],
    [
      'answers nothing after it made us wait long',
      { seconds: 100, delay: 12_000, hangs: true, follows: false },
    ],
  ] as const)(
    'announces ledgers far ahead and %s: its own fault alone',
    async (_, { seconds, delay, hangs, follows }) => {
      const clock = new ManualClock();
      const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: follows ? 19 : 20 });
      const liar = new MemoryNode('liar', clock, { ledgers: chain, closed: 20 });
      liar.faults.delay = delay;
      const { source, engine, changes, lines, closing, emitted } = await start([honest, liar], clock);
      await clock.until(() => engine.ready, 'readiness', SLACK);
      closing(follows ? [liar, honest] : [honest]);
      const isUp = () => source.endpoints[1]!.up;
      await clock.until(isUp, 'the other endpoint', 3 * LIMITS.requestTimeoutMost);
      liar.faults.delay = 0;
      liar.faults.hangOnLedgers = hangs;
      const asked = liar.asked.ledger ?? 0;
      let claimed = 1_500;
      const claiming = () => {
        claim(liar, claimed++);
        clock.timer(1_000, claiming);
      };
      claiming();
      let worst = 0;
      let wentDown = 0;
      for (let i = 0; i < seconds; i++) {
        await clock.pass(1_000);
        const [good, bad] = source.endpoints;
        worst = Math.max(worst, good!.score);
        if (!bad!.up && wentDown === 0) wentDown = (i + 1) * 1_000;
        // No ledger waits for it longer than until another is asked.
        expect(honest.closed - emitted.length).toBeLessThanOrEqual(1);
      }
      expect(changes.map(({ ready }) => ready)).toEqual([true]);
      // What was asked for before it was known, and then one request a pause.
      const { claimGrace, claimPauseFirst, claimPauseMost, requestsInFlight } = LIMITS;
      const pauses =
        Math.ceil(Math.log2(claimPauseMost / claimPauseFirst)) + seconds / (claimPauseMost / 1_000);
      expect(liar.asked.ledger! - asked).toBeLessThanOrEqual(2 * requestsInFlight + pauses);
      const askedAgain = LIMITS.claimMisses * (claimPauseMost + LIMITS.requestTimeoutMost);
      expect(wentDown).toBeWithin(1, claimGrace + (hangs ? askedAgain : claimPauseMost));
      expect(lines.filter(isLie).map(({ fields }) => fields.endpoint)).toEqual(['liar']);
      expect(source.endpoints[0]!.faults).toBe(0);
      expect(worst).toBeLessThan(LIMITS.faultWeight);
    },
  );

  test('stays on an old ledger: the other is followed at full pace', async () => {
    const clock = new ManualClock();
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 140 });
    const old = new MemoryNode('old', clock, { ledgers: chain, closed: 20 });
    old.faults.delay = 0;
    honest.faults.delay = 2_000;
    const { emitted, source } = await start([old, honest], clock);
    const ms = await clock.until(standsAt(1139), 'the newest ledger', 120_000);
    // Side by side, not one after another: 120 ledgers, as many at once as may be.
    expect(ms).toBeLessThan((120 / LIMITS.requestsInFlight + 4) * honest.faults.delay);
    expect(source.endpoints.every(({ up }) => up)).toBe(true);
    expectTrue(emitted);
  });

  test('announces false hashes and is not asked: what is shown stays the present', async () => {
    const clock = new ManualClock();
    const liar = new MemoryNode('liar', clock, { ledgers: chain, closed: 20 });
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 20 });
    liar.faults.delay = 400;
    const { changes, emitted, closing } = await start([liar, honest], clock);
    await clock.pass(2_000);
    liar.faults.lie = 'announced hash';
    closing([honest, liar]);
    await clock.pass(20 * CLOSE_EVERY);
    expect(liar.asked.ledger ?? 0).toBe(0);
    expect(changes.map(({ ready }) => ready)).toEqual([true]);
    expect(emitted.length).toBe(honest.closed);
    expectTrue(emitted);
  });

  test('is of another age, however far behind: the other is believed', async () => {
    const clock = new ManualClock();
    const honest = new MemoryNode('honest', clock, { ledgers: late, closed: 20 });
    const old = new MemoryNode('old', clock, { ledgers: chain, closed: 20 });
    const { engine, changes, closing } = await start([honest, old], clock);
    await clock.until(standsAt(5019), 'the opening ledgers', SLACK);
    closing([honest, old]);
    await clock.pass(20 * CLOSE_EVERY);
    expect(engine.head?.index).toBe(5019 + 20);
    expect(changes.map(({ ready }) => ready)).toEqual([true]);
  });

  test('lies while the other is up: left alone for long; for less once it is the last', async () => {
    const clock = new ManualClock();
    const [first, second] = ['first', 'second'].map(
      (name) => new MemoryNode(name, clock, { ledgers: chain, closed: 20 }),
    ) as [MemoryNode, MemoryNode];
    const { lines, closing, source, emitted } = await start([first, second], clock);
    closing([first, second]);
    await clock.pass(CLOSE_EVERY);
    first.say('no JSON');
    await clock.pass(0);
    const [lie] = lines.filter(isLie);
    expect(lie!.fields).toMatchObject({ endpoint: 'first' });
    expect(Number(lie!.fields.pause)).toBeWithin(LIMITS.lieBackoff / 2, LIMITS.lieBackoff + 1);
    await clock.pass(LIMITS.lieBackoffAlone);
    expect(source.endpoints[0]!.up).toBe(false);
    second.stop();
    const ms = await clock.until(() => source.endpoints[0]!.up, 'the last endpoint', LIMITS.lieBackoff);
    expect(ms).toBeLessThanOrEqual(LIMITS.lieBackoffAlone);
    await clock.pass(CLOSE_EVERY);
    expect(emitted.length).toBe(first.closed);
    expectTrue(emitted);
  });

  test('on another chain: its ledgers are dropped together, the others go on', async () => {
    const clock = new ManualClock();
    const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: 20 });
    const wrong = new MemoryNode('wrong', clock, { ledgers: chain, closed: 20 });
    const { lines, emitted, closing, changes } = await start([wrong, honest], clock);
    closing([honest, wrong]);
    await clock.pass(2 * CLOSE_EVERY);
    honest.faults.delay = 300;
    wrong.become(other, 100);
    await clock.pass(30_000);
    expect(emitted.length).toBe(honest.closed);
    expect(lines.filter(isLie).length).toBe(1);
    expect(changes.filter(({ ready }) => !ready)).toEqual([]);
    expectTrue(emitted);
  });
});

test('readiness falls and rises no faster than its rule while the only node comes and goes every second', async () => {
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

test('whatever two of three nodes do wrong, every ledger comes, true and soon', async () => {
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
    const wrongs: ((node: MemoryNode) => void)[] = [
      ({ faults }) => Object.assign(faults, { hang: true }),
      ({ faults }) => Object.assign(faults, { hangOnLedgers: true }),
      ({ faults }) => Object.assign(faults, { lie: 'hash' }),
      ({ faults }) => Object.assign(faults, { lie: 'announced hash' }),
      ({ faults }) => Object.assign(faults, { lie: 'blob' }),
      ({ faults }) => Object.assign(faults, { lie: 'other ledger' }),
      ({ faults }) => Object.assign(faults, { garbage: '{' }),
      ({ faults }) => Object.assign(faults, { stale: true }),
      ({ faults }) => Object.assign(faults, { delay: random() * 12_000 }),
      ({ faults }) => Object.assign(faults, { missing: new Set(chain.map((one) => one.ledgerIndex)) }),
      (node) => node.dropSockets(),
      (node) => node.stop(),
      (node) => node.become(other, node.closed + Math.floor(random() * 20)),
      (node) => node.become(chain, 10),
    ];
    const { emitted, closing } = await start(nodes, clock);
    await clock.until(standsAt(1019), 'the opening ledgers', 10_000);
    closing(nodes);
    while (honest.closed < LENGTH - 20) {
      for (const node of [first, third]) {
        Object.assign(node.faults, { hang: false, hangOnLedgers: false, lie: undefined, garbage: undefined });
        Object.assign(node.faults, { stale: false, delay: 0, missing: new Set() });
        node.restart();
        node.become(chain, honest.closed);
        wrongs[Math.floor(random() * wrongs.length)]!(node);
      }
      await clock.pass(random() * 30_000);
      expect(honest.closed - emitted.length).toBeLessThanOrEqual(Math.ceil(5_000 / CLOSE_EVERY));
    }
    expectTrue(emitted);
    await running?.end();
    running = undefined;
  }
});
