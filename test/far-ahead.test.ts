/** Nodes that announce ledgers far ahead of those that close: on stand-in nodes, with the test's own clock. */
import { describe, expect, test } from 'bun:test';
import { LIMITS } from '../engine/ledger/limits.ts';
import { makeChain } from './ledgers.ts';
import { ManualClock, MemoryNode } from './memory-node.ts';
import { CLOSE_EVERY, isDistrust, runsOfTests, SLACK } from './network-rig.ts';

const chain = makeChain({ count: 160, transactions: 1 });
const runs = runsOfTests();
const { start } = runs;

/** Announces `index` on `node`, with a range up to it, as if it were closed. */
const claim = (node: MemoryNode, index: number, ranges = '1000-') =>
  node.broadcast(
    JSON.stringify({
      type: 'ledgerClosed',
      ledger_index: index,
      ledger_hash: index.toString(16).padStart(64, 'A').toUpperCase(),
      validated_ledgers: `${ranges}${index}`,
    }),
  );

describe('one node alone', () => {
  test('announces a ledger far ahead, then the next ones as they close: stays ready, and connected', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    const { changes, emitted, closing, lines } = await start([node], clock);
    await clock.until(() => emitted.length === 20, 'the opening ledgers', SLACK);
    closing([node]);
    await clock.pass(CLOSE_EVERY);
    for (const ahead of [1_500, 1_600]) {
      claim(node, ahead);
      await clock.pass(10 * CLOSE_EVERY);
      expect(changes.map(({ ready }) => ready)).toEqual([true]);
      expect(node.closed - emitted.length).toBeLessThanOrEqual(1);
    }
    expect(lines.filter(isDistrust)).toEqual([]);
    expect(emitted).toEqual(chain.slice(0, emitted.length));
  });

  test('goes on far ahead, where the ledgers between are missing: what is shown is not the present', async () => {
    const clock = new ManualClock();
    const node = new MemoryNode('only', clock, { ledgers: chain, closed: 20 });
    const { changes, network } = await start([node], clock);
    await clock.until(() => network.ready, 'readiness', SLACK);
    for (let index = 1_500; index < 1_505; index++) {
      claim(node, index, '1000-1019,1500-');
      await clock.pass(CLOSE_EVERY);
    }
    expect(changes.map(({ ready }) => ready)).toEqual([true, false]);
    expect(network.lack).toBe('no endpoint says that it has ledger 1020: they have 1500 to 1504');
  });
});

describe('one of two nodes', () => {
  test.each([
    ['has none of them', { seconds: 30, delay: 0, hangs: false, follows: false }],
    [
      'delivers each only when it closes, before the other has it',
      { seconds: 40, delay: 0, hangs: false, follows: true },
    ],
    ['answers nothing', { seconds: 40, delay: 0, hangs: true, follows: false }],
    ['answers nothing, after slow answers', { seconds: 100, delay: 12_000, hangs: true, follows: false }],
  ] as const)(
    'announces ledgers far ahead and %s: only this node is penalised',
    async (_, { seconds, delay, hangs, follows }) => {
      const clock = new ManualClock();
      const honest = new MemoryNode('honest', clock, { ledgers: chain, closed: follows ? 19 : 20 });
      const faulty = new MemoryNode('faulty', clock, { ledgers: chain, closed: 20 });
      faulty.faults.delay = delay;
      const { source, network, changes, lines, closing, emitted } = await start([honest, faulty], clock);
      await clock.until(() => network.ready, 'readiness', SLACK);
      closing(follows ? [faulty, honest] : [honest]);
      const isUp = () => source.endpoints[1]!.up;
      await clock.until(isUp, 'the other endpoint', 3 * LIMITS.requestTimeoutMax);
      faulty.faults.delay = 0;
      faulty.faults.hangOnLedgers = hangs;
      const before = faulty.requests.ledger ?? 0;
      let claimed = 1_500;
      const claiming = () => {
        claim(faulty, claimed++);
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
        // A ledger is late at most until it is requested from the other node.
        expect(honest.closed - emitted.length).toBeLessThanOrEqual(1);
      }
      expect(changes.map(({ ready }) => ready)).toEqual([true]);
      // The requests before the doubt began, and then one request per pause.
      const { claimGrace, claimPauseFirst, claimPauseMax, requestsInFlight } = LIMITS;
      const pauses =
        Math.ceil(Math.log2(claimPauseMax / claimPauseFirst)) + seconds / (claimPauseMax / 1_000);
      expect(faulty.requests.ledger! - before).toBeLessThanOrEqual(2 * requestsInFlight + pauses);
      const retries = LIMITS.claimMisses * (claimPauseMax + LIMITS.requestTimeoutMax);
      expect(wentDown).toBeWithin(1, claimGrace + (hangs ? retries : claimPauseMax));
      expect(lines.filter(isDistrust).map(({ fields }) => fields.endpoint)).toEqual(['faulty']);
      // Ledgers that no node has closed yet are requested, which is not logged.
      expect(lines.filter(({ message }) => message.startsWith('ledger still not'))).toEqual([]);
      expect(source.endpoints[0]!.faults).toBe(0);
      expect(worst).toBeLessThan(LIMITS.faultWeight);
    },
  );
});
