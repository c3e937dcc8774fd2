/** The names of ledger entry types in commands (rippled `ledger_entries.macro`). */
import type { Json } from '../../../engine/codec/json.ts';
import type { EntryType } from '../../protocol/fields.ts';
import { expectedField, invalidField } from './errors.ts';

export const RPC_NAMES = {
  account: 'AccountRoot',
  amendments: 'Amendments',
  amm: 'AMM',
  bridge: 'Bridge',
  check: 'Check',
  credential: 'Credential',
  delegate: 'Delegate',
  deposit_preauth: 'DepositPreauth',
  did: 'DID',
  directory: 'DirectoryNode',
  escrow: 'Escrow',
  fee: 'FeeSettings',
  hashes: 'LedgerHashes',
  loan: 'Loan',
  loan_broker: 'LoanBroker',
  mpt_issuance: 'MPTokenIssuance',
  mptoken: 'MPToken',
  nft_offer: 'NFTokenOffer',
  nft_page: 'NFTokenPage',
  nunl: 'NegativeUNL',
  offer: 'Offer',
  oracle: 'Oracle',
  payment_channel: 'PayChannel',
  permissioned_domain: 'PermissionedDomain',
  signer_list: 'SignerList',
  state: 'RippleState',
  ticket: 'Ticket',
  vault: 'Vault',
  xchain_owned_claim_id: 'XChainOwnedClaimID',
  xchain_owned_create_account_claim_id: 'XChainOwnedCreateAccountClaimID',
} as const satisfies Record<string, EntryType>;

/** By the protocol's names in lower case. */
const BY_PROTOCOL_NAME: ReadonlyMap<string, EntryType> = new Map(
  Object.values(RPC_NAMES).map((type) => [type.toLowerCase(), type]),
);

/**
 * The parameter `type`: the name that commands use, or the protocol's name in any case (rippled
 * `chooseLedgerEntryType`).
 * @returns undefined when it is not given. @throws RpcError
 */
export function entryTypeParam(value: Json | undefined): EntryType | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw expectedField('type', 'string');
  const type = Object.hasOwn(RPC_NAMES, value)
    ? RPC_NAMES[value as keyof typeof RPC_NAMES]
    : BY_PROTOCOL_NAME.get(value.toLowerCase());
  if (type === undefined) throw invalidField('type');
  return type;
}
