import { describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { entryIndexBy } from '../../api/ledger/entry-index.ts';
import { testnetNodeRoutes } from '../../api/routes/testnet-node.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import { recordsDelivered, syntheticMeta } from '../../engine/codec/synthetic.ts';
import { decodeFields } from '../../sandbox/protocol/decode.ts';
import { fromJson, toJson } from '../../sandbox/protocol/json-forms.ts';
import { corpusDir, ledgerFiles, readLedger, readLines } from '../../support/corpus.ts';
import { emptyLedger, fixture, recordedLedgers } from './fixture.ts';

/** As a node spells it, by the embedded network's codec: it shares nothing with the reader. */
const nodeJson = (blob: string) => toJson(decodeFields(bytesOf(blob)), 'node');

const ledgers = recordedLedgers(25);
const made = [100, 101, 102].map((index) => emptyLedger(index, 500_000_000 + (index - 100) * 4));
type Json = Record<string, never> & JsonObject;

describe('ledgers without recordings', () => {
  const { get } = fixture(made);
  const json = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>;

  test('by name and by index', async () => {
    expect(await json('/v1/ledger')).toMatchObject({
      ledger_index: 102,
      close_time: 1_446_684_808_000,
      validated: true,
    });
    for (const name of ['validated', 'closed', 'CURRENT', '102'])
      expect(await json(`/v1/ledger/${name}`)).toMatchObject({ ledger_index: 102, transactions: [] });
    expect(await json('/v1/ledger/101?transactions=false')).not.toHaveProperty('transactions');
    expect((await get('/v1/ledger/99')).status).toBe(404);
    for (const name of ['latest', '-1', '1.5', '1e3', '99999999999'])
      expect((await get(`/v1/ledger/${name}`)).status).toBe(400);
  });

  test('by time, to the millisecond', async () => {
    const at = (time: number | string) => json(`/v1/ledger/at?time=${time}`);
    const first = 1_446_684_800_000;
    expect(await at(first)).toMatchObject({ ledger_index: 100, close_time: first });
    expect(await at(first + 3999)).toMatchObject({ ledger_index: 100 });
    expect(await at(first + 4000)).toMatchObject({ ledger_index: 101 });
    expect(await at(new Date(first + 4000).toISOString())).toMatchObject({ ledger_index: 101 });
    expect(await at(first + 8000)).not.toHaveProperty('clampedToHead');
    expect(await at(first + 8001)).toMatchObject({ ledger_index: 102, clampedToHead: true });
    expect(await at(first - 1)).toMatchObject({ ledger_index: 100, clampedToGenesis: true });
    expect(await at('-1e300')).toMatchObject({ clampedToGenesis: true });
  });

  test('by a time before the first ledger, whose header may say the beginning of the ledger’s time', async () => {
    const genesis = fixture([emptyLedger(1, 0), emptyLedger(2, 500_000_000)]);
    const at = async (time: number | string) => (await genesis.get(`/v1/ledger/at?time=${time}`)).json();
    const first = 946_684_800_000;
    for (const time of [first - 1, 0, -5, '1999-12-31'])
      expect(await at(time)).toMatchObject({ ledger_index: 1, close_time: first, clampedToGenesis: true });
    for (const time of [first, '2001-01-01']) {
      const found = await at(time);
      expect(found).toMatchObject({ ledger_index: 1, close_time: first });
      expect(found).not.toHaveProperty('clampedToGenesis');
    }
  });

  test('no ledger yet is 503', async () => {
    const empty = fixture([]);
    for (const path of ['/v1/ledger', '/v1/ledger/validated', '/v1/ledger/at?time=5'])
      expect((await empty.get(path)).status).toBe(503);
    expect(((await (await empty.get('/health')).json()) as Json).ledger).toBeNull();
  });

  test('an entry is named by exactly one parameter, and malformed JSON is 400', async () => {
    for (const query of [
      '',
      '?index=zz',
      '?offer={',
      '?offer={"account":"r"}',
      '?amm=[]',
      `?check=${'0'.repeat(64)}&index=1`,
    ])
      expect((await get(`/v1/ledger/entry${query}`)).status).toBe(400);
    expect((await get(`/v1/ledger/entry?index=${'0'.repeat(64)}`)).status).toBe(404);
  });

  test('what is not stored is asked of the node', async () => {
    const asking = fixture(made);
    const asked: Record<string, unknown>[] = [];
    Object.assign(asking.network, {
      source: {
        live: true,
        latest: () => ({ index: 102 }),
        request: async (command: Record<string, unknown>) => {
          asked.push(command);
          if (command.command === 'tx')
            return { hash: command.transaction, validated: true, status: 'success' };
          return { error: 'entryNotFound', status: 'error' };
        },
      },
    });
    const hash = 'ab'.repeat(32);
    expect(await (await asking.get(`/v1/tx/${hash}`)).json()).toMatchObject({
      hash: hash.toUpperCase(),
      validated: true,
    });
    expect((await asking.get(`/v1/ledger/entry?index=${hash}`)).status).toBe(404);
    expect(asked.map(({ command }) => command)).toEqual(['tx', 'ledger_entry']);
  });

  test('what the node answers to another question is not shown', async () => {
    const asking = fixture(made);
    const other = { hash: 'CD'.repeat(32), index: 'CD'.repeat(32), validated: true, status: 'success' };
    const more = { ledger_index: 7, tx_json: { TransactionType: 'AccountSet', Account: 'r' }, meta: {} };
    const request = async () => ({ ...other, ...more });
    Object.assign(asking.network, { source: { live: true, latest: () => ({ index: 102 }), request } });
    const hash = 'AB'.repeat(32);
    for (const path of [`/tx/${hash}`, `/submit/tx/${hash}`, `/ledger/entry?index=${hash}`]) {
      const answer = await asking.get(`/v1${path}`);
      expect([path, answer.status, (await answer.text()).includes('CDCD')]).toEqual([path, 503, false]);
    }
    expect((await asking.get(`/v1/tx/${other.hash}`)).status).toBe(200);
  });
});

test('a transaction that only the node of a test network has is answered, and 404 until it is in a ledger', async () => {
  const asking = fixture(made, { routes: testnetNodeRoutes });
  const tx_json = { TransactionType: 'AccountSet', Account: 'r' };
  const placed = { tx_json, meta: { TransactionResult: 'tesSUCCESS' }, ledger_index: 7, validated: true };
  let answer: object = placed;
  const hash = 'AB'.repeat(32);
  Object.assign(asking.network, { source: { live: true, request: async () => ({ hash, ...answer }) } });
  const found = await asking.get(`/v1/testnet/tx/${hash}`);
  expect(found.status).toBe(200);
  expect(await found.json()).toMatchObject({
    validated: true,
    ledger: 7,
    result: 'tesSUCCESS',
    transaction: { ...tx_json, hash },
  });
  for (answer of [
    { tx_json, validated: false },
    { error: 'txnNotFound', status: 'error' },
  ])
    expect((await asking.get(`/v1/testnet/tx/${hash}`)).status).toBe(404);
});

describe.skipIf(ledgers.length === 0)('recorded ledgers', () => {
  const { get } = fixture(ledgers);

  test('header and transactions are those of the recording and of the reference codec', async () => {
    const byIndex = new Map(
      ledgerFiles()
        .filter((name) => name.startsWith('mainnet'))
        .map((name) => [Number(name.match(/\d+/)![0]), name]),
    );
    for (const packed of ledgers) {
      const recorded = readLedger(byIndex.get(packed.ledgerIndex)!);
      const answer = (await (await get(`/v1/ledger/${packed.ledgerIndex}?expand=true`)).json()) as Json;
      for (const name of ['ledger_hash', 'parent_hash', 'transaction_hash', 'account_hash', 'close_time'])
        expect<unknown>(answer[name]).toBe(recorded.header[name]);
      const transactions = answer.transactions as unknown as { tx_json: Json; meta: Json; hash: string }[];
      expect(transactions.map(({ hash }) => hash)).toEqual(recorded.transactions!.map(({ hash }) => hash));
      for (const [at, { tx_json, meta }] of transactions.entries()) {
        const { tx_blob, meta_blob } = recorded.transactions![at]!;
        const { DeliverMax, ...tx } = tx_json;
        expect<unknown>(DeliverMax === undefined ? tx : { ...tx, Amount: DeliverMax }).toEqual(
          nodeJson(tx_blob!),
        );
        const plain = Object.fromEntries(Object.entries(meta).filter(([name]) => /^[A-Z]/.test(name)));
        expect<unknown>(plain).toEqual(nodeJson(meta_blob!));
      }
    }
  });

  test('a transaction is found by its hash in either case', async () => {
    const packed = ledgers.at(-1)!;
    const list = (await (await get(`/v1/ledger/${packed.ledgerIndex}`)).json()) as { transactions: string[] };
    const hash = list.transactions[0]!;
    for (const spelled of [hash, hash.toLowerCase()])
      expect(await (await get(`/v1/tx/${spelled}`)).json()).toMatchObject({
        hash,
        ledger_index: packed.ledgerIndex,
        // C, seven digits of ledger, four of position, four of network: mainnet is 0.
        ctid: `C${packed.ledgerIndex.toString(16).toUpperCase().padStart(7, '0')}00000000`,
        validated: true,
      });
    expect((await get(`/v1/tx/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await get('/v1/tx/xyz')).status).toBe(400);
  });

  test('an entry is as its latest change left it', async () => {
    const last = ledgers.at(-1)!;
    const wanted = new Map<string, Json>();
    for (let tx = 0; tx < last.count; tx++) {
      const meta = decode(Buffer.from(last.meta(tx)).toString('hex')) as Json;
      for (const node of meta.AffectedNodes as unknown as Record<string, Json>[])
        for (const [action, body] of Object.entries(node))
          wanted.set(String(body.LedgerIndex), { ...body, action } as unknown as Json);
    }
    let seen = 0;
    for (const [index, body] of wanted) {
      const response = await get(`/v1/ledger/entry?index=${index}`);
      if (body.action === 'DeletedNode' || body.LedgerEntryType === 'DirectoryNode') {
        expect(response.status).toBe(404);
        continue;
      }
      const fields = (body.NewFields ?? body.FinalFields) as Json | undefined;
      if (!fields) continue;
      const { node } = (await response.json()) as { node: Json };
      const spelled = toJson(fromJson(fields), 'node');
      expect(node).toMatchObject({ ...spelled, LedgerEntryType: body.LedgerEntryType, index } as never);
      expect<unknown>(node.PreviousTxnLgrSeq).toBe(last.ledgerIndex);
      expect(node.Flags).toBeNumber();
      seen++;
    }
    expect(seen).toBeGreaterThan(5);
  });
});

/** Members that nodes add to metadata, as far as they were recorded. */
const SYNTHETIC = ['delivered_amount', 'mpt_issuance_id', 'nftoken_id', 'offer_id'] as const;
/** Fixtures of other projects whose delivered amount was written by hand, by the beginning of the hash. */
const EDITED: ReadonlySet<string> = new Set(['A0A074D1', 'DA9E41A9', 'EC54AB2D']);

describe.skipIf(!corpusDir)('recorded metadata', () => {
  const nodes: Json[] = [];
  const recorded: { tx: Json; meta: Json; ledger: number; closeTime: number | undefined }[] = [];
  for (const line of corpusDir ? readLines('tx.jsonl.gz') : []) {
    const meta = line.meta as Json;
    if (EDITED.has(String(line.hash).slice(0, 8))) continue;
    recorded.push({
      tx: line.tx as Json,
      meta,
      ledger: Number(line.ledger_index),
      closeTime: line.close_time as number | undefined,
    });
    for (const node of (meta?.AffectedNodes ?? []) as unknown as Record<string, Json>[])
      nodes.push(...Object.values(node));
  }

  test('the index of every entry follows from what names it', () => {
    // The default of an asset is XRP, and metadata of a new pool leaves it out.
    const asset = (issue: Json | undefined) =>
      issue === undefined || issue.currency === 'XRP' ? 'XRP' : issue;
    const isMpt = (issue: Json | undefined) => issue?.mpt_issuance_id !== undefined;
    const named: Record<string, (fields: Json) => Uint8Array | undefined> = {
      AccountRoot: (f) => entryIndexBy.account_root!(f.Account),
      Offer: (f) => entryIndexBy.offer!({ account: f.Account, seq: f.Sequence }),
      Ticket: (f) => entryIndexBy.ticket!({ account: f.Account, ticket_seq: f.TicketSequence }),
      AMM: (f) =>
        isMpt(f.Asset) || isMpt(f.Asset2)
          ? undefined
          : entryIndexBy.amm!({ asset: asset(f.Asset), asset2: asset(f.Asset2) }),
      DepositPreauth: (f) =>
        f.Authorize === undefined
          ? undefined
          : entryIndexBy.deposit_preauth!({ owner: f.Account, authorized: f.Authorize }),
    };
    const counts: Record<string, number> = {};
    for (const node of nodes) {
      const type = String(node.LedgerEntryType);
      const fields = (node.FinalFields ?? node.NewFields) as unknown as Json | undefined;
      if (!fields || !named[type] || !node.LedgerIndex) continue;
      if (type === 'Offer' && fields.Sequence === undefined) continue;
      const index = named[type](fields);
      if (!index) continue;
      expect(hexOf(index), `${type} ${JSON.stringify(fields)}`).toBe(String(node.LedgerIndex));
      counts[type] = (counts[type] ?? 0) + 1;
    }
    expect(Object.keys(counts).sort()).toEqual(Object.keys(named).sort());
  });

  test('owner directories and their pages', () => {
    let seen = 0;
    for (const node of nodes) {
      const fields = (node.FinalFields ?? node.NewFields) as unknown as Json | undefined;
      if (node.LedgerEntryType !== 'DirectoryNode' || !fields?.Owner || node.LedgerIndex !== fields.RootIndex)
        continue;
      expect(hexOf(entryIndexBy.directory!({ owner: fields.Owner }))).toBe(String(node.LedgerIndex));
      seen++;
    }
    expect(seen).toBeGreaterThan(5);
  });

  test('what nodes added to their answers is what is added here', () => {
    const added = new Map<string, number>();
    for (const { tx, meta, ledger, closeTime } of recorded) {
      if (typeof meta?.TransactionResult !== 'string' || closeTime === undefined) continue;
      const ours = syntheticMeta(tx, meta, recordsDelivered(ledger, closeTime));
      for (const name of SYNTHETIC) {
        // Nodes of other years did not add all of them.
        if (meta[name] === undefined) continue;
        expect<unknown>(ours[name], `${name} ${JSON.stringify(tx)}`).toEqual(meta[name]);
        added.set(name, (added.get(name) ?? 0) + 1);
      }
    }
    console.log(`compared: ${JSON.stringify([...added])}`);
    expect([...added.keys()].sort()).toEqual([...SYNTHETIC]);
  });
});
