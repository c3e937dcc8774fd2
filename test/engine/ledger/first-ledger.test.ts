/** The ledger of a snapshot has no parent that proves it: no single node decides which chain is followed. */
import { afterEach, expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
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

/** @param chains of each node; the first answers at once, the others later */
async function begin(chains: readonly (readonly PackedLedger[])[], change: () => void = () => {}) {
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
  const snapshot = await source.snapshot({ index: wanted.ledgerIndex }).catch((fault: unknown) => fault);
  return { hash: hexOf((snapshot as { hash: Uint8Array }).hash), warnings };
}

test('it is the one that most nodes have, not that of the first to connect', async () => {
  const { hash, warnings } = await begin([other, chain, chain]);
  expect(hash).toBe(hexOf(wanted.hash));
  expect(JSON.stringify(warnings)).toContain(
    `ledger ${wanted.ledgerIndex} has another hash than at 127.0.0.1`,
  );
});

test('where two nodes disagree, the log names both', async () => {
  const { hash, warnings } = await begin([other, chain]);
  expect(hash).toBe(hexOf(other[6]!.hash));
  const [endpoint, second] = nodes.map(({ url }) => new URL(url).host);
  const message = 'nodes disagree about the first ledger: that of this endpoint is followed';
  expect(warnings).toEqual([{ ledger: wanted.ledgerIndex, endpoint, others: [second], message }]);
});

test('a node that has lost the ledger, or does not answer, decides nothing', async () => {
  const { hash, warnings } = await begin([chain, other, other], () => {
    nodes[1]!.faults.hangOnLedgers = true;
    nodes[2]!.faults.missing.add(wanted.ledgerIndex);
  });
  expect(hash).toBe(hexOf(wanted.hash));
  expect(warnings).toEqual([]);
});
