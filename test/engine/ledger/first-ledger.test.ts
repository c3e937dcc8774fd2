/** The first ledger, of a snapshot or without one, has no parent that proves it: no single node decides which chain is followed. */
import { afterEach, describe, expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Counters } from '../../../engine/counters.ts';
import { follow } from '../../../engine/ledger/follow.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import { inlinePreparer } from '../../../engine/ledger/prepare.ts';
import { FakeNode } from '../../../support/fake-node.ts';
import { makeChain } from '../../ledgers.ts';
import { quietLog, SHORT, seeded, testClock } from './quiet.ts';

const chain = makeChain({ count: 12, transactions: 1 });
const other = makeChain({ count: 12, transactions: 1, salt: 1 });
const wanted = chain[6]!;

const nodes: FakeNode[] = [];
let source: NodeSource | undefined;
afterEach(async () => {
  await source?.close();
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

type Begin = (source: NodeSource) => Promise<{ readonly hash: Uint8Array }>;

const fromSnapshot: Begin = (from) => from.snapshot({ index: wanted.ledgerIndex });

/** As the service begins with `--snapshot no`, and `record`. */
const withoutSnapshot: Begin = async (from) => {
  let first: PackedLedger | undefined;
  const stop = new AbortController();
  await follow({
    source: from,
    preparer: inlinePreparer,
    from: undefined,
    history: from.latest()!.index - wanted.ledgerIndex,
    window: 4,
    onLedger({ packed }) {
      first = packed;
      stop.abort();
    },
    log: quietLog,
    counters: new Counters(),
    clock: testClock,
    random: seeded(3),
    signal: stop.signal,
  });
  return first!;
};

/** @param chains of each node; the first answers at once, the others later */
async function begin(
  chains: readonly (readonly PackedLedger[])[],
  change: () => void = () => {},
  take = fromSnapshot,
) {
  for (const [i, ledgers] of chains.entries()) {
    const node = new FakeNode({ ledgers, state: [] });
    node.faults.delay = i === 0 ? 0 : 30;
    nodes.push(node);
  }
  change();
  const warnings: object[] = [];
  source = new NodeSource({
    urls: nodes.map(({ url }) => url),
    clock: testClock,
    random: seeded(2),
    log: { ...quietLog, warn: (fields, message) => warnings.push({ ...fields, message }) },
    limits: { ...SHORT, silence: 180_000 },
  });
  await source.open();
  const taken = await take(source).catch((fault: unknown) => fault);
  return { hash: hexOf((taken as { hash: Uint8Array }).hash), warnings };
}

const begins = [
  ['of a snapshot', fromSnapshot],
  ['without a snapshot', withoutSnapshot],
] as const;

describe.each(begins)('the first ledger %s', (_, take) => {
  test('is the one that most nodes have, not that of the first to connect', async () => {
    const { hash, warnings } = await begin([other, chain, chain], undefined, take);
    expect(hash).toBe(hexOf(wanted.hash));
    expect(JSON.stringify(warnings)).toContain(
      `ledger ${wanted.ledgerIndex} has another hash than at 127.0.0.1`,
    );
  });

  test('where two nodes disagree, the log names both', async () => {
    const { hash, warnings } = await begin([other, chain], undefined, take);
    expect(hash).toBe(hexOf(other[6]!.hash));
    const [endpoint, second] = nodes.map(({ url }) => new URL(url).host);
    const message = 'nodes disagree about the first ledger: that of this endpoint is followed';
    // Nothing waits for the second one, which cannot outvote the first.
    for (let tries = 0; warnings.length === 0 && tries < 100; tries++) await Bun.sleep(10);
    expect(warnings).toEqual([{ ledger: wanted.ledgerIndex, endpoint, others: [second], message }]);
  });

  test('a node that has lost the ledger, or does not answer, decides nothing', async () => {
    const { hash, warnings } = await begin(
      [chain, other, other],
      () => {
        nodes[1]!.faults.hangOnLedgers = true;
        nodes[2]!.faults.missing.add(wanted.ledgerIndex);
      },
      take,
    );
    expect(hash).toBe(hexOf(wanted.hash));
    expect(warnings).toEqual([]);
  });
});
