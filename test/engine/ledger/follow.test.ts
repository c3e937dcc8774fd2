import { describe, expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import type { Preparer } from '../../../engine/ledger/prepare.ts';
import type { LedgerRange, Source } from '../../../engine/ledger/source.ts';
import { SourceError } from '../../../engine/ledger/source.ts';
import { FakeNode } from '../../../support/fake-node.ts';
import type { Faults } from '../../../support/stand-in-node.ts';
import { preparePool } from '../../../workers/prepare-pool.ts';
import { makeChain } from '../../ledgers.ts';
import { followNodes, followSource } from './follow-rig.ts';
import { SHORT, until } from './quiet.ts';

const chain = makeChain({ count: 60 });
const other = makeChain({ count: 60, salt: 7 });
/** The 5 s in which another endpoint must have taken over. The short limits are a tenth of the real ones, so this leaves time for a slow machine. */
const SWITCH = 5_000;

const indices = (ledgers: readonly PackedLedger[]) => ledgers.map((ledger) => ledger.ledgerIndex);
const hashes = (ledgers: readonly PackedLedger[]) => ledgers.map((ledger) => hexOf(ledger.hash));

/** Expects exactly these ledgers, each once, in order, with these hashes. */
function expectEmitted(emitted: readonly PackedLedger[], expected: readonly PackedLedger[]): void {
  expect(indices(emitted)).toEqual(indices(expected));
  expect(hashes(emitted)).toEqual(hashes(expected));
}

/** A source that is not live and returns the ledgers of a list unchanged. */
function listSource(ledgers: readonly PackedLedger[]): Source {
  const ranges: LedgerRange[] = [];
  for (const { ledgerIndex } of ledgers) {
    const last = ranges.at(-1);
    if (last && last.last === ledgerIndex - 1)
      ranges[ranges.length - 1] = { first: last.first, last: ledgerIndex };
    else ranges.push({ first: ledgerIndex, last: ledgerIndex });
  }
  return {
    name: 'list',
    live: false,
    async open() {},
    async close() {},
    latest: () => (ledgers.length > 0 ? { index: ledgers.at(-1)!.ledgerIndex } : undefined),
    range: () =>
      ledgers.length > 0 ? { first: ledgers[0]!.ledgerIndex, last: ledgers.at(-1)!.ledgerIndex } : undefined,
    ranges: () => ranges,
    async ledger(index) {
      // Answers come in any order.
      await Bun.sleep(index % 3);
      return ledgers.find((ledger) => ledger.ledgerIndex === index)!;
    },
    refuse() {},
    onClosed: () => () => {},
  };
}

describe('follow, a source that ends', () => {
  test('emits everything once, in order, whatever the window', async () => {
    for (const window of [1, 2, 7, 500]) {
      const rig = followSource(listSource(chain), { window });
      expect(await rig.ended).toEqual({ done: 60, last: 1059 });
      expectEmitted(rig.emitted, chain);
    }
    await expect(followSource(listSource(chain), { window: 0 }).ended).rejects.toThrow(RangeError);
  });

  test('requests ledgers ahead a quarter of the window at once', async () => {
    const source = listSource(chain);
    const window = 8;
    let requested = 0;
    const emittedBefore: number[] = [];
    const rig = followSource(
      {
        ...source,
        ledger: (index) => {
          requested++;
          emittedBefore.push(rig.emitted.length);
          return source.ledger(index);
        },
      },
      { window },
    );
    await rig.ended;
    expect(requested).toBe(chain.length);
    const groups = new Map<number, number>();
    for (const emitted of emittedBefore) groups.set(emitted, (groups.get(emitted) ?? 0) + 1);
    const [first, ...further] = [...groups.values()];
    expect(first).toBe(window);
    expect(further.length).toBeGreaterThan(1);
    // The last ones are as many as there are.
    expect(further.slice(0, -1).every((size) => size === window / 4)).toBe(true);
    expect(further.at(-1)).toBeLessThanOrEqual(window / 4);
  });

  test('awaits the handler of each ledger before the next', async () => {
    let busy = 0;
    const rig = followSource(listSource(chain), {
      async onLedger() {
        expect(++busy).toBe(1);
        await Bun.sleep(1);
        busy--;
      },
    });
    expect((await rig.ended).done).toBe(60);
  });

  test('ends with what its handler throws', async () => {
    const rig = followSource(listSource(chain), {
      onLedger({ packed }) {
        if (packed.ledgerIndex === 1010) throw new Error('disk full');
      },
    });
    await expect(rig.ended).rejects.toThrow('disk full');
  });

  test('continues after a cursor, and begins as far back as `history` says', async () => {
    const at = chain[20]!;
    const from = { index: at.ledgerIndex, hash: at.hash, closeTime: at.closeTime };
    const rig = followSource(listSource(chain), { from });
    await rig.ended;
    expectEmitted(rig.emitted, chain.slice(21));
    for (const [history, first] of [
      [0, 59],
      [10, 49],
      [1000, 0],
    ] as const) {
      const some = followSource(listSource(chain), { history });
      await some.ended;
      expectEmitted(some.emitted, chain.slice(first));
    }
    const done = chain.at(-1)!;
    const nothing = followSource(listSource(chain), {
      from: { index: done.ledgerIndex, hash: done.hash, closeTime: 0 },
    });
    expect(await nothing.ended).toEqual({ done: 0, last: undefined });
    expect(await followSource(listSource([])).ended).toEqual({ done: 0, last: undefined });
  });

  test('reports gaps and skips them', async () => {
    const some = chain.filter((_, i) => i !== 4 && (i < 10 || i > 14) && i < 40);
    const rig = followSource(listSource(some));
    await rig.ended;
    expectEmitted(rig.emitted, some);
    expect(rig.gaps).toEqual([
      [1004, 1004],
      [1010, 1014],
    ]);
    const at = chain[1]!;
    const late = followSource(listSource(chain.slice(5)), {
      from: { index: at.ledgerIndex, hash: at.hash, closeTime: at.closeTime },
    });
    await late.ended;
    expect(late.gaps).toEqual([[1002, 1004]]);
  });

  test('ends at a ledger that is false or of another chain', async () => {
    const mixed = [...chain.slice(0, 10), ...other.slice(10)];
    const rig = followSource(listSource(mixed));
    await expect(rig.ended).rejects.toThrow(/not the child/);
    expectEmitted(rig.emitted, chain.slice(0, 10));
    expect(rig.counters.ledgersRefused).toBe(1);
    const { index, hash } = { index: 1004, hash: other[4]!.hash };
    const foreign = followSource(listSource(chain), { from: { index, hash, closeTime: 0 } });
    await expect(foreign.ended).rejects.toBeInstanceOf(SourceError);
    expect(foreign.emitted).toEqual([]);
  });

  test('reports its progress', async () => {
    let now = 0;
    const rig = followSource(listSource(chain), {
      clock: { now: () => (now += 300), timer: () => () => {} },
    });
    await rig.ended;
    expect(rig.progress.length).toBeGreaterThan(5);
    for (const { done, total, rate, eta } of rig.progress) {
      expect(total).toBe(60);
      expect(done).toBeLessThanOrEqual(60);
      expect(rate).toBeGreaterThan(0);
      expect(eta).toBeCloseTo((total - done) / rate, 5);
    }
  });
});

describe('follow, live nodes', () => {
  test('backfills, follows, and stops on the signal', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 30 });
    const rig = await followNodes([node], { history: 10 });
    await until(() => rig.emitted.length === 11);
    for (let i = 0; i < 10; i++) {
      node.advance();
      await until(() => rig.emitted.length === 12 + i);
    }
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(19, 40));
    expect(rig.progress.some(({ eta }) => eta === 0)).toBe(true);
  });

  test('passes `isNewest` for the newest ledgers only', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 30 });
    const inline = preparePool(0);
    const newest: number[] = [];
    const preparer: Preparer = {
      ...inline,
      prepare(packed, isNewest) {
        if (isNewest) newest.push(packed.ledgerIndex);
        return inline.prepare(packed);
      },
    };
    const rig = await followNodes([node], { preparer });
    await until(() => rig.emitted.length === 30);
    for (let i = 0; i < 5; i++) {
      node.advance();
      await until(() => rig.emitted.length === 31 + i);
    }
    await rig.end();
    expect(newest).toEqual([1029, 1030, 1031, 1032, 1033, 1034]);
  });

  test('emits the same with worker threads', async () => {
    const node = new FakeNode({ ledgers: chain });
    const preparer = preparePool(2);
    const rig = await followNodes([node], { preparer });
    await until(() => rig.emitted.length === 60);
    await rig.end();
    await preparer.close();
    expectEmitted(rig.emitted, chain);
  });

  test('repairs announcements that were lost, reordered or repeated', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 5 });
    const rig = await followNodes([node], {});
    await until(() => rig.emitted.length === 5);
    node.faults.silentAbout = new Set([1005, 1006, 1007]);
    node.advance(3);
    await Bun.sleep(10);
    expect(rig.emitted.length).toBe(5);
    node.advance(1); // the next one: the missed ledgers are detected at once
    await until(() => rig.emitted.length === 9, SWITCH);
    expect(rig.counters.gapsRepaired).toBe(1);
    node.faults.reorder = true;
    node.advance(8);
    await until(() => rig.emitted.length === 17);
    node.faults.reorder = false;
    node.faults.duplicates = 3;
    node.advance(4);
    await until(() => rig.emitted.length === 21 && rig.counters.duplicatesDropped === 12);
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(0, 21));
  });

  test('recovers after the only node was unreachable, and fetches the missed ledgers', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 5 });
    const rig = await followNodes([node], {});
    await until(() => rig.emitted.length === 5);
    await node.stop();
    node.advance(6);
    await Bun.sleep(100);
    node.restart();
    await until(() => rig.emitted.length === 11);
    node.dropSockets();
    node.advance(2);
    await until(() => rig.emitted.length === 13);
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(0, 13));
    expect(rig.counters.gapsRepaired).toBeGreaterThanOrEqual(1);
  });

  test('never skips a ledger that no node has yet', async () => {
    const node = new FakeNode({ ledgers: chain, closed: 10 });
    node.faults.missing = new Set([1006]);
    const rig = await followNodes([node], {});
    await until(() => rig.emitted.length === 6);
    await Bun.sleep(300);
    expect(rig.emitted.length).toBe(6);
    node.faults.missing.clear();
    await until(() => rig.emitted.length === 10);
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(0, 10));
  });

  /** The ways an endpoint can fail: the honest one must take over within the switch time, and no false ledger is emitted. */
  const faults: [string, (faults: Faults) => void][] = [
    [
      'hangs',
      (f) => {
        f.hang = true;
      },
    ],
    [
      'hangs on ledgers only',
      (f) => {
        f.hangOnLedgers = true;
      },
    ],
    [
      'claims another hash',
      (f) => {
        f.falsify = 'hash';
      },
    ],
    [
      'announces another hash',
      (f) => {
        f.falsify = 'announced hash';
      },
    ],
    [
      'alters a blob',
      (f) => {
        f.falsify = 'blob';
      },
    ],
    [
      'answers with another ledger',
      (f) => {
        f.falsify = 'other ledger';
      },
    ],
    [
      'drops a transaction',
      (f) => {
        f.falsify = 'dropped transaction';
      },
    ],
    [
      'answers with wrong types',
      (f) => {
        f.falsify = 'wrong types';
      },
    ],
    [
      'sends garbage',
      (f) => {
        f.garbage = '{"id": 1, "status"';
      },
    ],
    [
      'sends nested garbage',
      (f) => {
        f.garbage = '['.repeat(100_000);
      },
    ],
    [
      'sends JSON that is no object',
      (f) => {
        f.garbage = 'null';
      },
    ],
    [
      'sends binary frames',
      (f) => {
        f.garbage = new Uint8Array(5000);
      },
    ],
    [
      'sends an oversize frame',
      (f) => {
        f.oversize = 4_000_000;
      },
    ],
    [
      'no longer has any ledger',
      (f) => {
        f.missing = new Set(indices(chain));
      },
    ],
    [
      'stops advancing',
      (f) => {
        f.stale = true;
      },
    ],
  ];
  for (const [name, fail] of faults)
    test(`an endpoint that ${name} delays no ledger and loses none`, async () => {
      const [bad, good] = [
        new FakeNode({ ledgers: chain, closed: 10 }),
        new FakeNode({ ledgers: chain, closed: 10 }),
      ];
      // The bad one answers faster, so the ledgers are requested from it.
      good.faults.delay = 50;
      const rig = await followNodes([bad, good], {});
      await until(() => rig.emitted.length === 10 && rig.source.endpoints.every(({ up }) => up));
      for (const node of [bad, good]) node.advance();
      await until(() => rig.emitted.length === 11);
      const before = bad.requests.ledger!;
      expect(rig.source.endpoints[0]!.score).toBeLessThan(rig.source.endpoints[1]!.score);
      good.faults.delay = 5;
      fail(bad.faults);
      for (let i = 12; i <= 20; i++) {
        bad.advance();
        good.advance();
        await until(() => rig.emitted.length === i, SWITCH);
      }
      if (!bad.faults.stale) {
        expect(bad.requests.ledger).toBeGreaterThan(before);
        expect(rig.counters.endpointSwitches).toBeGreaterThan(0);
        expect(rig.source.endpoints[0]!.faults).toBeGreaterThan(0);
      }
      await rig.end();
      expectEmitted(rig.emitted, chain.slice(0, 20));
    });

  test('an endpoint of another chain is refused, and refused again', async () => {
    const [bad, good] = [
      new FakeNode({ ledgers: other, closed: 30 }),
      new FakeNode({ ledgers: chain, closed: 30 }),
    ];
    const from = { index: 1009, hash: chain[9]!.hash, closeTime: 0 };
    const rig = await followNodes([bad, good], { from });
    await until(() => rig.emitted.length === 20);
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(10, 30));
  });

  test('no ledger of a single endpoint of another chain is emitted', async () => {
    const bad = new FakeNode({ ledgers: other, closed: 30 });
    const from = { index: 1009, hash: chain[9]!.hash, closeTime: 0 };
    const rig = await followNodes([bad], { from }, { ...SHORT, distrustPause: 100 });
    await until(() => rig.counters.ledgersRefused > 1);
    await rig.end();
    expect(rig.emitted).toEqual([]);
  });

  test('one of three endpoints that announces and serves an invented ledger is outvoted', async () => {
    const nodes = [
      new FakeNode({ ledgers: [...chain.slice(0, 10), ...other.slice(10)], closed: 10 }),
      new FakeNode({ ledgers: chain, closed: 10 }),
      new FakeNode({ ledgers: chain, closed: 10 }),
    ];
    const rig = await followNodes(nodes, {});
    await until(() => rig.emitted.length === 10 && rig.source.endpoints.every(({ up }) => up));
    for (let i = 11; i <= 20; i++) {
      for (const node of nodes.toReversed()) node.advance();
      await until(() => rig.emitted.length === i);
    }
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(0, 20));
  });

  test('an endpoint that announces a ledger far ahead does not change the newest ledger', async () => {
    const [bad, good] = [
      new FakeNode({ ledgers: chain, closed: 10 }),
      new FakeNode({ ledgers: chain, closed: 10 }),
    ];
    const rig = await followNodes([bad, good], {});
    await until(() => rig.emitted.length === 10 && rig.source.endpoints.every(({ up }) => up));
    bad.broadcast(
      JSON.stringify({ type: 'ledgerClosed', ledger_index: 4_000_000_000, ledger_hash: 'A'.repeat(64) }),
    );
    await Bun.sleep(20);
    expect(rig.source.latest()?.index).toBe(1009);
    good.advance(5);
    await until(() => rig.emitted.length === 15);
    await rig.end();
    expectEmitted(rig.emitted, chain.slice(0, 15));
  });

  test('random faults on three endpoints, one always honest', async () => {
    const nodes = Array.from({ length: 3 }, () => new FakeNode({ ledgers: chain, closed: 3 }));
    const rig = await followNodes(nodes, {});
    for (let i = 3; i < 60; i++) {
      for (const [at, node] of nodes.entries()) {
        const [, fail] = faults[(i * 7 + at * 5) % faults.length]!;
        const { faults: current } = node;
        Object.assign(current, {
          hang: false,
          hangOnLedgers: false,
          falsify: undefined,
          garbage: undefined,
          oversize: 0,
          stale: false,
        });
        current.missing = new Set();
        if (at !== 1 && i % 2 === 0) fail(current);
        node.advance();
      }
      await Bun.sleep(10);
    }
    await until(() => rig.emitted.length === 60);
    await rig.end();
    expectEmitted(rig.emitted, chain);
  });
});
