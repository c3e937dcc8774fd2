/** Every stream, as received by the unmodified `xrpl` client. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, OfferCreateFlags } from 'xrpl';
import { corpusDir } from '../../../support/corpus.ts';
import type { TestAccount } from '../rig.ts';
import { ListenerRig, type Reply } from './listener-rig.ts';
import { GENESIS } from './network-rig.ts';

let rig: ListenerRig;
let gate: TestAccount;
let ann: TestAccount;
let ben: TestAccount;
const usd = (value: string) => ({ currency: 'USD', issuer: gate.address, value });

beforeAll(() => {
  rig = new ListenerRig();
  [gate, ann, ben] = rig.fund(['gate', 'ann', 'ben']) as [TestAccount, TestAccount, TestAccount];
  for (const one of [ann, ben]) rig.submit(one, { TransactionType: 'TrustSet', LimitAmount: usd('1000') });
  rig.close();
  rig.submit(gate, { TransactionType: 'Payment', Destination: ann.address, Amount: usd('500') });
  rig.close();
});

afterAll(() => rig.end());

/** A client that records its messages. @returns those received before the answer to a `ping` */
async function listener(
  request: Reply,
): Promise<{ client: Client; answer: Reply; received(): Promise<Reply[]> }> {
  const client = await rig.client();
  const messages: Reply[] = [];
  client.connection.on('transaction', (message: Reply) => messages.push(message));
  for (const name of ['ledgerClosed', 'serverStatus', 'bookChanges', 'consensusPhase'])
    (client.connection as unknown as { on(name: string, to: (message: Reply) => void): void }).on(
      name,
      (message) => messages.push(message),
    );
  const { result } = (await client.request({ command: 'subscribe', ...request } as never)) as {
    result: Reply;
  };
  return {
    client,
    answer: result,
    received: async () => {
      await client.request({ command: 'ping' });
      return messages.splice(0);
    },
  };
}

const pay = (amount = '1000000') =>
  rig.submit(ann, { TransactionType: 'Payment', Destination: ben.address, Amount: amount });

describe('a subscriber', () => {
  test('to ledgers sends the current ledger at once, and then each one', async () => {
    const { answer, received } = await listener({ streams: ['ledger'] });
    expect(answer).toMatchObject({
      ledger_index: rig.network.validated.index,
      ledger_hash: rig.network.validated.hash,
      validated_ledgers: `1-${rig.network.validated.index}`,
      fee_base: 10,
      reserve_base: 1_000_000,
      reserve_inc: 200_000,
    });
    pay();
    const { index, hash, closeTime } = rig.close();
    expect(await received()).toEqual([
      expect.objectContaining({
        type: 'ledgerClosed',
        ledger_index: index,
        ledger_hash: hash,
        ledger_time: closeTime,
        txn_count: 1,
        validated_ledgers: `1-${index}`,
      }),
    ]);
  });

  test('to consensus receives the phases of each round', async () => {
    const { answer, received } = await listener({ streams: ['consensus', 'ledger'] });
    expect(answer).toHaveProperty('ledger_index');
    rig.close();
    const phase = (consensus: string) => ({ type: 'consensusPhase', consensus });
    expect(await received()).toEqual([
      phase('establish'),
      phase('accepted'),
      expect.objectContaining({ type: 'ledgerClosed' }),
      phase('open'),
    ]);
  });

  test('to transactions receives them in the shape of its version', async () => {
    const second = await listener({ streams: ['transactions'] });
    const first = await listener({ streams: ['transactions'], api_version: 1 });
    pay('2000000');
    const ledger = rig.close();
    const hash = ledger.transactions[0]!.hashText;
    const common = {
      type: 'transaction',
      ledger_hash: ledger.hash,
      ledger_index: ledger.index,
      validated: true,
      status: 'closed',
      engine_result: 'tesSUCCESS',
      engine_result_code: 0,
      meta: expect.objectContaining({ delivered_amount: '2000000', TransactionIndex: 0 }),
    };
    const [v2] = await second.received();
    expect(v2).toMatchObject({ ...common, hash, tx_json: { DeliverMax: '2000000', date: ledger.closeTime } });
    expect((v2!.tx_json as Reply).Amount).toBeUndefined();
    const [v1] = await first.received();
    expect(v1).toMatchObject({ ...common, transaction: { hash, Amount: '2000000', date: ledger.closeTime } });
    expect(v1!.tx_json).toBeUndefined();
  });

  test.skipIf(!corpusDir)('receives messages with the members of recorded ones', async () => {
    for (const [stream, file] of [
      ['transactions', 'stream_transaction'],
      ['ledger', 'stream_ledgerClosed'],
    ] as const) {
      const recorded = JSON.parse(readFileSync(join(corpusDir!, 'responses', `${file}.json`), 'utf8')) as {
        response: Reply;
      }[];
      // Newer than the recordings: CTIDs.
      const names = new Set(['ctid', ...recorded.flatMap(({ response }) => Object.keys(response))]);
      const { received } = await listener({ streams: [stream] });
      pay();
      rig.close();
      expect(Object.keys((await received())[0]!).filter((name) => !names.has(name))).toEqual([]);
    }
  });

  test('to proposed transactions receives them before and after the close', async () => {
    const { received } = await listener({ streams: ['transactions_proposed'] });
    pay();
    expect(await received()).toEqual([
      expect.objectContaining({
        validated: false,
        status: 'proposed',
        ledger_current_index: rig.network.open.index,
      }),
    ]);
    rig.close();
    expect(await received()).toEqual([expect.objectContaining({ validated: true, status: 'closed' })]);
  });

  test('to both streams of transactions receives each by both', async () => {
    const { received } = await listener({ streams: ['transactions', 'transactions_proposed'] });
    pay();
    rig.close();
    expect((await received()).map(({ validated }) => validated)).toEqual([false, true, true]);
  });

  test('to accounts receives only theirs, until it unsubscribes', async () => {
    const { client, received } = await listener({ accounts: [ben.address] });
    const proposed = await listener({ accounts_proposed: [ben.address] });
    pay();
    rig.submit(gate, { TransactionType: 'AccountSet' });
    rig.close();
    expect(await received()).toEqual([expect.objectContaining({ validated: true })]);
    expect((await proposed.received()).map(({ validated }) => validated)).toEqual([false, true]);
    await client.request({ command: 'unsubscribe', accounts: [ben.address] });
    pay();
    rig.close();
    expect(await received()).toEqual([]);
  });

  test('to a book gets its offers, and each transaction that places, crosses or cancels them', async () => {
    rig.submit(ann, { TransactionType: 'OfferCreate', TakerGets: usd('10'), TakerPays: '5000000' });
    rig.close();
    const sides = { taker_gets: { currency: 'USD', issuer: gate.address }, taker_pays: { currency: 'XRP' } };
    const { answer, received } = await listener({ books: [{ ...sides, snapshot: true }] });
    expect(answer.offers).toEqual([
      expect.objectContaining({ Account: ann.address, TakerGets: usd('10'), owner_funds: '500' }),
    ]);
    const both = await listener({
      books: [{ taker_gets: sides.taker_pays, taker_pays: sides.taker_gets, snapshot: true, both: true }],
    });
    expect([both.answer.bids, both.answer.asks]).toEqual([[], answer.offers as Reply[]]);
    rig.submit(ben, { TransactionType: 'OfferCreate', TakerPays: usd('4'), TakerGets: '2000000' });
    pay();
    rig.close();
    for (const messages of [await received(), await both.received()])
      expect(messages).toEqual([
        expect.objectContaining({
          tx_json: expect.objectContaining({ Account: ben.address, owner_funds: expect.any(String) }),
        }),
      ]);
    // The other side of the book is only sent to a subscriber to both.
    rig.submit(ben, { TransactionType: 'OfferCreate', TakerPays: usd('4'), TakerGets: '1000000' });
    rig.close();
    expect([(await received()).length, (await both.received()).length]).toEqual([0, 1]);
  });

  test('to a book does not receive failed transactions, though they removed an offer', async () => {
    const [cy] = rig.fund(['cy']) as [TestAccount];
    rig.submit(cy, { TransactionType: 'TrustSet', LimitAmount: usd('1000') });
    rig.close();
    rig.submit(gate, { TransactionType: 'Payment', Destination: cy.address, Amount: usd('5') });
    rig.submit(cy, { TransactionType: 'OfferCreate', TakerGets: usd('5'), TakerPays: '1' });
    rig.close();
    rig.submit(cy, { TransactionType: 'Payment', Destination: gate.address, Amount: usd('5') });
    rig.close();
    const sides = { taker_gets: { currency: 'USD', issuer: gate.address }, taker_pays: { currency: 'XRP' } };
    const { received } = await listener({ books: [{ ...sides, both: true }] });
    const all = await listener({ streams: ['transactions'] });
    const wanted = { TakerPays: usd('400'), TakerGets: '400', Flags: OfferCreateFlags.tfFillOrKill };
    rig.submit(ben, { TransactionType: 'OfferCreate', ...wanted });
    rig.close();
    const [message] = await all.received();
    expect(message).toMatchObject({ engine_result: 'tecKILLED' });
    expect(JSON.stringify(message!.meta)).toContain('"DeletedNode":{"LedgerEntryType":"Offer"');
    expect(await received()).toEqual([]);
  });

  test('to changes of books receives those of each ledger', async () => {
    const { received } = await listener({ streams: ['book_changes'] });
    rig.submit(ben, { TransactionType: 'OfferCreate', TakerPays: usd('2'), TakerGets: '1000000' });
    const { index } = rig.close();
    const [message] = await received();
    expect(message).toMatchObject({ type: 'bookChanges', ledger_index: index });
    expect(message!.changes as Reply[]).toHaveLength(1);
  });

  test('to the server gets its load, and its changes', async () => {
    const busy = new ListenerRig({
      feeSettings: { minimumPerLedger: 2, targetPerLedger: 2, ledgersInQueue: 2, queueMinimum: 20 },
    });
    try {
      const client = await busy.client();
      const messages: Reply[] = [];
      (client.connection as unknown as { on(name: string, to: (message: Reply) => void): void }).on(
        'serverStatus',
        (message) => messages.push(message),
      );
      const { result } = await client.request({ command: 'subscribe', streams: ['server'] });
      expect(result).toMatchObject({ server_status: 'full', load_base: 256, load_factor: 256 });
      for (let i = 0; i < 4; i++)
        busy.submit(GENESIS, {
          TransactionType: 'Payment',
          Destination: busy.account(`x${i}`).address,
          Amount: '5000000',
          Fee: '100000',
        });
      await client.request({ command: 'ping' });
      expect(messages.at(-1)).toMatchObject({ type: 'serverStatus', load_base: 256, server_status: 'full' });
      expect(messages.at(-1)!.load_factor as number).toBeGreaterThan(256);
    } finally {
      await busy.stop();
    }
  });

  test('receives an error for invalid parameters', async () => {
    const client = await rig.client();
    for (const [request, error] of [
      [{ streams: ['nothing'] }, 'malformedStream'],
      [{ streams: 'ledger' }, 'invalidParams'],
      [{ accounts: [] }, 'actMalformed'],
      [{ accounts: ['r1'] }, 'actMalformed'],
      [{ url: 'http://127.0.0.1/' }, 'notSupported'],
      [{ books: [{ taker: 'r1' }] }, 'badIssuer'],
      [{ books: [5] }, 'invalidParams'],
      [{ books: [{ taker_gets: { currency: 'XRP' }, taker_pays: { currency: 'XRP' } }] }, 'badMarket'],
      [{ accounts: Array(5000).fill('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh') }, 'slowDown'],
    ] as const) {
      const asked = client.request({ command: 'subscribe', ...request } as never);
      await expect(asked).rejects.toMatchObject({ data: { error } });
    }
    expect(await rig.rpc('subscribe', { streams: ['ledger'] })).toMatchObject({ error: 'invalidParams' });
  });
});
