/** Single entries and yes-or-no commands: `ledger_entry` by every selector, vaults, deposits, claims. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { encode, encodeForSigningClaim } from 'ripple-binary-codec';
import { deriveKeypair, sign } from 'ripple-keypairs';
import type { Client } from 'xrpl';
import { CREDENTIAL_TYPE, type Entry, ReadsRig, type Reply } from './reads-rig.ts';

let rig: ReadsRig;
let client: Client;
let state: Entry[];

beforeAll(async () => {
  ({ rig, client, state } = await ReadsRig.open());
});

afterAll(() => rig.end());

const first = (type: string): Entry => state.find(({ LedgerEntryType }) => LedgerEntryType === type)!;

/** Selectors of an entry other than its key. */
function names(): (readonly [type: string, params: Reply, which: (entry: Entry) => boolean])[] {
  const { alice, bob, carol, dave, hot, issuer, oracle1 } = rig.accounts;
  const offer = first('Offer');
  const escrow = rig.network.ledgers
    .accountTransactions(alice.id, { first: 1, last: 99, forward: true, limit: 999 })
    .map((location) => rig.network.ledgers.resolve(location)!.transaction.fields)
    .find(({ TransactionType }) => TransactionType === 'EscrowCreate')!;
  const domain = first('PermissionedDomain');
  const vault = first('Vault');
  const ticket = first('Ticket');
  const XRP = { currency: 'XRP' };
  const USD = { currency: 'USD', issuer: issuer.address };
  const accounts = [alice.address, issuer.address];
  const line = (entry: Entry): boolean =>
    [entry.LowLimit, entry.HighLimit].every((side) => accounts.includes(String((side as Reply).issuer))) &&
    (entry.LowLimit as Reply).currency === 'USD';
  const preauth = { issuer: hot.address, credential_type: CREDENTIAL_TYPE };
  return [
    ['AccountRoot', { account_root: alice.address }, ({ Account }) => Account === alice.address],
    ['AccountRoot', { account: bob.address }, ({ Account }) => Account === bob.address],
    ['AMM', { amm: { asset: XRP, asset2: USD } }, () => true],
    ['AMM', { amm: { asset: USD, asset2: XRP } }, () => true],
    ['Amendments', { amendments: true }, () => true],
    ['FeeSettings', { fee: true }, () => true],
    ['LedgerHashes', { hashes: true }, ({ index }) => index.startsWith('B4979A36CDC7F3D3')],
    [
      'Credential',
      { credential: { subject: carol.address, issuer: hot.address, credential_type: CREDENTIAL_TYPE } },
      () => true,
    ],
    ['Delegate', { delegate: { account: alice.address, authorize: bob.address } }, () => true],
    [
      'DepositPreauth',
      { deposit_preauth: { owner: bob.address, authorized: alice.address } },
      ({ Authorize }) => Authorize === alice.address,
    ],
    [
      'DepositPreauth',
      { deposit_preauth: { owner: bob.address, authorized_credentials: [preauth] } },
      ({ AuthorizeCredentials }) => AuthorizeCredentials !== undefined,
    ],
    ['DID', { did: alice.address }, () => true],
    [
      'DirectoryNode',
      { directory: { owner: alice.address } },
      ({ Owner, IndexPrevious, index, RootIndex }) =>
        Owner === alice.address && index === RootIndex && IndexPrevious !== undefined,
    ],
    [
      'DirectoryNode',
      { directory: { owner: alice.address, sub_index: 1 } },
      ({ Owner, RootIndex, index, IndexPrevious }) =>
        Owner === alice.address && index !== RootIndex && (IndexPrevious ?? '0') === '0',
    ],
    [
      'DirectoryNode',
      { directory: { dir_root: offer.BookDirectory } },
      ({ index }) => index === offer.BookDirectory,
    ],
    ['Escrow', { escrow: { owner: alice.address, seq: escrow.Sequence } }, () => true],
    [
      'MPToken',
      { mptoken: { mpt_issuance_id: rig.ids.mpt, account: rig.holders[2]!.address } },
      ({ Account }) => Account === rig.holders[2]!.address,
    ],
    ['MPTokenIssuance', { mpt_issuance: rig.ids.mpt }, ({ Issuer }) => Issuer === dave.address],
    [
      'Offer',
      { offer: { account: offer.Account, seq: offer.Sequence } },
      ({ index }) => index === offer.index,
    ],
    [
      'Offer',
      { offer: { account: offer.Account, seq: String(offer.Sequence) } },
      ({ index }) => index === offer.index,
    ],
    [
      'Oracle',
      { oracle: { account: oracle1.address, oracle_document_id: 1 } },
      ({ Owner }) => Owner === oracle1.address,
    ],
    [
      'PermissionedDomain',
      { permissioned_domain: { account: hot.address, seq: domain.Sequence } },
      () => true,
    ],
    ['RippleState', { ripple_state: { currency: 'USD', accounts } }, line],
    ['RippleState', { state: { currency: 'USD', accounts: [...accounts].reverse() } }, line],
    [
      'Ticket',
      { ticket: { account: hot.address, ticket_seq: ticket.TicketSequence } },
      ({ index }) => index === ticket.index,
    ],
    ['Vault', { vault: { owner: dave.address, seq: vault.Sequence } }, () => true],
  ];
}

describe('ledger_entry', () => {
  test('finds entries by the values in their keys', async () => {
    for (const [type, params, which] of names()) {
      const wanted = state.filter((entry) => entry.LedgerEntryType === type && which(entry));
      expect([params, wanted.length]).toEqual([params, 1]);
      const answer = await rig.read('ledger_entry', params);
      expect(answer).toMatchObject({ index: wanted[0]!.index, node: wanted[0]!, validated: true });
    }
  });

  test('finds every entry by its key, with the selector of its type and in binary', async () => {
    const byKind: Record<string, string> = {
      AMM: 'amm',
      Amendments: 'amendments',
      Check: 'check',
      Credential: 'credential',
      Delegate: 'delegate',
      DepositPreauth: 'deposit_preauth',
      DirectoryNode: 'directory',
      Escrow: 'escrow',
      FeeSettings: 'fee',
      LedgerHashes: 'hashes',
      MPToken: 'mptoken',
      NFTokenOffer: 'nft_offer',
      NFTokenPage: 'nft_page',
      Offer: 'offer',
      Oracle: 'oracle',
      PayChannel: 'payment_channel',
      PermissionedDomain: 'permissioned_domain',
      RippleState: 'ripple_state',
      SignerList: 'signer_list',
      Ticket: 'ticket',
      Vault: 'vault',
    };
    const seen = new Set<string>();
    for (const { index, ...entry } of state) {
      if (seen.has(entry.LedgerEntryType)) continue;
      seen.add(entry.LedgerEntryType);
      const answer = await rig.read('ledger_entry', { index });
      expect(answer.node).toMatchObject(entry as object);
      const { node_binary: blob, node } = await rig.read('ledger_entry', { index, binary: true });
      const { mpt_issuance_id: _, ...fields } = entry;
      expect(blob).toBe(encode(fields));
      expect(node).toBeUndefined();
      const name = byKind[entry.LedgerEntryType];
      if (name !== undefined) expect((await rig.read('ledger_entry', { [name]: index })).index).toBe(index);
      const wrong = entry.LedgerEntryType === 'Check' ? 'nft_page' : 'check';
      expect(await rig.ask('ledger_entry', { [wrong]: index })).toMatchObject({
        error: 'unexpectedLedgerType',
      });
    }
    expect(seen.size).toBeGreaterThan(20);
  });

  test('reports errors of a request, with its own tokens', async () => {
    const { alice, bob } = rig.accounts;
    const cases: readonly (readonly [Reply, string])[] = [
      [{ index: 'x' }, 'malformedRequest'],
      [{ index: 'A'.repeat(64) }, 'entryNotFound'],
      [{ index: '0'.repeat(64) }, 'entryNotFound'],
      [{ account_root: 'x' }, 'malformedAddress'],
      [{ account_root: rig.account('nobody').address }, 'entryNotFound'],
      [{ index: 'A'.repeat(64), check: 'A'.repeat(64) }, 'invalidParams'],
      [{ fee: false }, 'invalidParams'],
      [{ amm: {} }, 'malformedRequest'],
      [{ amm: { asset: 1, asset2: 2 } }, 'malformedRequest'],
      [{ bridge: {} }, 'malformedRequest'],
      [{ credential: { subject: 'x' } }, 'malformedRequest'],
      [{ deposit_preauth: { owner: bob.address } }, 'malformedRequest'],
      [{ deposit_preauth: { owner: 'x', authorized: 'y' } }, 'malformedOwner'],
      [{ deposit_preauth: { owner: bob.address, authorized: 'y' } }, 'malformedAuthorized'],
      [
        { deposit_preauth: { owner: bob.address, authorized_credentials: [] } },
        'malformedAuthorizedCredentials',
      ],
      [{ directory: {} }, 'malformedRequest'],
      [{ directory: { dir_root: 'x' } }, 'malformedDirRoot'],
      [{ directory: { owner: 'x' } }, 'malformedAddress'],
      [{ directory: { owner: bob.address, sub_index: 'x' } }, 'malformedRequest'],
      [{ escrow: { owner: 'x', seq: 1 } }, 'malformedOwner'],
      [{ escrow: { owner: bob.address, seq: 'x' } }, 'malformedSeq'],
      [{ mptoken: { mpt_issuance_id: 'x' } }, 'malformedMPTIssuanceID'],
      [{ mpt_issuance: 'x' }, 'malformedMPTokenIssuance'],
      [{ oracle: { account: 'x' } }, 'malformedAccount'],
      [{ oracle: { account: bob.address, oracle_document_id: -1 } }, 'malformedDocumentID'],
      [{ ripple_state: { currency: 'USD', accounts: [] } }, 'malformedRequest'],
      [{ ripple_state: { currency: 'USD', accounts: [1, 2] } }, 'malformedAddress'],
      [{ ripple_state: { currency: 'USD', accounts: [bob.address, bob.address] } }, 'malformedRequest'],
      [{ ripple_state: { currency: '', accounts: [bob.address, alice.address] } }, 'malformedCurrency'],
    ];
    for (const [ask, error] of cases)
      expect([ask, (await rig.ask('ledger_entry', ask)).error]).toEqual([ask, error]);
    expect(await rig.ask('ledger_entry', {})).toMatchObject({ error: 'unknownOption' });
    expect(await rig.ask('ledger_entry', {}, 2)).toMatchObject({
      error: 'invalidParams',
      error_message: 'No ledger_entry params provided.',
    });
    expect(await rig.ask('ledger_entry', { check: 5 })).toMatchObject({
      error_code: 31,
      error_message: "Invalid field 'check', not hex string.",
    });
  });

  test('works with the public client', async () => {
    const { result } = await client.request({
      command: 'ledger_entry',
      mpt_issuance: rig.ids.mpt,
      ledger_index: 'validated',
    });
    expect(result.node).toMatchObject({ LedgerEntryType: 'MPTokenIssuance', OutstandingAmount: '208' });
  });
});

test('vault_info shows a vault with its shares', async () => {
  const vault = first('Vault');
  const shares = state.find(
    ({ mpt_issuance_id: id, Issuer }) => id === vault.ShareMPTID || Issuer === vault.Account,
  )!;
  const wanted = { vault: { ...vault, shares } };
  expect(await rig.read('vault_info', { vault_id: vault.index })).toMatchObject(wanted);
  const { dave } = rig.accounts;
  expect(await rig.read('vault_info', { owner: dave.address, seq: vault.Sequence })).toMatchObject(wanted);
  for (const ask of [
    {},
    { vault_id: 'x' },
    { owner: dave.address },
    { vault_id: vault.index, seq: 1 },
    { owner: 'x', seq: 1 },
  ])
    expect(await rig.ask('vault_info', ask)).toMatchObject({ error: 'malformedRequest' });
  expect(await rig.ask('vault_info', { vault_id: 'A'.repeat(64) })).toMatchObject({ error: 'entryNotFound' });
});

test('deposit_authorized shows who may pay whom', async () => {
  const { alice, bob, carol, dave } = rig.accounts;
  const ask = (from: { address: string }, to: { address: string }, more: Reply = {}) =>
    rig.ask('deposit_authorized', { source_account: from.address, destination_account: to.address, ...more });
  const credentials = [first('Credential').index];
  for (const [from, to, more, wanted] of [
    [alice, bob, {}, true],
    [carol, bob, {}, false],
    [carol, bob, { credentials }, true],
    [bob, bob, {}, true],
    [bob, alice, {}, true],
    [dave, bob, {}, false],
  ] as const)
    expect((await ask(from, to, more)).deposit_authorized).toBe(wanted);
  expect(await ask(dave, bob, { credentials })).toMatchObject({ error: 'badCredentials' });
  expect(await ask(carol, bob, { credentials: [...credentials, ...credentials] })).toMatchObject({
    error: 'badCredentials',
    error_message: 'duplicates in credentials',
  });
  for (const wrong of [[], 'x', ['x'], [1], Array(9).fill('A'.repeat(64))])
    expect(await ask(carol, bob, { credentials: wrong })).toMatchObject({ error: 'invalidParams' });
  expect(await ask(rig.account('nobody'), bob)).toMatchObject({ error: 'srcActNotFound' });
  expect(await ask(bob, rig.account('nobody'))).toMatchObject({ error: 'dstActNotFound' });
});

test('channel_verify checks whether a claim is signed by a key', async () => {
  const channel = first('PayChannel').index;
  const message = encodeForSigningClaim({ channel, amount: '1000' });
  const secp = deriveKeypair('snoPBrXtMeMyMHUVTgbuqAfg1SUTb');
  for (const key of [rig.accounts.alice, secp]) {
    const claim = {
      channel_id: channel,
      public_key: key.publicKey,
      amount: '1000',
      signature: sign(message, key.privateKey),
    };
    expect(await rig.ask('channel_verify', claim)).toMatchObject({ signature_verified: true });
    expect(await rig.ask('channel_verify', { ...claim, amount: '1001' })).toMatchObject({
      signature_verified: false,
    });
  }
  const { public_key: base58 } = (
    (await rig.read('account_channels', { account: rig.accounts.alice.address, limit: 400 }))
      .channels as Reply[]
  )[0]!;
  const claim = {
    channel_id: channel,
    public_key: base58,
    amount: '1000',
    signature: sign(message, rig.accounts.alice.privateKey),
  };
  expect(await rig.ask('channel_verify', claim)).toMatchObject({ signature_verified: true });
  // An odd number of digits is still read as bytes, though it is not a signature.
  expect(await rig.ask('channel_verify', { ...claim, signature: '30440' })).toMatchObject({
    signature_verified: false,
  });
  for (const [more, error] of [
    [{ public_key: undefined }, 'invalidParams'],
    [{ public_key: `${String(base58)}x` }, 'publicMalformed'],
    [{ public_key: 'AB' }, 'publicMalformed'],
    [{ channel_id: 'x' }, 'channelMalformed'],
    [{ amount: 1000 }, 'channelAmtMalformed'],
    [{ amount: '-1' }, 'channelAmtMalformed'],
    [{ signature: '' }, 'invalidParams'],
  ] as const)
    expect(await rig.ask('channel_verify', { ...claim, ...more })).toMatchObject({ error });
});

test('a request names at most one ledger; by default the open one is read', async () => {
  const { address: account } = rig.accounts.alice;
  const { index, hash } = rig.network.validated;
  expect(await rig.read('account_info', { account, ledger_index: '' })).toMatchObject({
    ledger_current_index: index + 1,
  });
  for (const [names, error_message] of [
    [
      { ledger_hash: hash, ledger_index: index },
      "Exactly one of 'ledger_hash' or 'ledger_index' can be specified.",
    ],
    [
      { ledger_hash: hash, ledger: index },
      "Exactly one of 'ledger', 'ledger_hash', or 'ledger_index' can be specified.",
    ],
  ] as const)
    expect(await rig.ask('account_info', { account, ...names })).toMatchObject({
      error: 'invalidParams',
      error_message,
    });
});

test('a marker must be an NFT of the account', async () => {
  const { alice, carol } = rig.accounts;
  for (const { account, marker } of [
    { account: alice.address, marker: rig.ids.sold },
    { account: alice.address, marker: '0'.repeat(64) },
    { account: carol.address, marker: 'F'.repeat(64) },
  ])
    expect(await rig.ask('account_nfts', { account, marker })).toMatchObject({
      error: 'invalidParams',
      error_message: "Invalid field 'marker'.",
    });
  expect(await rig.read('account_nfts', { account: carol.address, marker: rig.ids.sold })).toMatchObject({
    account_nfts: [],
  });
});
