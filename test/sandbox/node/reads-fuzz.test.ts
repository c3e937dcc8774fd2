/** For any parameters the reading commands answer, or refuse with rippled's errors. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { COMMANDS } from '../../../sandbox/node/rpc/registry.ts';
import { drawsOf, seedOf } from '../seed.ts';
import { ReadsRig, type Reply } from './reads-rig.ts';

let rig: ReadsRig;
let questions: readonly (readonly [string, Reply])[];

beforeAll(() => {
  rig = new ReadsRig().build();
  const { alice, bob, issuer, oracle1 } = rig.accounts;
  const XRP = { currency: 'XRP' };
  const USD = { currency: 'USD', issuer: issuer.address };
  const page = {
    limit: 20,
    marker: undefined,
    ledger_index: 'validated',
    ledger_hash: undefined,
    ledger: undefined,
  };
  const account = { account: alice.address, ...page };
  const range = { ledger_index_min: 3, ledger_index_max: 9, forward: true, binary: false };
  const entry = { ledger_index: 'validated', binary: true };
  const selectors: readonly Reply[] = [
    { index: 'A'.repeat(64) },
    { account_root: alice.address },
    { amm: { asset: XRP, asset2: USD } },
    {
      bridge: {
        LockingChainDoor: alice.address,
        LockingChainIssue: XRP,
        IssuingChainDoor: bob.address,
        IssuingChainIssue: XRP,
      },
      bridge_account: alice.address,
    },
    { credential: { subject: alice.address, issuer: bob.address, credential_type: 'AB' } },
    { delegate: { account: alice.address, authorize: bob.address } },
    { deposit_preauth: { owner: alice.address, authorized: bob.address } },
    {
      deposit_preauth: {
        owner: alice.address,
        authorized_credentials: [{ issuer: bob.address, credential_type: 'AB' }],
      },
    },
    { did: alice.address },
    { directory: { owner: alice.address, sub_index: 1 } },
    { escrow: { owner: alice.address, seq: 1 } },
    { hashes: 1 },
    { loan: { loan_broker_id: 'A'.repeat(64), loan_seq: 1 } },
    { loan_broker: { owner: alice.address, seq: 1 } },
    { mptoken: { mpt_issuance_id: rig.ids.mpt, account: bob.address } },
    { mpt_issuance: rig.ids.mpt },
    { offer: { account: alice.address, seq: 1 } },
    { oracle: { account: oracle1.address, oracle_document_id: 1 } },
    { permissioned_domain: { account: alice.address, seq: 1 } },
    { ripple_state: { accounts: [alice.address, bob.address], currency: 'USD' } },
    { ticket: { account: alice.address, ticket_seq: 1 } },
    { vault: { owner: alice.address, seq: 1 } },
    { nunl: true },
    {
      xchain_owned_claim_id: {
        xchain_owned_claim_id: 1,
        LockingChainDoor: alice.address,
        LockingChainIssue: XRP,
        IssuingChainDoor: bob.address,
        IssuingChainIssue: XRP,
      },
    },
  ];
  questions = [
    ['account_channels', { ...account, destination_account: bob.address }],
    ['account_currencies', { ...account, ident: bob.address }],
    ['account_info', { ...account, queue: false, signer_lists: true, ident: bob.address }],
    ['account_lines', { ...account, peer: issuer.address, ignore_default: false }],
    ['account_nfts', account],
    ['account_objects', { ...account, type: 'check', deletion_blockers_only: false }],
    ['account_offers', account],
    ['account_tx', { ...account, ...range, tx_type: 'Payment', ledger_index: undefined }],
    ['amm_info', { asset: XRP, asset2: USD, amm_account: undefined, account: bob.address, ...page }],
    ['book_changes', page],
    ['book_offers', { taker_pays: XRP, taker_gets: USD, taker: bob.address, domain: undefined, ...page }],
    [
      'channel_verify',
      { public_key: alice.publicKey, channel_id: 'A'.repeat(64), amount: '1', signature: 'AB' },
    ],
    [
      'deposit_authorized',
      { source_account: alice.address, destination_account: bob.address, credentials: ['A'.repeat(64)] },
    ],
    ['gateway_balances', { ...account, hotwallet: [bob.address] }],
    [
      'get_aggregate_price',
      {
        base_asset: 'XRP',
        quote_asset: 'USD',
        trim: 20,
        time_threshold: 9,
        oracles: [{ account: oracle1.address, oracle_document_id: 1 }],
        ...page,
      },
    ],
    ...selectors.map((selector) => ['ledger_entry', { ...entry, ...selector }] as const),
    ['mpt_holders', { mpt_issuance_id: rig.ids.mpt, ...page }],
    ['nft_buy_offers', { nft_id: rig.ids.nft, ...page }],
    ['nft_history', { nft_id: rig.ids.sold, ...range, ...page, ledger_index: undefined }],
    ['nft_info', { nft_id: rig.ids.sold, ...page }],
    ['nft_sell_offers', { nft_id: rig.ids.nft, ...page }],
    ['nfts_by_issuer', { issuer: alice.address, nft_taxon: 1, ...page }],
    ['noripple_check', { ...account, role: 'user', transactions: true }],
    ['owner_info', { account: alice.address, ident: bob.address }],
    ['tx_history', { start: 0 }],
    ['vault_info', { vault_id: undefined, owner: alice.address, seq: 1, ...page }],
  ];
});

afterAll(async () => {
  await rig.stop();
});

const ODD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  2 ** 31,
  2 ** 32,
  1e300,
  '',
  ' ',
  '0',
  '-1',
  '99999999999',
  'x',
  'XRP',
  'current',
  '__proto__',
  'constructor',
  '\u0000\ud83d\ude00',
  'r'.repeat(5000),
  'A'.repeat(40),
  'A'.repeat(48),
  'F'.repeat(64),
  `${'F'.repeat(64)},1`,
  `0,${'F'.repeat(64)}`,
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  [],
  [null],
  [[]],
  ['x', 1, {}],
  {},
  { ledger: 1, seq: 'x' },
  { currency: 'USD' },
  { currency: 'USD', issuer: 7 },
  { account: 1, seq: {}, owner: [] },
];

/** The path of every value in the parameters, also in nested objects. */
function places(params: Reply, before: readonly string[] = []): (readonly string[])[] {
  return Object.entries(params).flatMap(([name, value]) => {
    const place = [...before, name];
    const isInner = typeof value === 'object' && value !== null;
    return [place, ...(isInner ? places(value as Reply, place) : [])];
  });
}

function replaced(params: Reply, place: readonly string[], value: unknown): Reply {
  const copy = structuredClone(params);
  let inner = copy as Record<string, unknown>;
  for (const name of place.slice(0, -1)) inner = inner[name] as Record<string, unknown>;
  inner[place.at(-1)!] = value;
  return copy;
}

async function mustBeAnswered(method: string, params: Reply, version: 1 | 2): Promise<string | undefined> {
  const answer = await rig.ask(method, params, version);
  const shown = JSON.stringify([method, params, answer]).slice(0, 800);
  if (answer.status === 'success') return undefined;
  if (typeof answer.error !== 'string' || answer.error === 'internal') throw new Error(shown);
  // Only `unknownOption` of ledger_entry has no code.
  if (typeof answer.error_code !== 'number' && answer.error !== 'unknownOption') throw new Error(shown);
  return answer.error;
}

test('every parameter with every unusual value', async () => {
  const errors = new Map<string, number>();
  let asked = 0;
  for (const [method, params] of questions) {
    expect(COMMANDS.has(method)).toBe(true);
    for (const place of places(params))
      for (const [i, value] of ODD.entries()) {
        const error = await mustBeAnswered(method, replaced(params, place, value), i % 2 === 0 ? 1 : 2);
        if (error !== undefined) errors.set(error, (errors.get(error) ?? 0) + 1);
        asked++;
      }
  }
  expect(rig.faults).toEqual([]);
  expect(asked).toBeGreaterThan(6000);
  expect(errors.get('invalidParams')).toBeGreaterThan(1000);
});

test('several unusual values at once, at random', async () => {
  const draw = drawsOf(seedOf('odd reads'));
  for (let i = 0; i < 3000; i++) {
    const [method, params] = questions[draw(questions.length)]!;
    let odd = params;
    for (let n = draw(3); n >= 0; n--) {
      const all = places(odd);
      const value = ODD[draw(ODD.length)];
      odd =
        draw(8) === 0
          ? replaced(odd, all[draw(all.length)]!, undefined)
          : replaced(odd, all[draw(all.length)]!, value);
    }
    await mustBeAnswered(method, odd, draw(2) === 0 ? 1 : 2);
  }
  expect(rig.faults).toEqual([]);
});
