/** The embedded network with its population, in this process: what clients see from its first moment on. */
import { expect, test } from 'bun:test';
import { Client, type Wallet } from 'xrpl';
import { timerClock } from '../engine/ledger/clock.ts';
import { MemoryStore } from '../sandbox/ledger/memory-store.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import { quiet } from './live-rig.ts';
import { type Answer, ask, eventually } from './sandbox-program.ts';

test('an account that the faucet pays in the first moment of a first start is in a ledger, and so are all agents', async () => {
  const faults: unknown[] = [];
  const sandbox = new Sandbox({
    store: new MemoryStore(),
    seed: 'first moment',
    size: 'small',
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
    await eventually('ledger 10', async () => (sandbox.network.validated.index >= 10 ? true : undefined));
    for (const index of [3, 4, 5, 6, 7, 8, 9]) {
      const { ledger } = await ask(node, 'ledger', { ledger_index: index, transactions: true, expand: true });
      expect(ledger.transactions.length).toBeGreaterThan(0);
      for (const tx of ledger.transactions) expect(tx.metaData.TransactionResult).toBe('tesSUCCESS');
    }
    expect(faults).toEqual([]);
  } finally {
    await sandbox.stop();
  }
});

test('live closes: an unmodified client funds, pays, trusts and trades among the agents', async () => {
  // Ten minutes after midnight: the history is ten ledgers, and then one a second.
  const began = performance.now();
  const midnight = Date.UTC(2026, 0, 2);
  const sandbox = new Sandbox({
    store: new MemoryStore(),
    seed: 'live',
    size: 'small',
    days: 0,
    interval: 1,
    port: 0,
    now: () => midnight + 600_000 + (performance.now() - began),
    clock: timerClock(() => performance.now()),
    entropy: () => crypto.getRandomValues(new Uint8Array(16)),
    log: quiet,
    onFault: (fault) => {
      throw fault;
    },
  });
  const client = new Client(sandbox.url);
  try {
    await client.connect();
    const funding = { faucetHost: sandbox.url.replace('ws://', ''), faucetProtocol: 'http' } as const;
    const [ann, ben] = await Promise.all([
      client.fundWallet(null, funding),
      client.fundWallet(null, funding),
    ]);
    expect([ann.balance, ben.balance]).toEqual([100, 100]);
    const does = async (wallet: Wallet, tx: Answer): Promise<Answer> => {
      const { result } = await client.submitAndWait({ Account: wallet.address, ...tx } as never, { wallet });
      expect(result).toMatchObject({ validated: true, meta: { TransactionResult: 'tesSUCCESS' } });
      return result as Answer;
    };
    const limit = { currency: 'ANN', issuer: ann.wallet.address, value: '500' };
    const closed = sandbox.network.validated.index;
    const [paid] = await Promise.all([
      does(ann.wallet, { TransactionType: 'Payment', Destination: ben.wallet.address, Amount: '5000000' }),
      does(ben.wallet, { TransactionType: 'TrustSet', LimitAmount: limit }),
    ]);
    expect(paid.ledger_index).toBeGreaterThan(closed);
    await does(ann.wallet, { TransactionType: 'Payment', Destination: ben.wallet.address, Amount: limit });
    await does(ben.wallet, {
      TransactionType: 'OfferCreate',
      TakerPays: '2000000',
      TakerGets: { ...limit, value: '50' },
    });
    const xrp = await client.getXrpBalance(ben.wallet.address);
    await does(ann.wallet, {
      TransactionType: 'OfferCreate',
      TakerPays: { ...limit, value: '20' },
      TakerGets: '800000',
    });
    expect(await client.getXrpBalance(ben.wallet.address)).toBeCloseTo(xrp + 0.8, 6);
    const balances = await client.getBalances(ben.wallet.address);
    expect(balances.find(({ currency }) => currency === 'ANN')?.value).toBe('480');
    // There were other transactions, too.
    let together = 0;
    for (let index = closed + 1; index <= sandbox.network.validated.index; index++)
      together += sandbox.network.ledgers.byIndex(index)!.transactions.length;
    expect(together).toBeGreaterThan(4);
  } finally {
    await client.disconnect();
    await sandbox.stop();
  }
});

test('a network with a population that is started with no interval keeps its fixtures and files, and nobody acts', async () => {
  const store = new MemoryStore();
  const start = (interval: number) =>
    new Sandbox({
      store,
      seed: 'stands still',
      size: 'small',
      days: 0,
      interval,
      port: 0,
      now: () => Date.UTC(2026, 0, 2, 0, 20),
      clock: timerClock(() => performance.now()),
      entropy: () => crypto.getRandomValues(new Uint8Array(16)),
      log: quiet,
      onFault: (fault) => {
        throw fault;
      },
    });
  const shown = async ({ url }: Sandbox) => {
    const node = url.replace('ws', 'http');
    const { accounts, tokens } = await ask(node, 'sandbox_fixtures', {});
    const host = { headers: { Host: 'usdm.example' } };
    const file = await fetch(`${node}/.well-known/xrp-ledger.toml`, host);
    return { accounts, tokens, status: file.status, toml: await file.text() };
  };
  const moving = start(4);
  await eventually('its history', async () => (moving.network.validated.index >= 20 ? true : undefined));
  const before = await shown(moving).finally(() => moving.stop());
  const still = start(0);
  try {
    const found = await shown(still);
    expect(found.status).toBe(200);
    expect(found.toml).toBe(before.toml);
    expect(Object.keys(found.accounts)).toEqual(['issuer', 'holders', 'trader', 'busy']);
    expect(found.tokens.length).toBe(before.tokens.length);
    const { open, closed } = still.network;
    expect(open.count).toBe(0);
    await ask(still.url.replace('ws', 'http'), 'ledger_accept', {});
    expect(still.network.closed.index).toBe(closed.index + 1);
    expect(still.network.closed.transactions.length).toBe(0);
  } finally {
    await still.stop();
  }
});
