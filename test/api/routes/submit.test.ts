/** Signed transactions on their way to the network: section 4.4 against a running node of the embedded network. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { decode, encode } from 'ripple-binary-codec';
import { hashes, multisign, validate, verifySignature, Wallet } from 'xrpl';
import { RPC_COMMANDS } from '../../../api/routes/rpc.ts';
import { Engine } from '../../../engine/engine.ts';
import { SourceError } from '../../../engine/ledger/source.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { Submissions, WINDOW_MS } from '../../../views/submissions.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { until } from '../../live-rig.ts';
import { Market } from '../../web/market.ts';
import { asker, type Json } from './ask.ts';

const CLIENTS = 100;
const NETWORK_ID = 52_168;

let market: Market;
let wallet: Wallet;
let sequence = 0;

beforeAll(async () => {
  market = await Market.start({ ledgers: 60 });
  const { seed } = await market.fund(5_000);
  wallet = Wallet.fromSeed(seed);
  await market.close();
  ({ sequence } = await get(`/submit/account/${wallet.address}/sequence`));
});

afterAll(() => market?.[Symbol.asyncDispose]());

const get = (path: string): Promise<Json> => market.get(`/v1${path}`);

async function post(path: string, body: unknown): Promise<{ status: number; body: Json }> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${market.url}/v1${path}`, init);
  return { status: response.status, body: await response.json() };
}

const payment = (more: object = {}) => ({
  TransactionType: 'Payment' as const,
  Account: wallet.address,
  Destination: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  Amount: '1000000',
  Fee: '12',
  NetworkID: NETWORK_ID,
  Sequence: sequence,
  LastLedgerSequence: market.world.network.closed.index + 20,
  ...more,
});

/** A payment with the next sequence. */
const signed = (more: object = {}) => {
  const blob = wallet.sign(payment(more) as never);
  if (!('Sequence' in more)) sequence++;
  return blob;
};

test('a signed payment is taken, is there by its hash after the ledger, and is not taken twice', async () => {
  const { tx_blob, hash } = signed({ DestinationTag: 7 });
  const { status, body } = await post('/submit', { tx_blob });
  expect([status, body.engine_result, body.hash]).toEqual([200, 'tesSUCCESS', hash]);
  expect(body).toMatchObject({
    success: true,
    engine_result_code: 0,
    accepted: true,
    applied: true,
    queued: false,
  });
  expect(body.tx_json).toMatchObject({ ...(decode(tx_blob) as object), hash });
  expect(body.account_sequence_next).toBe(sequence);
  const again = await post('/submit', { tx_blob });
  expect([again.status, again.body.hash]).toEqual([409, hash]);
  await market.close(1, { agents: false });
  const found = await get(`/submit/tx/${hash}`);
  expect(found).toMatchObject({ hash, validated: true, meta: { TransactionResult: 'tesSUCCESS' } });
  expect(await get(`/submit/account/${wallet.address}/sequence`)).toMatchObject({ sequence });
});

test('what is only wrong now is answered as the node says it', async () => {
  const early = signed({ Sequence: sequence + 3 });
  const { status, body } = await post('/submit', { tx_blob: early.tx_blob, fail_hard: true });
  // Otherwise it is kept for when its turn comes.
  expect([body.kept, body.queued]).toEqual([false, false]);
  expect([status, body.engine_result]).toEqual([200, 'terPRE_SEQ']);
  const past = signed({ Sequence: sequence - 1, Amount: '5' });
  expect((await post('/submit', { tx_blob: past.tx_blob })).body.engine_result).toBe('tefPAST_SEQ');
  const poor = signed({ Sequence: sequence, Amount: '99999999999999' });
  const unfunded = (await post('/submit', { tx_blob: poor.tx_blob })).body;
  expect([unfunded.engine_result, unfunded.applied]).toEqual(['tecUNFUNDED_PAYMENT', true]);
  sequence++;
  await market.close(1, { agents: false });
});

test('what comes too early is kept, not taken twice, and tried again once the one before it is there', async () => {
  const [first, second] = [signed(), signed()];
  const early = (await post('/submit', { tx_blob: second.tx_blob })).body;
  expect([early.engine_result, early.kept, early.applied]).toEqual(['terPRE_SEQ', true, false]);
  expect((await post('/submit', { tx_blob: second.tx_blob })).status).toBe(409);
  expect((await post('/submit', { tx_blob: first.tx_blob })).body.engine_result).toBe('tesSUCCESS');
  await market.close(2, { agents: false });
  for (const { hash } of [first, second])
    expect(await get(`/submit/tx/${hash}`)).toMatchObject({
      validated: true,
      meta: { TransactionResult: 'tesSUCCESS' },
    });
  expect(await get(`/submit/account/${wallet.address}/sequence`)).toMatchObject({ sequence });
});

test('what is no transaction is refused before any node sees it', async () => {
  const { tx_blob } = wallet.sign(payment() as never);
  for (const sent of [
    {},
    { tx_blob: '' },
    { tx_blob: 'zz' },
    { tx_blob: '123' },
    { tx_blob: tx_blob.slice(0, -20) },
    { tx_blob: 'ab'.repeat(70_000) },
    { tx_blob: 'ab'.repeat(60_000) },
    { tx_blob: 7 },
  ]) {
    const { status, body } = await post('/submit', sent);
    expect([JSON.stringify(sent).slice(0, 40), status, typeof body.error]).toEqual([
      JSON.stringify(sent).slice(0, 40),
      400,
      'string',
    ]);
  }
});

test('a transaction that is too long is refused as such: it is not cut to what may be sent', async () => {
  const limit = 131 * 1024;
  const memo = (bytes: number) => ({ Memos: [{ Memo: { MemoData: 'AB'.repeat(bytes) } }] });
  const padding = limit / 2 - encode(payment(memo(60_000))).length / 2 + 60_000;
  const longest = encode(payment(memo(padding)));
  expect(longest).toHaveLength(limit);
  for (const path of ['/submit', '/submit/preview']) {
    const { status, body } = await post(path, { tx_blob: `${longest}00` });
    expect([path, status, body.error]).toEqual([path, 400, `tx_blob is longer than ${limit} hex digits`]);
  }
});

test(`${CLIENTS} clients at once: each transaction is handed to the node once`, async () => {
  const one = signed();
  const same = await Promise.all(
    Array.from({ length: CLIENTS }, () => post('/submit', { tx_blob: one.tx_blob })),
  );
  expect(same.map(({ status }) => status).sort()).toEqual([200, ...Array(CLIENTS - 1).fill(409)]);
  // One after another: what comes before the ones before it would wait.
  const others = [];
  for (let i = 0; i < 5; i++) others.push(await post('/submit', { tx_blob: signed().tx_blob }));
  expect(others.map(({ body }) => body.engine_result)).toEqual(Array(5).fill('tesSUCCESS'));
  const before = market.world.network.closed;
  await market.close(1, { agents: false });
  const { transactions } = await get(`/ledger/${before.index + 1}?expand=true`);
  expect(transactions.filter(({ tx_json }: Json) => tx_json.Account === wallet.address)).toHaveLength(6);
});

test('a preview shows what the payment then does to the sender', async () => {
  const tx_json = payment({ Amount: '3000000' });
  const shown = (await post('/submit/preview', { tx_json })).body;
  expect(shown).toMatchObject({ success: true, engine_result: 'tesSUCCESS' });
  expect(shown.meta.delivered_amount).toBe('3000000');
  const blob = signed({ Amount: '3000000' });
  expect((await post('/submit/preview', { tx_blob: blob.tx_blob })).body.sender_after).toEqual(
    shown.sender_after,
  );
  expect((await post('/submit', { tx_blob: blob.tx_blob })).body.engine_result).toBe('tesSUCCESS');
  await market.close(1, { agents: false });
  const { balance } = await get(`/submit/account/${wallet.address}/sequence`);
  const { account_data } = await market.ask('account_info', { account: wallet.address });
  expect([shown.sender_after.balance, balance]).toEqual([account_data.Balance, account_data.Balance]);
  const { reserve, spendable } = shown.sender_after;
  expect(BigInt(reserve) + BigInt(spendable)).toBe(BigInt(balance));
  const failing = (await post('/submit/preview', { tx_json: payment({ Amount: '99999999999999' }) })).body;
  expect(failing.engine_result).toBe('tecUNFUNDED_PAYMENT');
  for (const sent of [
    {},
    { tx_json: 'Payment' },
    { tx_json: {} },
    { tx_json: { TransactionType: 'Nothing' } },
  ])
    expect([sent, (await post('/submit/preview', sent)).status]).toEqual([sent, 400]);
});

test('a preview of what is signed says what submitting it does: the wrong key, too low a fee for its signers, the right key', async () => {
  const [stranger, member] = [Wallet.generate(), Wallet.generate()];
  const SignerEntries = [{ SignerEntry: { Account: member.address, SignerWeight: 1 } }];
  const list = { ...payment({ TransactionType: 'SignerListSet' }), SignerQuorum: 1, SignerEntries };
  const { Destination: _1, Amount: _2, ...setting } = list;
  expect((await post('/submit', { tx_blob: wallet.sign(setting as never).tx_blob })).body.engine_result).toBe(
    'tesSUCCESS',
  );
  sequence++;
  await market.close(1, { agents: false });
  const bySigner = (Fee: string) => multisign([member.sign(payment({ Fee }) as never, true).tx_blob]);
  const results = [];
  for (const blob of [
    () => stranger.sign(payment() as never).tx_blob,
    () => multisign([stranger.sign(payment({ Fee: '24' }) as never, true).tx_blob]),
    () => bySigner('12'),
    () => bySigner('24'),
    () => wallet.sign(payment() as never).tx_blob,
  ]) {
    const tx_blob = blob();
    const shown = (await post('/submit/preview', { tx_blob })).body.engine_result;
    const done = (await post('/submit', { tx_blob })).body.engine_result;
    expect([results.length, shown]).toEqual([results.length, done]);
    results.push(done);
    await market.close(1, { agents: false });
    ({ sequence } = await get(`/submit/account/${wallet.address}/sequence`));
  }
  expect(results).toEqual(['tefBAD_AUTH', 'tefBAD_SIGNATURE', 'telINSUF_FEE_P', 'tesSUCCESS', 'tesSUCCESS']);
});

test('fees, sequences and tags are those of the node and of the ledgers', async () => {
  const { drops, ledger_current_index, current_queue_size, max_queue_size } = await market.ask('fee');
  const { base_fee, median_fee, minimum_fee, open_ledger_fee, ...rest } = await get('/submit/fee');
  expect({ base_fee, median_fee, minimum_fee, open_ledger_fee }).toEqual(drops);
  expect(rest).toMatchObject({
    current_ledger: ledger_current_index,
    current_queue_size: Number(current_queue_size),
    max_queue_size: Number(max_queue_size),
  });
  const { accounts } = market.service.engine.state;
  for (let id = 1; id < accounts.count; id += 25) {
    if (!accounts.exists(id)) continue;
    const account = accounts.text(id);
    const { account_data } = await market.ask('account_info', { account, ledger_index: 'validated' });
    expect(await get(`/submit/account/${account}/sequence`)).toMatchObject({
      sequence: account_data.Sequence,
      balance: account_data.Balance,
      ownerCount: account_data.OwnerCount,
      flags: account_data.Flags,
      regularKey: account_data.RegularKey ?? null,
    });
  }
  const unknown = await fetch(`${market.url}/v1/submit/account/${Wallet.generate().address}/sequence`);
  expect(unknown.status).toBe(404);
  const to = payment().Destination;
  const { transactions } = await market.ask('account_tx', { account: to, limit: 200, api_version: 2 });
  const paid = transactions
    .map(({ tx_json }: Json) => tx_json)
    .filter((tx: Json) => tx.TransactionType === 'Payment' && tx.Destination === to && tx.Account !== to);
  const tags = await get(`/submit/account/${to}/inbound-tags`);
  expect(tags).toMatchObject({
    sampleSize: paid.length,
    tagged: paid.filter((tx: Json) => tx.DestinationTag !== undefined).length,
    distinctSenders: new Set(paid.map((tx: Json) => tx.Account)).size,
  });
  expect(tags.tagged).toBeGreaterThan(0);
});

test('read commands are passed on with the result as it is, and no others', async () => {
  const params = { account: wallet.address, ledger_index: 'validated' };
  for (const method of [
    'account_info',
    'account_lines',
    'server_definitions',
    'ledger_closed',
    'ping',
  ] as const) {
    const { status, body } = await post('/rpc', { method, params });
    const { status: _, ...own } = await market.ask(method, params);
    const { warnings: _1, ...result } = body.result;
    expect([status, body.method, { ...own, ...result }]).toEqual([200, method, result]);
  }
  const wrong = await post('/rpc', { method: 'account_info', params: { account: 'nobody' } });
  expect([wrong.status, wrong.body.result.error]).toEqual([200, 'actMalformed']);
  for (const method of [undefined, '', 'submit', 'sign', 'stop', 'subscribe', 'path_find', 'ledger_accept'])
    expect([method, (await post('/rpc', { method })).status]).toEqual([method, 400]);
  const sly = await post('/rpc', { method: 'ping', params: { command: 'ledger_accept', id: 1 } });
  expect(sly.body.result.error).toBeUndefined();
  const { index } = market.world.network.closed;
  expect(market.world.network.closed.index).toBe(index);
  expect(RPC_COMMANDS).toHaveLength(46);
});

test('parameters of a read command are an object, also in the list that JSON-RPC has, and nothing else', async () => {
  const account = wallet.address;
  for (const params of [{ account }, [{ account }]])
    expect((await post('/rpc', { method: 'account_info', params })).body.result.account_data.Account).toBe(
      account,
    );
  for (const params of [undefined, null, {}, []])
    expect((await post('/rpc', { method: 'ping', params })).status).toBe(200);
  for (const params of ['x', 5, true, [1], [{ account }, { account }]])
    expect((await post('/rpc', { method: 'account_info', params })).body.error).toBe(
      'params is not an object',
    );
  expect((await post('/rpc', { method: 'account_info', params: [{ account, secret: 's' }] })).status).toBe(
    400,
  );
});

test('what a node gives to its admins alone, and secrets, are not passed on', async () => {
  for (const [method, params] of [
    ['feature', { feature: 'DeepFreeze', vetoed: true }],
    ['feature', { feature: 'DeepFreeze', vetoed: false }],
    ['ledger', { full: true }],
    ['ledger', { accounts: 1 }],
    ['server_info', { admin_user: 'a', admin_password: 'b' }],
    ['account_info', { account: wallet.address, secret: 'sEd…' }],
  ] as const) {
    const { status, body } = await post('/rpc', { method, params });
    expect([status, JSON.stringify(body).includes('sEd…')]).toEqual([400, false]);
  }
  const plain = await post('/rpc', { method: 'ledger', params: { full: false, accounts: false } });
  expect([plain.status, plain.body.result.error]).toEqual([200, undefined]);
  const rows = async (params: object) =>
    (await post('/rpc', { method: 'ledger_data', params })).body.result.state.length;
  for (const limit of [1e9, '1000000000'])
    expect([await rows({ limit }), await rows({ limit, binary: true })]).toEqual([
      256,
      await rows({ binary: true }),
    ]);
});

test('every type has an example that is signed, with its hash', async () => {
  const { types, examples, pool_size } = await get('/submit/types');
  expect([types.length, pool_size, Object.keys(examples)]).toEqual([62, 62, types]);
  for (const [type, { json, txid, summary }] of Object.entries<Json>(examples)) {
    expect([type, json.NetworkID, summary.startsWith(json.Account)]).toEqual([
      json.TransactionType,
      NETWORK_ID,
      true,
    ]);
    expect(() => validate(json)).not.toThrow();
    expect([type, hashes.hashSignedTx(encode(json)), verifySignature(encode(json))]).toEqual([
      type,
      txid,
      true,
    ]);
  }
});

test('without a node nothing is submitted, and what was refused may be sent again', async () => {
  await market.stopNode();
  await until(() => !market.service.network.ready, 'a service that is not ready');
  const { tx_blob, hash } = signed();
  for (let i = 0; i < 2; i++) expect((await post('/submit', { tx_blob })).status).toBe(503);
  expect((await post('/rpc', { method: 'server_info' })).status).toBe(503);
  market.startNode();
  await until(async () => (await post('/submit', { tx_blob })).status !== 503, 'a node that takes it');
  await market.close(1, { agents: false });
  expect(await get(`/tx/${hash}`)).toMatchObject({ hash, validated: true });
});

test('where the node is lost between question and answer, the transaction counts as submitted', async () => {
  let sent = 0;
  const source = {
    requestOnce: async () => {
      sent++;
      throw new SourceError('timeout', 'lost');
    },
  };
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { post: ask } = asker(new Network({ engine, source: source as never }));
  const { tx_blob, hash } = signed({ Sequence: sequence });
  const first = await ask('/submit', { tx_blob });
  expect([first.status, JSON.stringify(first.body).includes(hash)]).toEqual([503, true]);
  expect((await ask('/submit', { tx_blob })).status).toBe(409);
  expect(sent).toBe(1);
});

test('a hostile node’s answer is of the types that are promised', async () => {
  const source = {
    requestOnce: async () => ({
      engine_result: 'tesSUCCESS',
      engine_result_code: '<b>',
      accepted: 'yes',
      queued: 1,
    }),
  };
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { post: ask } = asker(new Network({ engine, source: source as never }));
  const { body } = await ask('/submit', { tx_blob: signed({ Sequence: sequence }).tx_blob });
  expect(body).toMatchObject({
    engine_result_code: 0,
    accepted: false,
    queued: false,
    account_sequence_next: 0,
  });
});

test('the same transaction may be sent again after 30 s, whatever the clock does', () => {
  const submissions = new Submissions();
  expect(submissions.take('a', 1_000_000)).toBe(0);
  expect(submissions.take('a', 1_000_000 + WINDOW_MS - 1)).toBe(1);
  expect(submissions.take('a', 1_000_000 + WINDOW_MS)).toBe(0);
  // Set back by an hour.
  expect(submissions.take('a', 1_000_000 - 3_600_000)).toBe(0);
  expect(submissions.take('b', 2_000_000)).toBe(0);
  submissions.forget('b');
  expect(submissions.take('b', 2_000_001)).toBe(0);
});
