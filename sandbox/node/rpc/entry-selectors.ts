/**
 * How `ledger_entry` names entries: by their key or by what the key is made of (rippled `LedgerEntry.cpp`).
 * Its errors have tokens of their own (`malformedRequest`, `malformedOwner`, ...), all with the code of invalidParams.
 */

import { ACCOUNT_ZERO, type AccountId, HASH_ZERO, type Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/codec/values.ts';
import { CREDENTIAL_TYPE_BYTES_MAX, CREDENTIALS_MAX, sortedKinds } from '../../assets/credentials.ts';
import type { Bridge, EntryType } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import { RPC_NAMES } from './entry-types.ts';
import { RpcError } from './errors.ts';
import { accountIdOf, assetOf, currencyParam, HASH, isU32, MPT_ID, u32Of } from './params.ts';

const BLOB = /^(?:[0-9A-Fa-f]{2})+$/;

/** No entry has the key zero: a selector with this key finds nothing. */
const NO_ENTRY: Hex = HASH_ZERO;

const malformed = (token: string, message: string): RpcError =>
  new RpcError('invalidParams', message, { error: token });
const expected = (token: string, field: string, what: string): RpcError =>
  malformed(token, `Invalid field '${field}', not ${what}.`);
const missing = (field: string, token = 'malformedRequest'): RpcError =>
  malformed(token, `Missing field '${field}'.`);

function addressOf(value: Json | undefined): AccountId | undefined {
  const id = accountIdOf(value);
  return id === ACCOUNT_ZERO ? undefined : id;
}

function accountIn(object: JsonObject, field: string, token: string): AccountId {
  if (object[field] === undefined) throw missing(field);
  const id = addressOf(object[field]);
  if (id === undefined) throw expected(token, field, 'AccountID');
  return id;
}

function numberIn(object: JsonObject, field: string, token: string): number {
  const value = object[field];
  if (value === undefined) throw missing(field);
  const number = u32Of(value);
  if (number === undefined) throw expected(token, field, 'number');
  return number;
}

function mptIn(object: JsonObject, field: string, token: string): Hex {
  const value = object[field];
  if (value === undefined) throw missing(field);
  if (typeof value !== 'string' || !MPT_ID.test(value)) throw expected(token, field, 'Hash192');
  return value.toUpperCase();
}

function typeIn(object: JsonObject, token: string): Hex {
  const value = object.credential_type;
  if (value === undefined) throw missing('credential_type');
  if (typeof value !== 'string' || !BLOB.test(value) || value.length > 2 * CREDENTIAL_TYPE_BYTES_MAX)
    throw expected(token, 'credential_type', 'hex string');
  return value.toUpperCase();
}

function mustHave(object: JsonObject, fields: readonly string[], token?: string): void {
  for (const field of fields)
    if (object[field] === undefined || object[field] === null) throw missing(field, token);
}

/** The key itself. */
function keyOf(value: Json, field: string): Hex {
  if (typeof value === 'string' && HASH.test(value)) return value.toUpperCase();
  throw expected('malformedRequest', field, 'hex string');
}

type Selector = (value: Json, field: string, params: JsonObject) => Hex;

/** By key or by an object. */
const byParts =
  (parts: (object: JsonObject) => Hex): Selector =>
  (value, field) =>
    isJsonObject(value) ? parts(value) : keyOf(value, field);

/** By key, or `true` for the one entry of its kind. */
const theOne =
  (key: Hex): Selector =>
  (value, field) => {
    if (value === true) return key;
    if (value === false) throw expected('invalidParams', field, 'true');
    return keyOf(value, field);
  };

const byAddress =
  (key: (id: AccountId) => Hex, what: string): Selector =>
  (value, field) => {
    const id = addressOf(value);
    if (id === undefined) throw expected('malformedAddress', field, what);
    return key(id);
  };

const hashes: Selector = (value, field) =>
  isU32(value) ? keylets.skipList(value) : theOne(keylets.skipList())(value, field, {});

const amm = byParts((object) => {
  mustHave(object, ['asset', 'asset2']);
  const asset = assetOf(object.asset);
  const asset2 = assetOf(object.asset2);
  if (asset === undefined || asset2 === undefined) throw malformed('malformedRequest', '');
  return keylets.amm(asset, asset2);
});

/** @throws RpcError */
function bridgeIn(object: JsonObject): Bridge {
  mustHave(object, ['IssuingChainDoor', 'LockingChainDoor', 'IssuingChainIssue', 'LockingChainIssue']);
  const LockingChainDoor = accountIn(object, 'LockingChainDoor', 'malformedLockingChainDoor');
  const IssuingChainDoor = accountIn(object, 'IssuingChainDoor', 'malformedIssuingChainDoor');
  const LockingChainIssue = assetOf(object.LockingChainIssue);
  if (LockingChainIssue === undefined) throw expected('malformedIssue', 'LockingChainIssue', 'Issue');
  const IssuingChainIssue = assetOf(object.IssuingChainIssue);
  if (IssuingChainIssue === undefined) throw expected('malformedIssue', 'IssuingChainIssue', 'Issue');
  return { LockingChainDoor, IssuingChainDoor, LockingChainIssue, IssuingChainIssue };
}

const bridge: Selector = (value, field, params) => {
  if (!isJsonObject(value)) return keyOf(value, field);
  const named = bridgeIn(value);
  const door = accountIn(params, 'bridge_account', 'malformedBridgeAccount');
  if (door === named.LockingChainDoor) return keylets.bridge(door, named.LockingChainIssue);
  if (door === named.IssuingChainDoor) return keylets.bridge(door, named.IssuingChainIssue);
  throw malformed('malformedRequest', '');
};

const credential = byParts((object) =>
  keylets.credential(
    accountIn(object, 'subject', 'malformedRequest'),
    accountIn(object, 'issuer', 'malformedRequest'),
    typeIn(object, 'malformedRequest'),
  ),
);

const CREDENTIALS = 'authorized_credentials';
const BAD_CREDENTIALS = 'malformedAuthorizedCredentials';

/** @throws RpcError */
function kindsIn(value: Json | undefined): keylets.CredentialKind[] {
  if (!Array.isArray(value)) throw expected(BAD_CREDENTIALS, CREDENTIALS, 'array');
  const kinds = value.map((kind) => {
    if (!isJsonObject(kind)) throw expected(BAD_CREDENTIALS, CREDENTIALS, 'array');
    mustHave(kind, ['issuer', 'credential_type'], BAD_CREDENTIALS);
    return { issuer: accountIn(kind, 'issuer', BAD_CREDENTIALS), type: typeIn(kind, BAD_CREDENTIALS) };
  });
  const sorted = kinds.length === 0 || kinds.length > CREDENTIALS_MAX ? undefined : sortedKinds(kinds);
  if (sorted === undefined) throw expected(BAD_CREDENTIALS, CREDENTIALS, 'Array');
  return sorted;
}

const depositPreauth = byParts((object) => {
  if ((object.authorized === undefined) === (object[CREDENTIALS] === undefined))
    throw malformed(
      'malformedRequest',
      'Must have exactly one of `authorized` and `authorized_credentials`.',
    );
  const owner = accountIn(object, 'owner', 'malformedOwner');
  if (object.authorized === undefined)
    return keylets.depositPreauthCredentials(owner, kindsIn(object[CREDENTIALS]));
  const authorized = addressOf(object.authorized);
  if (authorized === undefined) throw expected('malformedAuthorized', 'authorized', 'Account');
  return keylets.depositPreauth(owner, authorized);
});

const directory = byParts((object) => {
  const { owner, dir_root: root } = object;
  if (object.sub_index !== undefined && u32Of(object.sub_index) === undefined)
    throw expected('malformedRequest', 'sub_index', 'integer');
  if ((owner === undefined) === (root === undefined))
    throw malformed('malformedRequest', 'Must have exactly one of `owner` and `dir_root` fields.');
  const page = BigInt(Number(object.sub_index ?? 0));
  if (owner === undefined) {
    if (typeof root !== 'string' || !HASH.test(root)) throw expected('malformedDirRoot', 'dir_root', 'hash');
    return keylets.directoryPage(root.toUpperCase(), page);
  }
  const id = addressOf(owner);
  if (id === undefined) throw expected('malformedAddress', 'owner', 'Account');
  return keylets.directoryPage(keylets.ownerDirectory(id), page);
});

const ofOwner = (
  key: (owner: AccountId, sequence: number) => Hex,
  account: readonly [field: string, token: string],
  sequence: readonly [field: string, token: string],
): Selector => byParts((object) => key(accountIn(object, ...account), numberIn(object, ...sequence)));

const mptoken = byParts((object) =>
  keylets.mptoken(
    mptIn(object, 'mpt_issuance_id', 'malformedMPTIssuanceID'),
    accountIn(object, 'account', 'malformedAccount'),
  ),
);

const mptIssuance: Selector = (value, field) => {
  if (typeof value !== 'string' || !MPT_ID.test(value))
    throw expected('malformedMPTokenIssuance', field, 'Hash192');
  return keylets.mptIssuance(value.toUpperCase());
};

const permissionedDomain: Selector = (value, field) => {
  if (typeof value === 'string') return keyOf(value, field);
  if (!isJsonObject(value)) throw expected('malformedRequest', field, 'object or string');
  const account = accountIn(value, 'account', 'malformedAddress');
  return keylets.permissionedDomain(account, numberIn(value, 'seq', 'malformedRequest'));
};

const rippleState = byParts((object) => {
  mustHave(object, ['currency', 'accounts']);
  const { accounts, currency: code } = object;
  if (!Array.isArray(accounts) || accounts.length !== 2)
    throw expected('malformedRequest', 'accounts', 'length-2 array of Accounts');
  const a = addressOf(accounts[0]);
  const b = addressOf(accounts[1]);
  if (a === undefined || b === undefined) throw expected('malformedAddress', 'accounts', 'array of Accounts');
  if (a === b) throw malformed('malformedRequest', 'Cannot have a trustline to self.');
  const currency = code === '' ? undefined : currencyParam(code);
  if (currency === undefined) throw expected('malformedCurrency', 'currency', 'Currency');
  return keylets.line(a, b, currency);
});

const claim = (key: (bridge: Bridge, id: bigint) => Hex, field: string, token: string): Selector =>
  byParts((object) => key(bridgeIn(object), BigInt(numberIn(object, field, token))));

/** Lending is not enabled: such a key finds no entry. */
const loan = byParts((object) => {
  if (typeof object.loan_broker_id !== 'string' || !HASH.test(object.loan_broker_id))
    throw expected('malformedLoanBrokerID', 'loan_broker_id', 'Hash256');
  numberIn(object, 'loan_seq', 'malformedSeq');
  return NO_ENTRY;
});

const account: Selector = byAddress(keylets.account, 'AccountID');

/** The parameter that selects an entry, and the required type of the entry; any type if absent. */
export const SELECTORS: Readonly<Record<string, readonly [selector: Selector, type?: EntryType]>> = {
  index: [keyOf],
  account: [account, RPC_NAMES.account],
  account_root: [account, RPC_NAMES.account],
  amendments: [theOne(keylets.amendments()), RPC_NAMES.amendments],
  amm: [amm, RPC_NAMES.amm],
  bridge: [bridge, RPC_NAMES.bridge],
  check: [keyOf, RPC_NAMES.check],
  credential: [credential, RPC_NAMES.credential],
  delegate: [
    byParts((object) =>
      keylets.delegate(
        accountIn(object, 'account', 'malformedAddress'),
        accountIn(object, 'authorize', 'malformedAddress'),
      ),
    ),
    RPC_NAMES.delegate,
  ],
  deposit_preauth: [depositPreauth, RPC_NAMES.deposit_preauth],
  did: [byAddress(keylets.did, 'Account'), RPC_NAMES.did],
  directory: [directory, RPC_NAMES.directory],
  escrow: [ofOwner(keylets.escrow, ['owner', 'malformedOwner'], ['seq', 'malformedSeq']), RPC_NAMES.escrow],
  fee: [theOne(keylets.fees()), RPC_NAMES.fee],
  hashes: [hashes, RPC_NAMES.hashes],
  loan: [loan, RPC_NAMES.loan],
  loan_broker: [
    ofOwner(() => NO_ENTRY, ['owner', 'malformedOwner'], ['seq', 'malformedSeq']),
    RPC_NAMES.loan_broker,
  ],
  mpt_issuance: [mptIssuance, RPC_NAMES.mpt_issuance],
  mptoken: [mptoken, RPC_NAMES.mptoken],
  nft_offer: [keyOf, RPC_NAMES.nft_offer],
  nft_page: [keyOf, RPC_NAMES.nft_page],
  nunl: [theOne(keylets.negativeUnl()), RPC_NAMES.nunl],
  offer: [
    ofOwner(keylets.offer, ['account', 'malformedAddress'], ['seq', 'malformedRequest']),
    RPC_NAMES.offer,
  ],
  oracle: [
    ofOwner(keylets.oracle, ['account', 'malformedAccount'], ['oracle_document_id', 'malformedDocumentID']),
    RPC_NAMES.oracle,
  ],
  payment_channel: [keyOf, RPC_NAMES.payment_channel],
  permissioned_domain: [permissionedDomain, RPC_NAMES.permissioned_domain],
  ripple_state: [rippleState, RPC_NAMES.state],
  signer_list: [keyOf, RPC_NAMES.signer_list],
  state: [rippleState, RPC_NAMES.state],
  ticket: [
    ofOwner(keylets.ticket, ['account', 'malformedAddress'], ['ticket_seq', 'malformedRequest']),
    RPC_NAMES.ticket,
  ],
  vault: [ofOwner(keylets.vault, ['owner', 'malformedOwner'], ['seq', 'malformedRequest']), RPC_NAMES.vault],
  xchain_owned_claim_id: [
    claim(keylets.xchainClaimId, 'xchain_owned_claim_id', 'malformedXChainOwnedClaimID'),
    RPC_NAMES.xchain_owned_claim_id,
  ],
  xchain_owned_create_account_claim_id: [
    claim(
      keylets.xchainCreateAccountClaimId,
      'xchain_owned_create_account_claim_id',
      'malformedXChainOwnedCreateAccountClaimID',
    ),
    RPC_NAMES.xchain_owned_create_account_claim_id,
  ],
};
