/**
 * Names and types of the members of answers, compared with answers recorded from public servers. The contents of entries,
 * transactions and metadata are covered by the tests of their encoding.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusDir } from '../../../support/corpus.ts';
import { type Entry, ReadsRig, type Reply } from './reads-rig.ts';

let rig: ReadsRig;
let state: Entry[];

beforeAll(async () => {
  rig = new ReadsRig().build();
  state = await rig.state();
});

afterAll(() => rig.end());

type Shape = Map<string, Set<string>>;

/** Members whose contents are tested elsewhere. */
const INNER =
  /(^|\.)(tx|tx_json|meta|metaData|node|account_data|account_objects\[\]|shares|signer_lists\[\])\./;
/** Objects whose names are data: accounts and currencies. */
const NAMED = /^(obligations|balances|assets|frozen_balances|locked)\.[^.]+/;

/** Members about the ledger and the status of the transport. */
const PLACE = /^(status|ledger_hash|ledger_index|ledger_current_index|validated)$/;

/** XRP is a text, any other asset an object: both are amounts. */
const isAmount = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'value' in value && Object.keys(value).length <= 3;

function shapeOf(value: unknown, path = '', shape: Shape = new Map()): Shape {
  if (PLACE.test(path)) return shape;
  const amount = isAmount(value) && !path.includes('*');
  if (path !== '' && !INNER.test(`${path}.`)) {
    const kind = amount ? 'string' : Array.isArray(value) ? 'array' : typeof value;
    shape.set(path, (shape.get(path) ?? new Set()).add(kind));
  }
  if (amount) return shape;
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}[]`, shape);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      shapeOf(inner, at.replace(NAMED, '$1.*'), shape);
    }
  return shape;
}

const recordedOf = (file: string): Reply[] =>
  (JSON.parse(readFileSync(join(corpusDir!, 'responses', `${file}.json`), 'utf8')) as { response: Reply }[])
    .map(({ response }) => (response.result ?? response) as Reply)
    .filter(({ error }) => error === undefined);

/** Our members that no recorded server had: they were older, or the members did not apply. */
const NEWER: Readonly<Record<string, RegExp>> = {
  account_channels: /\.(cancel_after|destination_tag)$/,
  account_info: /^account_flags/,
  account_lines: /^lines\[\]\.freeze$/,
  account_nfts: /TransferFee$/,
  account_offers: /\.expiration$/,
  account_tx: /^transactions\[\]\.(close_time_iso|hash|ledger_hash|ledger_index)$/,
  nft_info: /^uri$/,
  vault_info: /^vault\.Asset\./,
};
/** Recorded members that we do not have: those of other kinds of servers, and of states that do not occur here. */
const NOT_HERE: Readonly<Record<string, RegExp>> = {
  account_info: /^queue_data/,
  account_lines: /^(_nodepref|lines\[\]\.no_ripple_peer)$/,
  account_objects: /^(limit|marker)$/,
  account_tx: /^(used_postgres|warnings.*|offset)$/,
  amm_info: /auth_accounts/,
  book_offers: /^(offers\[\]\.(DomainID|AdditionalBooks.*|Expiration)|.*ExchangeRate)$/,
  vault_info: /^vault\.(Asset\..*|Data)$/,
};

interface Asked {
  readonly file: string;
  readonly method: string;
  readonly params: Reply;
  readonly version?: 1 | 2;
}

function questions(): Asked[] {
  const { alice, bob, carol, hot, issuer, oracle1, oracle2 } = rig.accounts;
  const USD = { currency: 'USD', issuer: issuer.address };
  const XRP = { currency: 'XRP' };
  const account = alice.address;
  const vault = state.find(({ LedgerEntryType }) => LedgerEntryType === 'Vault')!;
  const oracles = [oracle1, oracle2].map(({ address }) => ({ account: address, oracle_document_id: 1 }));
  const one = (method: string, params: Reply, file = method, version: 1 | 2 = 1): Asked => ({
    file,
    method,
    params,
    version,
  });
  return [
    one('account_channels', { account, limit: 400 }),
    one('account_currencies', { account }),
    one('account_info', { account, signer_lists: false }),
    one('account_lines', { account: bob.address }),
    one('account_nfts', { account }),
    one('account_objects', { account }),
    one('account_offers', { account: bob.address }),
    one('account_tx', { account, limit: 10, ledger_index: undefined }),
    one('account_tx', { account, limit: 10, ledger_index: undefined }, 'account_tx', 2),
    one('amm_info', { asset: XRP, asset2: USD }),
    one('book_changes', { ledger_index: 9 }),
    one('book_offers', { taker_pays: XRP, taker_gets: USD }),
    one('deposit_authorized', {
      source_account: carol.address,
      destination_account: bob.address,
      credentials: [state.find(({ LedgerEntryType }) => LedgerEntryType === 'Credential')!.index],
    }),
    one('gateway_balances', { account: issuer.address, hotwallet: [hot.address] }),
    one('get_aggregate_price', { base_asset: 'XRP', quote_asset: 'USD', oracles, trim: 20 }),
    one('ledger_entry', { account_root: account }),
    one('mpt_holders', { mpt_issuance_id: rig.ids.mpt }),
    one('nft_buy_offers', { nft_id: rig.ids.nft }, 'nft_offers'),
    one('nft_history', { nft_id: rig.ids.sold, binary: true, ledger_index: undefined }, 'nft_history', 2),
    one('nft_info', { nft_id: rig.ids.sold }),
    one('nfts_by_issuer', { issuer: account }),
    one('noripple_check', { account: bob.address, role: 'gateway', transactions: true }),
    one('vault_info', { vault_id: vault.index }),
  ];
}

test.skipIf(corpusDir === undefined)('answers have the members and types of recorded ones', async () => {
  const differences: string[] = [];
  for (const { file, method, params, version } of questions()) {
    const recorded: Shape = new Map();
    for (const answer of recordedOf(file)) shapeOf(answer, '', recorded);
    const ours = shapeOf(await rig.read(method, params, version));
    for (const [path, kinds] of ours) {
      const known = recorded.get(path);
      if (known === undefined) {
        if (!NEWER[method]?.test(path)) differences.push(`${method}: ${path} was never recorded`);
      } else if (![...kinds].every((kind) => known.has(kind)))
        differences.push(`${method}: ${path} is ${[...kinds]}, recorded ${[...known]}`);
    }
    for (const path of recorded.keys())
      if (!ours.has(path) && !NOT_HERE[method]?.test(path)) differences.push(`${method}: ${path} is missing`);
  }
  expect(differences).toEqual([]);
});
