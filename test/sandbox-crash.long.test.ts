/**
 * kill -9 at random moments while the embedded network makes its history, the engine follows it, and clients pay each
 * other on it. Every ledger that the network or the service reported as validated is there after the next start, and
 * both have the same chain.
 */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from 'xrpl';
import {
  type Answer,
  ask,
  eventually,
  hashAt,
  type Program,
  page,
  proved,
  startProgram,
  stateOf,
} from './sandbox-program.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = 7;
const LONGEST_MS = 600;
/** Rounds in which the kill comes at a random moment after a payment of the round was reported as validated. */
const AFTER_PAYMENT = new Set([2, 6]);

/** What clients received, over all rounds. */
interface Reported {
  /** Hash of each ledger that was reported as validated. */
  readonly ledgers: Map<number, string>;
  /** Ledger of each of our transactions that was reported as validated. */
  readonly payments: Map<string, number>;
  /** Newest ledger that the service has reported. */
  served: number;
  /** Our transactions, validated or not. */
  readonly sent: Set<string>;
}

/** Listens to the network: every closed ledger, and whether it has one of our payments. */
function listen(program: Program, reported: Reported): WebSocket {
  const socket = new WebSocket(program.node.replace('http', 'ws'));
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, command: 'subscribe', streams: ['ledger'] }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.type === 'ledgerClosed') {
      reported.ledgers.set(message.ledger_index, message.ledger_hash);
      const { ledger_index } = message;
      if (message.txn_count > 0)
        socket.send(JSON.stringify({ id: 2, command: 'ledger', ledger_index, transactions: true }));
    } else if (message.id === 2 && message.status === 'success')
      for (const hash of message.result.ledger.transactions)
        if (reported.sent.has(hash)) reported.payments.set(hash, message.result.ledger_index);
  };
  return socket;
}

/** Pays from the faucet, and from what the faucet has paid, for as long as the program lives. */
async function pay(program: Program, reported: Reported): Promise<void> {
  const friend = Wallet.generate().classicAddress;
  for (;;) {
    const body = JSON.stringify({ xrpAmount: '50' });
    const response = await fetch(`${program.node}/accounts`, { method: 'POST', body });
    const { seed: secret, transactionHash } = (await response.json()) as Answer;
    reported.sent.add(transactionHash);
    const wallet = Wallet.fromSeed(secret);
    const { account_data: root } = await ask(program.node, 'account_info', {
      account: wallet.classicAddress,
      ledger_index: 'current',
    });
    for (let i = 0; i < 3; i++) {
      const { tx_blob, hash } = wallet.sign({
        TransactionType: 'Payment',
        Account: wallet.classicAddress,
        Destination: friend,
        Amount: '2000000',
        Fee: '12',
        Sequence: (root.Sequence as number) + i,
        NetworkID: 52_168,
      });
      reported.sent.add(hash);
      const { engine_result } = await ask(program.node, 'submit', { tx_blob });
      expect(engine_result).toBe('tesSUCCESS');
      await Bun.sleep(20);
    }
  }
}

async function look(program: Program, reported: Reported): Promise<void> {
  for (;;) {
    const served = await page(program, '/v1/ledger');
    if (served) {
      reported.served = Math.max(reported.served, served.ledger_index);
      reported.ledgers.set(served.ledger_index, served.ledger_hash);
    }
    await Bun.sleep(10);
  }
}

/** Many requests at once, since a network that makes history continues between two of them. */
async function together<T>(items: Iterable<T>, check: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  while (left.length > 0) await Promise.all(left.splice(0, 100).map(check));
}

/** What was reported still exists, and the service follows the chain of the network. */
async function check(program: Program, reported: Reported): Promise<void> {
  await together(reported.ledgers, async ([index, hash]) =>
    expect([index, await hashAt(program.node, index)]).toEqual([index, hash]),
  );
  await together(reported.payments, async ([hash, ledger_index]) => {
    const { ledger } = await ask(program.node, 'ledger', { ledger_index, transactions: true });
    expect(ledger.transactions).toContain(hash);
  });
  const { ledger_index, ledger_hash } = await eventually(
    `the service at ledger ${reported.served}`,
    async () => {
      const at = await page(program, '/v1/ledger');
      return at && at.ledger_index >= reported.served ? at : undefined;
    },
  );
  expect(await hashAt(program.node, ledger_index)).toBe(ledger_hash);
}

/** In the end the service has all of it, and the state of the network is what its transactions made of it. */
async function checkWhole(program: Program, reported: Reported): Promise<void> {
  const newest = Math.max(...reported.ledgers.keys());
  await eventually(`the service at ledger ${newest}`, async () =>
    (await page(program, '/v1/ledger'))?.ledger_index >= newest ? true : undefined,
  );
  await together(reported.ledgers, async ([index, hash]) =>
    expect((await page(program, `/v1/ledger/${index}`))?.ledger_hash).toBe(hash),
  );
  await together(reported.payments.keys(), async (hash) =>
    expect(await page(program, `/v1/tx/${hash}`)).toBeDefined(),
  );
  await proved(program.node, newest);
  const { ledger } = await ask(program.node, 'ledger', { ledger_index: 'validated' });
  expect((await stateOf(program.node, Number(ledger.ledger_index))).root).toBe(ledger.account_hash);
}

test(`${ROUNDS} kills (seed ${seed})`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-sandbox-crash-'));
  const reported: Reported = { ledgers: new Map(), payments: new Map(), sent: new Set(), served: 0 };
  let random = seed;
  try {
    for (let round = 0; ; round++) {
      const program = await startProgram(dir, '--sandbox-days=30');
      try {
        await check(program, reported);
        const { payments, sent, served } = reported;
        console.log(
          `after ${round} kills: ledger ${served}, ${payments.size} of ${sent.size} payments validated`,
        );
        if (round === ROUNDS) {
          await checkWhole(program, reported);
          break;
        }
        const socket = listen(program, reported);
        // History pauses for payments of clients: without them, kills hit commits of many ledgers.
        const payers = round % 2 === 0 ? [pay(program, reported)] : [];
        const work = Promise.allSettled([...payers, look(program, reported)]);
        const before = payments.size;
        if (AFTER_PAYMENT.has(round))
          await eventually('a validated payment', async () => payments.size > before || undefined, {
            every: 5,
          });
        random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
        await Bun.sleep(((random >>> 8) / 2 ** 24) * LONGEST_MS);
        await program.kill();
        // The requests must end because the program was killed, not because a payment was refused.
        for (const outcome of await work)
          if (outcome.status === 'rejected' && typeof outcome.reason.code !== 'string') throw outcome.reason;
        socket.close();
      } finally {
        await program.kill();
      }
    }
    expect(reported.payments.size).toBeGreaterThan(0);
    expect(reported.served).toBeGreaterThan(2);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
