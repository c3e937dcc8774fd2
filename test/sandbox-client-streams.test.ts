/** The public `xrpl` package on the embedded network: streams, both API versions, and errors as rippled returns them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client, decode, encode, hashes, type Wallet } from 'xrpl';
import { type Answer, amount, ClientRig, drops, FEE, GENESIS } from './sandbox-client-rig.ts';

let rig: ClientRig;
let client: Client;
const open: Client[] = [];

beforeAll(async () => {
  rig = await ClientRig.open();
  client = rig.client;
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.disconnect()));
  await rig.close();
});

const pay = (to: Wallet, xrp: number) => ({
  TransactionType: 'Payment',
  Destination: to.address,
  Amount: drops(xrp),
});

/** A separate client with a subscription, and every message that it receives. */
async function listener(params: Answer) {
  const own = new Client(rig.sandbox.url);
  await own.connect();
  open.push(own);
  const messages: Answer[] = [];
  own.connection.on('transaction', (message: unknown) => messages.push(message as Answer));
  for (const name of ['ledgerClosed', 'serverStatus', 'bookChanges'])
    own.connection.on(name, (message: unknown) => messages.push(message as Answer));
  const { result } = await own.request({ command: 'subscribe', ...params } as never);
  const quiet = async (): Promise<Answer[]> => {
    await own.request({ command: 'ping' }); // what was sent before is here when its answer is
    return messages.splice(0);
  };
  return { own, answer: result as Answer, messages: quiet };
}

describe('streams', () => {
  test('ledger', async () => {
    const { answer, messages, own } = await listener({ streams: ['ledger'] });
    const { ledger_index } = await rig.ask('ledger', { ledger_index: 'validated' });
    expect(answer).toMatchObject({
      ledger_index,
      fee_base: 10,
      reserve_base: 1_000_000,
      reserve_inc: 200_000,
    });
    const [ann] = await rig.funded(100);
    await rig.does(ann!, pay(GENESIS, 1));
    const ledgers = await messages();
    expect(ledgers.map((each) => each.ledger_index)).toEqual([ledger_index + 1, ledger_index + 2]);
    const { ledger } = await rig.ask('ledger', { ledger_index: ledger_index + 2 });
    expect(ledgers[1]).toMatchObject({
      type: 'ledgerClosed',
      ledger_hash: ledger.ledger_hash,
      ledger_time: ledger.close_time,
      txn_count: 1,
      validated_ledgers: `1-${ledger_index + 2}`,
    });
    await own.request({ command: 'unsubscribe', streams: ['ledger'] });
    await rig.accept();
    expect(await messages()).toEqual([]);
  });

  test('transactions and transactions_proposed', async () => {
    const validated = await listener({ streams: ['transactions'] });
    const proposed = await listener({ streams: ['transactions_proposed'] });
    const [ann] = await rig.funded(100);
    await validated.messages();
    await proposed.messages();
    const { tx_json } = await rig.submit(ann!, pay(GENESIS, 1));
    expect(await validated.messages()).toEqual([]);
    const [early] = await proposed.messages();
    expect(early).toMatchObject({ type: 'transaction', validated: false, engine_result: 'tesSUCCESS' });
    expect(early!.hash ?? early!.transaction.hash).toBe(tx_json.hash);
    await rig.accept();
    const [first, ...rest] = await validated.messages();
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      type: 'transaction',
      validated: true,
      status: 'closed',
      engine_result: 'tesSUCCESS',
      engine_result_code: 0,
      hash: tx_json.hash,
      meta: { TransactionResult: 'tesSUCCESS', delivered_amount: drops(1) },
    });
    expect(first!.tx_json).toMatchObject({ Account: ann!.address, DeliverMax: drops(1), Fee: String(FEE) });
    expect((await proposed.messages()).map((each) => each.validated)).toEqual([true]);
  });

  test('accounts: only transactions that affect them', async () => {
    const [ann, ben, eve] = await rig.funded(100, 100, 100);
    const { messages, own } = await listener({ accounts: [ben!.address] });
    await rig.does(ann!, pay(eve!, 1));
    expect(await messages()).toEqual([]);
    const { hash } = await rig.does(ann!, pay(ben!, 2));
    expect((await messages()).map((each) => each.hash)).toEqual([hash]);
    await own.request({ command: 'unsubscribe', accounts: [ben!.address] });
    await rig.does(ann!, pay(ben!, 2));
    expect(await messages()).toEqual([]);
  });

  test('books: with a snapshot, and both sides where asked', async () => {
    const [issuer, ann] = await rig.funded(100, 100);
    const usd = (value: number) => amount('USD', issuer!, value);
    await rig.does(ann!, { TransactionType: 'OfferCreate', TakerPays: usd(10), TakerGets: drops(5) });
    const one = {
      taker_pays: { currency: 'USD', issuer: issuer!.address },
      taker_gets: { currency: 'XRP' },
    };
    const { answer, messages, own } = await listener({ books: [{ ...one, snapshot: true }] });
    expect(answer.offers).toMatchObject([{ Account: ann!.address, TakerGets: drops(5), TakerPays: usd(10) }]);
    const both = await listener({ books: [{ ...one, both: true, snapshot: true }] });
    expect([both.answer.bids?.length, both.answer.asks?.length].sort()).toEqual([0, 1]);
    const { hash } = await rig.does(issuer!, {
      TransactionType: 'OfferCreate',
      TakerPays: drops(1),
      TakerGets: usd(2),
    });
    for (const received of [await messages(), await both.messages()])
      expect(received.map((each) => each.hash)).toEqual([hash]);
    await rig.does(issuer!, { TransactionType: 'OfferCreate', TakerPays: drops(9), TakerGets: usd(2) });
    expect(await messages()).toEqual([]);
    expect(await both.messages()).toHaveLength(1);
    await own.request({ command: 'unsubscribe', books: [one] } as never);
    await rig.does(ann!, { TransactionType: 'OfferCreate', TakerPays: usd(10), TakerGets: drops(1) });
    expect(await messages()).toEqual([]);
  });

  test('server: the current status at once; an unknown stream is refused', async () => {
    const { answer } = await listener({ streams: ['server'] });
    expect(answer).toMatchObject({ server_status: 'full', load_base: 256, load_factor: 256 });
    expect(await rig.refused('subscribe', { streams: ['nonsense'] })).toMatchObject({
      error: 'malformedStream',
    });
    expect(await rig.refused('subscribe', { accounts: ['nobody'] })).toMatchObject({ error: 'actMalformed' });
  });
});

describe('both versions of the API', () => {
  test('tx', async () => {
    const [ann] = await rig.funded(100);
    const { hash, ledger_index } = await rig.does(ann!, pay(GENESIS, 3));
    const v2 = await rig.ask('tx', { transaction: hash, api_version: 2 });
    expect(v2).toMatchObject({ hash, ledger_index, validated: true });
    expect(v2.tx_json).toMatchObject({ DeliverMax: drops(3), Account: ann!.address });
    expect(v2.tx_json.Amount).toBeUndefined();
    expect(v2.close_time_iso).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(v2.ledger_hash).toBe((await rig.ask('ledger', { ledger_index })).ledger_hash);
    const v1 = await rig.ask('tx', { transaction: hash, api_version: 1 });
    expect(v1).toMatchObject({
      hash,
      ledger_index,
      Amount: drops(3),
      DeliverMax: drops(3),
      Account: ann!.address,
    });
    expect(v1.tx_json).toBeUndefined();
    const blob = await rig.ask('tx', { transaction: hash, api_version: 2, binary: true });
    expect(hashes.hashSignedTx(blob.tx_blob)).toBe(hash);
    expect(blob.meta_blob).toMatch(/^[0-9A-F]+$/);
    const old = await rig.ask('tx', { transaction: hash, api_version: 1, binary: true });
    expect([old.tx, old.meta]).toEqual([blob.tx_blob, blob.meta_blob]);
    expect(await rig.ask('tx', { ctid: v2.ctid })).toMatchObject({ hash });
  });

  test('account_info, account_tx, ledger', async () => {
    const [ann] = await rig.funded(200);
    for (let xrp = 1; xrp <= 11; xrp++) await rig.does(ann!, pay(GENESIS, xrp));
    const account = ann!.address;
    const info = { account, ledger_index: 'validated', signer_lists: true };
    expect((await rig.ask('account_info', { ...info, api_version: 2 })).signer_lists).toEqual([]);
    expect((await rig.ask('account_info', { ...info, api_version: 1 })).account_data.signer_lists).toEqual(
      [],
    );
    const pages: Answer[] = [];
    for (let marker: unknown; pages.length < 9; ) {
      const page = await rig.ask('account_tx', {
        account,
        limit: 5,
        ...(marker ? { marker } : {}),
        api_version: 2,
      });
      pages.push(page);
      marker = page.marker;
      if (!marker) break;
    }
    const all = pages.flatMap(({ transactions }) => transactions as Answer[]);
    expect(all.map(({ tx_json }) => Number(tx_json.DeliverMax) / 1e6)).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 200,
    ]);
    expect(pages.map(({ transactions }) => transactions.length)).toEqual([5, 5, 2]);
    const v1 = await rig.ask('account_tx', { account, forward: true, limit: 1, api_version: 1 });
    expect(v1.transactions[0].tx).toMatchObject({ Amount: drops(200), Destination: account });
    const ledger = { ledger_index: 'validated' };
    expect(typeof (await rig.ask('ledger', { ...ledger, api_version: 1 })).ledger.ledger_index).toBe(
      'string',
    );
    expect(typeof (await rig.ask('ledger', { ...ledger, api_version: 2 })).ledger.ledger_index).toBe(
      'number',
    );
  });
});

describe('errors', () => {
  test.each([
    ['account_info', { account: 'rrrrrrrrrrrrrrrrrrrrBZbvji' }, 'actNotFound', 19],
    ['account_info', { account: 'nobody' }, 'actMalformed', 35],
    ['account_info', {}, 'invalidParams', 31],
    ['account_lines', { account: 'rrrrrrrrrrrrrrrrrrrrBZbvji' }, 'actNotFound', 19],
    ['ledger', { ledger_index: 99_999_999 }, 'lgrNotFound', 21],
    ['ledger', { ledger_index: 'soon' }, 'invalidParams', 31],
    ['ledger', { ledger_hash: '00' }, 'invalidParams', 31],
    ['tx', { transaction: '0'.repeat(64) }, 'txnNotFound', 29],
    ['no_such_command', {}, 'unknownCmd', 32],
    ['submit', { tx_blob: 'zz' }, 'invalidParams', 31],
    ['submit', { tx_blob: '1200' }, 'invalidTransaction', undefined],
    ['book_offers', { taker_gets: { currency: 'XRP' } }, 'invalidParams', 31],
    ['ledger_entry', { index: '0'.repeat(64) }, 'entryNotFound', undefined],
    [
      'amm_info',
      { asset: { currency: 'XRP' }, asset2: { currency: 'XXX', issuer: GENESIS.address } },
      'actNotFound',
      19,
    ],
  ] as const)('%s %p: %s', async (command, params, error, code) => {
    const refused = await rig.refused(command, params);
    expect(refused).toMatchObject({
      status: 'error',
      type: 'response',
      error,
      request: { command, ...params },
    });
    if (code !== undefined) expect(refused.error_code).toBe(code);
    expect(refused.result).toBeUndefined();
  });

  test('an unknown version of the API', async () => {
    expect((await rig.refused('ping', { api_version: 3 })).error).toBe('invalid_API_version');
    expect((await rig.refused('ping', { api_version: 0 })).error).toBe('invalid_API_version');
  });

  test('refused transactions have their code', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const { account_data } = await rig.ask('account_info', { account: ann!.address });
    const results: readonly (readonly [Answer, string, number])[] = [
      [{ ...pay(ben!, 200) }, 'tecUNFUNDED_PAYMENT', 104],
      [{ ...pay(ben!, 1), Sequence: account_data.Sequence - 1 }, 'tefPAST_SEQ', -190],
      [{ ...pay(ben!, 1), Sequence: account_data.Sequence + 9 }, 'terPRE_SEQ', -92],
      [{ ...pay(ann!, 1) }, 'temREDUNDANT', -275],
      [{ ...pay(ben!, 1), Fee: '3' }, 'telINSUF_FEE_P', -394],
      [{ ...pay(ben!, 1), LastLedgerSequence: 1 }, 'tefMAX_LEDGER', -187],
      [{ ...pay(ben!, 1), NetworkID: 99_999 }, 'telWRONG_NETWORK', -386],
    ];
    for (const [tx, result, code] of results) {
      const reply = await rig.submit(ann!, tx);
      expect([result, reply.engine_result, reply.engine_result_code]).toEqual([result, result, code]);
    }
    const signed = ann!.sign(await client.autofill({ Account: ann!.address, ...pay(ben!, 1) } as never));
    const { TxnSignature, ...rest } = decode(signed.tx_blob) as Answer;
    const digit = TxnSignature.endsWith('0') ? '1' : '0';
    const spoiled = encode({ ...rest, TxnSignature: TxnSignature.slice(0, -1) + digit } as never);
    expect(await rig.refused('submit', { tx_blob: spoiled })).toMatchObject({
      error: 'invalidTransaction',
      error_exception: expect.stringContaining('Invalid signature'),
    });
  });
});
