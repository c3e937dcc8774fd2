/** One well-formed request of every command of the node, for tests that alter them. */
import { GENESIS } from './network-rig.ts';

type Reply = Record<string, unknown>;

/** The objects that the requests refer to. */
export interface RequestSubjects {
  /** Has a trust line to `ben` in USD and an offer for it. */
  readonly ann: string;
  readonly ben: string;
  /** A transaction in the ledger `index`. */
  readonly hash: string;
  readonly index: number;
  readonly nft: string;
  readonly mpt: string;
}

const HASH = 'AB'.repeat(32);
const SECRET = 'snoPBrXtMeMyMHUVTgbuqAfg1SUTb';

export function requests({ ann, ben, hash, index, nft, mpt }: RequestSubjects): Record<string, Reply> {
  const validated = { ledger_index: 'validated' };
  const of = { account: ann, ...validated };
  const book = { taker_gets: { currency: 'XRP' }, taker_pays: { currency: 'USD', issuer: ben } };
  const payment = {
    TransactionType: 'Payment',
    Account: GENESIS.address,
    Destination: ann,
    Amount: '1000000',
    Memos: [{ Memo: { MemoData: 'AB' } }],
    Flags: 0,
  };
  const signed = {
    ...payment,
    Fee: '30',
    Sequence: 1,
    SigningPubKey: '',
    Signers: [
      { Signer: { Account: ben, SigningPubKey: `ED${'00'.repeat(32)}`, TxnSignature: '00'.repeat(64) } },
    ],
  };
  return {
    account_channels: { ...of, destination_account: ben, limit: 10 },
    account_currencies: of,
    account_info: { ...of, queue: false, signer_lists: true },
    account_lines: { ...of, peer: ben, limit: 10, ignore_default: true },
    account_nfts: { ...of, limit: 20 },
    account_objects: { ...of, type: 'state', limit: 10, deletion_blockers_only: true },
    account_offers: { ...of, limit: 10 },
    account_tx: {
      account: ann,
      ledger_index_min: -1,
      ledger_index_max: -1,
      binary: true,
      forward: true,
      limit: 10,
      marker: { ledger: index, seq: 0 },
    },
    amm_info: { asset: { currency: 'XRP' }, asset2: { currency: 'USD', issuer: ben }, ...validated },
    book_changes: validated,
    book_offers: { ...book, ...validated, limit: 5, taker: ann },
    channel_authorize: { channel_id: HASH, amount: '5', secret: SECRET },
    channel_verify: { channel_id: HASH, amount: '5', public_key: GENESIS.publicKey, signature: 'AB' },
    deposit_authorized: { source_account: ann, destination_account: ben, ...validated, credentials: [HASH] },
    feature: { feature: 'Checks' },
    fee: {},
    gateway_balances: { account: ben, hotwallet: [ann], strict: true, ...validated },
    get_aggregate_price: {
      base_asset: 'XRP',
      quote_asset: 'USD',
      trim: 10,
      time_threshold: 100,
      oracles: [{ account: ann, oracle_document_id: 1 }],
      ...validated,
    },
    ledger: {
      ...validated,
      transactions: true,
      expand: true,
      accounts: true,
      full: false,
      binary: false,
      owner_funds: true,
      queue: false,
      type: 'account',
    },
    ledger_accept: {},
    ledger_closed: {},
    ledger_current: {},
    ledger_data: { ...validated, limit: 5, binary: false, marker: HASH, type: 'offer' },
    ledger_entry: { account_root: ann, ...validated },
    ledger_header: validated,
    ledger_index: { date: '2026-11-21T00:00:00Z' },
    manifest: { public_key: 'nHUFE9prPXPrHcG3SkwP1UzAQbSphqyQkQK9ATXLZsfkezhhda3p' },
    mpt_holders: { mpt_issuance_id: mpt, limit: 10, ...validated },
    nft_buy_offers: { nft_id: nft, limit: 50, ...validated },
    nft_history: { nft_id: nft, limit: 10, forward: true, binary: true },
    nft_info: { nft_id: nft, ...validated },
    nft_sell_offers: { nft_id: nft, ...validated },
    nfts_by_issuer: { issuer: ann, nft_taxon: 0, limit: 10, ...validated },
    noripple_check: { ...of, role: 'user', transactions: true, limit: 10 },
    owner_info: { account: ann },
    path_find: {
      subcommand: 'create',
      source_account: ann,
      destination_account: ben,
      destination_amount: { currency: 'USD', issuer: ben, value: '1' },
      send_max: '1000000',
    },
    ping: {},
    random: {},
    ripple_path_find: {
      source_account: ann,
      destination_account: ben,
      destination_amount: { currency: 'USD', issuer: ben, value: '1' },
      source_currencies: [{ currency: 'XRP' }],
      ...validated,
    },
    sandbox_fixtures: {},
    server_definitions: { hash: HASH },
    server_info: { counters: true },
    server_state: {},
    sign: { tx_json: payment, secret: SECRET, offline: false },
    sign_for: {
      account: GENESIS.address,
      tx_json: { ...payment, Account: ben, Fee: '30', Sequence: 1 },
      secret: SECRET,
    },
    simulate: { tx_json: payment, binary: false },
    submit: { tx_json: payment, secret: SECRET, fail_hard: true },
    submit_multisigned: { tx_json: signed },
    subscribe: {
      streams: ['ledger', 'server', 'transactions'],
      accounts: [ann],
      accounts_proposed: [ben],
      books: [{ ...book, snapshot: true, both: true, taker: ann }],
    },
    transaction_entry: { tx_hash: hash, ledger_index: index },
    tx: { transaction: hash, binary: false, min_ledger: 1, max_ledger: 10 },
    tx_history: { start: 0 },
    tx_reduce_relay: {},
    unsubscribe: { streams: ['ledger'], accounts: [ann], books: [book] },
    vault_info: { vault_id: HASH, ...validated },
    version: {},
    wallet_propose: { passphrase: 'x', key_type: 'ed25519' },
  };
}

/** All variants of one JSON object with one value, at any depth, replaced by each of `values`. */
export function* altered(whole: Reply, values: readonly unknown[]): Generator<Reply, void, undefined> {
  for (const [name, value] of Object.entries(whole)) {
    for (const other of values) yield { ...whole, [name]: other };
    const { [name]: _left, ...rest } = whole;
    yield rest;
    if (Array.isArray(value))
      for (const [i, element] of value.entries()) {
        for (const other of values) yield { ...whole, [name]: value.with(i, other) };
        if (typeof element === 'object' && element !== null)
          for (const inner of altered(element as Reply, values))
            yield { ...whole, [name]: value.with(i, inner) };
      }
    else if (typeof value === 'object' && value !== null)
      for (const inner of altered(value as Reply, values)) yield { ...whole, [name]: inner };
  }
}
