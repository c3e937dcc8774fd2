/** Commands about ledgers, transactions and the server: compared with recorded answers, and with the ledgers themselves. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'ripple-binary-codec';
import { hashes, signMultiBatch, verifyPaymentChannelClaim, Wallet } from 'xrpl';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { ledgerHash } from '../../../engine/codec/hash.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { corpusDir } from '../../../support/corpus.ts';
import type { TestAccount } from '../rig.ts';
import { FOREIGN, ListenerRig, type Reply } from './listener-rig.ts';
import { GENESIS, stateRoot } from './network-rig.ts';

let rig: ListenerRig;
let ann: TestAccount;
let ben: TestAccount;

beforeAll(() => {
  ({ rig, ann, ben } = ListenerRig.withOffer());
  rig.submit(ann, { TransactionType: 'Payment', Destination: ben.address, Amount: '1000000' });
  rig.close();
});

afterAll(() => rig.end());

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

/** Every path in a JSON value with the kinds of its values; elements of arrays share one path. */
function shape(value: unknown, into = new Map<string, Set<string>>(), path = ''): Map<string, Set<string>> {
  const kinds = into.get(path) ?? new Set();
  into.set(path, kinds.add(kindOf(value)));
  if (Array.isArray(value)) for (const element of value) shape(element, into, `${path}[]`);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) shape(inner, into, `${path}.${name}`);
  return into;
}

/** Paths of an answer that no recorded answer has with the same kind, and paths that all recorded answers have. */
function unlike(name: string, answer: Reply, known: readonly string[]): string[] {
  const file = join(corpusDir!, 'responses', `${name}.json`);
  const recorded = (JSON.parse(readFileSync(file, 'utf8')) as { response: Reply }[]).map(
    ({ response }) => response.result ?? response,
  );
  const shapes = new Map<string, Set<string>>();
  for (const each of recorded) shape(each, shapes);
  const ours = shape(answer);
  const missing = [...shapes.keys()].filter(
    (path) =>
      !ours.has(path) &&
      !known.some((each) => path.startsWith(each)) &&
      recorded.every((each) => shape(each).has(path)),
  );
  return [...ours]
    .filter(
      ([path, kinds]) =>
        !known.some((each) => path.startsWith(each)) &&
        [...kinds].some((kind) => !shapes.get(path)?.has(kind)),
    )
    .map(([path, kinds]) => `${path}: ${[...kinds].join()}`)
    .concat(missing.map((path) => `${path} is missing`));
}

describe.skipIf(!corpusDir)('answers have the members and kinds of recorded ones', () => {
  const cases: readonly [name: string, params: Reply, known: readonly string[]][] = [
    ['fee', {}, []],
    ['server_state', {}, ['.state.network_id', '.state.initial_sync_duration_us', '.state.ports']],
    ['server_info', {}, ['.info.initial_sync_duration_us', '.info.network_id', '.info.ports']],
    ['server_definitions', {}, ['.FIELDS', '.LEDGER_ENTRY', '.TRANSACTION', '.ACCOUNT_SET_FLAGS', '.TYPES']],
    ['ledger', { ledger_index: 'validated', api_version: 1 }, []],
    ['ledger', { ledger_index: 'validated', transactions: true, api_version: 1 }, []],
  ];
  for (const [name, params, known] of cases)
    test(`${name} ${JSON.stringify(params)}`, async () => {
      // The recorded servers answered clients without admin rights.
      const { status: _, ...answer } = await rig.rpc(name, params, FOREIGN);
      expect(unlike(name, answer, known)).toEqual([]);
    });
});

describe('ledger', () => {
  test('shows header, transactions and state in both forms', async () => {
    const { validated } = rig.network;
    const ask = async (params: Reply) =>
      (await rig.rpc('ledger', { ledger_index: 'validated', ...params })).ledger as Reply;
    const header = await ask({ api_version: 2 });
    expect(header).toMatchObject({
      ledger_hash: validated.hash,
      ledger_index: validated.index,
      account_hash: stateRoot(validated),
      closed: true,
    });
    expect((await ask({})).ledger_index).toBe(String(validated.index));
    const binary = await ask({ binary: true, transactions: true, expand: true });
    expect(hexOf(ledgerHash(bytesOf(binary.ledger_data as string)))).toBe(validated.hash);
    const hashes = (await ask({ transactions: true })).transactions as string[];
    expect(hashes).toEqual(validated.transactions.map(({ hashText }) => hashText).sort());
    const blobs = binary.transactions as { tx_blob: string; meta: string }[];
    const expanded = (await ask({ transactions: true, expand: true })).transactions as Reply[];
    for (const [i, json] of expanded.entries()) {
      const { hash, metaData, DeliverMax: _, ...fields } = json;
      expect(hash).toBe(hashes[i]!);
      expect(fields).toEqual(decode(blobs[i]!.tx_blob));
      expect((metaData as Reply).TransactionIndex).toBe(decode(blobs[i]!.meta).TransactionIndex as number);
    }
    const second = (await ask({ transactions: true, expand: true, owner_funds: true, api_version: 2 }))
      .transactions as Reply[];
    expect(
      second.find(({ tx_json: tx }) => (tx as Reply).TransactionType === 'OfferCreate')?.owner_funds,
    ).toBeDefined();
    const state = (await ask({ accounts: true, expand: true })).accountState as Reply[];
    expect(state).toHaveLength([...validated.state.tree.items()].length);
    const offers = (await ask({ accounts: true, type: 'offer' })).accountState as string[];
    expect(offers).toHaveLength(1);
  });

  test('with a type filter comes in as many pages as without, with fewer entries', async () => {
    const pages = async (params: Reply): Promise<string[][]> => {
      const found: string[][] = [];
      let marker: unknown;
      do {
        const page = await rig.rpc('ledger_data', {
          ...params,
          ledger_index: 'validated',
          limit: 3,
          ...(marker ? { marker } : {}),
        });
        found.push((page.state as { index: string }[]).map(({ index }) => index));
        marker = page.marker;
      } while (marker !== undefined);
      return found;
    };
    const all = await pages({});
    const offers = new Set(
      [...rig.network.validated.state.tree.items()].flatMap(({ entry, key }) =>
        entry.LedgerEntryType === 'Offer' ? [key] : [],
      ),
    );
    expect(offers.size).toBeGreaterThan(0);
    expect(await pages({ type: 'offer' })).toEqual(all.map((page) => page.filter((key) => offers.has(key))));
  });

  test('without a ledger in the request shows the newest closed and the open one; only the open one has a queue', async () => {
    const both = await rig.rpc('ledger');
    expect(both).toMatchObject({
      closed: { ledger: { ledger_hash: rig.network.validated.hash } },
      open: { ledger: { closed: false, parent_hash: rig.network.validated.hash } },
    });
    expect(await rig.rpc('ledger', { ledger_index: 'current', queue: true })).toMatchObject({
      ledger_current_index: rig.network.open.index,
      validated: false,
    });
    expect(await rig.rpc('ledger', { ledger_index: 'validated', queue: true })).toMatchObject({
      error: 'invalidParams',
    });
    expect(await rig.rpc('ledger', { ledger_index: 99 })).toMatchObject({
      error: 'lgrNotFound',
      error_code: 21,
    });
  });

  test('by date is the newest that closed by then', async () => {
    const { validated, ledgers } = rig.network;
    expect(await rig.rpc('ledger_index')).toMatchObject({ ledger_index: validated.index });
    const before = ledgers.byIndex(validated.index - 1)!;
    const date = new Date((validated.closeTime - 1 + RIPPLE_EPOCH) * 1000).toISOString().replace('.000', '');
    expect(await rig.rpc('ledger_index', { date })).toMatchObject({
      ledger_index: before.index,
      ledger_hash: before.hash,
    });
    expect(await rig.rpc('ledger_index', { date: '1999-01-01T00:00:00Z' })).toMatchObject({
      error: 'lgrNotFound',
    });
    expect(await rig.rpc('ledger_index', { date: 'yesterday' })).toMatchObject({ error: 'invalidParams' });
  });

  test('is closed by ledger_accept when there is no timer', async () => {
    const { index } = rig.network.validated;
    expect(await rig.rpc('ledger_accept')).toMatchObject({ ledger_current_index: index + 2 });
    expect(await rig.rpc('ledger_closed')).toMatchObject({
      ledger_index: index + 1,
      ledger_hash: rig.network.validated.hash,
    });
    expect(await rig.rpc('ledger_current')).toMatchObject({ ledger_current_index: index + 2 });
    const paced = new ListenerRig({}, { manual: false });
    expect(await paced.rpc('ledger_accept')).toMatchObject({ error: 'notStandAlone' });
    await paced.stop();
  });
});

describe('tx', () => {
  test('shows the searched range, and refuses an invalid id', async () => {
    const transaction = 'AB'.repeat(32);
    expect(await rig.rpc('tx', { transaction })).toMatchObject({ error: 'txnNotFound', error_code: 29 });
    expect(await rig.rpc('tx', { transaction, min_ledger: 1, max_ledger: 3 })).toMatchObject({
      searched_all: true,
    });
    expect(await rig.rpc('tx', { transaction, min_ledger: 1, max_ledger: 900 })).toMatchObject({
      searched_all: false,
    });
    for (const [params, error] of [
      [{}, 'invalidParams'],
      [{ transaction, ctid: 'C000000000000000' }, 'invalidParams'],
      [{ ctid: 'C00000000000FFFF' }, 'wrongNetwork'],
      [{ ctid: 'D000000000000000' }, 'invalidParams'],
      [{ transaction: 'AB' }, 'notImpl'],
      [{ transaction, min_ledger: 5, max_ledger: 1 }, 'invalidLgrRange'],
      [{ transaction, min_ledger: 1 }, 'invalidLgrRange'],
      [{ transaction, min_ledger: 1, max_ledger: 5000 }, 'excessiveLgrRange'],
    ] as const)
      expect(await rig.rpc('tx', params)).toMatchObject({ error });
  });

  test('finds queued transactions, and closed ones by their CTID', async () => {
    const payment = rig.signed(ann, { TransactionType: 'Payment', Destination: ben.address, Amount: '3' });
    rig.network.submit(payment);
    const waiting = await rig.rpc('tx', { transaction: payment.hash });
    expect(waiting).toMatchObject({ hash: payment.hash, validated: false });
    expect(waiting.meta).toBeUndefined();
    rig.close();
    const found = await rig.rpc('tx', { transaction: payment.hash, api_version: 2 });
    expect(found).toMatchObject({ validated: true, hash: payment.hash });
    expect(await rig.rpc('tx', { ctid: found.ctid })).toMatchObject({ hash: payment.hash });
    expect(await rig.rpc('transaction_entry', { tx_hash: payment.hash, ledger_index: 1 })).toMatchObject({
      error: 'transactionNotFound',
    });
  });
});

describe('the server', () => {
  test('shows its amendments', async () => {
    const { features } = (await rig.rpc('feature')) as { features: Record<string, Reply> };
    const enabled = Object.values(features).filter((each) => each.enabled);
    expect(enabled.length).toBe(rig.network.validated.rules.names.size);
    const [id, row] = Object.entries(features).find(([, { name }]) => name === 'MultiSignReserve')!;
    expect((await rig.rpc('feature', { feature: 'MultiSignReserve' }))[id]).toEqual(row);
    expect((await rig.rpc('feature', { feature: id }))[id]).toEqual(row);
    expect(await rig.rpc('feature', { feature: 'Nothing' })).toMatchObject({ error: 'badFeature' });
  });

  test('sends its definitions once', async () => {
    const whole = await rig.rpc('server_definitions');
    const again = await rig.rpc('server_definitions', { hash: whole.hash });
    expect(again).toEqual({ hash: whole.hash, status: 'success' });
    expect((whole.TRANSACTION_TYPES as Reply).Payment).toBe(0);
  });

  test('shows the fees of the queue', async () => {
    const { queue, open } = rig.network;
    expect(await rig.rpc('fee')).toMatchObject({
      ledger_current_index: open.index,
      expected_ledger_size: String(queue.metrics.expected),
      drops: { base_fee: '10', open_ledger_fee: String(rig.network.openLedgerCost) },
    });
  });

  test('shows the role of an admin, and that its session has no limits', async () => {
    expect(await rig.rpc('ping')).toEqual({ role: 'admin', status: 'success' });
    const client = await rig.client();
    expect((await client.request({ command: 'ping' })).result as object).toEqual({
      role: 'admin',
      unlimited: true,
    });
  });

  test('signs for admins: as the public package does', async () => {
    const wallet = Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb');
    const tx_json = {
      TransactionType: 'Payment',
      Account: GENESIS.address,
      Destination: ben.address,
      Amount: '7',
    };
    const signed = (await rig.rpc('sign', { tx_json, secret: wallet.seed })) as {
      tx_blob: string;
      tx_json: Reply;
    };
    const { TxnSignature: _, hash: __, DeliverMax: ___, ...bare } = signed.tx_json;
    expect(wallet.sign(bare as never).hash).toHaveLength(64);
    expect(decode(signed.tx_blob).Amount).toBe('7');
    expect(await rig.rpc('submit', { tx_blob: signed.tx_blob })).toMatchObject({
      engine_result: 'tesSUCCESS',
    });
    expect(await rig.rpc('submit', { tx_json, secret: wallet.seed })).toMatchObject({
      engine_result: 'tesSUCCESS',
    });
    expect(await rig.rpc('sign', { tx_json, passphrase: 'wrong' })).toMatchObject({ error: 'badSecret' });
    const channel_id = 'AB'.repeat(32);
    const { signature } = await rig.rpc('channel_authorize', {
      channel_id,
      amount: '5000000',
      secret: wallet.seed,
    });
    expect(verifyPaymentChannelClaim(channel_id, '5', String(signature), wallet.publicKey)).toBe(true);
    rig.close();
  });

  test('returns a blob unchanged in either version, and what it signed in the shape of the version', async () => {
    const { seed } = Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb');
    const { address: Account } = GENESIS;
    const tx_json = { TransactionType: 'Payment', Account, Destination: ben.address, Amount: '8' };
    const shown = async (method: string, params: Reply) => {
      const { tx_blob, tx_json: tx, hash: outside, accepted } = await rig.rpc(method, params);
      const { Amount, DeliverMax, hash: inside } = tx as Reply;
      const hash = hashes.hashSignedTx(String(tx_blob));
      return { tx_blob, accepted, Amount, DeliverMax, inside: inside === hash, outside: outside === hash };
    };
    const first = { accepted: undefined, Amount: '8', DeliverMax: '8', inside: true, outside: false };
    const second = { ...first, Amount: undefined, inside: false, outside: true };
    for (const [api_version, signed] of [first, second].map((each, i) => [i + 1, each] as const)) {
      const { tx_blob, ...answer } = await shown('sign', { tx_json, secret: seed, api_version });
      expect(answer).toEqual(signed);
      expect(await shown('submit', { tx_blob, api_version })).toEqual({
        ...first,
        tx_blob,
        accepted: true,
        DeliverMax: undefined,
      });
      expect(await shown('submit', { tx_json, secret: seed, api_version })).toMatchObject(signed);
    }
    rig.close();
  });

  test('adds signatures one by one', async () => {
    const members = [Wallet.generate(), Wallet.generate()];
    rig.submit(ann, {
      TransactionType: 'SignerListSet',
      SignerQuorum: 2,
      SignerEntries: members
        .map(({ address }) => ({ SignerEntry: { Account: address, SignerWeight: 1 } }))
        .sort((a, b) => (a.SignerEntry.Account < b.SignerEntry.Account ? -1 : 1)),
    });
    rig.close();
    let tx_json: Reply = {
      TransactionType: 'AccountSet',
      Account: ann.address,
      Fee: '50',
      Sequence: rig.network.nextSequence(ann.id),
    };
    for (const { address, seed } of members)
      tx_json = (await rig.rpc('sign_for', { account: address, tx_json, seed, key_type: 'ed25519' }))
        .tx_json as Reply;
    expect(await rig.rpc('submit_multisigned', { tx_json })).toMatchObject({ engine_result: 'tesSUCCESS' });
  });

  test('a batch with an invalid signature of another account fails before the rules apply', async () => {
    const [outer, inner] = [
      Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb'),
      new Wallet(ben.publicKey, ben.privateKey),
    ];
    const pay = (from: string, to: string, Sequence: number) => ({
      RawTransaction: {
        TransactionType: 'Payment',
        Account: from,
        Destination: to,
        Amount: '5',
        Flags: 0x40000000,
        Fee: '0',
        NetworkID: rig.network.networkId,
        Sequence,
        SigningPubKey: '',
      },
    });
    const Sequence = rig.network.nextSequence(GENESIS.id);
    const batch = {
      TransactionType: 'Batch',
      Account: GENESIS.address,
      Flags: 0x00010000,
      Fee: '100',
      NetworkID: rig.network.networkId,
      Sequence,
      RawTransactions: [
        pay(GENESIS.address, ben.address, Sequence + 1),
        pay(ben.address, GENESIS.address, rig.network.nextSequence(ben.id)),
      ],
    };
    signMultiBatch(inner, batch as never);
    const submitted = (flags: number) =>
      rig.rpc('submit', { tx_blob: outer.sign({ ...batch, Flags: flags } as never).tx_blob });
    expect(await submitted(0x00080000)).toMatchObject({
      error: 'invalidTransaction',
      error_exception: 'fails local checks: Invalid signature.',
    });
    expect(await submitted(batch.Flags)).toMatchObject({ engine_result: 'tesSUCCESS' });
    rig.close();
  });

  test('creates wallets that the public package reads alike', async () => {
    for (const key_type of ['ed25519', 'secp256k1'] as const) {
      const made = (await rig.rpc('wallet_propose', { key_type })) as Record<string, string>;
      const wallet = Wallet.fromSeed(made.master_seed!);
      expect(wallet).toMatchObject({ address: made.account_id, publicKey: made.public_key_hex });
    }
    expect(await rig.rpc('wallet_propose', { passphrase: 'masterpassphrase' })).toMatchObject({
      account_id: GENESIS.address,
      master_seed: 'snoPBrXtMeMyMHUVTgbuqAfg1SUTb',
      key_type: 'secp256k1',
    });
  });
});

describe('simulate', () => {
  test('shows the result without applying it', async () => {
    const tx_json = {
      TransactionType: 'Payment',
      Account: ann.address,
      Destination: ben.address,
      Amount: '9',
    };
    const { count } = rig.network.open;
    const trial = await rig.rpc('simulate', { tx_json });
    expect(trial).toMatchObject({
      applied: false,
      engine_result: 'tesSUCCESS',
      meta: { delivered_amount: '9' },
      tx_json: { SigningPubKey: '', TxnSignature: '' },
    });
    expect(rig.network.open.count).toBe(count);
    const binary = await rig.rpc('simulate', { tx_json, binary: true });
    expect(decode(binary.meta_blob as string).TransactionResult).toBe('tesSUCCESS');
    expect(await rig.rpc('simulate', { tx_blob: binary.tx_blob })).toMatchObject({
      engine_result: 'tesSUCCESS',
    });
    for (const [params, error] of [
      [{}, 'invalidParams'],
      [{ tx_json, tx_blob: 'AB' }, 'invalidParams'],
      [{ tx_json, secret: 'x' }, 'invalidParams'],
      [{ tx_json: { ...tx_json, TxnSignature: 'AB' } }, 'transactionSigned'],
      [{ tx_json: { ...tx_json, Account: 'r1' } }, 'srcActMalformed'],
      [{ tx_json: { ...tx_json, TransactionType: 'Batch' } }, 'notImpl'],
    ] as const)
      expect(await rig.rpc('simulate', params)).toMatchObject({ error });
  });

  // The texts of rippled's own test of the command (`Simulate_test.cpp`).
  test.each([
    [{}, "Missing field 'tx.TransactionType'."],
    [{ TransactionType: 'Payment' }, "Missing field 'tx.Account'."],
    [{ TransactionType: 'AccountSet', Account: 'badAccount' }, "Invalid field 'tx.Account'."],
    [
      { TransactionType: 'AccountSet', Account: GENESIS.address, Signers: '1' },
      "Invalid field 'tx.Signers'.",
    ],
    [
      { TransactionType: 'AccountSet', Account: GENESIS.address, Signers: ['1'] },
      "Invalid field 'tx.Signers[0]'.",
    ],
  ])('has the same errors as rippled', async (tx_json, error_message) => {
    expect(await rig.rpc('simulate', { tx_json })).toMatchObject({ error_message });
  });

  test('returns the fields unchanged, in both API versions', async () => {
    const tx_json = {
      TransactionType: 'Payment',
      Account: ann.address,
      Destination: ben.address,
      Amount: '9',
    };
    for (const api_version of [1, 2]) {
      const { tx_json: shown } = await rig.rpc('simulate', { tx_json, api_version });
      expect(shown).toMatchObject(tx_json);
      expect(shown).not.toHaveProperty('DeliverMax');
    }
    expect(await rig.rpc('simulate', { tx_json, binary: '1' })).toMatchObject({
      error_message: "Invalid field 'binary'.",
    });
  });
});
