/** The engine's own source follows the embedded network like any node, and the ledgers pass their proof. */
import { expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { ledgerHash } from '../../../engine/codec/hash.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import { prove } from '../../../engine/ledger/proof.ts';
import { quietLog, SHORT, seeded, testClock, until } from '../../engine/ledger/quiet.ts';
import { ListenerRig } from './listener-rig.ts';

const sourceOf = (rig: ListenerRig, query = '') =>
  new NodeSource({
    urls: [rig.url + query],
    clock: testClock,
    random: seeded(3),
    log: quietLog,
    limits: SHORT,
  });

test('the source of the process itself follows however many other clients there are, and keeps its key secret', async () => {
  const ownKey = 'B2'.repeat(16);
  const rig = new ListenerRig({}, { ownKey });
  const source = sourceOf(rig, `/?own=${ownKey}`);
  const crowd: WebSocket[] = [];
  try {
    const enters = () =>
      new Promise<boolean>((resolve) => {
        const ws = new WebSocket(rig.url);
        ws.onopen = () => resolve(crowd.push(ws) > 0);
        ws.onerror = () => resolve(false);
      });
    while (crowd.length < 1_000 && (await enters()));
    expect(crowd.length).toBeLessThan(1_000);
    await source.open();
    expect(source.name).toBe(rig.host);
    const closed = rig.close().index;
    await until(() => source.latest()?.index === closed);
    expect((await source.ledger(closed)).ledgerIndex).toBe(closed);
    expect(await enters()).toBe(false);
  } finally {
    for (const ws of crowd) ws.close();
    await source.close();
    await rig.end();
  }
});

test('a source follows its ledgers, takes a snapshot, and sends commands', async () => {
  const rig = new ListenerRig();
  const source = sourceOf(rig);
  try {
    const accounts = rig.fund(Array.from({ length: 60 }, (_, i) => `p${i}`));
    await source.open();
    const closedIndices: number[] = [];
    source.onClosed(({ index }) => closedIndices.push(index));
    const hashes = new Map<number, string>();
    for (let i = 0; i < 5; i++) {
      rig.submit(accounts[i]!, { TransactionType: 'AccountSet' });
      const { index, hash } = rig.close();
      hashes.set(index, hash);
    }
    await until(() => closedIndices.length >= 5);
    expect(closedIndices).toEqual([...hashes.keys()]);
    expect(source.latest()?.index).toBe(rig.network.validated.index);
    for (const [index, hash] of hashes) {
      const packed = await source.ledger(index);
      expect(hexOf(packed.hash)).toBe(hash);
      expect(packed.count).toBe(1);
      expect(prove(packed)).toBeUndefined();
    }
    const { index, hash } = rig.network.validated;
    const { header, pages } = await source.snapshot({ index });
    // The chain continues while the state is read.
    rig.close();
    let entries = 0;
    // The last page is returned only after the whole state has been proved against the header.
    for await (const page of pages) entries += page.entries;
    expect(hexOf(ledgerHash(header))).toBe(hash);
    expect(entries).toBeGreaterThan(60);
    expect(await source.request({ command: 'fee' })).toMatchObject({ drops: { base_fee: '10' } });
    expect(rig.faults).toEqual([]);
  } finally {
    await source.close();
    await rig.stop();
  }
});

test('while history is made nothing is shown that could be lost if the process is killed', async () => {
  const rig = new ListenerRig();
  const { network } = rig;
  const source = sourceOf(rig);
  try {
    await source.open();
    const client = await rig.client();
    const closedIndices: number[] = [];
    source.onClosed(({ index }) => closedIndices.push(index));
    network.ledgers.commitEvery = 8;
    const start = network.validated.index;
    for (let i = 1; i <= 20; i++) {
      const { index, hash } = network.build([], network.closed.closeTime + 60).ledger;
      const durable = start + i - (i % 8);
      const { result } = await client.request({ command: 'ledger', ledger_index: 'validated' });
      expect(result.ledger_index).toBe(durable);
      expect(await rig.rpc('ledger_closed')).toMatchObject({ ledger_index: durable });
      expect((await rig.rpc('server_info')).info).toMatchObject({
        complete_ledgers: `1-${durable}`,
        validated_ledger: { seq: durable },
      });
      expect(await rig.rpc('ledger_current')).toMatchObject({ ledger_current_index: durable + 1 });
      if (index <= durable) continue;
      // The open ledger's index is that of a ledger that is closed but not durable: the answer is the open one.
      const named = await rig.rpc('ledger', { ledger_index: index });
      expect((named.ledger as { ledger_hash?: string } | undefined)?.ledger_hash).toBeUndefined();
      expect(await rig.rpc('ledger', { ledger_hash: hash })).toMatchObject({ error: 'lgrNotFound' });
    }
    network.flush();
    await until(() => closedIndices.length >= 20);
    expect(closedIndices).toEqual(Array.from({ length: 20 }, (_, i) => start + 1 + i));
  } finally {
    await source.close();
    await rig.stop();
  }
});
