/** The embedded network with its people, in this process: what strangers meet from its first moment on. */
import { expect, test } from 'bun:test';
import { Client } from 'xrpl';
import { timerClock } from '../engine/ledger/clock.ts';
import { MemoryStore } from '../engine/sandbox/ledger/memory-store.ts';
import { Sandbox } from '../engine/sandbox/sandbox.ts';
import { quiet } from './live-rig.ts';
import { type Answer, ask, eventually } from './sandbox-program.ts';

test('whom the faucet pays in the first moment of a first start is in a ledger, and so are all people', async () => {
  const faults: unknown[] = [];
  const sandbox = new Sandbox({
    store: new MemoryStore(),
    seed: 'first moment',
    days: 1,
    interval: 4,
    port: 0,
    now: Date.now,
    clock: timerClock(() => performance.now()),
    entropy: () => crypto.getRandomValues(new Uint8Array(16)),
    log: quiet,
    onFault: (fault) => faults.push(fault),
  });
  try {
    const node = sandbox.url.replace('ws', 'http');
    const answer = await fetch(`${node}/accounts`, { method: 'POST', body: '{"xrpAmount": 777}' });
    const { account, transactionHash } = (await answer.json()) as Answer;
    const { meta } = await eventually('the payment', async () => {
      const found = await ask(node, 'tx', { transaction: transactionHash }).catch(() => undefined);
      return found?.validated ? found : undefined;
    });
    expect(meta.TransactionResult).toBe('tesSUCCESS');
    const client = new Client(sandbox.url);
    await client.connect();
    expect(await client.getXrpBalance(account.address)).toBe(777);
    await client.disconnect();
    for (const index of [3, 4, 5, 6, 7, 8, 9]) {
      const { ledger } = await ask(node, 'ledger', { ledger_index: index, transactions: true, expand: true });
      expect(ledger.transactions.length).toBeGreaterThan(0);
      for (const tx of ledger.transactions) expect(tx.metaData.TransactionResult).toBe('tesSUCCESS');
    }
    expect(faults).toEqual([]);
  } finally {
    await sandbox.stop();
  }
}, 30_000);
